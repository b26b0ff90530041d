import ScanModel

/// The "All Data" export of 3D Scanner App: `frame_00012.json` with pose and camera of each frame, and beside it
/// `frame_00012.jpg`, `depth_00012.png` in millimetres and `conf_00012.png` with ARKit's three levels; pictures may be a
/// video instead, `frames.mp4`, whose frame n is that of `frame_<n>.json`.
///
/// The app keeps a picture of each frame, or of every third, fifth or sixth. Frames without one keep their depth, and
/// are left out where pictures are used.
///
/// Source: the app's makers, Laan Labs, in their 3dScannerApp_samples: a scan, and the notebooks that read it.
public enum ThreeDScannerCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "3d-scanner-app",
        summary:
            "3D Scanner App, all data: frame_00000.json with its camera, .jpg or frames.mp4, depth_ and conf_ pictures.",
        reads: [
            .color, .luma, .video, .pose, .intrinsics, .timestamp, .exposure, .recordedDepth, .recordedConfidence,
        ],
        passesOver: [
            "the meshes, points.ply and world_map.arkit", "optimized_poses/", "depth as OpenEXR",
            "info.json, except for its frame count",
            "motionQuality, whose scale is the app's own", "TrueDepth scans, which have calib_….json",
        ],
        writer: "write-capture: {format: 3d-scanner-app}",
        writingLoses: ["confidence beyond three levels", "the bounding box", "motion"], revision: 5)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        let files = Files(in: tree)
        guard files.hasMoreThanCameras, let file = camera(among: files, tree) else { return nil }
        return Recognition(format: name, reason: "\(file) has 3D Scanner App's keys \(ThreeDScannerFrame.poseKey), …")
    }

    /// Cameras without pictures and depth, except the optimised ones that the app adds; or depth without its cameras.
    public static func remains(of tree: any CaptureTree) -> Recognition? {
        let files = Files(in: tree)
        if let file = camera(among: files, tree), tree.name != "optimized_poses" {
            return Recognition(format: name, reason: "\(file) has 3D Scanner App's keys, and stands alone")
        }
        guard let depth = files.depth.values.min(), !files.confidence.isEmpty || !files.pictures.isEmpty else {
            return nil
        }
        let other = files.confidence.isEmpty ? "frame_….jpg" : "conf_….png"
        return Recognition(format: name, reason: "\(depth) stands beside \(other), as 3D Scanner App calls them")
    }

    /// A camera with the app's keys.
    private static func camera(among files: Files, _ tree: any CaptureTree) -> String? {
        let keys = [ThreeDScannerFrame.poseKey, ThreeDScannerFrame.intrinsicsKey]
        return tree.firstFile(of: files.cameras.values.sorted(), with: keys, limit: cameraLimit)
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        var reader = ThreeDScannerReader(tree: tree, rules: rules)
        return try reader.read()
    }

    fileprivate static let videoFile = "frames.mp4"
    fileprivate static let cameraLimit = 1 << 20

    /// The export's files by their frames' numbers.
    fileprivate struct Files {
        private(set) var cameras: [Int: String] = [:]
        private(set) var pictures: [Int: String] = [:]
        private(set) var depth: [Int: String] = [:]
        private(set) var confidence: [Int: String] = [:]
        /// Depth as OpenEXR, which some versions of the app write.
        private(set) var foreignDepth: String?
        private let hasVideo: Bool

        init(in tree: any CaptureTree) {
            hasVideo = tree.byteCount(of: ThreeDScannerCapture.videoFile) != nil
            for name in tree.originals(in: "") {
                let parts = name.split(separator: ".")
                guard parts.count == 2, let place = parts[0].firstIndex(of: "_"),
                    let number = Int(parts[0][parts[0].index(after: place)...]), number >= 0
                else { continue }
                switch (parts[0][..<place], parts[1].lowercased()) {
                case ("frame", "json"): cameras[number] = name
                case ("frame", "jpg"), ("frame", "jpeg"), ("frame", "png"): pictures[number] = name
                case ("depth", "png"): depth[number] = name
                case ("conf", "png"): confidence[number] = name
                case ("frame", "exr"), ("depth", "exr"): foreignDepth = foreignDepth.map { min($0, name) } ?? name
                default: break
                }
            }
        }

        var hasMoreThanCameras: Bool { hasVideo || !pictures.isEmpty || !depth.isEmpty }

        /// The video has pictures of all frames.
        var arePicturesInVideo: Bool { hasVideo && pictures.count < cameras.count }

        /// The numbers of all frames that have more than confidence.
        var numbers: [Int] {
            [cameras, pictures, depth].reduce(into: Set()) { $0.formUnion($1.keys) }.sorted()
        }
    }
}

