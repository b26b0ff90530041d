import ScanModel

/// A list of stages with every option decided, its order checked.
public struct Pipeline: Sendable {
    /// A stage in its place.
    public struct Step: Sendable {
        /// The stage's name, followed by its number where it occurs more than once: `mask-range[2]`.
        public let label: String
        public let name: String
        public let stage: any Stage
        public internal(set) var uses: Uses
        /// Every option that has a value, defaults included.
        public let options: JSONObject
        /// Those of them that are not at their default.
        let deviations: JSONObject
        public let revision: Int

        /// Readers are the stages that make frames.
        var isReader: Bool { uses.finish.makes.contains(.frames) }

        /// Whether a frame that went through it can no longer be dropped: see ``FoldStage/bindsFrames``.
        var gathersFrames: Bool { (stage as? any FoldStage)?.bindsFrames ?? false }
    }

    public let name: String
    public let summary: String?
    public let steps: [Step]
    /// What is odd but not wrong: something is made that nothing uses.
    public let warnings: [Problem]

    /// Everything that decides what comes out, for receipts: `{name, stages: [{name, options}]}`.
    public var resolved: JSONValue { json { $0.options } }

    /// The same without options at their defaults, for keys: an option that a stage gets with its default leaves results as
    /// they are, and a default that changes comes with a new revision.
    var decisive: JSONValue { json { $0.deviations } }

    /// For each stage, its options that are not at their defaults.
    var deviating: [Set<String>] { steps.map { Set($0.deviations.keys) } }

    private func json(_ options: (Step) -> JSONObject) -> JSONValue {
        .object([
            "name": .string(name),
            "stages": .array(
                steps.map { .object(["name": .string($0.name), "options": .object(options($0))]) }),
        ])
    }
}

/// All the mistakes of a pipeline, in the order of their lines.
public struct PipelineMistakes: Error, Sendable {
    public var problems: [Problem]

    public init(problems: [Problem]) { self.problems = problems }

    /// The first alone, for a pipeline that has passed the check before, or that the tool itself made.
    package var first: Problem { problems.first ?? Problem(.tool, "the pipeline is not valid") }
}

extension Pipeline {
    /// Builds a pipeline from a file's text and `--set` changes, or reports every mistake in them.
    /// - Parameter isEditable: whether there is a file, in which mistakes can be mended.
    public static func load(
        text: String, path: String, isEditable: Bool = true, settings: [String] = [], library: StageLibrary
    ) throws(PipelineMistakes) -> Pipeline {
        var (file, mistakes) = PipelineFile.parse(text, path: path)
        file.isEditable = isEditable
        var problems: [Problem] = []
        var overrides: [OptionOverride] = []
        for setting in settings {
            do throws(Problem) { overrides.append(try OptionOverride(parsing: setting)) } catch {
                var problem = error
                problem.fix = OptionOverride.wayToWrite(setting, for: file, library) ?? error.fix
                problems.append(problem)
            }
        }
        return try build(file, overrides: overrides, library: library, earlier: problems + mistakes)
    }

    /// Builds a pipeline from entries, or reports every mistake in them.
    public static func build(
        _ file: PipelineFile, overrides: [OptionOverride] = [], library: StageLibrary, earlier: [Problem] = []
    ) throws(PipelineMistakes) -> Pipeline {
        var problems = earlier
        var file = file
        let labels = labels(of: file.entries.map(\.stage))
        for change in overrides { apply(change, to: &file, labels: labels, library, &problems) }

        var steps: [Step] = []
        var warnings: [Problem] = []
        var places: [PipelineFile.Entry] = []
        // Steps with mistakes of their own. What they need may be due to a mistake; what they make can be relied on.
        var doubtful: Set<Int> = []
        // How many steps come before the first entry whose meaning nobody can tell. Nothing is certain about the order
        // below it, and guesses would bury the mistake that causes them.
        var certain: Int?
        for (entry, label) in zip(file.entries, labels) {
            let known = problems.count
            if let step = step(for: entry, label, below: steps, in: file, library, &problems, &warnings) {
                if entry.isBroken || problems.count > known { doubtful.insert(steps.count) }
                steps.append(step)
                places.append(entry)
            } else if certain == nil {
                certain = steps.count
            }
        }
        let check = OrderCheck(steps: steps, library: library)
        let locate = { (finding: OrderCheck.Finding) in
            let entry = places[finding.step]
            return file.locate(noting(settingsOf: entry, finding.problem).at(line: entry.line, column: entry.column))
        }
        problems += check.mistakes.filter { $0.step < certain ?? .max && !doubtful.contains($0.step) }.map(locate)
        guard problems.isEmpty else { throw PipelineMistakes(problems: sorted(problems)) }
        return Pipeline(
            name: file.name, summary: file.summary, steps: steps,
            warnings: sorted(warnings + check.warnings.map(locate)))
    }

