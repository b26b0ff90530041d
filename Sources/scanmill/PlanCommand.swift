import ArgumentParser
import ScanModel
import ScanPipeline

struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Says what `run` would do and why, and writes nothing.",
        discussion: """
            Captures that would run are opened, as their runs begin: what the pipeline needs and a capture lacks is \
            reported before the night; an archive's video is unpacked to TMPDIR for that. Sizes are estimated from the \
            results in OUT: from the same capture's, or else from the usual ratio of a result's size to its input's. \
            Captures that are up to date are counted. Where the same is said of many others, five are listed and the \
            rest counted; `--all` lists every capture. \
            The exit code is 0 whatever would run, and 2 or 3 when that cannot be told.
            """)

    @OptionGroup var batch: BatchOptions
    @Flag(help: "Open no capture: quick for thousands, but captures that do not suit the pipeline are not reported.")
    var unopened = false
    @Flag(help: "List every capture, also those that are up to date.") var all = false

    func run() throws {
        try NamedPath.requireOrder(of: batch)
        let loaded = try LoadedPipeline.load(batch.pipeline, settings: batch.settings)
        loaded.pipeline.warnings.forEach { Console.error($0.compilerStyleWarning) }
        var found = try FoundCaptures.find(batch, for: loaded).toldApart(by: OutputNames(of: batch.output))
        let state = StateFolder(output: batch.output)
        var plan = BatchPlan(
            found.inputs, pipeline: loaded.pipeline, output: batch.output, rules: batch.rules, programs: .installed)
        if !unopened {
            plan.refuse(whatFailsToOpenWith: Runner(pipeline: loaded.pipeline, workers: 1, tool: Tool.nameAndVersion))
        }
        let refusal = refusal(of: plan, for: loaded.pipeline, in: state)
        found.warn(of: plan)
        found.warnings.forEach(Console.warn)
        let estimate = SizeEstimate(plan, output: batch.output, memory: UsualMemory(of: loaded.pipeline, in: state))
        let rows = PlanRow.all(plan, found, batch)
        if batch.json {
            Console.out(json(rows, refusal, found, estimate, loaded.pipeline.warnings))
        } else {
            show(rows, found, estimate)
        }
    }

    /// Says what `run` would refuse OUT for, whatever the captures are.
    /// - Returns: the problem that it would end with; nil where it would begin.
    private func refusal(of plan: BatchPlan, for pipeline: Pipeline, in state: StateFolder) -> Problem? {
        do throws(Problem) {
            try state.requirePlace()
            if let owner = try state.foreignOwner(for: pipeline) {
                let sentence = state.sentence(about: owner)
                if !batch.replace {
                    Console.error("warning: \(sentence); `run` refuses it without --replace")
                    return state.refusal(to: pipeline, for: owner)
                }
                Console.error("note: \(sentence); \(Self.replacement(plan, in: state))")
            }
            if plan.willRun { try state.requireWritable() }
            return nil
        } catch {
            Console.error("warning: `run` would refuse this folder: \(error.oneLine)")
            return error
        }
    }

    /// What `--replace` does to the results of another pipeline.
    private static func replacement(_ plan: BatchPlan, in state: StateFolder) -> String {
        let results = state.published.map(PathKey.init)
        if results.isEmpty { return "--replace takes it over" }
        let toRun = Set(plan.entries.filter { plan.reason(of: $0) != nil }.map { PathKey($0.input.id) })
        let replaced = results.count { toRun.contains($0) }
        let others = results.count - replaced
        let rest = others == 0 ? "" : ", and \(others.counted("other")) would stay"
        return "--replace takes it over: \(replaced.counted("result")) would be replaced\(rest)"
    }

    private func show(_ rows: [PlanRow], _ found: CaptureList, _ estimate: SizeEstimate) {
        // Of hundreds of captures most are up to date on most nights.
        let lines = rows.filter { all || $0.decision != .upToDate }.map(\.line)
        CaptureLine.list(lines, width: PlanRow.width, isWhole: all).forEach(Console.out)
        func count(_ decision: PlanRow.Decision) -> Int { rows.count { $0.decision == decision } }
        let (running, comparing, failed) = (count(.run), count(.compare), count(.failedBefore))
        let compared = comparing == 0 ? "" : "\(comparing) would be compared and run if changed, "
        let heldBack =
            failed == 0 ? "" : "\(failed) failed before (--retry tries \(failed == 1 ? "it" : "them") again), "
        Console.out(
            "\(running) would run, \(compared)\(count(.upToDate)) up to date, \(heldBack)"
                + "\(count(.obstructed)) cannot run, \(count(.arriving)) still arriving"
                + (count(.excluded) == 0 ? "" : ", \(count(.excluded)) excluded")
                + (found.passedOver.map { ", \($0)" } ?? ""))
        let remedies = FailureGroup.remedies(of: rows.compactMap(\.failure))
        RunMessages.lines(remedies) { "fix for \($0)" }.forEach(Console.out)
        if running > 0 { Console.out(estimate.text) }
    }

    private func json(
        _ rows: [PlanRow], _ refusal: Problem?, _ found: CaptureList, _ estimate: SizeEstimate, _ warnings: [Problem]
    ) -> JSONValue {
        .object([
            "captures": .array(rows.map { .object($0.json) }), "refused": .of(refusal?.facts),
            "other-formats": .of(found.ofOtherFormats), "without-capture": .of(found.withoutCapture),
            "pipeline-warnings": .array(warnings.map { .object($0.json) }),
            "output-bytes": .of(estimate.output) ?? .null, "replaced-bytes": .of(estimate.replaced) ?? .null,
            "needed-bytes": .of(estimate.needed) ?? .null, "free-bytes": .of(estimate.free) ?? .null,
            "peak-memory-bytes": .integer(estimate.memory.bytes),
        ])
    }
}

