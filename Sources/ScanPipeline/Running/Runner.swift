import ScanModel

/// How far a run is; sent often, meant for a progress line.
public struct RunProgress: Sendable, Hashable, Codable {
    /// The first stage of the pass that is running, by its label.
    public var stage: String
    /// Counted from 1; the first is the reader's.
    public var pass: Int
    public var frame: Int
    public var frameCount: Int
    /// How much of all passes over the frames is done, 0 to 1, as far as the passes are known beforehand.
    public var share: Double

    /// - Parameters:
    ///   - before: how many passes over the frames are done.
    ///   - after: how many will follow this one.
    package init(stage: String, pass: Int, frame: Int, frameCount: Int, before: Int = 0, after: Int = 0) {
        self.stage = stage
        self.pass = pass
        self.frame = frame
        self.frameCount = frameCount
        let here = frameCount > 0 ? Double(frame) / Double(frameCount) : 0
        share = (Double(before) + here) / Double(before + 1 + after)
    }
}

/// Takes one capture through a pipeline into an output folder.
///
/// The bytes that come out are the same for any number of workers.
public struct Runner: Sendable {
    public let pipeline: Pipeline
    /// Threads that work on frames; 1 is serial throughout.
    public let workers: Int
    /// What the receipt calls the tool: name and version.
    public let tool: String
    /// See ``RunResources/patience``.
    public var patience = RunResources.usualPatience
    /// Digests that need not be taken again.
    var knownDigests = KnownDigests()
    /// Whether the input files are digested for the receipt and its key: a run whose receipt nobody keeps can do
    /// without.
    public var takesDigests = true
    /// How long each stage has worked so far, over all captures that this runner has run.
    public let clock: StageClock
    let report: @Sendable (RunProgress) -> Void
    /// Is told what recorded the capture, once its reader has found out.
    var recognised: @Sendable (CaptureOrigin) -> Void = { _ in }

    public init(
        pipeline: Pipeline, workers: Int, tool: String, report: @escaping @Sendable (RunProgress) -> Void = { _ in }
    ) {
        self.pipeline = pipeline
        self.workers = workers
        self.tool = tool
        self.report = report
        clock = StageClock(pipeline.steps)
    }

    /// Runs everything and writes all files of the result, except the receipt, into `output`.
    /// - Returns: the receipt, for ``OutputFolder/publish(receipt:allow:)``.
    /// - Throws: the first problem that stops the capture; nothing is published then.
    public func run(_ input: CaptureInput, into output: OutputFolder) throws(Problem) -> Receipt {
        guard let receipt = try run(input, into: output, unless: { (_) throws(Problem) in false }) else {
            throw Problem(.tool, "a run that nothing stopped has no receipt")
        }
        return receipt
    }

    /// The same, unless there turns out to be nothing to do.
    /// - Parameter isDone: asked once the key of the result is known and before any frame is looked at; saying yes ends
    ///   the run, and so does a problem.
    /// - Returns: the receipt, for ``OutputFolder/publish(receipt:allow:)``; nil when `isDone` said yes.
    /// - Throws: the first problem that stops the capture; nothing is published then.
    package func run(
        _ input: CaptureInput, into output: OutputFolder, unless isDone: (OpenedCapture) throws(Problem) -> Bool
    ) throws(Problem) -> Receipt? {
        var (runner, resources) = (self, resources)
        var spoilt: [Int: Drop] = [:]
        var attempts = 1
        while true {
            var run = CaptureRun(runner: runner, resources, input: input, output: output, leavingOut: spoilt)
            do throws(Problem) { return try run.execute(unless: isDone) } catch {
                switch run.retry {
                case nil: throw run.explaining(error)
                case .withOneVideoThread:
                    resources.videoThreads = 1
                    // The spoilt frames may have been a matter of chance too.
                    spoilt = [:]
                case .without(let frames):
                    spoilt.merge(frames) { first, _ in first }
                    if attempts == Self.mostAttempts { throw Self.noEnd(of: spoilt, after: attempts) }
                }
            }
            // All over again: what is wrong has gone into scores and files already.
            try output.beginAgain()
            runner.knownDigests = run.learned
            attempts += 1
        }
    }

    /// Opens a capture and looks whether the stages can work on it, as a run does before it looks at any frame. Writes
    /// nothing.
    /// - Returns: what a run fails with there; nil where it begins.
    package func refusal(of input: CaptureInput) -> Problem? {
        var runner = self
        runner.takesDigests = false
        do throws(Problem) {
            let output = try OutputFolder(unmadeFor: input.id)
            _ = try runner.run(input, into: output, unless: { (_) throws(Problem) in true })
            return nil
        } catch { return error }
    }

    /// Where a stage picks another frame for each one dropped, adjacent damage shows one frame at a time.
    private static let mostAttempts = 10

    private static func noEnd(of spoilt: [Int: Drop], after attempts: Int) -> Problem {
        let drops = spoilt.sorted { $0.key < $1.key }
        let stages = Set(drops.map(\.value.stage)).sorted().map { "`\($0)`" }
        return Problem(
            .input,
            "the capture was run \(attempts) times, and each time more frames turned out to be bad in \(stages.listed)",
            notes: ["stages above had used them already"]
                + drops.prefix(3).map { "frame \($0.key): \($0.value.reason)" },
            fix: "put \(stages.listed) above the stages that choose and gather frames")
    }

    var resources: RunResources { RunResources(threads: workers, patience: patience) }
}
