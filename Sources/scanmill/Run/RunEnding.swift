import ScanModel
import ScanPipeline

/// What a run does when its captures have ended: it says how they ended, and does what was asked for after that.
struct RunEnding {
    private let options: RunCommand
    private let messages: RunMessages
    private let stop: StopSignal
    /// The pipeline's name; nil where it could not be read.
    private let pipeline: String?
    /// How many files and folders held no capture.
    private var withoutCapture = 0
    /// The exit code, as far as it is known.
    private var code: Int32

    /// Runs a night to its end.
    /// - Returns: the exit code.
    static func of(_ night: Night, _ options: RunCommand) async -> Int32 {
        let course = await night.run()
        night.stop.capturesHaveEnded()
        var ending = RunEnding(
            options: options, messages: night.messages, stop: night.stop, pipeline: night.loaded.pipeline.name,
            withoutCapture: night.found.withoutCapture.count, code: 0)
        return await ending.finish(course, of: night)
    }

    /// For a run that the machine kept from beginning, which people need to hear of: the results' disk is missing, say.
    /// - Returns: the exit code.
    static func ofUnbegun(_ options: RunCommand, _ code: Int32) async -> Int32 {
        let stop = StopSignal()
        stop.capturesHaveEnded()
        stop.listen()
        let log = options.log.flatMap { try? RunLog(path: $0, run: RunRecord.newName()) }
        // Only metrics name it.
        let loaded = options.metrics.flatMap { _ in
            try? LoadedPipeline.open(options.batch.pipeline, settings: options.batch.settings)
        }
        var ending = RunEnding(
            options: options, messages: RunMessages(isQuiet: true, log: log), stop: stop,
            pipeline: loaded?.pipeline.name, code: code)
        // If the metrics cannot be written there, that is what kept the run from beginning, and has been said.
        if let metrics = options.metrics, (try? RunMetrics.require(metrics)) != nil {
            ending.writeMetrics([], seconds: 0)
        }
        ending.messages.runBegan(options.batch, nil)
        ending.messages.runEnded([], status: ending.code)
        await ending.runHook()
        return ending.code
    }

    private mutating func finish(_ course: Night.Course, of night: Night) async -> Int32 {
        let outcomes = course.outcomes
        if options.batch.json {
            Console.out(
                .object([
                    "captures": .array(outcomes.map { .object($0.json) }),
                    "other-formats": .of(night.found.ofOtherFormats),
                    "without-capture": .of(night.found.withoutCapture),
                    "pipeline-warnings": .array(night.loaded.pipeline.warnings.map { .object($0.json) }),
                    "run": .of(course.record?.name),
                ]))
        }
        messages.summary(
            outcomes, of: night.found, news: night.news, options: options.batch, asRun: options.asRun)
        if !options.isSilent, let others = night.found.passedOver { Console.out(others) }
        if !options.isSilent, stop.caught != nil, outcomes.contains(where: { $0.ending.kind == .left }) {
            Console.error("run the same command again to go on with what is left")
        }
        code = stop.exitCode ?? ExitStatus.of(outcomes)
        // The message about lost output comes last, as with every command; the code has to be right before it.
        if Console.hasLostOutput { environmentFailed() }
        if let problem = course.unrecorded { environmentFailed(problem) }
        // Each of the two has the code that the other one leaves: it is what wakes people.
        writeMetrics(outcomes, seconds: messages.seconds)
        messages.runEnded(outcomes, status: code)
        let (log, before) = (messages.log, code)
        attempt { () throws(Problem) in try log?.requireWhole() }
        if code != before { writeMetrics(outcomes, seconds: messages.seconds) }
        if let subject = reportSubject(course, in: night.state) {
            if night.hung.areThere {
                Console.error(
                    "warning: the report was not written: it would wait for the same disk; write it when that answers:  "
                        + CommandWords.report(options.batch.output))
            } else {
                await ReportProcess.run(options.batch.output, run: subject.run, isQuiet: options.isSilent, stop: stop)
            }
            code = stop.exitCode ?? code
        }
        await runHook()
        return code
    }

    /// What a report is about: a run, or without its name the newest.
    private struct ReportSubject {
        var run: String?
    }

    /// Nil where no report is to be written.
    ///
    /// A run that was stopped has no time for it, and one that had nothing to do leaves everything as it is, except that
    /// it writes the report of an earlier run that has none, or whose report is gone.
    private func reportSubject(_ course: Night.Course, in state: StateFolder) -> ReportSubject? {
        if options.noReport || stop.reason != nil || course.unrecorded != nil { return nil }
        if course.didWork { return course.record.map { ReportSubject(run: $0.name) } }
        // A run that is at work will report by itself.
        if RunHold.isHeld(in: state) { return nil }
        if let run = RunRecord.unreported(in: state) { return ReportSubject(run: run) }
        return ReportFiles.hasStrayDoorway(in: state) ? ReportSubject() : nil
    }

    private mutating func runHook() async {
        guard let hook = options.onFinish else { return }
        await FinishHook.run(hook, status: code, output: options.batch.output, stop: stop)
        code = stop.exitCode ?? code
    }

    private mutating func writeMetrics(_ outcomes: [CaptureOutcome], seconds: Double) {
        guard let metrics = options.metrics else { return }
        let (status, withoutCapture) = (code, withoutCapture)
        let labels = RunMetrics.labels(pipeline: pipeline, output: options.batch.output)
        attempt { () throws(Problem) in
            try RunMetrics.write(
                outcomes, withoutCapture: withoutCapture, seconds: seconds, status: status, labels: labels, to: metrics)
        }
    }

    /// Does something other than captures. If it fails, the results and the rest of what was asked for are still there,
    /// but the exit code says so.
    private mutating func attempt(_ body: () throws(Problem) -> Void) {
        do throws(Problem) { try body() } catch { environmentFailed(error) }
    }

    private mutating func environmentFailed(_ problem: Problem) {
        Console.error(problem.message())
        environmentFailed()
    }

    /// What the machine did to the run outranks how its captures ended, but not a signal.
    private mutating func environmentFailed() {
        if code < ExitStatus.signals { code = ExitStatus.environment }
    }
}
