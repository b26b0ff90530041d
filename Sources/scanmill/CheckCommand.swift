import ArgumentParser
import ScanModel
import ScanPipeline

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Shows all mistakes in a pipeline at once.",
        discussion: """
            Nothing is run. Exit code 2 when there is a mistake, 3 when the file cannot be read, 0 otherwise; warnings do \
            not count.
            """)

    @Argument(help: "The pipeline's YAML file, or the name of a ready-made one.", completion: .pipeline)
    var pipeline: String
    @OptionGroup var changes: SettingOptions
    @Flag(help: "Print JSON.") var json = false

    /// An unset variable in a script gives an empty word.
    func validate() throws {
        if pipeline.isEmpty { throw ValidationError("PIPELINE is a YAML file, and was given as an empty word.") }
    }

    func run() throws {
        var mistakes: PipelineMistakes?
        var warnings: [Problem] = []
        do throws(PipelineMistakes) {
            warnings = try LoadedPipeline.open(pipeline, settings: changes.settings).pipeline.warnings
        } catch { mistakes = error }
        let problems = mistakes?.problems ?? []

        if json {
            Console.out(
                .object([
                    "ok": .bool(problems.isEmpty), "mistakes": .array(problems.map { .object($0.json) }),
                    "warnings": .array(warnings.map { .object($0.json) }),
                ]))
        } else {
            for problem in problems { Console.error(problem.compilerStyle) }
            for warning in warnings { Console.error(warning.compilerStyleWarning) }
            Console.out("\(pipeline): " + (mistakes.map { $0.count ?? "not checked" } ?? "ok"))
        }
        if let mistakes { throw ExitCode(mistakes.exitCode) }
    }
}
