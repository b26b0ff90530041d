import ScanModel
import ScanPipeline

/// A stretch in which `filter-blur` left no frame, as its warning describes it.
struct Hole: Sendable {
    /// The stage as the pipeline has it, with its number where it occurs more than once.
    var label: String
    var seconds: Double

    /// Longer ones are warned about.
    static let longest = 1.0

    /// - Returns: nil for a warning about something else.
    init?(_ warning: String) {
        // Results of earlier versions call it a hole.
        let gap = #/^(filter-blur[^: ]*): .* leaves a (?:gap|hole) of (\d+(?:\.\d+)?) s/#
        guard let match = warning.firstMatch(of: gap),
            let seconds = Double(match.2)
        else { return nil }
        (label, self.seconds) = (String(match.1), seconds)
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
        if let seconds = options["seconds"]?.finite, seconds > 0.01 {
            return OptionSetting(label: label, option: "seconds", value: "\((seconds / 2).rounded(decimals: 3))")
        }
        if let count = options["count"]?.count, count < 500_000 {
            return OptionSetting(label: label, option: "count", value: String(2 * count))
        }
        return nil
    }
}

/// One `--set` of a suggested command.
struct OptionSetting: Sendable {
    var label: String
    var option: String
    var value: String

    init(label: String, option: String, value: String) {
        (self.label, self.option, self.value) = (label, option, value)
    }

    /// The one with which a fix ends.
    /// - Returns: nil where it ends otherwise, or names several, of which a person has to choose.
    init?(endOf fix: String) {
        guard let setting = fix.wholeMatch(of: #/.*  --set ([^ .=]+)\.([^ .=]+)=(\S+)/#),
            fix.matches(of: #/--set /#).count == 1
        else { return nil }
        self.init(label: String(setting.1), option: String(setting.2), value: String(setting.3))
    }

    /// Appends it to the settings that a run was given, and removes the one that it replaces.
    func added(to settings: [String]) -> [String] {
        settings.filter { !$0.hasPrefix("\(label).\(option)=") } + ["\(label).\(option)=\(value)"]
    }
}
