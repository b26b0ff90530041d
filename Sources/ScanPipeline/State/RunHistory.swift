import ScanModel

/// What the runs that are remembered were to do with each capture. Every plan is read once, and only the newest
/// outcome; others where a plan leaves a doubt.
package struct RunHistory {
    private struct Run {
        var name: String
        var recipe: Recipe
    }

    /// How a run went, as far as it has said so.
    private struct Endings {
        let areKnown: Bool
        private let entries: [PathKey: RunOutcome.Entry]

        init(_ outcome: RunOutcome?) {
            areKnown = outcome != nil
            entries = Dictionary((outcome?.captures ?? []).map { (PathKey($0.id), $0) }, uniquingKeysWith: { $1 })
        }

        subscript(id: String) -> RunOutcome.Entry? { entries[PathKey(id)] }
    }

    /// The captures of all plans, and those that the newest run found up to date or did not come to; the oldest plan's
    /// first.
    package private(set) var ids: [String] = []
    private let state: StateFolder
    /// The oldest first.
    private var runs: [Run] = []
    private var places: [PathKey: String] = [:]
    /// The newest run whose plan names a capture.
    private var planners: [PathKey: Int] = [:]
    /// By run: those that have been read.
    private var endings: [Int: Endings] = [:]

    package init(in state: StateFolder) {
        self.state = state
        let names = RunRecord.names(in: state)
        for (run, name) in names.enumerated() {
            let plan = RunRecord.plan(of: name, in: state)
            runs.append(Run(name: name, recipe: Recipe(plan: plan)))
            for (id, input) in RunRecord.captures(ofPlan: plan) {
                add(id, RunRecord.place(input, by: plan))
                planners[PathKey(id)] = run
            }
            guard run == names.count - 1 else { continue }
            let outcome = RunRecord.outcome(of: name, in: state)
            endings[run] = Endings(outcome)
            // The run that made a result may be remembered no longer.
            for entry in outcome?.captures ?? []
            where [.arriving, .excluded, .left, .upToDate].contains(entry.ended) {
                if let input = entry.input { add(entry.id, RunRecord.place(input, by: plan)) }
            }
        }
    }

    private mutating func add(_ id: String, _ place: String) {
        ids.append(id)
        places[PathKey(id)] = place
    }

    private mutating func endings(of run: Int) -> Endings {
        if let known = endings[run] { return known }
        let read = Endings(RunRecord.outcome(of: runs[run].name, in: state))
        endings[run] = read
        return read
    }

    // MARK: - Of one capture

    /// Where it lay when it was planned last.
    package func place(of id: String) -> String? { places[PathKey(id)] }

    /// The newest run known to name a capture without reading more outcomes.
    private func namer(_ id: String) -> Int? {
        if let last = runs.indices.last, endings[last]?[id] != nil { return last }
        return planners[PathKey(id)]
    }

    /// The newest run that names a capture, unless it is one with this recipe: captures that were up to date are named
    /// only in outcomes, which are searched only when the plans name another recipe.
    private mutating func namer(_ id: String, besides made: Recipe) -> Int? {
        guard let first = namer(id), !made.meets(runs[first].recipe) else { return nil }
        for run in runs.indices.dropFirst(first + 1).reversed() where endings(of: run)[id] != nil {
            return made.meets(runs[run].recipe) ? nil : run
        }
        return first
    }

    /// What was asked for last, where that is not what a result was made with.
    /// - Parameter made: what the result was made with.
    mutating func wanted(_ id: String, besides made: Recipe) -> (run: Int, recipe: Recipe)? {
        guard let run = namer(id, besides: made) else { return nil }
        let recipe = runs[run].recipe
        return recipe.pipeline == nil ? nil : (run, recipe)
    }

    /// How a capture ended in the newest run that names it; nil where none does, or that one has not said.
    mutating func ending(of id: String) -> RunOutcome.Entry? {
        let planner = planners[PathKey(id)]
        // Runs of other captures may have come after the one that named it without planning it.
        for run in runs.indices.dropFirst(planner.map { $0 + 1 } ?? 0).reversed() {
            if let entry = endings(of: run)[id] { return entry }
        }
        return planner.flatMap { endings(of: $0)[id] }
    }

    /// What a run says of a capture that it names and has made no result of; nil where it has come to it.
    mutating func whyLeft(_ id: String, by run: Int) -> String? {
        let endings = endings(of: run)
        // Between two captures a run holds no lock that would tell.
        if !endings.areKnown { return "the last run of it was cut short, or goes on" }
        return endings[id]?.why.map { "the last run left it: \($0)" }
    }

    // MARK: - Of a run with nothing to do

    /// Whether a run with nothing to do must still be recorded. It must if `status`, which goes by the newest record of
    /// a capture, would otherwise answer wrongly: the capture has begun to arrive, `--exclude` has changed, or the
    /// newest record asks for another recipe. Repeating the same run is never recorded, even if runs of other captures
    /// came in between.
    package static func isToRemember(
        idleRunWith outcomes: [CaptureOutcome], of pipeline: Pipeline, formats: FormatRevisions = FormatRevisions(),
        in state: StateFolder
    ) -> Bool {
        let recipe = Recipe(of: pipeline, formats: formats)
        let isOfAnother = RunRecord.names(in: state).contains { !RunRecord.isOf(recipe, $0, in: state) }
        // The plans of a batch are not read for nothing.
        let isPassedOver = { (outcome: CaptureOutcome) in [.arriving, .excluded].contains(outcome.ending.kind) }
        guard isOfAnother || outcomes.contains(where: { $0.ending != .upToDate }) else { return false }
        var history = RunHistory(in: state)
        for outcome in outcomes {
            let id = outcome.input.id
            if outcome.ending.problem != nil {
                if history.ending(of: id)?.ended == .excluded { return true }
                continue
            }
            if history.wanted(id, besides: recipe) != nil { return true }
            if !isPassedOver(outcome) { continue }
            // One without a place is known to older outcomes alone, where it is not looked for.
            if history.place(of: id) == nil || history.ending(of: id)?.ended != outcome.ending.kind { return true }
        }
        return false
    }
}
