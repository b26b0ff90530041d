import FoundationEssentials
import ScanModel
import ScanPipeline

/// A run that may begin: everything that can refuse it has been asked.
struct Night {
    let loaded: LoadedPipeline
    let found: CaptureList
    let state: StateFolder
    let plan: BatchPlan
    let report: RunReport
    let stop: StopSignal
    private let options: RunCommand
    /// When it is too late to begin a capture, seconds since 1970.
    private let deadline: Int?
    /// How many captures can run at once for the files that each has open.
    private let most: Int

    /// Looks at everything that was named, and takes OUT.
    /// - Throws: an exit code, when the reason has been said.
    init(_ options: RunCommand) throws {
        self.options = options
        let batch = options.batch
        // First of all: searching may take until that time.
        deadline = options.until?.next
        most = try Console.orExit { () throws(Problem) in try OpenFiles.raiseLimit() }
        let loaded = try LoadedPipeline.load(batch.pipeline, settings: batch.settings)
        found = try CaptureList.find(
            batch, for: loaded.pipeline, reports: [options.log, options.metrics].compactMap(\.self))
        let state = StateFolder(output: batch.output)
        try Console.orExit { () throws(Problem) in try state.claim(for: loaded.pipeline, replacing: options.replace) }
        var rules = batch.rules
        rules.explains = false
        plan = BatchPlan(
            found.inputs, pipeline: loaded.pipeline, output: batch.output, rules: rules, programs: .installed)
        (self.loaded, self.state) = (loaded, state)

        // Captures that are up to date get no process that would sweep up after a killed one. What cannot be removed now
        // only takes up space.
        _ = try? Leftovers.collectWork(in: state)
        plan.forgetPastFailures(in: state)

        // It may lie in OUT, which is there by now.
        let log = try options.log.map { path in
            try Console.orExit { () throws(Problem) in try RunLog(path: path) }
        }
        report = RunReport(isQuiet: options.isSilent, log: log)
        stop = StopSignal()
        stop.listen()
    }

    /// The record of this run, which stands from now on.
    func record() -> RunRecord {
        let batch = options.batch
        return RunRecord(
            state: state, pipeline: loaded.pipeline, inputs: plan.toRun,
            command: RunRecord.Command(
                pipeline: batch.pipeline, settings: batch.settings, further: options.again.further,
                output: batch.output, tool: Tool.nameAndVersion))
    }

    /// Runs what the plan says, as many captures side by side as the machine and the options allow.
    /// - Returns: how each ended, in the plan's order.
    func runAll(noting record: RunRecord) async -> [CaptureOutcome] {
        let inputs = plan.toRun
        let process = CaptureProcess(
            memoryLimit: options.captureMemory.bytes, patience: Double(options.patience.components.seconds),
            hurry: { stop.hurry })
        let gate = Gate(
            stop: stop, until: deadline, minFree: options.minFree?.bytes, output: options.batch.output)
        let view = LiveView(count: inputs.count, isOn: !options.isSilent && LiveView.isPossible)
        stop.speak { text in view.withoutView { Console.error(text) } }
        var fingerprints: [CaptureInput: Digest] = [:]
        let outcomes = await Batch(gate: { gate.reason }, launch: { await process.launch($0, $1) }).run(
            inputs, on: shareCores(), make: job,
            began: { input in
                fingerprints[input] = fingerprint(of: input)
                report.began(input)
                view.began(input.id)
            },
            progress: { view.progress($0.id, $1) },
            ended: { outcome in
                view.ended(outcome.input.id)
                view.withoutView { report.ended(outcome) }
                // A note that cannot be written costs a second attempt, nothing more.
                if let before = fingerprints[outcome.input] {
                    try? record.note(outcome, fingerprint: before) { fingerprint(of: outcome.input) }
                }
            })
        view.close()
        stop.speak { Console.error($0) }
        return outcomes
    }

    /// Decides how many captures run side by side, and with how many threads each; says where memory allows only one.
    private func shareCores() -> CoreShares {
        var reserve: Int64 = 1
        if let budget = options.maxMemory {
            // Earlier runs are looked at for a budget alone.
            let usual = UsualMemory(of: loaded.pipeline, in: state)
            reserve = usual.reserve
            if budget.bytes < usual.bytes {
                Console.error(
                    "warning: \(usual.text), and --max-memory is \(Console.size(budget.bytes)): one capture runs at a time"
                )
            }
        }
        return CoreShares(
            cores: options.jobs ?? ProcessInfo.processInfo.activeProcessorCount, captures: plan.toRun.count,
            memory: options.maxMemory?.bytes, perCapture: reserve, most: most)
    }

    private func job(_ input: CaptureInput, workers: Int) -> CaptureJob {
        CaptureJob(
            input: input, pipelineText: loaded.text, pipelinePath: loaded.path, settings: options.batch.settings,
            // Messages show other paths below the capture.
            output: FileSystem.absolute(options.batch.output), workers: workers,
            // What watches the whole capture comes first: it can tell a machine that was asleep from a program that hangs.
            patience: 2 * Int(min(options.patience.components.seconds, 1_000_000_000)),
            isForced: options.batch.force, replaces: options.replace)
    }

    private func fingerprint(of input: CaptureInput) -> Digest {
        FailureNote.fingerprint(of: input, pipeline: loaded.pipeline, programs: .installed)
    }
}
