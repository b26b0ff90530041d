import ArgumentParser
import ScanPipeline

/// How `run`, `plan` and `check` are told to use other options than a pipeline's file has.
struct SettingOptions: ParsableArguments {
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            """
            Change an option of a stage; `crop[2].above=0.1` changes the second `crop`. Can be repeated; for the same \
            option, the last counts.
            """, valueName: "stage.option=value"),
        completion: .setting)
    var settings: [String] = []
}

/// The options that `run` and `plan` share: which captures, and when they are done again.
struct BatchOptions: ParsableArguments {
    @Argument(help: "The pipeline's YAML file, or the name of a ready-made one.", completion: .pipeline)
    var pipeline: String
    @Argument(
        help: ArgumentHelp("Captures, or folders to search for captures.", valueName: "input"),
        completion: .capture)
    var inputs: [String]
    @Option(
        name: .shortAndLong, help: ArgumentHelp("The folder for the results.", valueName: "out"), completion: .directory
    )
    var output: String
    @Option(
        help: ArgumentHelp(
            "Run only the capture with this id, or those that match a pattern such as 'scene01*'. Can be repeated.",
            valueName: "id"))
    var only: [String] = []
    @Option(
        help: ArgumentHelp(
            """
            Leave out the capture with this id, or those whose ids match a pattern; do not report a folder of that \
            name without a capture. Can be repeated.
            """, valueName: "id"))
    var exclude: [String] = []
    @Flag(
        help: """
            Leave out captures that never had what the pipeline needs, such as depth. One that has a result, or whose \
            copy is incomplete, still fails.
            """)
    var excludeUnsuited = false
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp("Run only captures of this format. Can be repeated.", valueName: "format"),
        completion: .format)
    var formats: [String] = []
    @OptionGroup var changes: SettingOptions
    @Flag(help: "Also run captures whose result is up to date.") var force = false
    @Flag(help: "Also retry captures whose input was at fault and has not changed.") var retry = false
    @Flag(
        help: """
            Replace results of another pipeline, of other captures of the same name, of copies that have lost something \
            since, or with other files in them.
            """)
    var replace = false
    @Option(
        help: ArgumentHelp(
            """
            Leave captures that changed within this time, such as 90s, 10m, 2h or 1d, for the next run; a number alone \
            is seconds. Times further ahead than that are no reason to wait: a clock is wrong, and a warning says so.
            """, valueName: "time"))
    var settle: Duration?
    @Flag(help: "Print JSON.") var json = false

    /// An unset variable in a script gives an empty word.
    func validate() throws {
        if pipeline.isEmpty { throw ValidationError("PIPELINE is a YAML file, and was given as an empty word.") }
        if output.isEmpty { throw ValidationError("`-o` takes a folder, and was given an empty word.") }
        if inputs.contains("") { throw ValidationError("INPUT is a path, and was given as an empty word.") }
    }

    var settings: [String] { changes.settings }

    /// The words that choose among the captures that were found. An id with a dash in front would pass for an option by
    /// itself.
    var choice: [String] {
        only.map { "--only=\($0)" } + exclude.map { "--exclude=\($0)" }
            + (excludeUnsuited ? ["--exclude-unsuited"] : [])
    }

    /// Whether a person can type what is run: the inputs, and the words that choose among them.
    var isShort: Bool { inputs.count + choice.count <= RunRecord.Command.mostNamed }

    /// As an outcome of a capture that was left out, if that is asked of those which the pipeline does not suit. It once
    /// suited one that has a result, which has lost something since.
    func leavingOut(_ outcome: CaptureOutcome) -> CaptureOutcome {
        guard excludeUnsuited, let problem = outcome.ending.problem, problem.isUnsuited,
            !StateFolder(output: output).place(outcome.input.id).holdsResult
        else { return outcome }
        var leftOut = outcome
        leftOut.ending = .unsuited(problem)
        return leftOut
    }

    var rules: BatchPlan.Rules {
        var rules = BatchPlan.Rules()
        rules.isForced = force
        rules.triesAgain = retry
        rules.replaces = replace
        rules.settleSeconds = settle?.components.seconds ?? 0
        return rules
    }
}
