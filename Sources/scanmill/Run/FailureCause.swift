import ScanModel
import ScanPipeline

/// Captures that failed for the same reason, whatever numbers it names.
struct FailureCause {
    var phrase: Phrase
    var captures: [CaptureOutcome]

    /// Those to run again: not usage faults, since what is wrong with names and folders is seen without a run, and none
    /// whose name is not text, which nobody can type.
    var repeatable: [CaptureOutcome] {
        captures.filter { $0.ending.problem?.fault != .usage && !FileSystem.isMended($0.input.path) }
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