private struct ThreeDScannerReader {
    let tree: any CaptureTree
    let rules: ReadRules
    private let files: ThreeDScannerCapture.Files
    /// The number in the names of each frame's files.
    private var numbers: [Int]
    /// What each frame's own file says, by the frame's index.
    private var cameras: [Int: ThreeDScannerFrame] = [:]
    private var capture: Capture
    private var source: TreeSource

    init(tree: any CaptureTree, rules: ReadRules) {
        self.tree = tree
        self.rules = rules
        files = ThreeDScannerCapture.Files(in: tree)
        numbers = files.numbers
        capture = Capture(of: tree, as: ThreeDScannerCapture.self, rules)
        source = TreeSource(tree, rules)
    }

    mutating func read() throws(Problem) -> Capture {
        capture.worldUp = Vector3(0, 1, 0)
        if files.cameras.isEmpty {
            throw Problem(
                .input, "the cameras are missing",
                notes: ["there is no file frame_….json, which holds the pose and the intrinsics of a frame"],
                fix: "share the scan once more, as “All Data”")
        }
        // With a video every number counts as a frame, whatever files there are.
        if files.arePicturesInVideo, let last = numbers.last {
            try rules.check(frames: last == .max ? last : last + 1, of: "frames")
            numbers = Array(0...last)
        }
        try rules.check(frames: numbers.count, of: "frames")
        capture.channels.formUnion([.pose, .intrinsics])
        try noteMissing()
        try readCameras()
        if files.arePicturesInVideo { try readVideo() }
        let sizes = try readPictures()
        for index in numbers.indices where !capture.frames[index].isDropped {
            try setIntrinsics(of: index, sizes[index] ?? capture.colorSize)
        }
        deriveTimes()
        try readDepth()
        capture.lacks([.box, .motion], "3D Scanner App exports none")
        capture.estimateFrameRate()
        capture.source = source
        return capture
    }

    /// The app numbers its frames without gaps, and counts them in its description.
    private mutating func noteMissing() throws(Problem) {
        let known = files.numbers
        let holes = zip(known, known.dropFirst()).filter { $1 - $0 > 1 }
        if let (before, behind) = holes.first {
            let missing = holes.reduce(0) { $0 + ($1.1 - $1.0 - 1) }
            capture.warnings.append(
                "\(missing) of the frames' numbers \(missing.isOrAre) missing, first between \(before) and \(behind): "
                    + "\(missing == 1 ? "this frame" : "these frames") did not arrive")
        }
        let file = "info.json"
        guard tree.byteCount(of: file) != nil else { return }
        capture.list(file, in: tree, [])
        let description: JSONValue?
        do throws(Problem) {
            let bytes = try tree.bytes(of: file, limit: ThreeDScannerCapture.cameraLimit)
            description = try JSONValue.parse(bytes, file: file)
        } catch {
            // Nothing else depends on it.
            guard error.fault == .input else { throw error }
            description = nil
        }
        let there = files.cameras.count
        if let count = description?["numImages"]?.integer, count > there {
            capture.warnings.append(
                "\(file) counts \(count.counted("frame")), and there \(there.isOrAre) \(there.counted("file")) "
                    + "frame_….json: the others did not arrive")
        }
    }

    // MARK: - Pictures

    /// Where the video cannot be used, takes the pictures if they look as the app keeps them without a video.
    private mutating func readVideo() throws(Problem) {
        let (captureBefore, sourceBefore) = (capture, source)
        do throws(Problem) { try takeVideo() } catch {
            let areKept = Self.step(of: files.pictures.keys.sorted()) != nil
            guard error.fault == .input, areKept, rules.mismatch != .fail else { throw error }
            (capture, source) = (captureBefore, sourceBefore)
            numbers = files.numbers
            let cameras = Set(files.cameras.values)
            capture.files.removeAll { cameras.contains($0.path) }
            try readCameras()
            let pictures = files.pictures.count
            capture.warnings.append(
                "\(ThreeDScannerCapture.videoFile) was passed over, and the \(pictures.counted("picture")) beside it "
                    + "\(pictures == 1 ? "was" : "were") taken: \(error.oneLine)")
        }
    }

    private mutating func takeVideo() throws(Problem) {
        let file = ThreeDScannerCapture.videoFile
        capture.variant = "video"
        guard let shown = try capture.readVideo(file, in: tree, rules) else { return }
        let count = capture.frames.count
        let facts = try capture.wholeVideo(shown, of: file, expecting: count, in: tree, rules)
        source.video = VideoStream(file: file, facts: facts)
        try capture.pair(facts, of: file, with: "cameras", each: "camera", rules)
        // Frames that the video has beyond those with files.
        numbers += count..<capture.frames.count
    }

    /// - Returns: the sizes of the frames' pictures.
    private mutating func readPictures() throws(Problem) -> [Int: PixelSize] {
        if capture.video != nil { return [:] }
        capture.variant = files.depth.isEmpty ? "pictures" : "pictures and depth"
        if files.pictures.isEmpty {
            capture.loses(
                .color, "there are no pictures frame_….jpg", fix: "share the scan once more, as “All Data”")
            return [:]
        }
        for (index, number) in numbers.enumerated() { capture.frames[index].pictureFile = files.pictures[number] }
        capture.channels.insert(.color)
        noteFramesWithoutPictures()
        return try capture.checkPictures(in: tree, rules: rules)
    }

