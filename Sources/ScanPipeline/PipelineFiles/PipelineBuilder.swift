import ScanModel

/// Makes the steps of a pipeline of its file's entries, and collects every mistake in them.
struct PipelineBuilder {
    private var file: PipelineFile
    /// Of the file's entries.
    private let labels: [String]
    private let library: StageLibrary
    private var problems: [Problem]
    private var warnings: [Problem] = []
    private var steps: [Pipeline.Step] = []

    /// - Parameter earlier: what is known to be wrong before the entries are looked at.
    init(_ file: PipelineFile, _ library: StageLibrary, earlier: [Problem]) {
        self.file = file
        self.library = library
        labels = Pipeline.labels(of: file.entries.map(\.stage))
        problems = earlier
    }

    /// Called once, when all settings are applied.
    mutating func build() throws(PipelineMistakes) -> Pipeline {
        // Of the steps.
        var entries: [PipelineFile.Entry] = []
        // Steps with mistakes of their own. What they need may be due to a mistake; what they make can be relied on.
        var doubtful: Set<Int> = []
        // Those of them of which it is certain what stage was meant, without any option.
        var plain: [Int: Pipeline.Step] = [:]
        // How many steps come before the first entry whose meaning nobody can tell. Nothing is certain about the order
        // below it, and guesses would bury the mistake that causes them.
        var certain: Int?
        for (entry, label) in zip(file.entries, labels) {
            let known = problems.count
            if let step = step(for: entry, label) {
                if entry.isBroken || problems.count > known {
                    doubtful.insert(steps.count)
                    let isClear = !entry.isBroken && library[entry.stage] != nil
                    if isClear { plain[steps.count] = step.with([:], below: steps).step }
                }
                steps.append(step)
                entries.append(entry)
            } else if certain == nil {
                certain = steps.count
            }
        }
        let check = OrderCheck(steps: steps, library: library)
        let sound = (check.mistakes + ClaimCheck.mistakes(in: steps)).filter { !doubtful.contains($0.step) }
        let locate = { [file] (finding: OrderCheck.Finding) in
            let entry = entries[finding.step]
            return file.locate(
                finding.problem.noting(settingsOf: entry, in: file).at(line: entry.line, column: entry.column))
        }
        problems += (sound + mistakes(of: plain, alsoIn: check)).filter { $0.step < certain ?? .max }.map(locate)
        guard problems.isEmpty else { throw PipelineMistakes(problems: Self.sorted(problems)) }
        return Pipeline(
            name: file.name, summary: file.summary, steps: steps,
            warnings: Self.sorted(warnings + check.warnings.map(locate)))
    }

    /// What is wrong with the places of steps whose options are wrong, and would be wrong without these options too.
    /// - Parameter plain: those steps without any option.
    private func mistakes(of plain: [Int: Pipeline.Step], alsoIn check: OrderCheck) -> [OrderCheck.Finding] {
        if plain.isEmpty { return [] }
        let others = OrderCheck(steps: steps.indices.map { plain[$0] ?? steps[$0] }, library: library).mistakes
        return check.mistakes.filter { mistake in
            plain[mistake.step] != nil
                && others.contains { $0.step == mistake.step && $0.problem.summary == mistake.problem.summary }
        }
    }

    /// In the order of their places; those without one first.
    private static func sorted(_ problems: [Problem]) -> [Problem] {
        let places = problems.enumerated().map { ($1.place.line ?? 0, $1.place.column ?? 0, $0) }
        return places.sorted(by: <).map { problems[$0.2] }
    }

    // MARK: - Settings

    /// Puts the value of a `--set` into the entry that it names.
    mutating func apply(_ change: OptionOverride) {
        let matches = file.entries.indices.filter {
            labels[$0] == change.stage || file.entries[$0].stage == change.stage
        }
        let setting = "--set \(change.stage).\(change.option)=\(change.value)"
        guard let index = matches.first, matches.count == 1 else {
            let what =
                matches.isEmpty
                ? "this pipeline has no stage `\(change.stage)`"
                : "`\(change.stage)` occurs here \(matches.count) times"
            let fix =
                matches.isEmpty
                ? wayToAim(change) : "say which: \(matches.map { labels[$0] }.joined(separator: " or "))"
            problems.append(Problem(.usage, what, notes: ["asked for by  \(setting)"], fix: fix))
            return
        }
        var value = PipelineFile.value(change.value)
        value.setting = setting
        file.entries[index].options[change.option] = value
    }

