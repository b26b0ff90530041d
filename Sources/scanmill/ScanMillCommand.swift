import ArgumentParser
import ScanFormats
import ScanPipeline

@main
struct ScanMillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scanmill",
        abstract:
            "Turns phone and tablet scans into point clouds, NeRF data and staging captures, a night's batch at a time.",
        discussion: """
            A pipeline is a list of stages in a YAML file. `scanmill stages` lists the stages; ready pipelines are in the \
            folder pipelines/.
            """,
        version: Tool.nameAndVersion,
        subcommands: [
            RunCommand.self, PlanCommand.self, StatusCommand.self, ReportCommand.self, VerifyCommand.self,
            CollectCommand.self,
            CheckCommand.self,
            InspectCommand.self, StagesCommand.self, FormatsCommand.self, SampleCommand.self, SchemaCommand.self,
            DocsCommand.self, ManPageCommand.self, CaptureChildCommand.self,
        ])

    /// As the library's own, but mistakes of usage end with the code that all mistakes before a run have.
    static func main() async {
        ProcessStart.prepare()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            try Console.requireOutput()
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            Console.error(fullMessage(for: error))
            exit(withError: ExitCode(ExitStatus.usage))
        }
    }
}

enum Tool {
    static let version = "0.1.0"
    /// The day of that version, which manual pages show.
    static let released = "2026-11-22"
    static let nameAndVersion = "scanmill \(version)"
}

extension ProgramVersions {
    static var installed: ProgramVersions {
        ProgramVersions(tool: Tool.nameAndVersion) { name in (try? FFmpeg.toolVersions())?[name] }
    }
}
