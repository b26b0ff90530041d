import ArgumentParser
import ScanModel
import ScanPipeline

@main
struct ScanMillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scanmill",
        abstract:
            "Turns phone and tablet scans into point clouds, meshes, NeRF data and staging captures, a night's batch at a time.",
        discussion: """
            A pipeline is a list of stages in a YAML file. `scanmill stages` lists the stages, \
            `scanmill pipelines` the ready-made pipelines.
            """,
        version: Tool.nameAndVersion,
        subcommands: [
            RunCommand.self, PlanCommand.self, StatusCommand.self, ReportCommand.self, VerifyCommand.self,
            GcCommand.self, CheckCommand.self, InspectCommand.self, PipelinesCommand.self, StagesCommand.self,
            FormatsCommand.self, SampleCommand.self, SchemaCommand.self, DocsCommand.self, ManPageCommand.self,
            CaptureChildCommand.self,
        ])

    /// Like the library's own `main`, but usage errors end with the code that all mistakes before a run have.
    @MainActor static func main() async {
        ProcessStart.prepare()
        do throws(Problem) { try CommandWords.requireKnown() } catch {
            exit(withError: Console.exitCode(saying: error))
        }
        refuseFileLikeAnOption()
        do {
            // The library would print the general help, and end with success.
            if CommandWords.arguments.first == "help", let unknownCommand { throw ValidationError(unknownCommand) }
            var command = try parseAsRoot(CommandWords.arguments)
            if var command = command as? any AsyncParsableCommand {
                // Nothing that is awaited would ever return, not even `run` itself, nor `--on-finish`.
                try Console.orExit(RunThreads.require)
                try await command.run()
            } else {
                try command.run()
            }
            try Console.requireOutput()
        } catch {
            if let code = error as? ExitCode { exit(withError: outranking(code)) }
            if exitCode(for: error) == .success {
                // The library would not notice that its help, its version or a completion script is lost.
                Console.raw(CompletionScript.offeringReadyPipelines(fullMessage(for: error)) + "\n", to: 1)
                exit(withError: outranking(.success))
            }
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            Console.error(unknownCommand ?? Quantity.explained(fullMessage(for: error)))
            exit(withError: ExitCode(ExitStatus.usage))
        }
    }

    /// How a command that has printed something ends: lost output outranks whatever was found, but not a signal.
    private static func outranking(_ code: ExitCode) -> any Error {
        if code.rawValue >= ExitStatus.signals { return code }
        do { try Console.requireOutput() } catch { return error }
        return code
    }

    /// Ends the process if a word is a file whose name begins with a dash, as a shell's `*` may give it: the library
    /// would take its letters for options, and help that nobody asked for would end the night with success.
    private static func refuseFileLikeAnOption() {
        let words = CommandWords.arguments.prefix { $0 != "--" }
        guard let word = words.first(where: { isShortOptions($0) && FileSystem.exists($0) }) else { return }
        let problem = Problem(
            .usage, "\(word) is there, but a name that begins with a dash is taken for an option",
            fix: "name it  \(ShellWord.quoted("./\(word)"))")
        exit(withError: Console.exitCode(saying: problem))
    }

    private static func isShortOptions(_ word: String) -> Bool {
        word.hasPrefix("-") && !word.hasPrefix("--") && word.count > 2
    }

    /// What to say about a word that is no command, behind `help` too; the library would call it and everything after
    /// it unexpected.
    private static var unknownCommand: String? {
        let shown = configuration.subcommands.filter { $0.configuration.shouldDisplay }
        let names = shown.compactMap { $0.configuration.commandName }
        guard let word = CommandWords.arguments.drop(while: { $0 == "help" }).first, !word.hasPrefix("-"),
            !configuration.subcommands.contains(where: { $0.configuration.commandName == word })
        else { return nil }
        let fix =
            Nearest.suggestion(word, among: names + ["--version"])
            ?? "the commands are \(names.joined(separator: ", ")); `scanmill --help` says what they do"
        return "error: there is no command `\(word)`\n   = fix: \(fix)"
    }
}