    /// What to do about a setting for a stage that the pipeline does not have.
    private func wayToAim(_ change: OptionOverride) -> String {
        let options = library[change.stage]?.options
        let option = options?.first { $0.name == change.option }
        if let options, option == nil {
            return "`\(change.stage)` has no option `\(change.option)` either; \(options.listed)"
        }
        if let option, file.isEditable {
            let value = PipelineFile.inBraces(change.value, as: option.kind)
            let entry = "- \(change.stage): {\(change.option): \(value)}"
            return "`--set` adds no stage: put  \(entry)  into a copy of the file"
        }
        return Nearest.suggestion(change.stage, among: labels)
            ?? "its stages are \(labels.filter { !$0.isEmpty }.joined(separator: ", "))"
    }

    // MARK: - One entry

    /// What an entry seems to mean, even if misspelt; nil where nobody can tell.
    private mutating func step(for entry: PipelineFile.Entry, _ label: String) -> Pipeline.Step? {
        let known = library[entry.stage]
        let way = known == nil ? wayToWrite(entry) : nil
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
                        .usage, "the options of `\(entry.stage)` are a mapping", fix: Self.wayToWrite(stray, of: kind)
                    ).at(line: stray.line, column: stray.column)))
        }
        let (step, reader) = Pipeline.Step.make(
            kind, name: entry.stage, label: label, given: entry.options, below: steps)
        if known != nil && !entry.isBroken && entry.stray == nil { addMistakes(of: reader, in: entry, label) }
        warnings += (reader.odd + Self.missingFiles(step.uses, entry)).map { located($0, in: entry, label) }
        return step
    }

    /// How an entry is written whose first word is a stage, or whose value is one: `undistort one-camera: true`,
    /// `stage: write-ply`; nil for others.
    private func wayToWrite(_ entry: PipelineFile.Entry) -> String? {
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

    /// Files that options name and that are not there, as far as that does not depend on the capture: other paths than
    /// whole ones may lie in it, and `{id}` is another name for each.
    private static func missingFiles(_ uses: Uses, _ entry: PipelineFile.Entry) -> [OptionReader.Mistake] {
        let fixed = uses.files.filter { $0.isAbsolutePath && !OptionText.namesCapture($0) }
        return fixed.filter { !FileSystem.exists($0) }.map { path in
            let option = entry.options.first { $0.value.texts == [path] }?.key
            return OptionReader.Mistake(option: option, summary: "there is no file at \(path)", fix: "check the path")
        }
    }

    // MARK: - Its options

    private mutating func addMistakes(of reader: OptionReader, in entry: PipelineFile.Entry, _ label: String) {
        let unknown = reader.undeclared.map { name in
            let problem = Problem(
                .usage, "`\(entry.stage)` has no option `\(name)`",
                fix: Self.wayToWrite(name, entry.options[name], among: reader.specs))
            return placed(problem, at: name, of: entry)
        }
        // A mistake of the stage as a whole may come of a name that is unknown: it is said once the names are right.
        let certain = reader.mistakes.filter { $0.option != nil || unknown.isEmpty }
        problems += unknown + certain.map { located(reader.advised($0), in: entry, label) }
    }

    /// What to write in the place of a name that no option has.
    private static func wayToWrite(_ name: String, _ value: OptionValue?, among specs: [OptionSpec]) -> String {
        if Double(name) != nil { return "write decimals with a point, as in 0.5, and lists in brackets, as in [1, 2]" }
        if name.contains(where: { "= ".contains($0) }), let meant = MeantOption(name, among: specs) {
            return "write  \(meant.inBraces)"
        }
        if let near = Nearest.suggestion(name, among: specs.map(\.name)) { return near }
        if value?.texts.joined().isEmpty != false, let option = specs.choice(of: name)?.name {
            return "write  \(option): \(name)"
        }
        return specs.listed
    }

    private func located(
        _ mistake: OptionReader.Mistake, in entry: PipelineFile.Entry, _ label: String
    ) -> Problem {
        let problem = Problem(.usage, mistake.summary, fix: mistake.fix).inStage(label)
        return placed(problem, at: mistake.option, of: entry)
    }

    /// With the place where an option stands: in the file, or on the command line.
    private func placed(_ problem: Problem, at option: String?, of entry: PipelineFile.Entry) -> Problem {
        let value = option.flatMap { entry.options[$0] }
        if let setting = value?.setting { return problem.noting("asked for by  \(setting)") }
        return file.locate(
            problem.noting(settingsOf: entry, in: file).at(
                line: value?.line ?? entry.line, column: value?.column ?? entry.column))
    }
}

extension Problem {
    /// With what the file's line does not show of a stage.
    fileprivate func noting(settingsOf entry: PipelineFile.Entry, in file: PipelineFile) -> Problem {
        let settings = entry.options.values.compactMap(\.setting).sorted()
        if settings.isEmpty { return self }
        // Where nobody can look into a file, nothing stands there.
        return noting("\(file.isEditable ? "it stands there" : "asked for") with  \(settings.joined(separator: " "))")
    }
}
