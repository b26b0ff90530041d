import ScanModel

/// A recording of the Stray Scanner app: `odometry.csv`, `camera_matrix.csv`, `rgb.mp4`, `depth/` and `confidence/`.
///
/// The line with the number n belongs to the n-th frame of the video, from 0, in the order in which they were recorded:
/// when the app leaves frames out, the video's times keep the gaps and the lines' numbers do not. Depth and confidence
/// have the number of the line in their names, and may be missing.
///
/// The app gives the first frame a time of −1/60 s and begins the video at 0, so that the file's edit list hides that frame
/// from players; it is there, and counts.
///
/// Intrinsics are for the video as the app records it, 1920×1440: the last frame's in `camera_matrix.csv`, and in newer
/// versions each frame's in its line.
///
/// Source: strayrobots/scanner (DatasetEncoder, OdometryEncoder, DepthEncoder, VideoEncoder), and its documentation.
public enum StrayScannerCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "stray-scanner",
        summary: "Stray Scanner recording: odometry.csv, camera_matrix.csv, rgb.mp4, depth and confidence pictures.",
        reads: [.color, .luma, .video, .pose, .intrinsics, .timestamp, .recordedDepth, .recordedConfidence],
        passesOver: [
            "imu.csv: the app's documentation and code disagree on its unit", "the lens's distortion centre",
            "the video's own times and its edit list, which hides the first frame from players",
            "camera_matrix.csv where each line of odometry.csv has its own intrinsics",
        ],
        writer: "write-capture: {format: stray-scanner}",
        writingLoses: [
            "intrinsics that change from frame to frame: all frames get the same", "confidence beyond three levels",
            "the bounding box", "motion", "picture files: they become a video",
        ],
        poseAxes: .openCV, revision: 12)

    static let odometryFile = "odometry.csv"
    static let matrixFile = "camera_matrix.csv"
    static let videoFile = "rgb.mp4"

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard tree.byteCount(of: matrixFile) != nil || hasFrames(tree), let bytes = tree.beginning(of: odometryFile),
            (try? StrayOdometry(MemorySource(bytes, name: odometryFile), lineLimit: 4096)) != nil
        else { return nil }
        return Recognition(format: name, reason: "\(odometryFile) has Stray Scanner's columns")
    }

    /// No other app writes the matrix.
    public static func remains(of tree: any CaptureTree) -> Recognition? {
        guard tree.byteCount(of: matrixFile) != nil, hasFrames(tree) else { return nil }
        let lack = tree.byteCount(of: odometryFile) == nil ? "missing" : "damaged"
        return Recognition(
            format: name, reason: "\(matrixFile) stands beside video or depth, and \(odometryFile) is \(lack)")
    }

    private static func hasFrames(_ tree: any CaptureTree) -> Bool {
        tree.byteCount(of: videoFile) != nil || tree.hasFolder("depth")
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        var reader = StrayScannerReader(tree: tree, rules: rules)
        return try reader.read()
    }
}

private struct StrayScannerReader {
    let tree: any CaptureTree
    let rules: ReadRules
    private var capture: Capture
    private var source: TreeSource
    /// The number in the names of each frame's pictures.
    private var numbers: [Int] = []
    /// Whether the lines say which frame they belong to.
    private var hasNumbers = false

    init(tree: any CaptureTree, rules: ReadRules) {
        self.tree = tree
        self.rules = rules
        capture = Capture(of: tree, as: StrayScannerCapture.self, rules)
        source = TreeSource(tree, rules)
    }

    mutating func read() throws(Problem) -> Capture {
        capture.worldUp = Vector3(0, 1, 0)
        capture.list(StrayScannerCapture.odometryFile, in: tree, [])
        let lines = try readOdometry()
        try readVideo(of: lines)
        try readCameras()
        let depth = tree.numbered(in: "depth", ["png", "npy"])
        try capture.takeDepth(frameFiles(of: depth, in: "depth"), .uint16(unitsPerMetre: 1000), to: &source)
        let confidence = tree.numbered(in: "confidence", ["png"])
        try capture.takeConfidence(frameFiles(of: confidence, in: "confidence"), to: &source)
        capture.losesEmptied(depth: "depth", confidence: "confidence", made: .always, of: tree)
        capture.lacks([.box, .motion], "Stray Scanner's recordings have none that ScanMill reads")
        capture.estimateFrameRate()
        capture.withholdCamerasOfUnknownSize()
        capture.source = source
        return capture
    }

