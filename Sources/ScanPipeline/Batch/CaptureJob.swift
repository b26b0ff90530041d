import ScanModel

/// What a child process is told: one capture, one pipeline, one output.
public struct CaptureJob: Sendable, Hashable, Codable {
    public var input: CaptureInput
    /// The pipeline's text and path, and the changes made on the command line.
    public var pipelineText: String
    public var pipelinePath: String
    public var settings: [String]
    /// OUT.
    public var output: String
    /// Threads that work on frames.
    public var workers: Int
    /// See ``RunResources/patience``.
    public var patience: Int
    /// Run even when the result that stands there is up to date.
    public var isForced = false
    /// Replace a result of another capture with the same name.
    public var replaces = false

    public init(
        input: CaptureInput, pipelineText: String, pipelinePath: String, settings: [String], output: String,
        workers: Int, patience: Int = RunResources.usualPatience, isForced: Bool = false, replaces: Bool = false
    ) {
        self.input = input
        self.pipelineText = pipelineText
        self.pipelinePath = pipelinePath
        self.settings = settings
        self.output = output
        self.workers = workers
        self.patience = patience
        self.isForced = isForced
        self.replaces = replaces
    }
}

/// What a child process says, one a line.
public enum CaptureEvent: Sendable, Hashable, Codable {
    case progress(RunProgress)
    /// It reads or writes, between frames.
    case working
    case ended(CaptureEnding)
}

/// How a capture ended in this run.
public enum CaptureEnding: Sendable, Hashable, Codable {
    case done(CaptureSummary)
    /// The result that stands there is what a run would make.
    case upToDate
    case failed(Problem)
    /// It failed in an earlier run, and nothing about it has changed since.
    case failedBefore(Problem)
    /// It changed too recently.
    case arriving
    /// Another runner works on it.
    case busy
    /// The run ended before its turn came: a signal, the time, the disk.
    case notBegun(String)

    public var problem: Problem? {
        switch self {
        case .failed(let problem), .failedBefore(let problem): problem
        default: nil
        }
    }

    /// How captures end, by the words that records, logs and figures have for it.
    public enum Kind: String, Sendable, CaseIterable {
        case done
        case upToDate = "up to date"
        case failed
        case failedBefore = "failed before"
        case arriving = "still arriving"
        case busy
        case left
    }

    public var kind: Kind {
        switch self {
        case .done: .done
        case .upToDate: .upToDate
        case .failed: .failed
        case .failedBefore: .failedBefore
        case .arriving: .arriving
        case .busy: .busy
        case .notBegun: .left
        }
    }
}

/// A finished capture in a few numbers.
public struct CaptureSummary: Sendable, Hashable, Codable {
    public var framesKept: Int
    /// Frames that were dropped because their own data is bad.
    public var badFrameCount: Int
    public var frameCount: Int
    public var fileCount: Int
    public var byteCount: Int64
    public var warnings: [String]
    /// How many frames the result had that this one replaces, where it is the same pipeline's and had more.
    public var framesBefore: Int?
    /// What follows from the pipeline, whatever the capture is like.
    public var notes: [String]
    /// How long each stage worked, in the order of the pipeline.
    public var times: [StageTime]
    /// The most memory that the capture's process had, bytes; with ffmpeg's as far as that was seen.
    public var peakBytes: Int64?

    public init(_ receipt: Receipt, times: [StageTime] = [], peakBytes: Int64? = nil) {
        self.times = times
        self.peakBytes = peakBytes
        frameCount = receipt.capture.frames.count
        framesKept = receipt.capture.frames.count { !$0.isDropped }
        badFrameCount = receipt.capture.frames.count { $0.drop?.isBad == true }
        fileCount = receipt.files.count
        byteCount = receipt.files.reduce(0) { $0 + $1.byteCount }
        warnings = receipt.warnings
        notes = receipt.notes
    }
}

/// How one capture ended.
public struct CaptureOutcome: Sendable, Hashable {
    public var input: CaptureInput
    public var ending: CaptureEnding
    /// When it ran; nil when it did not.
    public var span: Span?

    /// A stretch of a run, in seconds from the run's beginning.
    public struct Span: Sendable, Hashable {
        public var begin: Double
        public var seconds: Double

        public init(begin: Double, seconds: Double) {
            self.begin = begin
            self.seconds = seconds
        }
    }

    public init(input: CaptureInput, ending: CaptureEnding, span: Span? = nil) {
        self.input = input
        self.ending = ending
        self.span = span
    }
}
