import ArgumentParser
import FoundationEssentials
import Glibc
import ScanModel
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

/// A length of time as people write it: `90s`, `10m`, `2h`, or whole seconds.
extension Duration: @retroactive ExpressibleByArgument {
    public init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        let unit = argument.last.flatMap { units[$0] }
        guard let number = Int64(unit == nil ? argument : String(argument.dropLast())), number >= 0, number < 1 << 40
        else { return nil }
        self = .seconds(number * (unit ?? 1))
    }

    public var defaultValueDescription: String {
        let seconds = components.seconds
        return seconds.isMultiple(of: 60) ? "\(seconds / 60)m" : "\(seconds)s"
    }
}

/// Bytes as people write them: `500M`, `20G`, `1.5TB`, `16GiB`, or a whole number.
struct ByteSize: ExpressibleByArgument, Sendable {
    var bytes: Int64

    var defaultValueDescription: String { Console.size(bytes) }

    init(bytes: Int64) { self.bytes = bytes }

    /// As it is read back: small numbers need a unit.
    var argument: String { bytes < 1_000_000 ? "\(Double(bytes) / 1000)k" : String(bytes) }

    init?(argument: String) {
        let powers: [Character: Double] = ["k": 1, "K": 1, "M": 2, "G": 3, "T": 4]
        var text = Substring(argument.hasSuffix("B") ? argument.dropLast() : argument[...])
        let isBinary = text.hasSuffix("i")
        if isBinary { text = text.dropLast() }
        let power = text.last.flatMap { powers[$0] }
        guard let number = Double(power == nil ? text : text.dropLast()), number >= 0, power != nil || !isBinary else {
            return nil
        }
        let bytes = number * pow(isBinary ? 1024 : 1000, power ?? 0)
        // Nobody means 20 bytes by 20.
        guard bytes < 9e18, bytes == 0 || bytes >= 1e6 || power != nil else { return nil }
        self.bytes = Int64(bytes)
    }
}

/// A time of day, `06:00`.
struct TimeOfDay: ExpressibleByArgument, Sendable {
    var hour: Int32
    var minute: Int32

    init?(argument: String) {
        let parts = argument.split(separator: ":").map { Int32($0) }
        guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0..<24).contains(hour),
            (0..<60).contains(minute)
        else { return nil }
        self.hour = hour
        self.minute = minute
    }

    /// The next time that the local clock shows it, seconds since 1970.
    var next: Int { LocalTime.next(hour: hour, minute: minute, after: time(nil)) }
}
