import ScanModel

/// A finished capture in a few numbers.
public struct CaptureSummary: Sendable, Hashable, Codable {
    public var framesKept: Int
    /// Frames that were dropped because their own data is bad.
    public var badFrameCount: Int
    /// Frames that the reader left out, or gave up as bad.
    public var unreadFrameCount: Int
    public var frameCount: Int
    public var fileCount: Int
    public var byteCount: Int64
    public var warnings: [String]
    /// Of the warnings, those of what spoils all that was made of the capture, and of what was lost on the way.
    public var grave: [String]
    /// What was wrong with the capture's files, and did not end it because the pipeline allows it.
    public var forgiven: [Problem]
    /// How many frames the replaced result had, if the same pipeline made it and it had more.
    public var framesBefore: Int?
    /// What follows from the pipeline, whatever the capture is like.
    public var notes: [String]
    /// How long each stage worked, in the order of the pipeline.
    public var times: [StageTime]
    /// The most memory that the capture's process had, bytes; with ffmpeg's as far as that was seen.
    public var peakBytes: Int64?

    /// Whether its result is less, or less sure, than the capture's app recorded: what even a quiet run says.
    public var isDoubtful: Bool { !grave.isEmpty || !forgiven.isEmpty || framesBefore != nil }

    public init(_ receipt: Receipt, times: [StageTime] = [], peakBytes: Int64? = nil) {
        self.times = times
        self.peakBytes = peakBytes
        frameCount = receipt.capture.frames.count
        framesKept = receipt.capture.frames.count { !$0.isDropped }
        badFrameCount = receipt.capture.frames.count { $0.drop?.isBad == true }
        unreadFrameCount = receipt.capture.frames.count { $0.drop?.stage == Drop.reader }
        fileCount = receipt.files.count
        byteCount = receipt.files.reduce(0) { $0 + $1.byteCount }
        warnings = receipt.warnings
        grave = receipt.grave
        forgiven = receipt.capture.forgiven
        notes = receipt.notes
    }
}
