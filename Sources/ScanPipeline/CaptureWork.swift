import ScanModel

/// What a child process does with its job: lock, sweep, run, publish.
public enum CaptureWork {
    /// - Parameter looked: the time at which looking at the capture's files begins, nanoseconds since 1970.
    public static func run(
        _ job: CaptureJob, library: StageLibrary, tool: String, looked: Int64 = wallClock(),
        report: @escaping @Sendable (RunProgress) -> Void
    ) throws(Problem) -> CaptureEnding {
        let pipeline = try job.pipeline(library)
        let state = StateFolder(output: job.output)
        try state.requireOwner(pipeline)
        guard let lock = try CaptureLock(job.input.id, in: state) else { return .busy }
        defer { withExtendedLifetime(lock) {} }
        if lock.isReal { Leftovers.sweep(job.input.id, in: state) }

        var runner = Runner(pipeline: pipeline, workers: job.workers, tool: tool, report: report)
        runner.patience = job.patience
        let known = ResultState.load(job.input.id, in: state)
        runner.knownDigests = known?.knownDigests ?? KnownDigests()
        let output = try OutputFolder(root: job.output, id: job.input.id)
        var opened: Runner.Opened?
        do throws(Problem) {
            let receipt = try runner.run(job.input, into: output) { (now) throws(Problem) in
                opened = now
                if !job.isForced && isUpToDate(job, now.key) { return true }
                if !job.replaces { try checkIdentity(job, now, known) }
                return false
            }
            if let receipt {
                try runner.clock.measurePublish { () throws(Problem) in
                    try output.publish(receipt: receipt.bytes) { () throws(Problem) in
                        try opened?.requireUnchanged()
                        try state.requireOwner(pipeline)
                    }
                }
            } else {
                output.abandon()
                // Its runner may have been killed right after giving it its name. To call it up to date is to vouch for it.
                try FileSystem.syncFolder(job.output)
            }
            FailureNote.remove(job.input.id, in: state)
            if let opened {
                let outputs = receipt?.files ?? PublishedResult(job.input.id, in: job.output)?.files ?? []
                // A cache: without it the next run takes the digests again.
                try? ResultState.taking(
                    opened, job: job, pipeline: pipeline, tool: tool, outputs: outputs, looked: looked
                ).save(job.input.id, in: state)
            }
            return receipt.map { .done(CaptureSummary($0, times: runner.clock.times, peakBytes: PeakMemory.bytes)) }
                ?? .upToDate
        } catch {
            if output.isPublished {
                throw error.noting(
                    "the new result of \(job.input.id) is in place and whole, but a power cut might still undo it")
            }
            let hadResult = output.hasPublishedResult
            output.abandon()
            throw Self.cause(of: error, opened).noting(
                hadResult
                    ? "nothing was published for \(job.input.id); the last good result is unchanged"
                    : "nothing was published for \(job.input.id)")
        }
    }

    /// A capture that was moved away or replaced while it was read looks damaged, and may be whole.
    private static func cause(of problem: Problem, _ opened: Runner.Opened?) -> Problem {
        guard problem.fault == .input, let opened else { return problem }
        do throws(Problem) { try opened.requireUnchanged() } catch { return error.noting(problem.oneLine) }
        return problem
    }

    /// Ids are names of folders, and two captures in different places may have one. A result of the other one is not this
    /// one's to replace.
    private static func checkIdentity(
        _ job: CaptureJob, _ opened: Runner.Opened, _ known: ResultState?
    ) throws(Problem) {
        guard let published = PublishedResult(job.input.id, in: job.output) else { return }
        // What is known may be of the result before this one, whose runner was killed before it could say so.
        let known = known?.key == published.key ? known : nil
        if known?.input == FileSystem.absolute(job.input.path) { return }
        // What lies beside the pipeline is every capture's, and tells none from another.
        let common = opened.inputs.filter { opened.options[$0.path] != nil }.map(\.digest)
        let own = opened.inputs.filter { opened.options[$0.path] == nil }.map(\.digest)
        let before = published.inputDigests.subtracting(common)
        let shared = before.intersection(own).count
        // Most of a capture that was moved is still the same, whatever was mended in it or is asked of it now.
        if shared * 2 >= min(before.count, own.count) { return }
        let others = known.map { "it was made of \($0.input), and its files are others" }
        throw Problem(
            .usage, "the result of another capture has this name", notes: [others ?? "it was made of other files"],
            fix: "rename one of the two captures, choose another folder with -o, or replace the result with  --replace")
    }

    private static func isUpToDate(_ job: CaptureJob, _ key: ResultKey) -> Bool {
        guard let published = PublishedResult(job.input.id, in: job.output) else { return false }
        return published.key == key && published.isWhole
    }
}

extension CaptureJob {
    /// The pipeline, built again from its text. It was checked before, so a mistake now is the tool's.
    func pipeline(_ library: StageLibrary) throws(Problem) -> Pipeline {
        do throws(PipelineMistakes) {
            return try Pipeline.load(
                text: pipelineText, path: pipelinePath, settings: settings, library: library)
        } catch {
            throw error.problems.first ?? Problem(.tool, "the pipeline is not valid")
        }
    }
}
