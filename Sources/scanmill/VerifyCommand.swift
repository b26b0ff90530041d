import ArgumentParser
import ScanModel
import ScanPipeline

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads every published file again and compares it with its receipt.",
        discussion: """
            Exit code 3 when a file is missing, cannot be read, has different bytes or is not listed, or when a folder \
            that may be a result cannot be looked into; 2 when nothing was run into the folder.
            """)

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let state = StateFolder(output: output)
        try Console.orExit { () throws(Problem) in try NamedPath.requireOutput(output) }
        var results: [(id: String, problems: [Problem])] = []
        // Reading everything may take long, so what is found is said at once.
        func note(_ id: String, _ problems: [Problem]) {
            results.append((id, problems))
            if !json { for problem in problems { Console.error(problem.message()) } }
        }
        for id in state.published {
            let problems = PublishedResult.verify(id, in: output)
            // Results are moved away in the morning.
            if problems.isEmpty && !FileSystem.leads("\(output)/\(id)") { continue }
            note(id, problems)
        }
        for (id, problem) in state.lost { note(id, [problem]) }
        let (count, damaged) = (results.count, results.count { !$0.problems.isEmpty })
        let obscure = state.obscure
        for (id, problem) in obscure { note(id, [problem]) }
        if json {
            Console.out(
                .array(
                    results.map { result in
                        .object([
                            "id": .string(result.id), "sound": .bool(result.problems.isEmpty),
                            "problems": .of(result.problems.map(\.oneLine)),
                        ])
                    }))
        } else {
            let more = obscure.isEmpty ? "" : "; \(obscure.count.counted("folder")) could not be looked into"
            Console.out("\(count.counted("result")): \(count - damaged) sound, \(damaged) damaged\(more)")
        }
        if damaged > 0 || !obscure.isEmpty { throw ExitCode(ExitStatus.environment) }
    }
}
