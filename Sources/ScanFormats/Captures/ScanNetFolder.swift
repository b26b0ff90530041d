import ScanModel

/// A ScanNet scan unpacked into files by its Python exporter (`color/0.jpg`, `depth/0.png`, `pose/0.txt`,
/// `intrinsic/`) or by its C++ tool (`frame-000000.color.jpg`, `.depth.pgm`, `.pose.txt`, `_info.txt`).
///
/// Poses are camera-to-world, row-major, x right, y down, z into the scene. Numbers have no leading zeros in the first form,
/// and gaps where frames were skipped. Pictures may have been resized without their intrinsics; as small as depth, they take
/// the depth camera's where they have none of their own.
///
/// Source: ScanNet, SensReader/python/SensorData.py and SensReader/c++/src/sensorData.h; issue 92 of its repository: no
/// extrinsics are to be applied.
public enum ScanNetFolder: CaptureFormat {
    public static let card = FormatCard(
        name: "scannet",
        summary:
            "ScanNet scan as files: color/, depth/, pose/, intrinsic/, or frame-000000.color.jpg beside _info.txt.",
        reads: [.color, .pose, .intrinsics, .recordedDepth],
        passesOver: [
            "`label/` and `instance/`", "`axisAlignment`, which is put in the receipt but not applied",
            "`colorToDepthExtrinsics` in the scene's `.txt`: depth is aligned with the pictures already",
        ],
        writer: "write-scannet",
        writingLoses: [
            "timestamps", "confidence", "the bounding box", "motion samples",
            "intrinsics that change from frame to frame: all frames get the same", "which way is up",
        ], origin: .form(of: "ScanNet"), poseAxes: .openCV, revision: 11)

    static let infoFile = "_info.txt"

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        if tree.byteCount(of: infoFile) != nil, PosedPictures.flat(in: tree) != nil {
            return Recognition(format: name, reason: "\(infoFile) stands beside pictures and poses called frame-…")
        }
        guard let file = matrixFile(in: tree), PosedPictures.folders(in: tree) != nil
        else { return nil }
        return Recognition(format: name, reason: "\(file) stands beside pictures and pose/")
    }

    /// Poses and a matrix, but no pictures.
    public static func remains(of tree: any CaptureTree) -> Recognition? {
        guard let file = matrixFile(in: tree),
            tree.originals(in: "pose").contains(where: { $0.hasSuffix(".txt") }), PictureFolder.find(in: tree) == nil
        else { return nil }
        return Recognition(format: name, reason: "\(file) stands beside pose/, and the pictures are missing")
    }

    /// `scene0000_00/frames` is called `scene0000_00`: NICE-SLAM, and what came after it, have each scan's files in such a
    /// folder.
    public static func id(of name: String, in scene: String) -> String? { name == "frames" ? scene : nil }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        let isFlat = tree.byteCount(of: infoFile) != nil
        guard let frames = isFlat ? PosedPictures.flat(in: tree) : PosedPictures.folders(in: tree) else {
            throw Problem(
                .input, "there are no poses with pictures or depth beside them",
                fix: isFlat
                    ? "copy the files frame-….color.jpg, .depth.pgm and .pose.txt too"
                    : "copy the folders color/, depth/ and pose/ too")
        }
        var reader = ScanNetFolderReader(tree: tree, isFlat: isFlat, rules: rules)
        return try reader.read(frames)
    }

    /// Where exporters put a camera's matrix; the sample of 25,000 frames has it at the top.
    fileprivate static func intrinsicFile(_ sensor: Sensor, in tree: any CaptureTree) -> String? {
        let name = sensor.rawValue
        return ["intrinsic/intrinsic_\(name).txt", "intrinsics_\(name).txt", "intrinsic_\(name).txt"]
            .first { tree.byteCount(of: $0) != nil }
    }

    /// The matrix of either camera; nil where there is none.
    static func matrixFile(in tree: any CaptureTree) -> String? {
        Sensor.allCases.firstNonNil { intrinsicFile($0, in: tree) }
    }

    fileprivate static func extrinsicFile(_ sensor: Sensor) -> String {
        "intrinsic/extrinsic_\(sensor.rawValue).txt"
    }
}

/// The two cameras, by their words in the names of files.
private enum Sensor: String, CaseIterable {
    case color, depth

    /// The size of the recorder's pictures, where no description says it.
    var usualSize: PixelSize { self == .color ? PixelSize(1296, 968) : PixelSize(640, 480) }
}

