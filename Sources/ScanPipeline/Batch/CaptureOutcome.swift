import ScanModel

/// How one capture ended.
public struct CaptureOutcome: Sendable, Hashable {
    public var input: CaptureInput
    public var ending: CaptureEnding
    /// When it ran; nil when it did not.
    public var span: Span?
    /// Why it ran, in the words of a plan; nil when it did not.
    public var reason: String?

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

/// How a capture ended in this run.
public enum CaptureEnding: Sendable, Hashable, Codable {
    case done(CaptureSummary)
    /// The result that is there is what a run would make.
    case upToDate
    case failed(Problem)
    /// It failed in an earlier run, and nothing about it has changed since.
    case failedBefore(Problem)
    /// It changed too recently.
    case arriving
    /// Another runner works on it.
    case busy
    /// It was asked to be left out.
    case excluded
    /// What does not suit the pipeline was asked to be left out, and it does not for this reason.
    case unsuited(Problem)
    /// The run ended before its turn came, or before it was done: a signal, the time, the disk.
    case left(LeftReason)

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
        case excluded
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
        case .excluded, .unsuited: .excluded
        case .left: .left
        }
    }
}

/// Why a run did not come to a capture, or gave it up.
public struct LeftReason: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// What ran out.
    public enum Want: Sendable, Codable {
        /// The disk was too full: space does not come back by itself.
        case space
        /// The night was over.
        case time
    }

    public var text: String
    /// Nil where the run was stopped, or the capture changed.
    public var want: Want?

    public init(_ text: String, forWantOf want: Want? = nil) {
        self.text = text
        self.want = want
    }

    public init(stringLiteral text: String) { self.init(text) }
}
