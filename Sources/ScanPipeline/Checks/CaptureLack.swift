import ScanModel

/// What a capture lacks for a step, or what else is certain to make that step fail.
struct CaptureLack {
    /// What the pipeline would have to be like for the capture.
    enum Way: Hashable {
        /// Another one.
        case otherPipeline
        /// Its steps do without by these settings; and what to do where that does not help the capture.
        case settings([StageSetting], otherwise: String)
        /// The reader can be told more.
        case reader
        /// As the stage itself says.
        case said
    }

    var problem: Problem
    var way: Way

    var stage: String? { problem.place.stage }
    var settings: [StageSetting] { if case .settings(let settings, _) = way { settings } else { [] } }

    /// Whether another pipeline, or other options, would do with the capture as it is.
    var isOfPipeline: Bool { problem.isOfPipeline || way == .said && problem.fault == .usage }

    /// What to say where settings do not help.
    var withoutSettings: Problem {
        guard case .settings(_, let otherwise) = way else { return problem }
        var problem = problem
        problem.fix = otherwise
        return problem
    }
}

/// A `--set` by which a stage does without something.
struct StageSetting: Hashable {
    /// The stage's, as the pipeline numbers it.
    var label: String
    var option: String
    var value: String
    /// The value that makes the need.
    var cause: String

    /// Whether both give one option a value.
    func isOfSameOption(as other: StageSetting) -> Bool { (label, option) == (other.label, other.option) }

    /// "do without `masks: depth` with  --set write-transforms.masks=none"
    static func words(_ settings: [StageSetting]) -> String {
        let causes = settings.map { "`\($0.option): \($0.cause)`" }.unique
        let texts = settings.map { ShellWord.setting($0.label, "\($0.option)=\($0.value)") }.unique
        return "do without \(causes.listed) with  \(texts.joined(separator: " "))"
    }
}

extension [Pipeline.Step] {
    /// The same steps with other options; nil where they do not take them.
    func setting(_ settings: [StageSetting]) -> [Pipeline.Step]? {
        var steps: [Pipeline.Step] = []
        for old in self {
            var given = old.given
            for change in settings where change.label == old.label {
                given[change.option] = OptionValue(.scalar(change.value))
            }
            let (step, reader) = old.with(given, below: steps)
            guard reader.mistakes.isEmpty, reader.undeclared.isEmpty else { return nil }
            steps.append(step)
        }
        return steps
    }

    /// In the order of the steps that they are for.
    func inOrder(_ settings: [StageSetting]) -> [StageSetting] {
        flatMap { step in settings.filter { $0.label == step.label } }
    }
}
