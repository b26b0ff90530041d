import FoundationEssentials
import ScanModel
import ScanPipeline

/// A run that may begin: everything that can refuse it has been asked.
struct Night {
    let loaded: LoadedPipeline
    let found: CaptureList
    private let plan: BatchPlan
    let state: StateFolder
    /// The run's name, which its record and its lines in a log have.
    private let name: String
    let messages: RunMessages
    let stop: StopSignal
    private let options: RunCommand
    private let hold: RunHold
    /// Whether failures of earlier runs are past: their captures are up to date, or gone.
    private let hasForgottenFailures: Bool
    /// When it becomes too late to begin a capture, seconds since 1970.
    private let deadline: Int?
    /// How many captures can run at once, given the files that each has open.
    private let mostAtOnce: Int
    /// Processes that were given up.
    let hung = HungProcesses()

    /// Looks at everything that was named, and takes OUT.
    /// - Throws: an exit code, after saying the reason.
    static func begin(_ options: RunCommand) throws -> Night {
        let batch = options.batch
        // First of all: searching may take until that time.
        let deadline = options.until?.next
        let mostAtOnce = try Console.orExit { () throws(Problem) in try OpenFiles.raiseLimit() }
        let loaded = try LoadedPipeline.load(batch.pipeline, settings: batch.settings)
        let captures = try FoundCaptures.find(
            batch, for: loaded, reports: [options.log, options.metrics].compactMap(\.self))
        let state = StateFolder(output: batch.output)
        let hold = try Console.orExit { () throws(Problem) in
            try state.claim(for: loaded.pipeline, replacing: batch.replace)
        }
        // The disk can only be asked for certain now that there is something on it.
        var found = captures.toldApart(by: OutputNames(of: batch.output))
        let plan = plan(found, loaded.pipeline, batch)
        found.warn(of: plan)
        try prepare(state, for: plan)
        let name = RunRecord.newName()
        // They may be in OUT, which exists by now.
        let log = try openReports(options, run: name)
        // Only now: a run that cannot begin leaves no record, and the page would never hear of it.
        let hasForgottenFailures = plan.forgetPastFailures()
        let messages = RunMessages(isQuiet: options.isSilent, log: log)
        let stop = StopSignal()
        stop.listen()
        return Night(
            loaded: loaded, found: found, plan: plan, state: state, name: name, messages: messages, stop: stop,
            options: options, hold: hold, hasForgottenFailures: hasForgottenFailures, deadline: deadline,
            mostAtOnce: mostAtOnce)
    }

    private static func plan(_ found: CaptureList, _ pipeline: Pipeline, _ batch: BatchOptions) -> BatchPlan {
        var rules = batch.rules
        rules.explains = false
        return BatchPlan(found.inputs, pipeline: pipeline, output: batch.output, rules: rules, programs: .installed)
    }

    /// Removes what killed runs have left in OUT.
    /// - Throws: an exit code, after saying the reason, where OUT cannot be written to and has to be.
    private static func prepare(_ state: StateFolder, for plan: BatchPlan) throws {
        // With nothing to do, nothing has to be written.
        if plan.willRun { try Console.orExit { () throws(Problem) in try state.requireWritable() } }

        // Captures that are up to date get no process that would clean up after a killed one. What cannot be removed
        // now only takes up space.
        _ = try? Leftovers.collectWork(in: state)
    }

    /// Makes sure that the log and the metrics can be written.
    /// - Parameter name: the run's.
    /// - Returns: the log; nil where none was asked for.
    /// - Throws: an exit code, after saying the reason.
    private static func openReports(_ options: RunCommand, run name: String) throws -> RunLog? {
        let log = try options.log.map { path in
            try Console.orExit { () throws(Problem) in try RunLog(path: path, run: name) }
        }
        if let metrics = options.metrics {
            try Console.orExit { () throws(Problem) in try RunMetrics.require(metrics) }
        }
        return log
    }

    /// The captures that it has to run for their own sake, and not because of an update.
    var news: [CaptureInput] { plan.news }

