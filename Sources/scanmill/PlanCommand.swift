import ArgumentParser
import ScanModel
import ScanPipeline

struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Says what `run` would do and why, and writes nothing.",
        discussion: """
            Sizes are estimated from the results in OUT: from the same capture's, or else from the usual ratio of a \
            result's size to its input's. The exit code is 0 whatever would run, and 2 or 3 when that cannot be told.
            """)

    @OptionGroup var batch: BatchOptions

    func run() throws {
        try NamedPath.requireOrder(of: batch)
        let loaded = try LoadedPipeline.load(batch.pipeline, settings: batch.settings)
        if !batch.json { loaded.pipeline.warnings.forEach { Console.error($0.compilerStyleWarning) } }
        let found = try CaptureList.find(batch, for: loaded.pipeline)
        let state = StateFolder(output: batch.output)
        let plan = BatchPlan(
            found.inputs, pipeline: loaded.pipeline, output: batch.output, rules: batch.rules, programs: .installed)
        do throws(Problem) {
            try state.requirePlace()
            if plan.willRun { try state.requireWritable() }
            if let owner = try state.foreignOwner(for: loaded.pipeline) {
                let hold = state.hold(of: owner)
                Console.error(
                    batch.replace
                        ? "note: \(hold); \(Self.replacement(plan, in: state))"
                        : "warning: \(hold); `run` refuses it without --replace")
            }
        } catch { Console.error("warning: `run` would refuse this folder: \(error.oneLine)") }
        (found.warnings + CaptureList.warnings(of: plan)).forEach { Console.error(Console.visible($0)) }
        let estimate = SizeEstimate(plan, output: batch.output, memory: UsualMemory(of: loaded.pipeline, in: state))
        if batch.json { Console.out(json(plan, found, estimate)) } else { show(plan, found, estimate) }
    }

    /// What `--replace` does to the results of another pipeline.
    private static func replacement(_ plan: BatchPlan, in state: StateFolder) -> String {
        let results = state.published.map(\.bytes)
        if results.isEmpty { return "--replace takes it over" }
        let toRun = Set(plan.entries.filter { plan.reason(of: $0) != nil }.map(\.input.id.bytes))
        let replaced = results.count { toRun.contains($0) }
        let others = results.count - replaced
        let rest = others == 0 ? "" : ", and \(others.counted("other")) would stay"
        return "--replace takes it over: \(replaced.counted("result")) would be replaced\(rest)"
    }

    private func show(_ plan: BatchPlan, _ found: CaptureList, _ estimate: SizeEstimate) {
        let say = { (decision: String, capture: CaptureInput, why: String) in
            Console.out(Console.visible("\(decision) \(capture.id)" + (why.isEmpty ? "" : "  \(why)")))
        }
        for entry in plan.entries {
            switch entry.decision {
            case .run(let reason): say("run       ", entry.input, reason)
            case .compare(let doubt): say("compare   ", entry.input, doubt)
            case .upToDate: say("up to date", entry.input, "")
            case .failedBefore(let problem): say("failed    ", entry.input, "as before: \(problem.summary)")
            case .obstructed(let problem): say("cannot run", entry.input, problem.summary)
            case .arriving: say("waiting   ", entry.input, "it is still arriving")
            }
        }
        for outcome in found.refused { say("cannot run", outcome.input, outcome.ending.problem?.summary ?? "") }
        for outcome in found.excluded { say("excluded  ", outcome.input, "") }
        let comparing = plan.toCompare.count
        let running = plan.toRun.count - comparing - plan.obstructed.count
        let failed = plan.failedBefore
        let compared = comparing == 0 ? "" : "\(comparing) would be compared and run if changed, "
        let heldBack =
            failed == 0 ? "" : "\(failed) failed before (--retry tries \(failed == 1 ? "it" : "them") again), "
        Console.out(
            "\(running) would run, \(compared)\(plan.count(.upToDate)) up to date, \(heldBack)"
                + "\(plan.obstructed.count + found.refused.count) cannot run, \(plan.count(.arriving)) still arriving"
                + (found.excluded.isEmpty ? "" : ", \(found.excluded.count) excluded")
                + (found.passedOver.map { ", \($0)" } ?? ""))
        if running > 0 { Console.out(estimate.text) }
    }

    private func json(_ plan: BatchPlan, _ found: CaptureList, _ estimate: SizeEstimate) -> JSONValue {
        var captures = plan.entries.map { entry -> JSONValue in
            var object: JSONObject = ["id": .string(entry.input.id), "input": .string(entry.input.path)]
            switch entry.decision {
            case .run(let reason): object.add("run", because: reason)
            case .compare(let doubt): object.add("compare", because: doubt)
            case .upToDate: object["decision"] = .string("up to date")
            case .failedBefore(let problem): object.add("failed before", because: problem)
            case .obstructed(let problem): object.add("cannot run", because: problem)
            case .arriving: object["decision"] = .string("still arriving")
            }
            return .object(object)
        }
        for outcome in found.refused {
            var object: JSONObject = ["id": .string(outcome.input.id), "input": .string(outcome.input.path)]
            if let problem = outcome.ending.problem { object.add("cannot run", because: problem) }
            captures.append(.object(object))
        }
        for outcome in found.excluded {
            captures.append(
                .object([
                    "id": .string(outcome.input.id), "input": .string(outcome.input.path),
                    "decision": .string("excluded"),
                ]))
        }
        return .object([
            "captures": .array(captures), "other-formats": .of(found.ofOtherFormats),
            "output-bytes": .of(estimate.output) ?? .null, "replaced-bytes": .of(estimate.replaced) ?? .null,
            "needed-bytes": .of(estimate.needed) ?? .null, "free-bytes": .of(estimate.free) ?? .null,
            "peak-memory-bytes": .integer(estimate.memory.bytes),
        ])
    }
}

extension JSONObject {
    fileprivate mutating func add(_ decision: String, because reason: String) {
        self["decision"] = .string(decision)
        self["reason"] = .string(reason)
    }

    fileprivate mutating func add(_ decision: String, because problem: Problem) {
        add(decision, because: problem.summary)
        self["fault"] = .string(problem.fault.rawValue)
    }
}
