import ScanModel

/// One sequence of 7-Scenes: `frame-000000.color.png`, `.depth.png` in millimetres with 65535 for "no value", `.pose.txt`.
///
/// Poses are camera-to-world, row-major, x right, y down, z into the scene. Where no `camera-intrinsics.txt` lies
/// beside the frames (as in the copies that come with TSDF fusion programs), they get the Kinect's 585, 585, 320, 240
/// at 640 × 480, with a warning unless they are called like the published ones. The depth sensor was never registered
/// to the colour camera; one camera stands for both, as in everything that was published with these data.
///
/// Source: 7-Scenes, readme; tsdf-fusion-python, demo.py.
public enum SevenScenesSequence: CaptureFormat {
    public static let card = FormatCard(
        name: "7-scenes",
        summary: "7-Scenes sequence: frame-000000.color.png, .depth.png and .pose.txt side by side.",
        reads: [.color, .pose, .intrinsics, .recordedDepth],
        passesOver: ["TrainSplit.txt and TestSplit.txt above the sequences"],
        writer: "write-scannet: {layout: 7-scenes}",
        writingLoses: [
            "timestamps", "confidence", "the bounding box", "motion samples", "a depth sensor's own intrinsics",
            "intrinsics that change from frame to frame: all frames get the same", "which way is up",
        ], origin: .form(of: "ScanNet"), poseAxes: .openCV, revision: 9)

    static let cameraFile = "camera-intrinsics.txt"
    private static let kinect = CameraIntrinsics(
        fx: 585, fy: 585, cx: 320, cy: 240, width: 640, height: 480, pixelOrigin: .centre)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard tree.byteCount(of: ScanNetFolder.infoFile) == nil, PosedPictures.flat(in: tree) != nil else {
            return nil
        }
        return Recognition(format: name, reason: "pictures and poses called frame-… stand side by side")
    }

    public static func remains(of tree: any CaptureTree) -> Recognition? {
        guard PosedPictures.flat(in: tree) == nil else { return nil }
        if let file = PosedPictures.flatPicture(in: tree) {
            return Recognition(format: name, reason: "\(file) has its name, and the poses are missing")
        }
        // A ScanNet scan has poses of such names, too.
        guard tree.byteCount(of: ScanNetFolder.infoFile) == nil, let file = PosedPictures.flatPose(in: tree) else {
            return nil
        }
        return Recognition(format: name, reason: "\(file) has its name, and the pictures are missing")
    }

    /// `chess/seq-01` is `chess-seq-01`: each scene's sequences are numbered anew.
    public static func id(of name: String, in scene: String) -> String? {
        name.hasPrefix("seq-") && Int(name.dropFirst(4)) != nil ? "\(scene)-\(name)" : nil
    }

    /// Whether it is called like a published sequence, for which the published camera is meant.
    private static func isPublished(_ tree: any CaptureTree) -> Bool {
        let scenes: Set = ["chess", "fire", "heads", "office", "pumpkin", "redkitchen", "stairs"]
        // A scene's archive stands for the sequence in it.
        if tree is ZipArchive, scenes.contains(tree.name) { return true }
        return id(of: tree.name, in: "") != nil && tree.nameAbove.map(scenes.contains) == true
    }

    public static func open(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        guard let frames = PosedPictures.flat(in: tree) else {
            guard let picture = PosedPictures.flatPicture(in: tree) else {
                throw Problem(
                    .input, "there are no poses with pictures or depth beside them",
                    fix: "copy the pictures frame-….color.… and frame-….depth.… too, whatever their extensions")
            }
            throw Problem(
                .input, "the poses are missing",
                notes: ["no frame-….pose.txt stands beside pictures such as \(picture)"],
                fix: "copy the files frame-….pose.txt too")
        }
        var capture = Capture(of: tree, as: Self.self, rules)
        capture.source = try frames.attach(
            to: &capture, in: tree, encoding: .uint16(unitsPerMetre: 1000, invalid: 65535), rules: rules)
        if !capture.channels.contains(.color) {
            capture.loses(
                .color, "no picture frame-….color.png or .jpg stands beside the poses",
                fix: "copy the pictures frame-….color.… too, whatever their extension")
        }
        try setCamera(&capture, tree)
        capture.absences[.timestamp] = "the files do not say when a frame was taken"
        capture.lacks([.recordedConfidence, .box, .motion], "7-Scenes has none")
        capture.sortFiles()
        return capture
    }

    private static func setCamera(_ capture: inout Capture, _ tree: any CaptureTree) throws(Problem) {
        guard let size = capture.colorSize ?? capture.depthSize else { return }
        var camera = kinect.resized(to: size)
        if tree.byteCount(of: cameraFile) != nil {
            capture.list(cameraFile, in: tree, [])
            let k = try NumberText.numbers(
                try tree.bytes(of: cameraFile, limit: NumberText.sizeLimit), count: 9, file: cameraFile)
            camera = CameraIntrinsics(
                fx: k[0], fy: k[4], cx: k[2], cy: k[5], width: size.width, height: size.height, pixelOrigin: .centre)
            if let defect = CameraIntrinsics.layoutDefect(rowMajor: k) ?? camera.defect {
                throw Problem(.input, defect).at(file: cameraFile)
            }
        } else if size != kinect.size || !isPublished(tree) {
            let scaling = size == kinect.size ? "" : ", scaled from \(kinect.size) to \(size)"
            capture.warnings.append(
                "\(cameraFile) is missing, so 7-Scenes' published camera was taken\(scaling): if another one took these "
                    + "pictures, put its 3×3 matrix into \(cameraFile)")
        }
        capture.giveAllFrames(camera)
        capture.findings["intrinsics-from"] = .string(
            tree.byteCount(of: cameraFile) == nil ? "7-Scenes' published camera" : cameraFile)
    }
}
