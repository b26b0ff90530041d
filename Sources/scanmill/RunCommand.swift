import ArgumentParser
import FoundationEssentials
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Takes captures through a pipeline.",
        discussion: """
            INPUT is a capture (a folder or an archive), or a folder in which captures are searched. Each capture is
            published as OUT/<id>/ in one step, complete with its receipt.json, or not at all.

            Exit codes: 0 all captures are done, 1 some failed, 2 usage or an invalid pipeline (nothing was run), 3 the
            environment (disk, permission, a missing tool).
            """)

    @Argument(help: "The pipeline's YAML file.") var pipeline: String
    @Argument(help: "Captures, or folders in which captures are searched.") var inputs: [String]
    @Option(name: .shortAndLong, help: "The folder for the results.") var output: String
    @Option(help: "Cores to use in all, over captures and over frames inside one.") var jobs: Int?
    @Option(help: "Run only the capture with this id. Can be repeated.") var only: [String] = []
    @Option(name: .customLong("set"), help: "Change an option: stage.option=value. Can be repeated.") var settings: [String] = []
    @Flag(help: "Print one JSON object for the whole run.") var json = false
    @Flag(name: .shortAndLong, help: "Say nothing unless something failed.") var quiet = false

    func validate() throws {
        if inputs.isEmpty { throw ValidationError("Name at least one INPUT.") }
        if let jobs, jobs < 1 { throw ValidationError("`--jobs` takes a whole number of at least 1.") }
    }

    func run() async throws {
        let loaded = try LoadedPipeline.load(pipeline, settings: settings)
        let found = try CaptureList.find(inputs, only: only, output: output, pipelineFolder: ConsoleFile.folder(of: pipeline))
        if !quiet && !json {
            for warning in loaded.pipeline.warnings {
                Console.error(warning.compilerStyle.replacing(": error: ", with: ": warning: ", maxReplacements: 1))
            }
        }
        let report = RunReport(quiet: quiet || json)
        var outcomes = found.refused
        for outcome in found.refused { report.ended(outcome) }
        let output = output
        let settings = settings
        outcomes += await Batch(launch: CaptureProcess.launch).run(
            found.inputs, cores: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            make: { input, workers in
                CaptureJob(
                    input: input, pipelineText: loaded.text, pipelinePath: loaded.path, settings: settings, output: output,
                    workers: workers)
            },
            event: { _, _ in }, ended: report.ended)
        if json { Console.out(RunReport.json(outcomes)) }
        report.summary(outcomes, command: "scanmill run \(pipeline)", output: output)
        if let code = RunReport.exitCode(outcomes) { throw ExitCode(code) }
    }
}
