import ScanModel

/// A recording of the Stray Scanner app: `odometry.csv`, `camera_matrix.csv`, `rgb.mp4`, `depth/` and `confidence/`.
///
/// The n-th line belongs to the n-th frame of the video: when the app leaves frames out, the video's times keep the gaps
/// and the lines' numbers do not. Depth and confidence have the number of the line in their names, and may be missing.
///
/// Source: strayrobots/scanner (DatasetEncoder, OdometryEncoder, DepthEncoder, VideoEncoder), and its documentation.
public enum StrayScannerCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "stray-scanner",
        summary: "Stray Scanner recording: odometry.csv, camera_matrix.csv, rgb.mp4, depth and confidence pictures.",
        reads: [.color, .luma, .video, .pose, .intrinsics, .timestamp, .recordedDepth, .recordedConfidence],
        passesOver: [
            "imu.csv, whose documentation and code disagree about its unit", "the video's own times",
        ],
        writer: "write-capture: {format: stray-scanner}",
        writingLoses: ["all cameras but the last frame's", "the bounding box", "motion", "pictures that are no video"])

    static let odometryFile = "odometry.csv"
    static let matrixFile = "camera_matrix.csv"
    static let videoFile = "rgb.mp4"
    /// What the app records, for a video that nobody can look at.
    static let usualSize = PixelSize(1920, 1440)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        let hasMatrix = tree.byteCount(of: matrixFile) != nil
        let hasMore = tree.byteCount(of: videoFile) != nil || tree.hasFolder("depth")
        guard hasMatrix || hasMore, let bytes = tree.beginning(of: odometryFile) else { return nil }
        if (try? StrayOdometry(MemorySource(bytes, name: odometryFile), lineLimit: 4096)) != nil {
            return Recognition(format: name, reason: "\(odometryFile) has Stray Scanner's columns")
        }
        // All its files together are no other's: what is wrong with one of them is said when it is opened.
        guard hasMatrix, hasMore else { return nil }
        return Recognition(format: name, reason: "\(odometryFile) and \(matrixFile) stand beside video or depth")
    }

    public static func open(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        var reader = StrayScannerReader(tree: tree, rules: rules)
        return try reader.read()
    }
}

private struct StrayScannerReader {
    let tree: any CaptureTree
    let rules: ReadRules
    private var capture: Capture
    /// The number in the names of each frame's pictures.
    private var numbers: [Int] = []

    init(tree: any CaptureTree, rules: ReadRules) {
        self.tree = tree
        self.rules = rules
        capture = Capture(id: tree.name)
    }

    mutating func read() throws(Problem) -> Capture {
        capture.format = StrayScannerCapture.name
        capture.maxPicturePixels = rules.maxPicturePixels
        capture.worldUp = Vector3(0, 1, 0)
        capture.list(StrayScannerCapture.odometryFile, in: tree, [])
        try readOdometry()
        var source = TreeSource(tree: tree)
        source.limits = rules.pictureLimits
        try readVideo(&source)
        try readCamera()
        try capture.takeDepth(
            paths(in: "depth", ["png", "npy"]), .uint16(unitsPerMetre: 1000), in: tree, rules, to: &source,
            absence: "there are no pictures in depth/")
        try capture.takeConfidence(
            paths(in: "confidence", ["png"]), in: tree, rules, to: &source,
            absence: "there are no pictures in confidence/")
        capture.lacks([.box, .motion], "Stray Scanner's recordings have none that ScanMill reads")
        capture.estimateFrameRate()
        capture.sortFiles()
        capture.source = source
        return capture
    }

