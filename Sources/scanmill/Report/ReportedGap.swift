import ScanModel
import ScanPipeline
import ScanStages

/// A stretch in which `filter-blur` left no frame, as its warning describes it.
struct ReportedGap: Sendable {
    /// The stage as the pipeline has it, with its number where it occurs more than once.
    var label: String
    var seconds: Double

    /// - Returns: nil for a warning about something else.
    init?(_ warning: String) {
        // Results of earlier versions call it a hole.
        let words = [FilterBlur.gapWords, "which leaves a hole of"]
        guard let label = warning.prefixMatch(of: #/([^: ]+): /#)?.1, label.hasPrefix(FilterBlur.card.name),
            let place = words.firstNonNil({ warning.firstRange(of: $0) }),
            let length = warning[place.upperBound...].prefixMatch(of: #/ (\d+(?:\.\d+)?) s/#),
            let seconds = Double(length.1)
        else { return nil }
        (self.label, self.seconds) = (String(label), seconds)
    }

    /// The setting that leaves shorter ones: the pipeline's own rule, made half as coarse.
    /// - Parameter pipeline: resolved.
    /// - Returns: nil where the rule goes by scores alone, so that no number of frames would help.
    func remedy(in pipeline: JSONValue?) -> OptionSetting? {
        let stages = pipeline?["stages"]?.array ?? []
        let labels = Pipeline.labels(of: stages.map { $0["name"]?.string ?? "" })
        guard let options = zip(labels, stages).first(where: { $0.0 == label })?.1["options"] else { return nil }
        if let window = options["window"]?.integer, window > 2 {
            return OptionSetting(label: label, option: "window", value: String(window / 2))
        }
        if let seconds = options["seconds"]?.boundedNumber, seconds > 0.01 {
            return OptionSetting(label: label, option: "seconds", value: "\((seconds / 2).rounded(decimals: 3))")
        }
        if let count = options["count"]?.asCount, count < 500_000 {
            return OptionSetting(label: label, option: "count", value: String(2 * count))
        }
        return nil
    }
}