    /// - Returns: what tells which frame of the video each line belongs to; until then each is a frame of its own.
    private mutating func readOdometry() throws(Problem) -> [StrayPlaces.Line] {
        let file = StrayScannerCapture.odometryFile
        try tree.require(file, "the poses are missing", fix: "copy \(file) too")
        var odometry = try StrayOdometry(try tree.open(file), lineLimit: rules.maxLine)
        var lines: [StrayPlaces.Line] = []
        while let line = try odometry.next() {
            let index = capture.frames.count
            try rules.check(frames: index + 1, of: "odometry lines", in: file)
            var facts = FrameFacts(index: index)
            switch line.row {
            case .success(let row):
                facts.timestamp = row.timestamp
                facts.pose = row.pose
                facts.intrinsics = row.camera
            case .failure(let problem):
                facts.drop = Drop(whileReading: problem.oneLine, isBad: true)
            }
            lines.append(StrayPlaces.Line(number: line.number, isSound: !facts.isDropped))
            capture.frames.append(facts)
        }
        if capture.frames.isEmpty {
            throw Problem(.input, "there are no frames in the file", fix: "copy the recording again").at(file: file)
        }
        hasNumbers = odometry.hasNumbers
        capture.noteOpenLine(odometry.openLine, of: file)
        capture.channels.insert(.pose)
        if odometry.hasTimestamps {
            capture.channels.insert(.timestamp)
        } else {
            capture.variant = "before 1.2"
            capture.absences[.timestamp] = "the app wrote none before version 1.2"
        }
        return lines
    }

    /// Missing lines would shift every later pose by as many frames of the video: the lines' own numbers tell where
    /// they belong.
    private mutating func place(_ recorded: [StrayPlaces.Line], videoFrames: Int?) {
        let file = StrayScannerCapture.odometryFile
        let lines = restoreOrder(of: recorded)
        numbers = lines.enumerated().map { $1.number ?? $0 }
        let places = StrayPlaces(lines, videoFrames: videoFrames, limit: rules.maxFrames)
        if let obstacle = places.obstacle, capture.channels.contains(.video) {
            capture.warnings.append(
                "the numbers of the frames in \(file) cannot be used, since \(obstacle); its lines were taken for the video's frames in their order, which is wrong where any is missing"
            )
        }
        guard places.frames != lines.indices.map({ $0 }) else { return }
        let count = (places.frames.compactMap(\.self).max() ?? -1) + 1
        var placed = (0..<count).map { index -> FrameFacts in
            var facts = FrameFacts(index: index)
            facts.drop = Drop(whileReading: "\(file) has no line for it", isBad: true)
            return facts
        }
        for (facts, index) in zip(capture.frames, places.frames) {
            guard let index else {
                capture.warnings.append("a line was passed over: \(facts.drop?.reason ?? "")")
                continue
            }
            placed[index] = facts
            placed[index].index = index
        }
        let missing = count - places.frames.count { $0 != nil }
        if missing > 0 {
            capture.warnings.append(
                "\(missing) \(missing == 1 ? "line is" : "lines are") missing in \(file); the others were placed by their numbers"
            )
        }
        capture.frames = placed
        numbers = Array(0..<count)
    }

    /// Undoes what other programs do to the list: lines that are there twice, or sorted otherwise, would shift those after
    /// them.
    /// - Returns: the lines in their order, which is now that of the frames.
    private mutating func restoreOrder(of lines: [StrayPlaces.Line]) -> [StrayPlaces.Line] {
        let frames = capture.frames
        let order = StrayPlaces.order(of: lines) { one, other in
            let (one, other) = (frames[one], frames[other])
            return one.timestamp == other.timestamp && one.pose == other.pose && one.intrinsics == other.intrinsics
        }
        guard let order, order != Array(lines.indices) else { return lines }
        let file = StrayScannerCapture.odometryFile
        let copies = lines.count - order.count
        if copies > 0 {
            let words = copies == 1 ? "repeats an earlier one and was" : "repeat earlier ones and were"
            capture.warnings.append("\(copies.counted("line")) of \(file) \(words) left out")
        }
        if zip(order, order.dropFirst()).contains(where: { $0 > $1 }) {
            capture.warnings.append(
                "the lines of \(file) are not in the order of their frames; they were taken in that of their numbers")
        }
        capture.frames = order.map { frames[$0] }.renumbered
        return order.map { lines[$0] }
    }

