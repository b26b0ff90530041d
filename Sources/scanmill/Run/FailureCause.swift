import ScanModel
import ScanPipeline

/// Captures that failed for the same reason, whatever numbers it names.
struct FailureCause {
    var phrase: Phrase
    var captures: [CaptureOutcome]

    /// Whether to run it again: no usage fault, since what is wrong with names and folders is seen without a run, none
    /// that fails for what the pipeline asks of it, and none whose name is not text, which nobody can type.
    static func isRepeatable(_ outcome: CaptureOutcome) -> Bool {
        guard let problem = outcome.ending.problem else { return false }
        return problem.fault != .usage && !isUnsuited(outcome) && !FileSystem.isMended(outcome.input.path)
    }

    /// Whether it fails again as long as it is called what it is, or the run asks of it what it does.
    private static func isUnsuited(_ outcome: CaptureOutcome) -> Bool {
        outcome.ending.problem?.isOfPipeline == true || OutputFolder.defect(ofID: outcome.input.id) != nil
    }

    /// What to do to those before they are run again, with the captures that it is for. A command in which they differ is
    /// no command: each of them then has its own.
    var fixes: [FailureCause] {
        Self.grouped(captures, by: Self.mending).flatMap { fix in
            fix.phrase.text.contains("=…") ? fix.captures.flatMap { Self.grouped([$0], by: Self.mending) } : [fix]
        }
    }

    /// All that is to be done to a capture itself. What to ask of it instead is said of the ``unsuited(_:)``.
    private static func mending(_ outcome: CaptureOutcome) -> String? {
        guard let problem = outcome.ending.problem else { return nil }
        let own = isRepeatable(outcome) ? [problem.fix].compactMap(\.self) : []
        let all = own + problem.besides
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    /// Those that fail for what the run asks of them, or for their names, by what to change, in the captures' order.
    static func unsuited(_ failed: [CaptureOutcome]) -> [(fix: String, captures: [CaptureOutcome])] {
        var groups: [(fix: String, captures: [CaptureOutcome])] = []
        for outcome in failed {
            guard isUnsuited(outcome), let fix = outcome.ending.problem?.fix else { continue }
            let place = groups.firstIndex { $0.fix == fix }
            if let place { groups[place].captures.append(outcome) } else { groups.append((fix, [outcome])) }
        }
        return groups
    }

    /// The most frequent first.
    static func all(of failed: [CaptureOutcome]) -> [FailureCause] { grouped(failed) { $0.ending.problem?.summary } }

    /// Captures by what is said of them; without those of which nothing is.
    private static func grouped(
        _ outcomes: [CaptureOutcome], by text: (CaptureOutcome) -> String?
    ) -> [FailureCause] {
        let said = outcomes.compactMap { outcome in
            text(outcome).map { (subject: outcome, text: $0, id: outcome.input.id) }
        }
        return Phrase.grouped(said).map { FailureCause(phrase: $0, captures: $1) }.sorted {
            ($1.captures.count, $0.phrase.text) < ($0.captures.count, $1.phrase.text)
        }
    }
}
