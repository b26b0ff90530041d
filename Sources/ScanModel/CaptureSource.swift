/// Where the pixels and bytes of a capture come from.
public protocol CaptureSource: Sendable {
    /// Opens what a pass needs: one track for each stream that has to be walked in order. Channels that need no walk
    /// (pictures in files) come without a track: ``prepare(_:for:)`` attaches them.
    func tracks(for channels: Set<Channel>, of capture: Capture) throws(Problem) -> [any FrameTrack]

    /// Attaches what is not in a stream. Called for kept frames, in parallel; perhaps more than once for a frame, each
    /// time for different channels. Leaves all other channels as they are.
    func prepare(_ frame: inout Frame, for channels: Set<Channel>) throws(Problem)

    /// Where the file's bytes lie on disk, for copying and for other programs; nil when they are not on disk as such.
    func location(of file: String) -> FileLocation?

    /// A place where another program can read the file, which is copied there if need be.
    func place(_ file: String) throws(Problem) -> FileLocation

    /// Opens a file for reading from its start to its end.
    func open(_ file: String) throws(Problem) -> any ByteSource

    /// A problem with the content of a file, with its place: of a file that is a stretch of another one, in that.
    func placed(_ problem: Problem, in file: String) -> Problem

    /// The versions of the programs that decode these channels, by name: the result depends on them too.
    func toolVersions(for channels: Set<Channel>) throws(Problem) -> [String: String]
}

extension CaptureSource {
    /// A whole small file of the capture, such as a picture. A file larger than `limit` bytes is a problem.
    public func bytes(of file: String, limit: Int) throws(Problem) -> [UInt8] {
        try open(file).readAll(limit: limit)
    }

    public func placed(_ problem: Problem, in file: String) -> Problem { problem.at(file: file) }

    public func toolVersions(for channels: Set<Channel>) throws(Problem) -> [String: String] { [:] }

    public func place(_ file: String) throws(Problem) -> FileLocation {
        if let location = location(of: file) { return location }
        throw Problem(.input, "the file lies nowhere on disk, so no other program can read it").at(file: file)
    }
}

/// Bytes on disk: a file, or a stretch of one (an entry stored in an archive).
public struct FileLocation: Hashable, Sendable {
    public var path: String
    public var range: Range<Int64>?

    public init(path: String, range: Range<Int64>? = nil) {
        self.path = path
        self.range = range
    }
}

/// A stream of a capture during one pass. It walks over every source frame in order, dropped ones too.
public protocol FrameTrack: AnyObject, Sendable {
    /// The stream's name, for messages: the path of its file.
    var name: String { get }

    /// Advances to `frame`. If the frame is wanted, its channel is attached; if the stream has lost the frame, it is
    /// dropped instead, by the stage that reads. The run decides whether a frame may still be dropped.
    func advance(_ frame: inout Frame, isWanted: Bool) throws(Problem)

    /// After the last frame: walks to the end of the stream, checks its length, and says what it found.
    func finish() throws(Problem) -> TrackEnd
}

/// What a track found at the end of its stream.
public struct TrackEnd: Sendable {
    /// Frames that the stream holds beyond the capture's list.
    public var extraFrames: Int
    public var reason: String
    public var warnings: [String]
    /// What the reading rules allowed here although the default rules would have failed the capture for it.
    public var forgiven: [Problem]
    /// Whether another run might have decoded its damaged part differently: with ``RunResources/videoThreads`` of 1 the
    /// result is always the same.
    public var isChance: Bool

    public init(
        extraFrames: Int = 0, reason: String = "", warnings: [String] = [], forgiven: [Problem] = [],
        isChance: Bool = false
    ) {
        self.extraFrames = extraFrames
        self.reason = reason
        self.warnings = warnings
        self.forgiven = forgiven
        self.isChance = isChance
    }
}

/// The source of a capture that has not been read yet.
struct NoSource: CaptureSource {
    func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] { [] }
    func prepare(_ frame: inout Frame, for channels: Set<Channel>) {}
    func location(of file: String) -> FileLocation? { nil }
    func open(_ file: String) throws(Problem) -> any ByteSource {
        throw Problem(.tool, "the capture was not read yet").at(file: file)
    }
}
