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

    public init(
        input: CaptureInput, pipelineText: String, pipelinePath: String, settings: [String], output: String, workers: Int
    ) {
        self.input = input
        self.pipelineText = pipelineText
        self.pipelinePath = pipelinePath
        self.settings = settings
        self.output = output
        self.workers = workers
    }
}

/// What a child process says, one a line.
public enum CaptureEvent: Sendable, Hashable, Codable {
    case progress(stage: String, frame: Int, frameCount: Int)
    case done(CaptureSummary)
    case failed(Problem)
}

/// A finished capture in a few numbers.
public struct CaptureSummary: Sendable, Hashable, Codable {
    public var framesKept: Int
    public var frameCount: Int
    public var fileCount: Int
    public var byteCount: Int64
    public var warnings: [String]

    public init(_ receipt: Receipt) {
        frameCount = receipt.capture.frames.count
        framesKept = receipt.capture.frames.count { !$0.isDropped }
        fileCount = receipt.files.count
        byteCount = receipt.files.reduce(0) { $0 + $1.byteCount }
        warnings = receipt.warnings
    }
}

/// How one capture ended.
public struct CaptureOutcome: Sendable {
    public var input: CaptureInput
    public var result: Result<CaptureSummary, Problem>

    public init(input: CaptureInput, result: Result<CaptureSummary, Problem>) {
        self.input = input
        self.result = result
    }
}

/// Runs captures side by side, each in a process of its own, and goes on when one fails.
public struct Batch: Sendable {
    /// Starts a child process for a job, passes on what it says, and returns how it ended. It never throws: a crash is
    /// an outcome like any other.
    public typealias Launcher = @Sendable (CaptureJob, @escaping @Sendable (CaptureEvent) -> Void) async -> CaptureOutcome

    private let launch: Launcher

    public init(launch: @escaping Launcher) { self.launch = launch }

    /// How the cores are spread: over captures first, and over frames inside one when there are more cores than captures.
    package static func spread(cores: Int, captures: Int) -> (sideBySide: Int, workers: Int) {
        let sideBySide = max(1, min(cores, captures))
        return (sideBySide, max(1, cores / sideBySide))
    }

    /// - Parameters:
    ///   - make: the job for a capture, given the threads it may use.
    ///   - ended: called once a capture, in the order they end, one at a time.
    /// - Returns: the outcomes in the order of the inputs.
    public func run(
        _ inputs: [CaptureInput], cores: Int, make: @Sendable (CaptureInput, Int) -> CaptureJob,
        event: @escaping @Sendable (CaptureInput, CaptureEvent) -> Void, ended: (CaptureOutcome) -> Void
    ) async -> [CaptureOutcome] {
        let launch = launch
        let (sideBySide, workers) = Self.spread(cores: cores, captures: inputs.count)
        var outcomes: [Int: CaptureOutcome] = [:]
        await withTaskGroup(of: (Int, CaptureOutcome).self) { group in
            var next = 0
            while next < inputs.count || !group.isEmpty {
                if next < inputs.count && next - outcomes.count < sideBySide {
                    let number = next
                    let input = inputs[number]
                    let job = make(input, workers)
                    group.addTask { (number, await launch(job) { event(input, $0) }) }
                    next += 1
                } else if let (number, outcome) = await group.next() {
                    outcomes[number] = outcome
                    ended(outcome)
                }
            }
        }
        return inputs.indices.compactMap { outcomes[$0] }
    }
}
