import ArgumentParser
import ScanModel
import ScanPipeline

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
    var captureMemory = Self.usualCaptureMemory
    @Option(help: ArgumentHelp("End a capture that makes no progress for this time.", valueName: "time"))
    var patience = Self.usualPatience
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
        help:
            "Say nothing unless something failed, is still arriving, was left for want of disk space, or is odd about the whole."
    )
    var quiet = false

    private static let usualCaptureMemory = ByteSize(bytes: 8_000_000_000)
    private static let usualPatience = Duration.seconds(600)

    /// Whether stdout is kept for JSON, or for nothing.
    var isSilent: Bool { quiet || batch.json }

    /// The command to run one of the captures again.
    var again: RerunCommand {
        // Without `--force` an older result that is up to date would be left as it is.
        var words =
            (batch.force ? ["--force"] : []) + (replace ? ["--replace"] : [])
            + batch.formats.flatMap { ["--format", $0] }
        if captureMemory.bytes != Self.usualCaptureMemory.bytes {
            words += ["--capture-memory", captureMemory.argument]
        }
        if patience != Self.usualPatience { words += ["--patience", "\(patience.components.seconds)s"] }
        return RerunCommand(
            pipeline: batch.pipeline, output: batch.output, settings: batch.settings, further: words)
    }

    func validate() throws {
        if batch.inputs.isEmpty { throw ValidationError("Name at least one INPUT.") }
        if patience < .seconds(1) { throw ValidationError("`--patience` takes a time of at least 1 second.") }
        if captureMemory.bytes == 0 { throw ValidationError("`--capture-memory` takes more than nothing, such as 8G.") }
        if let jobs, jobs < 1 { throw ValidationError("`--jobs` takes a whole number of at least 1.") }
    }

    func run() async throws {
        do throws(Problem) { try RunThreads.require() } catch {
            Console.error(error.message())
            // Nothing that is awaited would come, `--on-finish` neither.
            Self.exit(withError: ExitCode(ExitStatus.environment))
        }
        let night: Night
        do { night = try Night(self) } catch let code as ExitCode where code.rawValue == ExitStatus.environment {
            throw ExitCode(await finishUnbegun(code.rawValue))
        }
        let (plan, report, state) = (night.plan, night.report, night.state)
        if !isSilent { night.loaded.warn() }
        // Whatever is left out is said, since nothing else tells of it.
        (night.found.warnings + CaptureList.warnings(of: plan)).forEach { Console.error(Console.visible($0)) }
        report.runBegan(batch, captures: night.found.inputs.count + night.found.refused.count)
        let refused = batch.retry ? night.found.refused : night.found.refused.map { $0.asBefore(in: state) }
        let others = refused + plan.waiting
        others.forEach(report.ended)
        // Links to nothing are told each time, and are nothing to work on.
        let isIdle = plan.toRun.isEmpty && !refused.contains { $0.isWork && FileSystem.leads($0.input.path) }
        let record = isIdle ? nil : night.record()
        var outcomes = others
        var unrecorded: Problem?
        if let record {
            record.noteRefused(refused.filter(\.isWork))
            if !plan.toRun.isEmpty { outcomes += await night.runAll(noting: record) }
            do throws(Problem) { try record.end(outcomes, seconds: report.seconds) } catch { unrecorded = error }
        }

        let code = await finish(night, outcomes, record, unrecorded)
        if code != 0 { throw ExitCode(code) }
    }

    /// Says how the run ended, and does what was asked for behind it.
    /// - Parameter unrecorded: why the record lacks how the run went; the report, which is made of it, is left out then.
    /// - Returns: the exit code.
    private func finish(
        _ night: Night, _ outcomes: [CaptureOutcome], _ record: RunRecord?, _ unrecorded: Problem?
    ) async -> Int32 {
        let (report, stop) = (night.report, night.stop)
        if batch.json { Console.out(RunReport.json(outcomes)) }
        report.summary(outcomes, options: batch, again: again)
        var code = stop.exitCode ?? RunReport.exitCode(outcomes)
        if let unrecorded { Self.attempt(&code) { () throws(Problem) in throw unrecorded } }
        report.runEnded(outcomes, status: code)
        Self.attempt(&code) { () throws(Problem) in try report.log?.requireWhole() }
        // Behind all that may change the code: it is what people are woken by.
        writeMetrics(outcomes, seconds: report.seconds, &code)
        // A run that was stopped has no time, and one that had nothing to do leaves everything as it is: but for the report of
        // an earlier one that came to none.
        if !noReport, stop.reason == nil, unrecorded == nil,
            let run = outcomes.contains(where: \.isWork) ? record?.name : RunRecord.unreported(in: night.state)
        {
            await ReportProcess.run(batch.output, run: run, isQuiet: isSilent, stop: stop)
            code = stop.exitCode ?? code
        }
        return await runHook(code, stop)
    }

    /// A run that the machine kept from beginning is the one to hear of: the disk of the results is not there, say.
    /// - Returns: the exit code.
    private func finishUnbegun(_ code: Int32) async -> Int32 {
        let stop = StopSignal()
        stop.listen()
        var code = code
        writeMetrics([], seconds: 0, &code)
        let report = RunReport(isQuiet: true, log: log.flatMap { try? RunLog(path: $0) })
        report.runBegan(batch, captures: 0)
        report.runEnded([], status: code)
        return await runHook(code, stop)
    }

    private func runHook(_ code: Int32, _ stop: StopSignal) async -> Int32 {
        guard let onFinish else { return code }
        await FinishHook.run(onFinish, status: code, output: batch.output, stop: stop)
        return stop.exitCode ?? code
    }

    private func writeMetrics(_ outcomes: [CaptureOutcome], seconds: Double, _ code: inout Int32) {
        guard let metrics else { return }
        let status = code
        Self.attempt(&code) { () throws(Problem) in
            try RunMetrics.write(outcomes, seconds: seconds, status: status, to: metrics)
        }
    }

    /// Does something beside the captures. When it fails the results are there all the same, and so is the rest of what was
    /// asked for, but the exit code says so.
    private static func attempt(_ code: inout Int32, _ body: () throws(Problem) -> Void) {
        do throws(Problem) { try body() } catch {
            Console.error(error.message())
            // It outranks all but a signal.
            if code < ExitStatus.signals { code = ExitStatus.environment }
        }
    }
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