    /// What an entry seems to mean, even if misspelt; nil where nobody can tell. Mistakes are added to `problems`, and
    /// options without effect to `warnings`.
    private static func step(
        for entry: PipelineFile.Entry, _ label: String, below above: [Step], in file: PipelineFile,
        _ library: StageLibrary, _ problems: inout [Problem], _ warnings: inout [Problem]
    ) -> Step? {
        let known = library[entry.stage]
        let way = known == nil ? wayToWrite(entry, library) : nil
        if known == nil && !entry.stage.isEmpty {
            problems.append(
                file.locate(
                    Problem(
                        .usage, "there is no stage `\(entry.stage)`",
                        fix: way ?? library.suggestion(for: entry.stage) ?? "`scanmill stages` lists them"
                    ).at(line: entry.line, column: entry.column)))
        }
        guard let kind = known ?? library.nearest(to: entry.stage) else { return nil }
        if let stray = entry.stray, way == nil {
            problems.append(
                file.locate(
                    Problem(
                        .usage, "the options of `\(entry.stage)` are a mapping", fix: wayToWrite(stray, of: kind)
                    ).at(line: stray.line, column: stray.column)))
        }
        var reader = OptionReader(given: entry.options, above: above.map { ($0.name, $0.options) })
        let stage = kind.make(&reader)
        if known != nil && !entry.isBroken && entry.stray == nil {
            problems += optionProblems(reader, entry, label, file)
        }
        let uses = stage.uses
        warnings += (reader.odd + missingFiles(uses, entry)).map { located($0, label, entry, file) }
        return Step(
            label: label, name: entry.stage, stage: stage, uses: uses, options: reader.resolved,
            deviations: reader.deviations, revision: kind.card.revision)
    }

    /// Files that options name and that are not there, as far as that does not depend on the capture: other paths than
    /// whole ones may lie in it, and `{id}` is another name for each.
    private static func missingFiles(_ uses: Uses, _ entry: PipelineFile.Entry) -> [OptionReader.Mistake] {
        let fixed = uses.files.filter { $0.isAbsolutePath && !OptionText.namesCapture($0) }
        return fixed.filter { !FileSystem.exists($0) }.map { path in
            let option = entry.options.first { $0.value.texts == [path] }?.key
            return OptionReader.Mistake(option: option, summary: "there is no file at \(path)", fix: "check the path")
        }
    }

    /// How an entry is written whose first word is a stage, or whose value is one: `undistort one-camera: true`,
    /// `stage: write-ply`; nil for others.
    private static func wayToWrite(_ entry: PipelineFile.Entry, _ library: StageLibrary) -> String? {
        let value = entry.stray?.texts.joined(separator: " ") ?? ""
        if library[value] != nil { return "write  - \(value)" }
        guard entry.options.isEmpty,
            let end = entry.stage.firstIndex(where: { !$0.isLetter && !$0.isNumber && $0 != "-" }),
            let kind = library[String(entry.stage[..<end])],
            let meant = MeantOption("\(entry.stage[end...]) \(value)", among: kind.options)
        else { return nil }
        return "write  - \(kind.card.name): \(meant.inBraces)"
    }

    /// How a stage's options are written that are no mapping.
    private static func wayToWrite(_ stray: OptionValue, of kind: StageLibrary.Entry) -> String {
        let (name, options) = (kind.card.name, kind.options)
        if options.isEmpty { return "write  - \(name)  alone: it takes none" }
        let meant = stray.texts.count == 1 ? MeantOption(stray.texts[0], among: options) : nil
        return meant.map { "write  - \(name): \($0.inBraces)" }
            ?? "write  - \(name): {option: value}; \(options.listed)"
    }

    /// In the order of their places; those without one first.
    private static func sorted(_ problems: [Problem]) -> [Problem] {
        let places = problems.enumerated().map { ($1.place.line ?? 0, $1.place.column ?? 0, $0) }
        return places.sorted(by: <).map { problems[$0.2] }
    }

