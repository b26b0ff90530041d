import ArgumentParser
import ScanModel
import ScanPipeline

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Shows all mistakes in a pipeline at once.",
        discussion: "Nothing is run. Exit code 2 when there is a mistake, 0 otherwise; warnings do not count.")

    @Argument(help: "The pipeline's YAML file, or the name of a ready-made one.", completion: .pipeline)
    var pipeline: String
    @OptionGroup var changes: SettingOptions
    @Flag(help: "Print JSON.") var json = false

    /// An unset variable in a script gives an empty word.
    func validate() throws {
        if pipeline.isEmpty { throw ValidationError("PIPELINE is a YAML file, and was given as an empty word.") }
    }

    func run() throws {
        let problems: [Problem]
        var warnings: [Problem] = []
        do throws(PipelineMistakes) {
            warnings = try LoadedPipeline.open(pipeline, settings: changes.settings).pipeline.warnings
            problems = []
        } catch { problems = error.problems }

        if json {
            Console.out(
                .object([
                    "ok": .bool(problems.isEmpty), "mistakes": .array(problems.map { .object($0.json) }),
                    "warnings": .array(warnings.map { .object($0.json) }),
                ]))
        } else {
            for problem in problems { Console.error(problem.compilerStyle) }
            for warning in warnings { Console.error(warning.compilerStyleWarning) }
            Console.out(
                problems.isEmpty ? "\(pipeline): ok" : "\(pipeline): \(problems.count.counted("mistake"))")
        }
        if !problems.isEmpty { throw ExitCode(ExitStatus.usage) }
    }
}
