import ScanModel

/// One sequence of 7-Scenes: `frame-000000.color.png`, `.depth.png` in millimetres with 65535 for "no value", `.pose.txt`.
///
/// Poses are camera-to-world, row-major, x right, y down, z into the scene. A `camera-intrinsics.txt` beside the frames
/// (as in the copies that come with TSDF fusion programs) is of one camera for both. Where there is none, frames get the
/// Kinect's two, with a warning unless they are called like the published ones: the poses are the depth sensor's, with
/// 585, 585, 320, 240 at 640 × 480, and the pictures are another camera's, which was never calibrated. Like those who
/// train with these data, this reader gives it 525, 525, 320, 240, and the place of another Kinect's colour camera.
///
/// Source: 7-Scenes, readme, for the depth sensor; setup_7scenes.py of DSAC* and ACE for the colour camera, with the
/// calibration of LIRIS, Lyon; tsdf-fusion-python, demo.py, for the file.
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
        ], origin: .form(of: "ScanNet"), poseAxes: .openCV, revision: 10)

    static let cameraFile = "camera-intrinsics.txt"
    private static let colorCamera = CameraIntrinsics(
        fx: 525, fy: 525, cx: 320, cy: 240, width: 640, height: 480, pixelOrigin: .centre)
    private static let depthSensor = CameraIntrinsics(
        fx: 585, fy: 585, cx: 320, cy: 240, width: 640, height: 480, pixelOrigin: .centre)
    /// Takes points from the depth sensor to the colour camera, both with x right, y down, z into the scene; metres.
    private static let colorFromDepth = Pose(rowMajor: [
        9.9996518012567637e-01, 2.6765126468950343e-03, -7.9041012313000904e-03, -2.5558943178152542e-02,
        -2.7409311281316700e-03, 9.9996302803027592e-01, -8.1504520778013286e-03, 1.0109636268061706e-04,
        7.8819942130445332e-03, 8.1718328771890631e-03, 9.9993554558014031e-01, 2.0318321729487039e-03,
        0, 0, 0, 1,
    ])
    private static let rig = ScanNetCameras.Rig(rigFromColor: ScanNetCameras.turned(colorFromDepth).inverse)

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

    /// Whether it is called like a published sequence, for which the usual cameras are meant.
    private static func isPublished(_ tree: any CaptureTree) -> Bool {
        let scenes: Set = ["chess", "fire", "heads", "office", "pumpkin", "redkitchen", "stairs"]
        // A scene's archive stands for the sequence in it.
        if tree is ZipArchive, scenes.contains(tree.name) { return true }
        return id(of: tree.name, in: "") != nil && tree.nameAbove.map(scenes.contains) == true
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
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
        let isGiven = tree.byteCount(of: cameraFile) != nil
        // Without pictures the depth sensor's view is the only one.
        let hasTwoCameras = !isGiven && frames.entries.contains { $0.color != nil }
        capture.source = try frames.attach(
            to: &capture, in: tree, encoding: .uint16(unitsPerMetre: 1000, invalid: 65535),
            rig: hasTwoCameras ? rig : ScanNetCameras.Rig(), rules: rules)
        if !capture.channels.contains(.color) {
            capture.loses(
                .color, "no picture frame-….color.png or .jpg stands beside the poses",
                fix: "copy the pictures frame-….color.… too, whatever their extension")
        }
        if isGiven { try readCamera(&capture, tree) } else { takeUsualCameras(&capture, tree) }
        capture.absences[.timestamp] = "the files do not say when a frame was taken"
        capture.lacks([.recordedConfidence, .box, .motion], "7-Scenes has none")
        return capture
    }

    private static func readCamera(_ capture: inout Capture, _ tree: any CaptureTree) throws(Problem) {
        guard let size = capture.colorSize ?? capture.depthSize else { return }
        capture.list(cameraFile, in: tree, [])
        let k = try NumberText.numbers(
            try tree.bytes(of: cameraFile, limit: NumberText.sizeLimit), count: 9, file: cameraFile)
        let camera = CameraIntrinsics(
            fx: k[0], fy: k[4], cx: k[2], cy: k[5], width: size.width, height: size.height, pixelOrigin: .centre)
        if let defect = CameraIntrinsics.layoutDefect(rowMajor: k) ?? camera.defect {
            throw Problem(.input, defect).at(file: cameraFile)
        }
        capture.giveAllFrames(camera)
        capture.findings["intrinsics-from"] = .string(cameraFile)
    }

    /// The colour camera's, beside which the capture gets the depth sensor's; or that alone, without pictures.
    private static func takeUsualCameras(_ capture: inout Capture, _ tree: any CaptureTree) {
        guard let size = capture.colorSize ?? capture.depthSize else { return }
        let camera = (capture.colorSize == nil ? depthSensor : colorCamera).resized(to: size)
        if capture.colorSize != nil, let depthSize = capture.depthSize {
            let sensor = depthSensor.resized(to: depthSize)
            capture.depthCamera = ScanNetCameras(color: camera, depth: sensor, rig: rig).depthCamera(depthSize)
        }
        capture.giveAllFrames(camera)
        capture.findings["intrinsics-from"] = .string("the cameras usual for 7-Scenes")
        let usual = colorCamera.size
        if size == usual && isPublished(tree) { return }
        let scaling = size == usual ? "" : ", scaled from \(usual) to \(size)"
        let both = capture.rigFromColor == .identity ? "" : ", the colour camera 2.6 cm beside the depth sensor"
        capture.warnings.append(
            "\(cameraFile) is missing, so the cameras usual for 7-Scenes were taken\(scaling)\(both): if others took these "
                + "pictures, put the 3×3 matrix of the one for both into \(cameraFile)")
    }
}
