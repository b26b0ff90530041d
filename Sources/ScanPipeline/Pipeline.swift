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
        /// What it was made of.
        let kind: StageLibrary.Entry
        let given: [String: OptionValue]

        /// Makes a step.
        /// - Parameters:
        ///   - given: its options.
        ///   - above: the steps above it.
        /// - Returns: also what has read the options, with the mistakes in them.
        static func make(
            _ kind: StageLibrary.Entry, name: String, label: String, given: [String: OptionValue],
            below above: [Pipeline.Step]
        ) -> (step: Pipeline.Step, reader: OptionReader) {
            var reader = OptionReader(given: given, above: above.map { ($0.name, $0.options) })
            let stage = kind.make(&reader)
            let step = Pipeline.Step(
                label: label, name: name, stage: stage, uses: stage.uses, options: reader.resolved,
                deviations: reader.deviations, revision: kind.card.revision, kind: kind, given: given)
            return (step, reader)
        }

        /// The same step with other options.
        /// - Parameter above: the steps above it.
        /// - Returns: as ``make(_:name:label:given:below:)``.
        func with(
            _ options: [String: OptionValue], below above: [Pipeline.Step]
        ) -> (step: Pipeline.Step, reader: OptionReader) {
            Self.make(kind, name: name, label: label, given: options, below: above)
        }

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
        var builder = PipelineBuilder(file, library, earlier: earlier)
        for change in overrides { builder.apply(change) }
        return try builder.build()
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
}