/// What the files say of a camera.
private struct RecordedCamera {
    var intrinsic: [Double]?
    var extrinsic: [Double]?
    /// The size of its pictures, as the description gives it.
    var size: PixelSize?
}

private struct ScanNetFolderReader {
    let tree: any CaptureTree
    /// Whether it is from the C++ tool.
    let isFlat: Bool
    let rules: ReadRules
    private var capture: Capture
    private var recorded: [Sensor: RecordedCamera] = [:]
    private var shift = 1000.0
    /// Frames, as the description counts them.
    private var announced: Int?

    init(tree: any CaptureTree, isFlat: Bool, rules: ReadRules) {
        self.tree = tree
        self.isFlat = isFlat
        self.rules = rules
        capture = Capture(of: tree, as: ScanNetFolder.self, rules)
    }

    mutating func read(_ frames: PosedPictures) throws(Problem) -> Capture {
        capture.variant = isFlat ? "C++ tool" : "extracted"
        if isFlat { try readInfo() } else { try readMatrices() }
        var rig = ScanNetCameras.Rig(
            rigFromColor: try extrinsic(.color, called: "colour"), rigFromDepth: try extrinsic(.depth, called: "depth"))
        // Without pictures the depth sensor stands in for the colour camera, and is where its own extrinsic puts it.
        let hasPictures = frames.entries.contains { $0.color != nil }
        if !hasPictures { rig.rigFromColor = rig.rigFromDepth }
        capture.source = try frames.attach(
            to: &capture, in: tree, encoding: .uint16(unitsPerMetre: shift), rig: rig, rules: rules)
        if !isFlat { noteMissingFolders() }
        noteMissingFrames(of: frames.entries.count)
        setCameras(rig, hasPictures: hasPictures)
        // Without a camera of its own depth is taken for the pictures' view after all.
        if rig.colorFromDepth.isQuarterTurn, capture.depthCamera == nil, let size = capture.depthSize {
            try capture.requireOneOrientation(
                ofDepth: size, in: isFlat ? nil : "depth", rules, fix: "copy the depth camera's matrix too")
        }
        capture.absences[.timestamp] = "the files do not say when a frame was taken"
        capture.lacks([.recordedConfidence, .box, .motion], "ScanNet has none")
        capture.noteAxisAlignment(in: tree)
        return capture
    }

    /// Exporters write both cameras' matrices even where only one of the two is wanted.
    private mutating func noteMissingFolders() {
        capture.losesEmptied(depth: "depth", confidence: nil, of: tree)
        for (channel, sensor) in [(Channel.color, Sensor.color), (.recordedDepth, .depth)]
        where capture.absences[channel]?.remedy == nil && recorded[sensor]?.intrinsic != nil {
            capture.absences[channel]?.advice = "export \(sensor.rawValue)/ too, or copy it if it was there"
        }
    }

    /// The C++ tool writes the files of every frame.
    private mutating func noteMissingFrames(of count: Int) {
        guard let announced, announced > count else { return }
        capture.warnings.append(
            "\(ScanNetFolder.infoFile) counts \(announced.counted("frame")), and there are files of \(count): the others did "
                + "not arrive")
    }

    private func extrinsic(_ sensor: Sensor, called name: String) throws(Problem) -> Pose {
        guard let matrix = recorded[sensor]?.extrinsic else { return .identity }
        let file = isFlat ? ScanNetFolder.infoFile : ScanNetFolder.extrinsicFile(sensor)
        return try ScanNetCameras.extrinsic(matrix, of: name, in: file)
    }

    // MARK: - What the files say

    private mutating func readMatrices() throws(Problem) {
        for sensor in Sensor.allCases {
            var camera = RecordedCamera()
            if let file = ScanNetFolder.intrinsicFile(sensor, in: tree) { camera.intrinsic = try matrix(file) }
            let file = ScanNetFolder.extrinsicFile(sensor)
            if tree.byteCount(of: file) != nil { camera.extrinsic = try matrix(file) }
            recorded[sensor] = camera
        }
    }

    private mutating func matrix(_ file: String) throws(Problem) -> [Double] {
        capture.list(file, in: tree, [])
        return try NumberText.numbers(try tree.bytes(of: file, limit: NumberText.sizeLimit), count: 16, file: file)
    }

