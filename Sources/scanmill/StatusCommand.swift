import ArgumentParser
import ScanModel
import ScanPipeline

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Lists what is stale, failed, running, or was never run, and counts what is done.",
        discussion:
            "Everything is read from receipts, failure notes and the plans of earlier runs; there is no database.")

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        try Console.orExit { () throws(Problem) in try StateFolder(output: output).requireOutput() }
        let entries = OutputStatus(output: output, programs: .installed).entries
        if json {
            Console.out(
                .array(
                    entries.map { entry in
                        var object: JSONObject = ["id": .string(entry.id), "status": .string(entry.standing.rawValue)]
                        object["cause"] = entry.cause.map { .string($0) }
                        return .object(object)
                    }))
            return
        }
        for entry in entries where entry.standing != .done {
            Console.out("\(entry.standing.rawValue)  \(entry.id)\(entry.cause.map { "  \($0)" } ?? "")")
        }
        let groups = Dictionary(grouping: entries, by: \.standing)
        let parts = OutputStatus.Standing.allCases.compactMap { standing in
            groups[standing].map { "\($0.count) \(standing.rawValue)" }
        }
        Console.out(entries.isEmpty ? "nothing has been run into \(output)" : parts.joined(separator: ", "))
    }
}

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads every published file again and compares it with its receipt.",
        discussion: "Exit code 3 when a file is missing, has other bytes, or is not listed.")

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        try Console.orExit { () throws(Problem) in try StateFolder(output: output).requireOutput() }
        var results: [(id: String, problems: [Problem])] = []
        for id in StateFolder(output: output).published {
            let problems =
                PublishedResult(id, in: output)?.verify() ?? [
                    Problem(.environment, "the receipt cannot be read").at(file: "\(output)/\(id)/\(Receipt.fileName)")
                ]
            results.append((id, problems))
            if !json { for problem in problems { Console.error(problem.message()) } }
        }
        let bad = results.filter { !$0.problems.isEmpty }
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
            Console.out(
                "\(Console.count(results.count, "result")): \(results.count - bad.count) sound, \(bad.count) damaged")
        }
        if !bad.isEmpty { throw ExitCode(ExitStatus.environment) }
    }
}

struct CollectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc", abstract: "Removes what killed runs left behind.",
        discussion: "Results are never touched, nor is anything that a runner still works on.")

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String

    func run() throws {
        let removed = try Console.orExit { () throws(Problem) in
            let state = StateFolder(output: output)
            try state.requireOutput()
            return try Leftovers.collect(in: state)
        }
        Console.out("\(Console.count(removed.count, "leftover")) removed")
    }
}