    /// How a night went.
    struct Course {
        /// One for every capture that was asked for; refused ones come first.
        var outcomes: [CaptureOutcome]
        /// Nil where there was nothing to do, and nothing to remember.
        var record: RunRecord?
        /// Why the record does not say how the run went; the report, which is made from it, is then left out.
        var unrecorded: Problem?

        var didWork: Bool { outcomes.contains(where: \.isWork) }
    }

    /// Says what is odd about the run as a whole, and runs all captures that need it through the pipeline.
    func run() async -> Course {
        defer { hold.release() }
        if !options.quiet { loaded.pipeline.warnings.forEach { Console.error($0.compilerStyleWarning) } }
        // Whatever is left out is said here, since nothing else mentions it.
        found.warnings.forEach(Console.warn)
        if options.minFree != nil, FreeSpace.bytes(at: options.batch.output) == nil {
            Console.warn(
                Problem(
                    .environment, "the filesystem of OUT does not say how much is free: --min-free has no effect",
                    fix: "choose an OUT on a filesystem that does, or watch its space in another way"))
        }
        messages.runBegan(options.batch, found)
        let refused = found.refused.map { !isAskedToTryAgain && $0.isNoted(in: state) ? $0.failedBefore : $0 }
        let waiting = found.excluded + plan.waiting.map(options.batch.leavingOut)
        var course = Course(outcomes: refused + waiting)
        course.outcomes.forEach(messages.ended)
        let isIdle = plan.toRun.isEmpty && !refused.contains(where: \.isWork)
        let formats = ProgramVersions.installed.formats
        // The report of the run that names those failures calls them failed.
        if isIdle, !hasForgottenFailures,
            !RunHistory.isToRemember(idleRunWith: waiting, of: loaded.pipeline, formats: formats, in: state)
        {
            return course
        }
        let record = openRecord(besides: waiting)
        course.record = record
        record.noteRefused(refused.filter(\.isWork))
        if !plan.toRun.isEmpty {
            let failed = course.outcomes.count { $0.ending.problem != nil }
            course.outcomes += await runPlanned(noting: record, alreadyFailed: failed)
        }
        do throws(Problem) {
            try record.end(course.outcomes, seconds: messages.seconds)
        } catch { course.unrecorded = error }
        return course
    }

    /// Begins the record of this run, which exists from now on.
    /// - Parameter waiting: the captures that do not run.
    private func openRecord(besides waiting: [CaptureOutcome]) -> RunRecord {
        // A record of a run with nothing to do is kept for them, also when newer runs of other captures do not name them.
        let excluded = plan.toRun.isEmpty ? waiting.filter { $0.ending.kind == .excluded }.map(\.input) : []
        return RunRecord(
            state: state, pipeline: loaded.pipeline, formats: ProgramVersions.installed.formats,
            inputs: plan.toRun + plan.arriving + excluded,
            command: options.asRun, name: name)
    }