    private mutating func readInfo() throws(Problem) {
        let file = ScanNetFolder.infoFile
        capture.list(file, in: tree, [])
        let info = ScanNetText(try tree.bytes(of: file, limit: ScanNetText.sizeLimit), file: file)
        capture.metadata = .object(info.values)
        capture.device = info.text("m_sensorName")
        for (sensor, name) in [(Sensor.color, "Color"), (.depth, "Depth")] {
            recorded[sensor] = RecordedCamera(
                intrinsic: try info.numbers("m_calibration\(name)Intrinsic", count: 16),
                extrinsic: try info.numbers("m_calibration\(name)Extrinsic", count: 16),
                size: try info.size("m_\(sensor.rawValue)Width", "m_\(sensor.rawValue)Height"))
        }
        // Nothing else depends on it.
        announced = try? info.whole("m_frames.size", in: 0...Int(Int32.max))
        guard let units = try info.number("m_depthShift") else { return }
        guard units >= 1, units <= 1e6 else {
            throw Problem(.input, "`m_depthShift`: depth of \(units) units a metre").at(file: file)
        }
        shift = units
    }

    // MARK: - Cameras

    private mutating func setCameras(_ rig: ScanNetCameras.Rig, hasPictures: Bool) {
        var depth: CameraIntrinsics?
        if let size = capture.depthSize { depth = fitted(.depth, size) }
        if let defect = depth?.defect { capture.warnings.append("the depth camera cannot be used: \(defect)") }
        let ownDepth = depth?.defect == nil ? depth : nil
        guard hasPictures else {
            guard let ownDepth else {
                capture.absences[.intrinsics] = "there are no pictures, and no matrix of the depth camera"
                return
            }
            return capture.giveAllFrames(ownDepth)
        }
        guard let size = capture.colorSize else {
            capture.absences[.intrinsics] = "no picture could be read, so the size that they are for is not known"
            return
        }
        var color = fitted(.color, size)
        if color == nil, let ownDepth, size == capture.depthSize {
            // Exporters that make pictures as small as depth keep the depth camera's matrix alone. Both cameras see the
            // same but for a hundredth.
            color = ownDepth
            capture.warnings.append(
                "there is no matrix of the colour camera; the pictures have the depth's size, so the depth camera's was "
                    + "taken")
        }
        guard let color else { return loseColorMatrix() }
        guard color.defect == nil else {
            capture.absences[.intrinsics] = color.defect.map { "of the colour camera, \($0)" }
            return
        }
        capture.giveAllFrames(color)
        noteDepthWithoutMatrix()
        let cameras = ScanNetCameras(color: color, depth: ownDepth, rig: rig)
        if let depthSize = capture.depthSize { capture.depthCamera = cameras.depthCamera(depthSize) }
    }

    /// The two cameras' views differ by a hundredth, so that nothing else would tell.
    private mutating func noteDepthWithoutMatrix() {
        guard capture.depthSize != nil, recorded[.depth]?.intrinsic == nil else { return }
        let color = ScanNetFolder.intrinsicFile(.color, in: tree)
        let lack =
            color.map { "\($0.replacing("_color", with: "_depth")) is missing" }
            ?? "there is no matrix of the depth camera"
        capture.warnings.append("\(lack): depth was taken for the colour pictures' view")
    }

    private mutating func loseColorMatrix() {
        let lack = "there is no matrix of the colour camera"
        guard let depth = ScanNetFolder.intrinsicFile(.depth, in: tree) else {
            capture.absences[.intrinsics] = Absence(lack)
            return
        }
        let color = depth.replacing("_depth", with: "_color")
        // With depth there the pictures have another size than its matrix is for.
        let way =
            capture.depthSize == nil
            ? "; if the pictures were resized to the depth's field of view, copy \(depth) to \(color)" : ""
        capture.loses(.intrinsics, lack, fix: "copy \(color) too\(way)")
    }

    private mutating func fitted(_ sensor: Sensor, _ size: PixelSize) -> CameraIntrinsics? {
        guard let matrix = recorded[sensor]?.intrinsic else { return nil }
        let pictures = sensor == .depth ? "depth pictures" : "pictures"
        let said = recorded[sensor]?.size
        let own = ScanNetCameras.intrinsics(matrix, said ?? sensor.usualSize)
        let camera =
            said == nil
            ? capture.guessedCamera(own, for: size, of: pictures) : capture.scaledCamera(own, to: size, of: pictures)
        // For the colour camera, every format gives this warning.
        for doubt in [CameraDoubt.inShares, .offCentre] where sensor == .depth {
            guard let summary = doubt.summary(of: camera) else { continue }
            capture.warnings.append("of the depth camera, \(summary): \(doubt.cause)")
        }
        return camera
    }
}
