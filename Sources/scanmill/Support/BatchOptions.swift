import ArgumentParser
import ScanPipeline

/// How `run`, `plan` and `check` are told that a pipeline's options are to be others than in its file.
struct SettingOptions: ParsableArguments {
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Change an option of a stage; of the second one of a name with `crop[2].above=0.1`. Can be repeated.",
            valueName: "stage.option=value"),
        completion: .setting)
    var settings: [String] = []
}

/// The options that `run` and `plan` share: which captures, and when they are done again.
struct BatchOptions: ParsableArguments {
    @Argument(help: "The pipeline's YAML file.", completion: .pipeline) var pipeline: String
    @Argument(
        help: ArgumentHelp("Captures, or folders in which captures are searched.", valueName: "input"),
        completion: .capture)
    var inputs: [String]
    @Option(
        name: .shortAndLong, help: ArgumentHelp("The folder for the results.", valueName: "out"), completion: .directory
    )
    var output: String
    @Option(help: ArgumentHelp("Run only the capture with this id. Can be repeated.", valueName: "id")) var only:
        [String] = []
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp("Run only captures of this format. Can be repeated.", valueName: "format"),
        completion: .format)
    var formats: [String] = []
    @OptionGroup var changes: SettingOptions
    @Flag(help: "Run captures whose result is up to date, too.") var force = false
    @Flag(help: "Try captures again whose input was at fault and has not changed.") var retry = false
    @Option(
        help: ArgumentHelp(
            """
            Leave captures for the next run that changed within this time, such as 10m. Times that are further ahead are no \
            reason to wait: a clock is wrong, and a warning says so.
            """, valueName: "time"))
    var settle: Duration?
    @Flag(help: "Print JSON.") var json = false

    /// A variable of a script that is not set gives an empty word.
    func validate() throws {
        if output.isEmpty { throw ValidationError("`-o` takes a folder, and was given an empty word.") }
        if inputs.contains("") { throw ValidationError("INPUT is a path, and was given as an empty word.") }
    }

    var settings: [String] { changes.settings }

    var rules: BatchPlan.Rules {
        var rules = BatchPlan.Rules()
        rules.isForced = force
        rules.triesAgain = retry
        rules.settleSeconds = settle?.components.seconds ?? 0
        return rules
    }
}
