import ScanModel

/// A list of stages with every option decided, its order checked.
public struct Pipeline: Sendable {
    /// A stage in its place.
    public struct Step: Sendable {
        /// The stage's name; with its number behind it where it stands more than once: `mask-range[2]`.
        public let label: String
        public let name: String
        public let stage: any Stage
        public internal(set) var uses: Uses
        /// Every option that has a value, defaults included.
        public let options: JSONObject
        public let revision: Int
    }

    public let name: String
    public let summary: String?
    public let steps: [Step]
    /// What is odd but not wrong: something is made that nothing uses.
    public let warnings: [Problem]

    /// Everything that decides what comes out, for receipts and keys: `{name, stages: [{name, options}]}`.
    public var resolved: JSONValue {
        .object([
            "name": .string(name),
            "stages": .array(
                steps.map { .object(["name": .string($0.name), "options": .object($0.options)]) }),
        ])
    }
}

/// All the mistakes of a pipeline, in the order of their lines.
public struct PipelineMistakes: Error, Sendable {
    public var problems: [Problem]

    public init(problems: [Problem]) { self.problems = problems }
}

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
            throw Problem(
                .usage, "`--set \(text)` is not of the form stage.option=value", fix: "for example  --set mask-range.far=4")
        }
        stage = String(text[..<dot])
        option = String(text[text.index(after: dot)..<equals])
        value = String(text[text.index(after: equals)...])
    }
}

extension Pipeline {
    /// Builds a pipeline from a file's text, or reports every mistake in it.
    public static func load(
        text: String, path: String, overrides: [OptionOverride] = [], library: StageLibrary
    ) throws(PipelineMistakes) -> Pipeline {
        let (file, problems) = PipelineFile.parse(text, path: path)
        return try build(file, overrides: overrides, library: library, earlier: problems)
    }

    /// Builds a pipeline from entries, or reports every mistake in them.
    public static func build(
        _ file: PipelineFile, overrides: [OptionOverride] = [], library: StageLibrary, earlier: [Problem] = []
    ) throws(PipelineMistakes) -> Pipeline {
        var problems = earlier
        var file = file
        let labels = labels(of: file.entries.map(\.stage))
        for change in overrides { apply(change, to: &file, labels: labels, library: library, &problems) }

        var steps: [Step] = []
        var places: [PipelineFile.Entry] = []
        for (entry, label) in zip(file.entries, labels) {
            guard let kind = library[entry.stage] else {
                problems.append(
                    file.locate(
                        Problem(
                            .usage, "there is no stage `\(entry.stage)`",
                            fix: Nearest.suggestion(entry.stage, among: library.names) ?? "`scanmill stages` lists them"
                        ).at(line: entry.line, column: entry.column)))
                continue
            }
            var reader = OptionReader(given: entry.options)
            let stage = kind.make(&reader)
            problems += optionProblems(reader, entry).map(file.locate)
            places.append(entry)
            steps.append(
                Step(
                    label: label, name: entry.stage, stage: stage, uses: stage.uses, options: reader.resolved,
                    revision: kind.card.revision))
        }
        var warnings: [Problem] = []
        if problems.isEmpty {
            let check = OrderCheck(steps: steps, library: library)
            let locate = { (finding: OrderCheck.Finding) in
                file.locate(finding.problem.at(line: places[finding.step].line, column: places[finding.step].column))
            }
            problems = check.mistakes.map(locate)
            warnings = check.warnings.map(locate)
        }
        guard problems.isEmpty else {
            throw PipelineMistakes(problems: problems.sorted { ($0.place.line ?? 0) < ($1.place.line ?? 0) })
        }
        return Pipeline(name: file.name, summary: file.summary, steps: steps, warnings: warnings)
    }

    /// `read`, `mask-range[1]`, `mask-range[2]`: numbers only where a name stands more than once.
    private static func labels(of names: [String]) -> [String] {
        var seen: [String: Int] = [:]
        return names.map { name in
            guard names.count(where: { $0 == name }) > 1 else { return name }
            seen[name, default: 0] += 1
            return "\(name)[\(seen[name] ?? 1)]"
        }
    }

    private static func apply(
        _ change: OptionOverride, to file: inout PipelineFile, labels: [String], library: StageLibrary,
        _ problems: inout [Problem]
    ) {
        let matches = file.entries.indices.filter { labels[$0] == change.stage || file.entries[$0].stage == change.stage }
        let setting = "--set \(change.stage).\(change.option)=\(change.value)"
        guard let index = matches.first, matches.count == 1 else {
            let what = matches.isEmpty ? "this pipeline has no stage `\(change.stage)`" : "`\(change.stage)` stands here \(matches.count) times"
            let fix =
                matches.isEmpty
                ? Nearest.suggestion(change.stage, among: labels) ?? "its stages are \(labels.joined(separator: ", "))"
                : "say which: \(matches.map { labels[$0] }.joined(separator: " or "))"
            problems.append(Problem(.usage, what, notes: ["asked for by \(setting)"], fix: fix))
            return
        }
        file.entries[index].options[change.option] = PipelineFile.value(change.value)
    }

    private static func optionProblems(_ reader: OptionReader, _ entry: PipelineFile.Entry) -> [Problem] {
        let names = reader.specs.map(\.name)
        var problems: [Problem] = reader.undeclared.map { name in
            let fix =
                Nearest.suggestion(name, among: names)
                ?? (names.isEmpty ? "it takes none" : "its options are \(names.joined(separator: ", "))")
            return Problem(.usage, "`\(entry.stage)` has no option `\(name)`", fix: fix)
                .at(line: entry.options[name]?.line ?? entry.line, column: entry.options[name]?.column ?? entry.column)
        }
        problems += reader.mistakes.map { mistake in
            let value = mistake.option.flatMap { entry.options[$0] }
            return Problem(.usage, mistake.summary, fix: mistake.fix).inStage(entry.stage)
                .at(line: value?.line ?? entry.line, column: value?.column ?? entry.column)
        }
        return problems
    }
}