    /// Runs what the plan says, as many captures side by side as the machine and the options allow.
    /// - Parameter alreadyFailed: how many others are known to have failed.
    /// - Returns: how each ended, in the plan's order.
    private func runPlanned(noting record: RunRecord, alreadyFailed: Int) async -> [CaptureOutcome] {
        let inputs = plan.toRun
        let process = CaptureProcess(
            memoryLimit: options.captureMemory.bytes, patience: Double(options.patience.components.seconds),
            hurry: { stop.hurry }, hung: hung)
        let limits = NightLimits(
            stop: stop, deadline: deadline, minFree: options.minFree?.bytes, output: options.batch.output)
        let view = LiveView(
            count: inputs.count, alreadyFailed: alreadyFailed, isOn: !options.isSilent && LiveView.isPossible)
        stop.speak { text in view.withoutView { Console.error(text) } }
        let entries = Dictionary(plan.entries.map { ($0.input, $0) }, uniquingKeysWith: { first, _ in first })
        var begun: [CaptureInput: (fingerprint: Digest, reason: String?)] = [:]
        // As people are told.
        var told: [CaptureInput: CaptureOutcome] = [:]
        let outcomes = await Batch(gate: { limits.reached }, launch: { await process.launch($0, $1) }).run(
            inputs, on: shareCores(), make: job,
            began: { input, isAgain in
                view.began(input.id)
                if isAgain { return }
                let reason = entries[input].flatMap(plan.reason)
                begun[input] = (fingerprint(of: input), reason)
                messages.began(input, because: reason)
            },
            putBack: { view.putBack($0.id) },
            progress: { view.progress($0.id, $1) },
            ended: { outcome in
                let before = begun[outcome.input]
                // It was tried again because something changed, such as the files' owner, and failed in the same way.
                let isRepeated =
                    !isAskedToTryAgain && outcome.ending.problem?.fault == .input && outcome.isNoted(in: state)
                var news = options.batch.leavingOut(isRepeated ? outcome.failedBefore : outcome)
                news.reason = before?.reason
                told[outcome.input] = news
                view.ended(outcome.input.id, hasFailed: news.ending.problem != nil)
                view.withoutView { messages.ended(news) }
                // A note that cannot be written costs a second attempt, nothing more.
                if let before {
                    let origin = process.origins[outcome.input]
                    try? record.note(outcome, of: origin, fingerprint: before.fingerprint) {
                        fingerprint(of: outcome.input)
                    }
                }
            })
        view.close()
        stop.speak { Console.error($0) }
        return outcomes.map { told[$0.input] ?? $0 }
    }

    /// Decides how many captures run side by side, and with how many threads each; says where memory allows only one.
    private func shareCores() -> CoreShares {
        let machine = MachineShare.own
        let cores = options.jobs ?? machine.cores
        let memory = options.maxMemory?.bytes ?? machine.memory
        // Looked up only where it can matter.
        let usual =
            memory != nil && min(cores, plan.toRun.count) > 1 ? UsualMemory(of: loaded.pipeline, in: state) : nil
        if let memory, let usual, memory < usual.bytes {
            let limit =
                options.maxMemory == nil
                ? "there are \(Console.size(memory))" : "--max-memory is \(Console.size(memory))"
            Console.error("warning: \(usual.text), and \(limit): one capture runs at a time")
        }
        return CoreShares(
            cores: cores, captures: plan.toRun.count, memory: memory, perCapture: usual?.reserve ?? 1, most: mostAtOnce)
    }

    private func job(_ input: CaptureInput, workers: Int) -> CaptureJob {
        CaptureJob(
            input: input, pipelineText: loaded.text, pipelinePath: loaded.path, settings: options.batch.settings,
            // The other paths in messages lie below the capture.
            output: FileSystem.absolute(options.batch.output), workers: workers,
            // Twice as long, so that the watch over the whole capture comes first: it can tell a machine that was
            // asleep from a program that hangs.
            patience: 2 * Int(min(options.patience.components.seconds, 1_000_000_000)),
            isForced: options.batch.force, replaces: options.batch.replace)
    }

    /// Whoever asks for that wants to read what comes of it.
    private var isAskedToTryAgain: Bool { options.batch.retry || options.batch.force }

    private func fingerprint(of input: CaptureInput) -> Digest {
        FailureNote.fingerprint(of: input, pipeline: loaded.pipeline, programs: .installed)
    }
}

extension CaptureOutcome {
    /// Whether a capture was worked on, or could not be, which is news: a process that found its result up to date did
    /// nothing.
    fileprivate var isWork: Bool {
        switch ending {
        case .upToDate: false
        case .failed: true
        default: span != nil
        }
    }

    /// Whether an earlier run has said and noted the same problem: it is no news.
    fileprivate func isNoted(in state: StateFolder) -> Bool {
        guard let problem = ending.problem else { return false }
        return FailureNote.load(input.id, in: state)?.problem == FailureNote.lasting(problem, of: input)
    }

    /// As one that failed in an earlier run.
    fileprivate var failedBefore: CaptureOutcome {
        var outcome = self
        if let problem = ending.problem { outcome.ending = .failedBefore(problem) }
        return outcome
    }
}
