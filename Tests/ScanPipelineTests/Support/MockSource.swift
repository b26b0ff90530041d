import ScanModel
import ScanPipeline
import Synchronization

/// What happened, in the order in which it happened.
final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
    func count(_ line: String) -> Int { all.count { $0 == line } }
}

/// A capture's source in memory: depth and confidence come as streams, whose frame n holds the byte n.
struct MockSource: CaptureSource {
    var files: [String: [UInt8]] = [:]
    /// What is wrong at the ends of files.
    var damaged: [String: Problem] = [:]
    /// How many frames each stream holds.
    var streams: [Channel: Int] = [:]
    var prepare: @Sendable (inout Frame, Set<Channel>) throws(Problem) -> Void = { _, _ in }
    var tools: [String: String] = [:]
    /// The folder of the files, if they also lie on disk.
    var folder: String?
    let log = Log()

    func toolVersions(for channels: Set<Channel>) -> [String: String] { tools }

    func tracks(for channels: Set<Channel>, of capture: Capture) throws(Problem) -> [any FrameTrack] {
        log.add("tracks " + channels.map(\.name).sorted().joined(separator: " "))
        let streamed = channels.filter { streams[$0] != nil }.sorted { $0.name < $1.name }
        return streamed.map {
            MockTrack(
                $0, held: streams[$0] ?? 0, listed: capture.frames.count, carries: channels.contains(.previousDepth),
                log)
        }
    }

    func prepare(_ frame: inout Frame, for channels: Set<Channel>) throws(Problem) { try prepare(&frame, channels) }

    func location(of file: String) -> FileLocation? { folder.map { FileLocation(path: "\($0)/\(file)") } }

    func open(_ file: String) throws(Problem) -> any ByteSource {
        guard let bytes = files[file] else { throw Problem(.input, "no such file").at(file: file) }
        return MemorySource(name: file, bytes, damage: damaged[file])
    }
}

/// Bytes in memory, handed out a few at a time.
final class MemorySource: ByteSource, @unchecked Sendable {
    let name: String
    let byteCount: Int64
    private var rest: ArraySlice<UInt8>
    private let step: Int
    /// What is found after the last byte.
    private let damage: Problem?

    init(name: String, _ bytes: [UInt8], step: Int = 7, damage: Problem? = nil) {
        self.damage = damage
        self.name = name
        byteCount = Int64(bytes.count)
        rest = bytes[...]
        self.step = step
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        if let damage, rest.isEmpty { throw damage }
        let part = rest.prefix(min(step, buffer.count))
        buffer.copyBytes(from: part)
        rest = rest.dropFirst(part.count)
        return part.count
    }
}

/// A stream whose frame n is one pixel that holds n.
final class MockTrack: FrameTrack, @unchecked Sendable {
    let name: String
    private let channel: Channel
    private let held: Int
    private let listed: Int
    private let carries: Bool
    private let log: Log
    private var position = 0
    private var before: RecordedDepth?

    init(_ channel: Channel, held: Int, listed: Int, carries: Bool, _ log: Log) {
        name = "\(channel.name).stream"
        self.channel = channel
        self.held = held
        self.listed = listed
        self.carries = carries
        self.log = log
    }

    func advance(_ frame: inout Frame, isWanted: Bool) throws(Problem) {
        defer { position += 1 }
        guard frame.index == position else { throw Problem(.tool, "frame \(frame.index) came as number \(position)") }
        log.add("\(channel.name) \(position)\(isWanted ? "" : " unwanted")")
        if position >= held {
            if !frame.facts.isDropped {
                frame.facts.drop = Drop(stage: "read", reason: "the stream has \(held) frames")
            }
            return
        }
        let byte = UInt8(truncatingIfNeeded: position)
        switch channel {
        case .recordedConfidence:
            if isWanted {
                frame.recordedConfidence = ConfidenceMap(width: 1, height: 1, values: [byte], range: 0...255)
            }
        default:
            let depth = RecordedDepth(width: 1, height: 1, encoding: .uint16(unitsPerMetre: 1), bytes: [byte, 0])
            if isWanted { frame.recordedDepth = depth }
            if isWanted, carries { frame.recordedDepthBefore = before }
            before = depth
        }
    }

    func finish() -> TrackEnd {
        log.add("\(channel.name) end")
        return TrackEnd(extraFrames: max(0, held - listed), reason: "only \(name) has this frame")
    }
}

extension Capture {
    /// A capture of `count` frames with depth and confidence streams of that length.
    static func mock(
        _ count: Int, source: MockSource? = nil, channels: Set<Channel> = [.recordedDepth, .recordedConfidence]
    ) -> Capture {
        var capture = Capture(id: "scan")
        capture.format = "mock"
        capture.frames = (0..<count).map(FrameFacts.init(index:))
        capture.channels = channels
        var source = source ?? MockSource()
        if source.streams.isEmpty {
            for channel in channels where channel == .recordedDepth || channel == .recordedConfidence {
                source.streams[channel] = count
            }
        }
        capture.source = source
        return capture
    }
}