    private mutating func readOdometry() throws(Problem) {
        let file = StrayScannerCapture.odometryFile
        var rows = try StrayOdometry(try tree.open(file), lineLimit: rules.maxLine)
        while let result = try rows.next() {
            let index = capture.frames.count
            do throws(Problem) { try rules.check(frames: index + 1, of: "odometry lines") } catch {
                throw error.at(file: file)
            }
            var facts = FrameFacts(index: index)
            switch result {
            case .success(let row):
                facts.timestamp = row.timestamp
                facts.pose = row.pose
                numbers.append(row.number ?? index)
            case .failure(let problem):
                facts.drop = Drop(stage: "read", reason: problem.oneLine, isBad: true)
                numbers.append(index)
            }
            capture.frames.append(facts)
        }
        if capture.frames.isEmpty {
            throw Problem(.input, "there are no frames in the file", fix: "copy the recording again").at(file: file)
        }
        placeByNumber()
        capture.channels.insert(.pose)
        if rows.hasTimestamps {
            capture.channels.insert(.timestamp)
        } else {
            capture.variant = "before 1.2"
            capture.absences[.timestamp] = "the app wrote none before version 1.2"
        }
    }

    /// Lines that are missing in the middle would shift every later pose by so many frames of the video: the lines' own
    /// numbers tell where they belong.
    private mutating func placeByNumber() {
        guard let last = numbers.last, numbers.first == 0, last >= numbers.count, last < rules.maxFrames,
            zip(numbers, numbers.dropFirst()).allSatisfy(<)
        else { return }
        var placed = (0...last).map { index -> FrameFacts in
            var facts = FrameFacts(index: index)
            facts.drop = Drop(
                stage: "read", reason: "\(StrayScannerCapture.odometryFile) has no line for it", isBad: true)
            return facts
        }
        for (facts, number) in zip(capture.frames, numbers) {
            placed[number] = facts
            placed[number].index = number
        }
        capture.warnings.append(
            "\(placed.count - numbers.count) lines are missing in \(StrayScannerCapture.odometryFile); the others were placed by their numbers"
        )
        capture.frames = placed
        numbers = Array(0...last)
    }

    private mutating func readVideo(_ source: inout TreeSource) throws(Problem) {
        let file = StrayScannerCapture.videoFile
        guard tree.byteCount(of: file) != nil else {
            for channel in [Channel.color, .luma, .video] { capture.absences[channel] = tree.absence(of: file) }
            return
        }
        let count = capture.frames.count
        guard let facts = try capture.readVideo(file, in: tree, rules) else { return }
        source.video = VideoStream(file: file, facts: facts, frameCount: count)
        try capture.reconcile("odometry lines", with: ("video", facts.frameCount), rules)
    }

    private mutating func readCamera() throws(Problem) {
        let file = StrayScannerCapture.matrixFile
        guard tree.byteCount(of: file) != nil else {
            capture.absences[.intrinsics] = tree.absence(of: file)
            return
        }
        capture.list(file, in: tree, [])
        let size = capture.colorSize ?? StrayScannerCapture.usualSize
        var camera = try StrayCameraMatrix.read(try tree.open(file), size: size)
        // A video that was made smaller after recording: the matrix still has its principal point in the old middle.
        let usual = StrayScannerCapture.usualSize
        if abs(camera.cx - Double(size.width) / 2) > 0.2 * Double(size.width),
            abs(camera.cx - Double(usual.width) / 2) < 0.2 * Double(usual.width)
        {
            (camera.width, camera.height) = (usual.width, usual.height)
            do throws(Problem) { camera = try camera.fitted(to: size) } catch { throw error.at(file: file) }
            capture.warnings.append("the video is \(size), and \(file) is for \(usual); the intrinsics were scaled")
        }
        for index in capture.frames.indices where capture.frames[index].pose != nil {
            capture.frames[index].intrinsics = camera
        }
        capture.channels.insert(.intrinsics)
        capture.findings["intrinsics"] = .string(
            "\(file) holds the last frame's camera alone, which was taken for all frames")
    }

    /// The pictures of a folder by the frame's index.
    private func paths(in folder: String, _ endings: [String]) -> [String?] {
        let files = tree.numbered(in: folder, endings)
        return capture.frames.indices.map { $0 < numbers.count ? files[numbers[$0]] : nil }
    }
}
