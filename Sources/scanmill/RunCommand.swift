import ArgumentParser
import FoundationEssentials
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Takes captures through a pipeline.",
        discussion: """
            INPUT is a capture (a folder or an archive), or a folder in which captures are searched. Each capture is \
            published as OUT/<id>/ in one step, complete with its receipt.json, or not at all. Run the same command again \
            after whatever happened: captures whose result is up to date are passed over.

            Exit codes: 0 all captures are done, 1 some failed, 2 usage or an invalid pipeline (nothing was run), 3 the \
            environment (disk, permission, a missing tool), 75 another runner works on what is left, 129, 130 and 143 \
            stopped by SIGHUP, SIGINT and SIGTERM.
            """)

    @OptionGroup var batch: BatchOptions
    @Option(help: "Cores to use in all, over captures and over frames inside one.") var jobs: Int?
    @Flag(help: "Replace results of another pipeline, or of other captures with the same names.") var replace = false
    @Option(
        help: ArgumentHelp(
            "Begin no capture after this time of day, such as 06:00: the next one after the start.", valueName: "time"))
    var until: TimeOfDay?
    @Option(
        help: ArgumentHelp("Begin no capture while less is free on OUT's filesystem, such as 20G.", valueName: "size"))
    var minFree: ByteSize?
    @Option(
        help: ArgumentHelp("Memory for all captures together; fewer run side by side to keep it.", valueName: "size"))
    var maxMemory: ByteSize?
    @Option(help: ArgumentHelp("End a capture that takes more memory than this, with ffmpeg's.", valueName: "size"))
    var captureMemory = ByteSize(bytes: 8_000_000_000)
    @Option(help: ArgumentHelp("End a capture that makes no progress for this time.", valueName: "time"))
    var patience = Duration.seconds(600)
    @Option(
        help: ArgumentHelp(
            """
            Run this command when the run has ended, with SCANMILL_STATUS and SCANMILL_OUT set. SIGINT and SIGTERM are \
            passed on to it, and end it 5 seconds later; after a signal before it began, it has 5 seconds.
            """, valueName: "command")
    )
    var onFinish: String?
    @Option(
        help: ArgumentHelp("Append what happens to this file, one JSON object a line.", valueName: "file"),
        completion: .file())
    var log: String?
    @Option(
        help: ArgumentHelp("Write figures to this file in Prometheus' text format.", valueName: "file"),
        completion: .file())
    var metrics: String?
    @Flag(help: "Write no report when the run has ended.") var noReport = false
    @Flag(
        name: .shortAndLong,
        help: "Say nothing unless something failed, is still arriving, or was left for want of disk space.")
    var quiet = false

    func validate() throws {
        if batch.inputs.isEmpty { throw ValidationError("Name at least one INPUT.") }
        if patience < .seconds(1) { throw ValidationError("`--patience` takes a time of at least 1 second.") }
        if let jobs, jobs < 1 { throw ValidationError("`--jobs` takes a whole number of at least 1.") }
    }

    func run() async throws {
        // First of all: searching may take until that time.
        let deadline = until?.next
        let most = try Console.orExit { () throws(Problem) in try OpenFiles.raiseLimit() }
        let loaded = try LoadedPipeline.load(batch.pipeline, settings: batch.settings)
        let found = try CaptureList.find(
            batch, for: loaded.pipeline, reports: [log, metrics].compactMap(\.self))
        let state = StateFolder(output: batch.output)
        try Console.orExit { () throws(Problem) in try state.claim(for: loaded.pipeline, replacing: replace) }
        let plan = BatchPlan(
            found.inputs, pipeline: loaded.pipeline, output: batch.output, rules: batch.rules, programs: .installed)

        // Captures that are up to date get no process that would sweep up after a killed one. What cannot be removed now
        // only takes up space.
        _ = try? Leftovers.collectWork(in: state)
        plan.forgetPastFailures(in: state)

        let stop = StopSignal()
        stop.listen()
        let report = RunReport(isQuiet: quiet || batch.json, log: try log.map(RunLog.init(path:)))
        if !quiet && !batch.json { loaded.warn() }
        // Whatever is left out is said, since nothing else tells of it.
        (found.warnings + CaptureList.warnings(of: plan)).forEach(Console.error)
        report.runBegan(batch, captures: found.inputs.count + found.refused.count)
        let refused = batch.retry ? found.refused : found.refused.map { $0.asBefore(in: state) }
        let others = refused + plan.waiting
        others.forEach(report.ended)
        let isIdle = plan.toRun.isEmpty && !refused.contains(where: \.isWork)
        let record = isIdle ? nil : self.record(plan, loaded.pipeline, state)
        var outcomes = others
        if let record {
            record.noteRefused(refused.filter(\.isWork))
            if !plan.toRun.isEmpty { outcomes += await runAll(plan, loaded, stop, report, record, deadline, most) }
            try? record.end(outcomes, seconds: report.seconds)
        }

        let code = await finish(outcomes, report, record, stop)
        if code != 0 { throw ExitCode(code) }
    }

    /// Says how the run ended, and does what was asked for behind it.
    /// - Returns: the exit code.
    private func finish(
        _ outcomes: [CaptureOutcome], _ report: RunReport, _ record: RunRecord?, _ stop: StopSignal
    ) async -> Int32 {
        if batch.json { Console.out(RunReport.json(outcomes)) }
        report.summary(outcomes, options: batch)
        var code = stop.exitCode ?? RunReport.exitCode(outcomes)
        Self.attempt(&code) { () throws(Problem) in
            if let metrics { try RunMetrics.write(outcomes, seconds: report.seconds, to: metrics) }
        }
        report.runEnded(outcomes, status: code)
        Self.attempt(&code) { () throws(Problem) in try report.log?.requireWhole() }
        // A run that was stopped has no time, and one that had nothing to do leaves everything as it is: but for the report of
        // an earlier one that came to none.
        if !noReport, stop.reason == nil,
            let run = outcomes.contains(where: \.isWork)
                ? record?.name : RunRecord.unreported(in: StateFolder(output: batch.output))
        {
            await ReportProcess.run(batch.output, run: run, isQuiet: quiet || batch.json, stop: stop)
            code = stop.exitCode ?? code
        }
        if let onFinish {
            await FinishHook.run(onFinish, status: code, output: batch.output, stop: stop)
            code = stop.exitCode ?? code
        }
        return code
    }

    /// Does something beside the captures. When it fails the results are there all the same, and so is the rest of what was
    /// asked for, but the exit code says so.
    private static func attempt(_ code: inout Int32, _ body: () throws(Problem) -> Void) {
        do throws(Problem) { try body() } catch {
            Console.error(error.message())
            // It outranks all but a signal.
            if code < 128 { code = ExitStatus.environment }
        }
    }

    private func record(_ plan: BatchPlan, _ pipeline: Pipeline, _ state: StateFolder) -> RunRecord {
        RunRecord(
            state: state, pipeline: pipeline, inputs: plan.toRun,
            command: RunRecord.Command(
                pipeline: batch.pipeline, settings: batch.settings, output: batch.output, tool: Tool.nameAndVersion))
    }

    private func runAll(
        _ plan: BatchPlan, _ loaded: LoadedPipeline, _ stop: StopSignal, _ report: RunReport, _ record: RunRecord,
        _ deadline: Int?, _ most: Int
    ) async -> [CaptureOutcome] {
        let inputs = plan.toRun
        let cores = jobs ?? ProcessInfo.processInfo.activeProcessorCount
        let (sideBySide, workers) = Batch.spread(
            cores: cores, captures: inputs.count, memory: maxMemory?.bytes, perCapture: Self.usualMemory,
            most: most)
        let process = CaptureProcess(
            memoryLimit: captureMemory.bytes, patience: Double(patience.components.seconds), hurry: { stop.hurry })
        let gate = Gate(stop: stop, until: deadline, minFree: minFree?.bytes, output: batch.output)
        let view = LiveView(count: inputs.count, isOn: !quiet && !batch.json && LiveView.isPossible)
        let (options, replaces) = (batch, replace)
        // What watches the whole capture comes first: it can tell a machine that was asleep from a program that hangs.
        let patienceInside = 2 * Int(min(patience.components.seconds, 1_000_000_000))
        // Messages show other paths below the capture.
        let output = FileSystem.absolute(batch.output)
        let fingerprint = { (input: CaptureInput) in
            FailureNote.fingerprint(of: input, pipeline: loaded.pipeline, tool: Tool.nameAndVersion)
        }
        var fingerprints: [CaptureInput: Digest] = [:]
        let outcomes = await Batch(gate: { gate.reason }, launch: { await process.launch($0, $1) }).run(
            inputs, sideBySide: sideBySide,
            make: { input in
                CaptureJob(
                    input: input, pipelineText: loaded.text, pipelinePath: loaded.path, settings: options.settings,
                    output: output, workers: workers, patience: patienceInside, isForced: options.force,
                    replaces: replaces)
            },
            began: { input in
                fingerprints[input] = fingerprint(input)
                report.began(input)
                view.began(input.id)
            },
            progress: { view.progress($0.id, $1) },
            ended: { outcome in
                view.ended(outcome.input.id)
                view.withoutView { report.ended(outcome) }
                // A note that cannot be written costs a second attempt, nothing more.
                if let before = fingerprints[outcome.input] {
                    try? record.note(outcome, fingerprint: before) { fingerprint(outcome.input) }
                }
            })
        view.close()
        return outcomes
    }

    /// What a capture takes at most under the ready pipelines, for the memory budget: bytes.
    static let usualMemory: Int64 = 200_000_000
}

extension CaptureOutcome {
    /// A capture was worked on, or could not be, which is news: a process that found its result up to date did nothing.
    fileprivate var isWork: Bool {
        switch ending {
        case .upToDate: false
        case .failed: true
        default: span != nil
        }
    }

    /// A refusal that an earlier run has said and noted is no news.
    fileprivate func asBefore(in state: StateFolder) -> CaptureOutcome {
        guard let problem = ending.problem, FailureNote.load(input.id, in: state)?.problem == problem else {
            return self
        }
        return CaptureOutcome(input: input, ending: .failedBefore(problem))
    }
}

/// Why no further capture may begin.
private struct Gate: Sendable {
    let stop: StopSignal
    let until: Int?
    let minFree: Int64?
    let output: String

    var reason: String? {
        if let reason = stop.reason { return reason }
        if let until, Int(Date().timeIntervalSince1970) >= until { return "it was too late to begin (--until)" }
        if let minFree, let free = FreeSpace.bytes(at: output), free < minFree {
            return "only \(Console.size(free)) were free (--min-free \(Console.size(minFree)))"
        }
        return nil
    }
}