    /// `read`, `mask-range[1]`, `mask-range[2]`: numbers only where a name occurs more than once.
    package static func labels(of names: [String]) -> [String] {
        let counts = names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        var seen: [String: Int] = [:]
        return names.map { name in
            guard counts[name, default: 0] > 1 else { return name }
            seen[name, default: 0] += 1
            return "\(name)[\(seen[name, default: 0])]"
        }
    }

    private static func apply(
        _ change: OptionOverride, to file: inout PipelineFile, labels: [String], _ library: StageLibrary,
        _ problems: inout [Problem]
    ) {
        let matches = file.entries.indices.filter {
            labels[$0] == change.stage || file.entries[$0].stage == change.stage
        }
        let setting = "--set \(change.stage).\(change.option)=\(change.value)"
        guard let index = matches.first, matches.count == 1 else {
            let what =
                matches.isEmpty
                ? "this pipeline has no stage `\(change.stage)`"
                : "`\(change.stage)` stands here \(matches.count) times"
            let options = library[change.stage]?.options
            let kind = options?.first { $0.name == change.option }?.kind
            let value = PipelineFile.inBraces(change.value, as: kind)
            let fix =
                if !matches.isEmpty {
                    "say which: \(matches.map { labels[$0] }.joined(separator: " or "))"
                } else if let options, !options.contains(where: { $0.name == change.option }) {
                    "`\(change.stage)` has no option `\(change.option)` either; \(options.listed)"
                } else if file.isEditable, options != nil {
                    "`--set` adds no stage: put  - \(change.stage): {\(change.option): \(value)}  into a copy of the file"
                } else {
                    Nearest.suggestion(change.stage, among: labels)
                        ?? "its stages are \(labels.filter { !$0.isEmpty }.joined(separator: ", "))"
                }
            problems.append(Problem(.usage, what, notes: ["asked for by  \(setting)"], fix: fix))
            return
        }
        var value = PipelineFile.value(change.value)
        value.setting = setting
        file.entries[index].options[change.option] = value
    }

    private static func optionProblems(
        _ reader: OptionReader, _ entry: PipelineFile.Entry, _ label: String, _ file: PipelineFile
    ) -> [Problem] {
        let names = reader.specs.map(\.name)
        let unknown = reader.undeclared.map { name in
            let fix =
                if Double(name) != nil {
                    "write decimals with a point, as in 0.5, and lists in brackets, as in [1, 2]"
                } else if name.contains(where: { "= ".contains($0) }),
                    let meant = MeantOption(name, among: reader.specs)
                {
                    "write  \(meant.inBraces)"
                } else if let near = Nearest.suggestion(name, among: names) {
                    near
                } else if entry.options[name]?.texts.joined().isEmpty != false,
                    let option = reader.specs.choice(of: name)?.name
                {
                    "write  \(option): \(name)"
                } else {
                    reader.specs.listed
                }
            let problem = Problem(.usage, "`\(entry.stage)` has no option `\(name)`", fix: fix)
            return place(problem, at: name, of: entry, in: file)
        }
        // A mistake of the stage as a whole may come of a name that is unknown: it is said once the names are right.
        let certain = reader.mistakes.filter { $0.option != nil || unknown.isEmpty }
        return unknown + certain.map { located(reader.advised($0), label, entry, file) }
    }

    private static func located(
        _ mistake: OptionReader.Mistake, _ label: String, _ entry: PipelineFile.Entry, _ file: PipelineFile
    ) -> Problem {
        let problem = Problem(.usage, mistake.summary, fix: mistake.fix).inStage(label)
        return place(problem, at: mistake.option, of: entry, in: file)
    }

    /// What the file's line does not show of a stage.
    private static func noting(settingsOf entry: PipelineFile.Entry, _ problem: Problem) -> Problem {
        let settings = entry.options.values.compactMap(\.setting).sorted()
        return settings.isEmpty ? problem : problem.noting("it stands there with  \(settings.joined(separator: " "))")
    }

    /// Where an option stands: in the file, or on the command line.
    private static func place(
        _ problem: Problem, at option: String?, of entry: PipelineFile.Entry, in file: PipelineFile
    ) -> Problem {
        let value = option.flatMap { entry.options[$0] }
        if let setting = value?.setting { return problem.noting("asked for by  \(setting)") }
        return file.locate(
            noting(settingsOf: entry, problem).at(
                line: value?.line ?? entry.line, column: value?.column ?? entry.column))
    }
}