    /// Tells frames whose picture the app did not keep from those whose picture was lost.
    private mutating func noteFramesWithoutPictures() {
        let bare = capture.frames.filter { $0.pictureFile == nil }.map(\.index)
        if bare.isEmpty { return }
        capture.findings["frames-without-\(Channel.color.plainName)"] = .of(bare.count)
        let pictured = files.pictures.keys.sorted()
        let step = Self.step(of: pictured)
        let lost = bare.filter { index in step.map { (numbers[index] - pictured[0]).isMultiple(of: $0) } ?? false }
        let without = Set(bare).subtracting(lost).sorted()
        capture.sparse[.color] = SparseChannel(
            without: without, reason: "the app kept no picture of it",
            lost: Dictionary(
                uniqueKeysWithValues: lost.map {
                    ($0, "its picture frame_\(ThreeDScannerFrame.stem(numbers[$0])).jpg is not there")
                }), isByRule: step != nil)
        guard let step, !lost.isEmpty else { return }
        let rule = step == 1 ? "each frame's" : "one of every \(step) frames"
        capture.warnings.append(
            "\(lost.count.counted(of: pictured.count + lost.count, "picture", "is", "are")) missing, since the app keeps "
                + "\(rule): \(lost.count == 1 ? "that" : "those") of \(lost.frameRuns)")
    }

    /// How many frames apart the app keeps pictures; nil where the numbers follow no such rule.
    /// - Parameter numbers: of the pictures, ascending.
    private static func step(of numbers: [Int]) -> Int? {
        let steps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }
        guard let usual = steps.min(), steps.count >= 2, steps.allSatisfy({ $0.isMultiple(of: usual) }),
            2 * steps.count(where: { $0 == usual }) >= steps.count
        else { return nil }
        return usual
    }

    // MARK: - Cameras

    /// Makes the frames, with all but their intrinsics, which are for pictures of a size that is not known yet.
    private mutating func readCameras() throws(Problem) {
        cameras = [:]
        capture.frames = numbers.indices.map { FrameFacts(index: $0) }
        for (index, number) in numbers.enumerated() {
            guard let file = files.cameras[number] else {
                capture.drop(index, whileReading: "it has no \(ThreeDScannerFrame.file(number))", isBad: true)
                continue
            }
            capture.list(file, in: tree, [], of: index)
            do throws(Problem) {
                let frame = try ThreeDScannerFrame(
                    try tree.bytes(of: file, limit: ThreeDScannerCapture.cameraLimit), file: file)
                capture.frames[index].pose = frame.pose
                capture.frames[index].timestamp = frame.timestamp
                capture.frames[index].exposure = frame.exposure
                cameras[index] = frame
            } catch {
                try capture.drop(index, for: error.at(file: file))
            }
        }
    }

    /// - Parameter size: of the frame's picture, or of the others where it has none.
    private mutating func setIntrinsics(of index: Int, _ size: PixelSize?) throws(Problem) {
        guard let camera = cameras[index] else { return }
        do throws(Problem) {
            try capture.setIntrinsics(try camera.intrinsics(picture: size), of: index, for: size)
        } catch {
            try capture.drop(index, for: error.at(file: files.cameras[numbers[index]]))
        }
    }

    private mutating func deriveTimes() {
        if capture.keptFrames.contains(where: { $0.timestamp != nil }) {
            capture.channels.insert(.timestamp)
        } else {
            capture.absences[.timestamp] = "no frame_….json has a “time”"
        }
        if capture.keptFrames.contains(where: { $0.exposure != nil }) { capture.channels.insert(.exposure) }
    }

    // MARK: - Depth

    private mutating func readDepth() throws(Problem) {
        let absence =
            files.foreignDepth.map {
                "\($0) is OpenEXR, which is not read from this app: its unit is unknown"
            } ?? "there are no pictures depth_….png: the app keeps depth of lidar scans in low resolution only"
        let depth = FrameFiles(paths: numbers.map { files.depth[$0] }, absence: absence)
        try capture.takeDepth(depth, .uint16(unitsPerMetre: 1000), to: &source)
        let confidence = FrameFiles(
            paths: numbers.map { files.confidence[$0] }, absence: "there are no pictures conf_….png")
        try capture.takeConfidence(confidence, to: &source)
        // Confidence is never without depth.
        if files.depth.isEmpty, !files.confidence.isEmpty, files.foreignDepth == nil {
            capture.loses(
                .recordedDepth, "there are no pictures depth_….png, though confidence is there",
                fix: "copy the pictures depth_….png too")
        }
    }
}
