import ScanModel

/// What a child process does with its job: lock, sweep, run, publish.
public struct CaptureWork {
    private let job: CaptureJob
    private let state: StateFolder
    private let runner: Runner
    private let output: OutputFolder
    /// What is known of the capture's result from earlier runs.
    private let known: ResultState?
    /// When looking at the capture's files began, nanoseconds since 1970.
    private let looked: Int64
    /// What this run has found out, once it has.
    private var opened: OpenedCapture?
    private var pipeline: Pipeline { runner.pipeline }
    private var place: ResultPlace { state.place(job.input.id) }

    /// - Parameters:
    ///   - looked: the time at which looking at the capture's files begins, nanoseconds since 1970.
    ///   - recognised: is told what recorded the capture, once that is known.
    public static func run(
        _ job: CaptureJob, library: StageLibrary, tool: String, looked: Int64 = wallClock(),
        report: @escaping @Sendable (RunProgress) -> Void,
        recognised: @escaping @Sendable (CaptureOrigin) -> Void = { _ in }
    ) throws(Problem) -> CaptureEnding {
        var runner = Runner(pipeline: try job.pipeline(library), workers: job.workers, tool: tool, report: report)
        runner.patience = job.patience
        runner.recognised = recognised
        let begun: (lock: StateLock, work: CaptureWork)?
        do throws(Problem) { begun = try begin(job, runner, looked: looked) } catch {
            let hasResult = StateFolder(output: job.output).place(job.input.id).holdsResult
            throw error.noting(nothingPublished(for: job, besides: hasResult))
        }
        guard case (let lock, var work)? = begun else { return .busy }
        defer { withExtendedLifetime(lock) {} }
        return try work.attempt()
    }

    /// - Returns: nil when another runner has the capture.
    private static func begin(
        _ job: CaptureJob, _ runner: Runner, looked: Int64
    ) throws(Problem) -> (StateLock, CaptureWork)? {
        try RunThreads.require(workers: job.workers)
        var job = job
        job.input.source = job.input.source?.renewed
        let state = StateFolder(output: job.output)
        try state.requireOwner(runner.pipeline)
        guard let lock = try StateLock(job.input.id, in: state) else { return nil }
        Leftovers.sweep(job.input.id, in: state, isLocked: lock.isReal)
        let known = ResultState.load(job.input.id, in: state)
        var runner = runner
        // Whoever forces a run may do so because a digest that was kept is wrong.
        runner.knownDigests = job.isForced ? KnownDigests() : known?.knownDigests ?? KnownDigests()
        let work = CaptureWork(
            job: job, state: state, runner: runner, output: try OutputFolder(root: job.output, id: job.input.id),
            known: known, looked: looked)
        return (lock, work)
    }

    private static func nothingPublished(for job: CaptureJob, besides hasResult: Bool) -> String {
        Problem.nothingPublished(of: job.input.id, older: hasResult ? "is unchanged" : nil)
    }

    private mutating func attempt() throws(Problem) -> CaptureEnding {
        do throws(Problem) {
            let (made, standing) = try writeFiles()
            guard let made else {
                try vouch()
                remember(standing.files.map { ($0.path, $0.byteCount) }, receipt: standing.receipt)
                return .upToDate
            }
            if standing.isOfWholeCopy { try requireNothingLost(in: made) }
            try publish(made, over: standing.receipt)
            remember(made.files.map { ($0.path, $0.byteCount) }, receipt: output.receiptStatus)
            var summary = CaptureSummary(made, times: runner.clock.times, peakBytes: PeakMemory.bytes)
            if let before = standing.framesKept, before > summary.framesKept { summary.framesBefore = before }
            return .done(summary)
        } catch { throw givingUp(for: error) }
    }

    /// The result that is there.
    private struct Standing {
        /// The status of its receipt.
        var receipt: FileSystem.Status?
        /// How many frames it has, if the same pipeline made it.
        var framesKept: Int?
        /// Whether it may only be replaced by one of a copy that lacks nothing either.
        var isOfWholeCopy = false
        /// Those of a result that is up to date.
        var files: [PublishedResult.File] = []
    }

    /// - Returns: the receipt of the new result, nil where the one that is there is what a run would make; and that one.
    private mutating func writeFiles() throws(Problem) -> (made: Receipt?, standing: Standing) {
        var found: OpenedCapture?
        defer { opened = found }
        var standing = Standing()
        let made = try runner.run(job.input, into: output) { (now) throws(Problem) in
            // What an earlier attempt found out holds for what it has read.
            try found?.requireUnchanged()
            found = now
            // Before it is read: another runner may replace it at any moment.
            standing.receipt = FileSystem.status(of: place.receipt)
            // It may be large, and is let go before the frames are read.
            let published = PublishedResult(job.input.id, in: job.output)
            let ofThisPipeline = published.flatMap { $0.isMade(by: pipeline) && $0.isReceiptSound ? $0 : nil }
            standing.framesKept = ofThisPipeline?.framesKept
            if !job.isForced, let published, isUpToDate(published, now.key) {
                standing.files = published.files
                return true
            }
            try output.requireReplaceable()
            try state.requireWritable()
            if !job.replaces {
                try requireOwnResult(published, known, now)
                try PublishedResult.requireNothingAdded(at: output.publishedPath)
                standing.isOfWholeCopy = ofThisPipeline.map { isOfWholeCopy($0, now) } ?? false
            }
            return false
        }
        return (made, standing)
    }

