import ScanFormats
import ScanModel
import ScanPipeline
import Synchronization

/// A capture that a test makes up: every frame's content is given, nothing is on disk.
///
/// What a frame holds is offered as a channel of the capture, so that a stage can be tested alone: depth may be given
/// in metres, without any stage that unpacks it.
struct MemoryCapture {
    struct Item {
        var timestamp: Int64?
        var exposure: Int64?
        var sharpness: Double?
        var pose: Pose? = .identity
        var intrinsics: CameraIntrinsics? = MemoryCapture.camera
        var recordedDepth: RecordedDepth?
        var recordedConfidence: ConfidenceMap?
        var depth: DepthMap?
        var confidence: ConfidenceMap?
        var points: PointCloud?
        var pixels: RGBImage?
        /// A picture as in a video.
        var planes: YUVImage?
        var luma: LumaImage?
        var mask: LumaImage?
        var split: DatasetSplit?
        /// The picture's file, one of the capture's files.
        var file: String?
        var drop: Drop?
    }

    /// 8 × 6 pixels, and numbers that are exact in binary.
    static let camera = CameraIntrinsics(fx: 4, fy: 4, cx: 4, cy: 3, width: 8, height: 6, pixelOrigin: .corner)

    var items: [Item]
    var files: [String: [UInt8]] = [:]
    /// Files that exist without the reader knowing them, such as a user's own lists.
    var unlisted: [String: [UInt8]] = [:]
    var box: OrientedBox?
    var worldUp: Vector3? = Vector3(0, 1, 0)
    var savedFromWorld = Pose.identity
    var fileAxes = CameraAxes.openGL
    var isMetric = true
    var colorSize: PixelSize?
    /// Unless a frame has depth in metres, whose size it is then.
    var depthSize: PixelSize?
    var depthCamera: DepthCamera?
    var frameRate: Double?
    var absences: [Channel: Absence] = [:]
    var onBadFrame = BadFrameRule.drop
    /// No capture fails for bad frames unless a test sets a limit.
    var badFrameLimit = 1.0

    init(_ items: [Item]) { self.items = items }

    var capture: Capture {
        var capture = Capture(id: "memory")
        capture.format = "memory"
        capture.channels = [.frames]
        for (index, item) in items.enumerated() {
            var facts = FrameFacts(index: index)
            facts.timestamp = item.timestamp
            facts.exposure = item.exposure
            facts.sharpness = item.sharpness
            facts.pose = item.pose
            facts.intrinsics = item.intrinsics
            facts.pictureFile = item.file
            facts.split = item.split
            facts.drop = item.drop
            capture.frames.append(facts)
            let there: [(Channel, Bool)] = [
                (.timestamp, item.timestamp != nil), (.exposure, item.exposure != nil),
                (.sharpness, item.sharpness != nil), (.pose, item.pose != nil), (.intrinsics, item.intrinsics != nil),
                (.recordedDepth, item.recordedDepth != nil), (.recordedConfidence, item.recordedConfidence != nil),
                (.depth, item.depth != nil), (.confidence, item.confidence != nil), (.points, item.points != nil),
                (.color, item.pixels != nil || item.planes != nil || item.file != nil), (.luma, item.luma != nil),
                (.mask, item.mask != nil), (.split, item.split != nil),
                (.box, box != nil),
            ]
            capture.channels.formUnion(there.filter(\.1).map(\.0))
        }
        let size = items.lazy.compactMap { $0.depth.map { PixelSize($0.width, $0.height) } }.first
        capture.depthSize = size ?? depthSize
        capture.colorSize = colorSize
        capture.depthCamera = depthCamera
        capture.frameRate = frameRate
        capture.box = box
        capture.absences = absences
        capture.worldUp = worldUp
        capture.savedFromWorld = savedFromWorld
        capture.fileAxes = fileAxes
        capture.isMetric = isMetric
        capture.onBadFrame = onBadFrame
        capture.badFrameLimit = badFrameLimit
        capture.files = files.sorted { $0.key < $1.key }.map {
            InputFile(path: $0.key, byteCount: Int64($0.value.count))
        }
        capture.source = Source(items: items, files: files.merging(unlisted) { listed, _ in listed })
        return capture
    }

    private struct Source: CaptureSource {
        let items: [Item]
        let files: [String: [UInt8]]

        func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] {
            channels.isDisjoint(with: [.recordedDepth, .previousDepth, .recordedConfidence]) ? [] : [Track(items)]
        }

        func prepare(_ frame: inout Frame, for channels: Set<Channel>) {
            let item = items[frame.index]
            if channels.contains(.depth) { frame.depth = item.depth }
            if channels.contains(.confidence) { frame.confidence = item.confidence }
            if channels.contains(.points) { frame.points = item.points }
            if channels.contains(.luma) { frame.luma = item.luma }
            if channels.contains(.mask) { frame.mask = item.mask }
            if channels.contains(.color) {
                frame.picture =
                    item.pixels.map { .pixels($0) } ?? item.planes.map { .planes($0) } ?? item.file.map { .file($0) }
            }
        }