    private mutating func readVideo(of lines: [StrayPlaces.Line]) throws(Problem) {
        let file = StrayScannerCapture.videoFile
        guard tree.byteCount(of: file) != nil else {
            for channel in [Channel.color, .luma, .video] {
                capture.loses(channel, tree.absence(of: file), fix: "copy \(file) too")
            }
            place(lines, videoFrames: nil)
            return
        }
        let facts = try capture.readVideo(file, in: tree, ignoresEditList: true, rules)
        place(lines, videoFrames: facts?.frameCount)
        guard let facts else { return }
        let count = capture.frames.count
        source.video = VideoStream(file: file, facts: facts)
        try capture.reconcile("odometry lines", with: (Capture.videoStream, facts.frameCount), rules)
        // Without numbers, nothing tells which lines a longer video shows to be missing.
        if rules.mismatch == .auto, facts.frameCount < count - 1 || facts.frameCount > count && !hasNumbers {
            let list = StrayScannerCapture.odometryFile
            if facts.frameCount < count {
                capture.noteShortfall(of: file, frames: facts.frameCount, lines: count, called: "lines in \(list)")
            } else {
                capture.noteShortfall(of: list, frames: count, lines: facts.frameCount, called: "frames in \(file)")
            }
        }
        if facts.frameCount == count - 1 {
            capture.warnings.append(
                "\(file) has one frame fewer than \(StrayScannerCapture.odometryFile) has lines; if another program "
                    + "rewrote it, that program lost the first frame, which the app hides from players, and every "
                    + "picture has the pose of the frame before it"
            )
        }
    }

    // MARK: - Cameras

    /// Gives each frame its own camera, or the matrix's where its line has none, for the video's pictures.
    private mutating func readCameras() throws(Problem) {
        if capture.frames.contains(where: { $0.intrinsics != nil }) { capture.channels.insert(.intrinsics) }
        let bare = capture.frames.filter { $0.pose != nil && $0.intrinsics == nil }.map(\.index)
        if !bare.isEmpty || !capture.channels.contains(.intrinsics) { try readMatrix(for: bare) }
        if let size = capture.colorSize { capture.guessCameras(for: size) }
    }

    private mutating func readMatrix(for frames: [Int]) throws(Problem) {
        let file = StrayScannerCapture.matrixFile
        guard tree.byteCount(of: file) != nil else {
            guard capture.channels.contains(.intrinsics) else {
                return capture.loses(.intrinsics, tree.absence(of: file), fix: "copy \(file) too")
            }
            let reason = "\(StrayScannerCapture.odometryFile) has no camera for it, and \(tree.absence(of: file))"
            for index in frames { capture.drop(index, whileReading: reason, isBad: true) }
            return
        }
        capture.list(file, in: tree, [])
        let camera = try StrayCameraMatrix.read(try tree.open(file))
        for index in frames { capture.frames[index].intrinsics = camera }
        capture.findings["intrinsics"] = .string(
            capture.channels.contains(.intrinsics)
                ? "\(file) holds the last frame's camera alone, which was taken for the frames whose lines have none: \(frames.count)"
                : "\(file) holds the last frame's camera alone, which was taken for all frames")
        capture.channels.insert(.intrinsics)
    }

    /// - Parameter pictures: of the folder, by the number in their names.
    private func frameFiles(of pictures: [Int: String], in folder: String) -> FrameFiles {
        let paths = capture.frames.indices.map { $0 < numbers.count ? pictures[numbers[$0]] : nil }
        return FrameFiles(paths, in: folder, holding: pictures.count, noneOfWhich: "has the number of a frame")
    }
}
