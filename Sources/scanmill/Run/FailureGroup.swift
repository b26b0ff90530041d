import ScanModel
import ScanPipeline

/// Failed captures with the same message, or the same fix, numbers aside.
struct FailureGroup {
    let text: String
    let captures: [CaptureOutcome]

    /// Why they failed.
    static func causes(of failed: [CaptureOutcome]) -> [FailureGroup] { grouped(failed) { $1.summary } }

    /// What to do to those before they are run again.
    var fixes: [FailureGroup] {
        // What is to be done about the others is said of the unmendable: a part of it alone would mend nothing.
        Self.grouped(captures) { $0.isRepeatable ? $1.allFixes : nil }
    }

    /// What to do for those that cannot be run.
    static func remedies(of failed: [CaptureOutcome]) -> [FailureGroup] { grouped(failed) { $1.allFixes } }

    /// Those that fail again unless the pipeline, an option or the capture's name changes, grouped by what to change.
    static func unmendable(_ failed: [CaptureOutcome]) -> [FailureGroup] {
        grouped(failed) { $0.isRepeatable ? nil : $1.allFixes }
    }

    /// The most frequent first; without captures of which nothing is said.
    private static func grouped(
        _ failed: [CaptureOutcome], by text: (CaptureOutcome, Problem) -> String?
    ) -> [FailureGroup] {
        let said = failed.compactMap { outcome in
            outcome.ending.problem.flatMap { text(outcome, $0) }.map { (outcome, $0, outcome.input.id) }
        }
        return Phrase.grouped(said).map { FailureGroup(text: $0, captures: $1) }.sorted {
            ($1.captures.count, $0.text) < ($0.captures.count, $1.text)
        }
    }
}

extension CaptureOutcome {
    /// Whether the same run may succeed once what it failed for is mended.
    var isRepeatable: Bool { ending.problem?.isMendable(input.id, at: input.path) == true }
}