/// What would become of one capture.
private struct PlanRow {
    /// In the words of the JSON.
    enum Decision: String {
        case run
        case compare
        case upToDate = "up to date"
        case failedBefore = "failed before"
        case obstructed = "cannot run"
        case arriving = "still arriving"
        case excluded
    }

    let decision: Decision
    private let input: CaptureInput
    /// Why it would run.
    private var reason: String?
    /// What keeps it from running.
    private var problem: Problem?

    /// One for every capture that was found, in the order in which they are listed.
    static func all(_ plan: BatchPlan, _ found: CaptureList, _ options: BatchOptions) -> [PlanRow] {
        plan.entries.map { PlanRow($0).leftOut(by: options) }
            + found.refused.map { PlanRow(.obstructed, $0.input, problem: $0.ending.problem) }
            + found.excluded.map { PlanRow(.excluded, $0.input) }
    }

    private init(_ entry: BatchPlan.Entry) {
        switch entry.decision {
        case .run(let reason): self.init(.run, entry.input, reason: reason)
        case .compare(let doubt): self.init(.compare, entry.input, reason: doubt)
        case .upToDate: self.init(.upToDate, entry.input)
        case .failedBefore(let problem): self.init(.failedBefore, entry.input, problem: problem)
        case .obstructed(let problem): self.init(.obstructed, entry.input, problem: problem)
        case .arriving: self.init(.arriving, entry.input)
        }
    }

    private init(_ decision: Decision, _ input: CaptureInput, reason: String? = nil, problem: Problem? = nil) {
        (self.decision, self.input, self.reason, self.problem) = (decision, input, reason, problem)
    }

    /// As of a capture that was left out, if the run would do so.
    private func leftOut(by options: BatchOptions) -> PlanRow {
        guard let problem else { return self }
        let outcome = options.leavingOut(CaptureOutcome(input: input, ending: .failed(problem)))
        return outcome.ending.kind == .excluded ? PlanRow(.excluded, input, reason: problem.summary) : self
    }

    private var why: String? { reason ?? problem?.summary }

    /// How its run would end where something keeps it from beginning.
    var failure: CaptureOutcome? {
        guard decision == .obstructed, let problem else { return nil }
        return CaptureOutcome(input: input, ending: .failed(problem))
    }

    /// Of the column of words.
    static let width = 10

    /// For people, in the words that `run` has for it.
    var line: CaptureLine {
        let (word, why) =
            switch decision {
            case .failedBefore: ("failed", self.why.map { "as before: \($0)" })
            case .arriving: ("waiting", "it is still arriving")
            default: (decision.rawValue, self.why)
            }
        return CaptureLine(word: word, id: input.id, rest: why.map { "  \($0)" } ?? "")
    }

    var json: JSONObject {
        [
            "id": .string(input.id), "input": .string(input.path), "decision": .string(decision.rawValue),
            "reason": .of(why), "fault": .of(problem?.fault.rawValue), "fix": .of(problem?.allFixes),
        ]
    }
}