    /// Whether a result is of a copy that lacked nothing, and some file of that is another now or gone.
    private func isOfWholeCopy(_ published: PublishedResult, _ now: OpenedCapture) -> Bool {
        !published.lacksSomething && !published.inputDigests.isSubset(of: now.inputs.map(\.digest.hex))
    }

    /// Disks and copies decay, and what was made of a whole copy may be all that is left of it.
    /// - Throws: when the new result, of the same pipeline, is one of what is left.
    private func requireNothingLost(in made: Receipt) throws(Problem) {
        let lost = made.losses.map(\.reason) + made.capture.forgiven.map(\.oneLine)
        if lost.isEmpty { return }
        throw Problem(
            .input, "the copy of the capture has lost something since its result was made",
            notes: Array(lost.prefix(3)),
            fix:
                "copy the capture again, or take what can be made of the rest with  "
                + "\(PublishedResult.wayToReplace(job.input.id)) --retry")
    }

    /// - Parameter older: the status of the receipt that stood there when the capture was opened.
    private func publish(_ receipt: Receipt, over older: FileSystem.Status?) throws(Problem) {
        try runner.clock.measurePublish { () throws(Problem) in
            try output.publish(receipt: receipt.bytes) { () throws(Problem) in
                try opened?.requireUnchanged()
                try state.requireOwner(pipeline)
                if !job.replaces {
                    try requireStillOwnResult(older)
                    try PublishedResult.requireNothingAdded(at: output.publishedPath)
                }
                // Before the result has its name: if killed right after, a note would go on saying that the capture
                // fails.
                FailureNote.remove(job.input.id, in: state)
            }
        }
    }

    /// The result's runner may have been killed right after giving it its name. To call it up to date is to vouch for it.
    private func vouch() throws(Problem) {
        output.abandon()
        try FileSystem.syncForFAT(output.publishedPath)
        try FileSystem.syncFolder(job.output)
    }

    /// Keeps what the result was made of, and no longer that the capture failed. A cache: without it the next run takes
    /// the digests again.
    /// - Parameters:
    ///   - files: those of the result, with their sizes.
    ///   - receipt: the status of the result's receipt.
    private func remember(_ files: [(path: String, size: Int64)], receipt: FileSystem.Status?) {
        FailureNote.remove(job.input.id, in: state)
        guard let opened else { return }
        try? ResultState.taking(
            opened, job: job, pipeline: pipeline, tool: runner.tool, outputs: files, receipt: receipt, looked: looked
        ).save(job.input.id, in: state)
    }

    /// Leaves nothing of the attempt behind.
    /// - Returns: the problem, with what became of the result.
    private func givingUp(for problem: Problem) -> Problem {
        let id = job.input.id
        if output.isPublished {
            return problem.noting("the new result of \(id) is in place and whole, but a power cut might still undo it")
        }
        let fate = Self.nothingPublished(for: job, besides: output.hasPublishedResult)
        output.abandon()
        return cause(of: problem).withUsualFix.noting(fate)
    }

    /// A capture that was moved away or replaced while it was read looks damaged, and may be whole. And where OUT is
    /// another folder by now, as when its disk was unmounted, some file of the result is the first that fails.
    private func cause(of problem: Problem) -> Problem {
        if problem.fault == .environment {
            do throws(Problem) { try state.requireOwner(pipeline) } catch {
                return error.summary == problem.summary ? problem : error.noting(problem.oneLine)
            }
        }
        // The same with the captures' own disk: neither was any of them damaged, nor was it moved.
        if opened == nil || [.input, .environment].contains(problem.fault), let loss = job.input.source?.loss {
            return loss.noting(problem.oneLine)
        }
        // It was there when the run looked for captures.
        if opened == nil, FileSystem.isGone(job.input.path) { return OpenedCapture.gone(job.input.path) }
        guard problem.fault == .input, let opened else { return problem }
        do throws(Problem) { try opened.requireUnchanged() } catch { return error.noting(problem.oneLine) }
        return problem
    }

    /// - Throws: a problem where the result that stands there is another capture's.
    /// - Parameters:
    ///   - published: that result, if its receipt can be read.
    ///   - known: what is known of a result with this id.
    private func requireOwnResult(
        _ published: PublishedResult?, _ known: ResultState?, _ opened: OpenedCapture
    ) throws(Problem) {
        let older = OlderResult(at: place, published, known: known, under: job.input.path)
        if let older, !older.isOf(opened, pipeline) { throw older.problemOfAnother }
    }

    /// The same right before the result gets its name: where locks do not reach another machine, or an id is one name
    /// with another to the disk and not to the lock, another capture's result may have come meanwhile.
    /// - Parameter older: the status of the receipt that stood there before.
    private func requireStillOwnResult(_ older: FileSystem.Status?) throws(Problem) {
        guard let opened, FileSystem.status(of: place.receipt) != older else { return }
        let id = job.input.id
        try requireOwnResult(
            PublishedResult(id, in: job.output), ResultState.load(id, in: state), opened)
    }

    private func isUpToDate(_ published: PublishedResult, _ key: ResultKey) -> Bool {
        // By its seal: a receipt that was damaged may still have the key, and would be taken for good from now on.
        return published.key == key && published.isReceiptSound && published.isWhole
    }
}

extension CaptureJob {
    /// The pipeline, built again from its text. It was checked before, so a mistake now is the tool's.
    func pipeline(_ library: StageLibrary) throws(Problem) -> Pipeline {
        do throws(PipelineMistakes) {
            return try Pipeline.load(
                text: pipelineText, path: pipelinePath, settings: settings, library: library)
        } catch { throw error.first }
    }
}
