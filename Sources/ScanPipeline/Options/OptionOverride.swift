import ScanModel

/// One `--set stage.option=value`.
public struct OptionOverride: Sendable, Hashable {
    public var stage: String
    public var option: String
    public var value: String

    /// - Throws: a problem when the text is not of the form `stage.option=value`.
    public init(parsing text: String) throws(Problem) {
        guard let equals = text.firstIndex(of: "="), let dot = text[..<equals].lastIndex(of: "."),
            dot != text.startIndex, text.index(after: dot) != equals, !text[..<equals].contains("{")
        else {
            let lack = text.contains("=") || text.isEmpty ? "" : ": the `=` is missing"
            throw Problem(
                .usage, "`--set \(text)` is not of the form stage.option=value\(lack)",
                fix: "for example  --set mask-range.far=4")
        }
        stage = String(text[..<dot])
        option = String(text[text.index(after: dot)..<equals])
        value = String(text[text.index(after: equals)...])
    }

    /// What is wrong with settings by themselves, whatever pipeline they are for.
    package static func mistakes(in settings: [String]) -> [Problem] {
        settings.compactMap { setting in
            do throws(Problem) {
                _ = try OptionOverride(parsing: setting)
                return nil
            } catch { return error }
        }
    }

    /// How a `--set` that cannot be read is written for the stages of a pipeline that have the option.
    /// - Returns: nil where no stage of the pipeline has options.
    static func wayToWrite(_ text: String, for file: PipelineFile, _ library: StageLibrary) -> String? {
        // Options in braces, as in a file.
        let text = text.replacing(".{", with: "={")
        let words = text.split(maxSplits: 1) { $0 == "=" || $0.isWhitespace }.map(String.init)
        let names = words.first?.split(separator: ".").map(String.init) ?? []
        let value = words.count > 1 ? words[1] : nil
        let stages = file.entries.map(\.stage)
        let entries = zip(Pipeline.labels(of: stages), stages).map { (label: $0, stage: $1) }
        let options = entries.flatMap { label, stage in
            (library[stage]?.options ?? []).map { (label: label, stage: stage, spec: $0) }
        }
        /// The settings of an option in each stage that has it, or in the one that was named.
        func settings(_ name: String, _ value: String?) -> [String] {
            let having = options.filter { $0.spec.name == name }
            let named = having.filter { names.count > 1 && [$0.label, $0.stage].contains(names[0]) }
            return (named.isEmpty ? having : named).map { option in
                let text = value ?? option.spec.defaultText ?? "VALUE"
                return ShellWord.setting(option.label, "\(name)=\(text)")
            }
        }
        let name = names.last ?? ""
        let meant = settings(name, value)
        if !meant.isEmpty { return "\(value == nil ? "for example" : "write")  \(meant.joined(separator: "  or  "))" }
        let begun = beginning(of: text, among: entries)
        let specs = begun.flatMap { library[$0.stage]?.options } ?? []
        if let begun, let meant = MeantOption(begun.rest, among: specs) {
            let setting = ShellWord.setting(begun.label, "\(meant.name)=\(meant.value ?? "VALUE")")
            return "\(meant.value == nil ? "for example" : "write")  \(setting)"
        }
        if let near = Nearest.match(name, among: options.map(\.spec.name)) {
            return "did you mean  \(settings(near, value).joined(separator: "  or  "))?"
        }
        if let label = begun?.label {
            let names = specs.map(\.name).joined(separator: ", ")
            return specs.isEmpty ? "`\(label)` has no options" : "name one of the options of `\(label)`: \(names)"
        }
        if let owners = library.owners(ofOption: name) { return "\(owners), which this pipeline does not have" }
        let usual = options.first { $0.spec.defaultText != nil } ?? options.first
        return usual.flatMap { settings($0.spec.name, nil).first }.map { "for example  \($0)" }
    }

    /// The stage with which a `--set` begins that cannot be read: no option follows, or there are other signs between
    /// the stage, the option and the value.
    private static func beginning(
        of text: String, among entries: [(label: String, stage: String)]
    ) -> (label: String, stage: String, rest: Substring)? {
        func rest(behind name: String) -> Substring? {
            guard !name.isEmpty, text.hasPrefix(name) else { return nil }
            let rest = text.dropFirst(name.count)
            return rest.first?.isLetter == true ? nil : rest
        }
        // A label may go on behind the stage's name: `mask-range[2]`.
        let byLabel = entries.compactMap { entry in rest(behind: entry.label).map { (entry.label, entry.stage, $0) } }
        let byStage = entries.compactMap { entry in rest(behind: entry.stage).map { (entry.label, entry.stage, $0) } }
        return byLabel.first ?? byStage.first
    }
}
