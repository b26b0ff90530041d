import ScanModel
import ScanPipeline

/// Captures that failed for the same reason, whatever numbers it names.
struct FailureCause {
    var phrase: Phrase
    var captures: [CaptureOutcome]

    /// Those to run again: not usage faults, since what is wrong with names and folders is seen without a run, none that
    /// fail for what the pipeline asks of them, and none whose name is not text, which nobody can type.
    var repeatable: [CaptureOutcome] {
        captures.filter { outcome in
            guard let problem = outcome.ending.problem else { return false }
            return problem.fault != .usage && !problem.isOfPipeline && !FileSystem.isMended(outcome.input.path)
        }
    }

    /// Those that fail for what the pipeline asks of them, by what to change, in the captures' order.
    static func unsuited(_ failed: [CaptureOutcome]) -> [(fix: String, captures: [CaptureOutcome])] {
        var groups: [(fix: String, captures: [CaptureOutcome])] = []
        for outcome in failed {
            guard let problem = outcome.ending.problem, problem.isOfPipeline, let fix = problem.fix else { continue }
            let place = groups.firstIndex { $0.fix == fix }
            if let place { groups[place].captures.append(outcome) } else { groups.append((fix, [outcome])) }
        }
        return groups
    }

    /// The most frequent first.
    static func all(of failed: [CaptureOutcome]) -> [FailureCause] {
        var causes: [Phrase: FailureCause] = [:]
        for outcome in failed {
            let phrase = Phrase(outcome.ending.problem?.summary ?? "", id: outcome.input.id)
            causes[phrase, default: FailureCause(phrase: phrase, captures: [])].captures.append(outcome)
            causes[phrase]?.phrase.merge(phrase)
        }
        return causes.values.sorted {
            ($1.captures.count, $0.phrase.text) < ($0.captures.count, $1.phrase.text)
        }
    }
}
