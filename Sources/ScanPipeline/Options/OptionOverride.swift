import ScanModel

/// One `--set stage.option=value`.
public struct OptionOverride: Sendable, Hashable {
    public var stage: String
    public var option: String
    public var value: String

    /// - Throws: a problem when the text is not of the form `stage.option=value`.
    public init(parsing text: String) throws(Problem) {
        guard let equals = text.firstIndex(of: "="), let dot = text[..<equals].lastIndex(of: "."),
            dot != text.startIndex, text.index(after: dot) != equals
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
        let words = text.split(maxSplits: 1) { $0 == "=" || $0.isWhitespace }.map(String.init)
        let names = words.first?.split(separator: ".").map(String.init) ?? []
        let value = words.count > 1 ? words[1] : nil
        let stages = file.entries.map(\.stage)
        let options = zip(Pipeline.labels(of: stages), stages).flatMap { label, stage in
            (library[stage]?.options ?? []).map { (label: label, stage: stage, spec: $0) }
        }
        /// The settings of an option in each stage that has it, or in the one that was named.
        func settings(_ name: String, _ value: String?) -> [String] {
            let having = options.filter { $0.spec.name == name }
            let named = having.filter { names.count > 1 && [$0.label, $0.stage].contains(names[0]) }
            return (named.isEmpty ? having : named).map { option in
                let text = value ?? option.spec.defaultText ?? "VALUE"
                return "--set \(ShellWord.quoted("\(option.label).\(name)=\(text)"))"
            }
        }
        let name = names.last ?? ""
        let meant = settings(name, value)
        if !meant.isEmpty { return "\(value == nil ? "for example" : "write")  \(meant.joined(separator: "  or  "))" }
        // A stage with no option, or with other signs between it, the option and the value.
        let entries = zip(Pipeline.labels(of: stages), stages)
        func isFirst(_ name: String) -> Bool {
            !name.isEmpty && text.hasPrefix(name) && text.dropFirst(name.count).first?.isLetter != true
        }
        let stage = entries.first { isFirst($0.0) } ?? entries.first { isFirst($0.1) }
        let specs = stage.flatMap { library[$0.1]?.options } ?? []
        if let (label, kind) = stage,
            let meant = MeantOption(text.dropFirst(text.hasPrefix(label) ? label.count : kind.count), among: specs)
        {
            let setting = "\(label).\(meant.name)=\(meant.value ?? "VALUE")"
            return "\(meant.value == nil ? "for example" : "write")  --set \(ShellWord.quoted(setting))"
        }
        if let near = Nearest.match(name, among: options.map(\.spec.name)) {
            return "did you mean  \(settings(near, value).joined(separator: "  or  "))?"
        }
        if let stage {
            let names = specs.map(\.name).joined(separator: ", ")
            return specs.isEmpty ? "`\(stage.0)` has no options" : "name one of the options of `\(stage.0)`: \(names)"
        }
        if let owners = library.owners(ofOption: name) { return "\(owners), which this pipeline does not have" }
        let usual = options.first { $0.spec.defaultText != nil } ?? options.first
        return usual.flatMap { settings($0.spec.name, nil).first }.map { "for example  \($0)" }
    }
}