        func location(of file: String) -> FileLocation? { nil }

        func open(_ file: String) throws(Problem) -> any ByteSource {
            guard let bytes = files[file] else { throw Problem(.input, "there is no such file").at(file: file) }
            return MemorySource(bytes, name: file)
        }
    }

    /// Walks over every frame in order, dropped ones too, as a packed stream does.
    private final class Track: FrameTrack {
        let name = "memory"
        private let items: [Item]
        private let position = Mutex(0)

        init(_ items: [Item]) { self.items = items }

        func advance(_ frame: inout Frame, isWanted: Bool) throws(Problem) {
            let index = position.withLock { position in
                defer { position += 1 }
                return position
            }
            guard index == frame.index else { throw Problem(.tool, "frame \(frame.index) came as number \(index)") }
            guard isWanted else { return }
            frame.recordedDepth = items[index].recordedDepth
            frame.recordedDepthBefore = index > 0 ? items[index - 1].recordedDepth : nil
            frame.recordedConfidence = items[index].recordedConfidence
        }

        func finish() -> TrackEnd { TrackEnd() }
    }
}

/// The first stage of a test's pipeline: hands in the capture that the test made.
struct HandIn: CaptureStage {
    static let card = StageCard(
        name: "hand-in", summary: "Hand in a capture.", details: "For tests.", example: "- hand-in")

    private let given: Capture

    init(_ options: inout OptionReader) { given = Capture(id: "nothing") }

    init(_ given: Capture) { self.given = given }

    var uses: Uses {
        Uses(
            finish: .init(
                makes: [.frames],
                mayMake: [
                    .pose, .intrinsics, .lens, .timestamp, .exposure, .sharpness, .color, .luma, .recordedDepth,
                    .recordedConfidence, .box, .depth, .confidence, .points, .cloud, .mask, .split,
                ]))
    }

    func finish(_ capture: inout Capture, in context: StageContext) {
        let id = capture.id
        capture = given
        capture.id = id
    }
}

/// The last stage of a test's pipeline: keeps what it sees of each frame, in frame order, and of the capture at the end.
struct Probe: FoldStage {
    static let card = StageCard(name: "probe", summary: "Look.", details: "For tests.", example: "- probe")

    final class Log: Sendable {
        private let seen = Mutex<(frames: [Frame], capture: Capture)>(([], Capture(id: "")))

        var frames: [Frame] { seen.withLock(\.frames) }
        var capture: Capture { seen.withLock(\.capture) }

        fileprivate func keep(_ frames: [Frame], _ capture: Capture) { seen.withLock { $0 = (frames, capture) } }
    }

    private let wants: [Channel]
    private let log: Log

    init(_ options: inout OptionReader) { self.init([], Log()) }

    init(_ wants: [Channel], _ log: Log) {
        self.wants = wants
        self.log = log
    }

    var uses: Uses { Uses(fold: .init(wants: wants)) }

    func begin(_ context: StageContext) -> [Frame] { [] }
    func fold(_ frame: inout Frame, into frames: inout [Frame], in context: StageContext) { frames.append(frame) }
    func end(_ frames: consuming [Frame], _ capture: inout Capture, in context: StageContext) {
        log.keep(frames, capture)
    }
}

extension MemoryCapture.Item {
    /// A frame with depth in metres, one row of it unless a height is given.
    init(depth metres: [Float], height: Int = 1) {
        depth = DepthMap(width: metres.count / height, height: height, metres: metres)
    }

    /// What a stage gave, for others to spoil: time, pose, camera and depth in metres.
    init(_ frame: Frame) {
        (timestamp, pose, intrinsics, depth) = (frame.timestamp, frame.pose, frame.intrinsics, frame.depth)
    }

    /// A frame with recorded depth, one row of floats in metres.
    init(recorded metres: [Float]) { recordedDepth = RecordedDepth(metres: metres) }

    /// A frame with points.
    init(points positions: [Float], colors: [UInt8]? = nil) {
        points = PointCloud(positions: positions, colors: colors)
    }
}

extension RecordedDepth {
    /// One row of floats, whose bits stay unchanged.
    init(metres: [Float]) {
        self.init(
            width: metres.count, height: 1, encoding: .float32Metres,
            bytes: metres.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) })
    }
}

extension MemoryCapture {
    /// A camera that looks along −z and moves along x by these distances, a tenth of a second each.
    /// - Parameters:
    ///   - start: where it begins.
    ///   - exposure: of every picture, nanoseconds.
    static func walk(
        _ ways: [Double], from start: Vector3 = .zero, exposure: Int64? = nil,
        _ change: (Int, inout Item) -> Void = { _, _ in }
    ) -> MemoryCapture {
        var position = start
        return MemoryCapture(
            ([0] + ways).enumerated().map { number, way in
                position.x += way
                var item = Item(timestamp: Int64(number) * 100_000_000, exposure: exposure)
                item.pose = Pose(rotation: .identity, position: position)
                change(number, &item)
                return item
            })
    }
}
