import ScanModel

/// What the runs that are remembered were to do with each capture. Every plan is read once, and of outcomes the newest;
/// others only where a plan leaves a doubt.
package struct RunHistory {
    /// What a run's outcome says of a capture.
    struct Ending: Hashable {
        var kind: CaptureEnding.Kind
        /// Why the run did not come to it; nil where it did.
        var why: String?

        init?(_ json: JSONValue) {
            guard let kind = RunRecord.kind(of: json) else { return nil }
            self.kind = kind
            switch kind {
            case .arriving: why = "it was still arriving"
            case .busy: why = "another runner worked on it"
            case .left: why = json["cause"]?.string
            default: why = nil
            }
        }
    }

    private struct Run {
        var name: String
        /// Resolved.
        var pipeline: JSONValue?
    }

    /// The captures of all plans, and those that the newest run did not come to; the oldest plan's first.
    package private(set) var ids: [String] = []
    private let state: StateFolder
    /// The oldest first.
    private var runs: [Run] = []
    // Ids are compared by their bytes; see ``distinctByBytes``.
    private var places: [[UInt8]: String] = [:]
    /// The newest run whose plan names a capture.
    private var planners: [[UInt8]: Int] = [:]
    /// By run; nil of one that has not said how it went.
    private var endings: [Int: [[UInt8]: Ending]?] = [:]

    package init(in state: StateFolder) {
        self.state = state
        let names = RunRecord.names(in: state)
        for (run, name) in names.enumerated() {
            let plan = RunRecord.plan(of: name, in: state)
            runs.append(Run(name: name, pipeline: plan?["pipeline"]))
            for (id, input, _) in RunRecord.captures(of: plan) {
                add(id, RunRecord.place(input, by: plan))
                planners[Array(id.utf8)] = run
            }
            guard run == names.count - 1 else { continue }
            let outcome = RunRecord.outcome(of: name, in: state)
            endings[run] = .some(outcome.map(Self.endings))
            for (id, input, json) in RunRecord.captures(of: outcome)
            where [.arriving, .left].contains(RunRecord.kind(of: json)) {
                add(id, RunRecord.place(input, by: plan))
            }
        }
    }

    private mutating func add(_ id: String, _ place: String) {
        ids.append(id)
        places[Array(id.utf8)] = place
    }

    private static func endings(_ outcome: JSONValue) -> [[UInt8]: Ending] {
        let captures = RunRecord.captures(of: outcome).map { (Array($0.id.utf8), Ending($0.json)) }
        return Dictionary(captures, uniquingKeysWith: { $1 }).compactMapValues(\.self)
    }

    private mutating func endings(of run: Int) -> [[UInt8]: Ending]? {
        if let known = endings[run] { return known }
        let read = RunRecord.outcome(of: runs[run].name, in: state).map(Self.endings)
        endings[run] = .some(read)
        return read
    }

    // MARK: - Of one capture

    /// Where it lay when it was planned last.
    package func place(of id: String) -> String? { places[Array(id.utf8)] }

    /// The newest run that is known to name a capture without reading more outcomes.
    private func namer(_ id: [UInt8]) -> Int? {
        if let last = runs.indices.last, case .some(.some(let newest)) = endings[last], newest[id] != nil {
            return last
        }
        return planners[id]
    }

    /// The newest run that names a capture, unless it is one with this pipeline: what was up to date stands in outcomes
    /// alone, and is looked for there only when the plans speak of another one.
    private mutating func namer(_ id: [UInt8], besides made: JSONValue?) -> Int? {
        guard let first = namer(id), runs[first].pipeline != made else { return nil }
        for run in runs.indices.dropFirst(first + 1).reversed() where endings(of: run)?[id] != nil {
            return runs[run].pipeline == made ? nil : run
        }
        return first
    }

    /// What was asked for last, where that is not what a result was made with.
    /// - Parameter made: the resolved pipeline that made the result.
    mutating func wanted(_ id: String, besides made: JSONValue?) -> (run: Int, pipeline: JSONValue)? {
        guard let run = namer(Array(id.utf8), besides: made) else { return nil }
        return runs[run].pipeline.map { (run, $0) }
    }

    /// How a capture ended in the newest run that names it; nil where none does, or that one has not said.
    mutating func ending(of id: String) -> Ending? {
        let bytes = Array(id.utf8)
        return namer(bytes).flatMap { endings(of: $0)?[bytes] }
    }

    /// What a run says of a capture that it names and has made no result of; nil where it has come to it.
    mutating func whyLeft(_ id: String, by run: Int) -> String? {
        guard let endings = endings(of: run) else { return "the last run of it has not ended" }
        return endings[Array(id.utf8)]?.why.map { "the last run left it: \($0)" }
    }

    /// Whether the newest run that names a capture is known not to have made a result of it.
    mutating func isLeft(_ id: String) -> Bool {
        guard let run = namer(Array(id.utf8)) else { return false }
        return whyLeft(id, by: run) != nil
    }

    // MARK: - Of a run with nothing to do

    /// Whether a run that has nothing to do is to be remembered all the same: `status` would go by an older one, which
    /// knows nothing of a capture that arrives, or was to make other results of those that are up to date now. The same
    /// run again tells nothing more, so that its records do not pile up.
    package static func lacks(_ outcomes: [CaptureOutcome], of pipeline: Pipeline, in state: StateFolder) -> Bool {
        let isOfAnother = RunRecord.names(in: state).contains { !RunRecord.isOf(pipeline, $0, in: state) }
        // The plans of a batch are not read for nothing.
        guard isOfAnother || outcomes.contains(where: { $0.ending == .arriving }) else { return false }
        // As plans have it: a number that is whole is written as such.
        let resolved = (try? JSONValue.parse(JSONWriter.text(pipeline.resolved), file: "")) ?? pipeline.resolved
        var history = RunHistory(in: state)
        for outcome in outcomes where outcome.ending == .arriving || outcome.ending == .upToDate {
            let id = outcome.input.id
            if history.wanted(id, besides: resolved) != nil { return true }
            if outcome.ending == .arriving, history.ending(of: id)?.kind != .arriving { return true }
        }
        return false
    }
}
