import ArgumentParser
import ScanModel
import ScanPipeline

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads every published file again and compares it with its receipt.",
        discussion:
            "Exit code 3 when a file is missing, has other bytes, or is not listed, 2 when nothing was run into the folder."
    )

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        try Console.orExit { () throws(Problem) in try StateFolder(output: output).requireOutput() }
        var results: [(id: String, problems: [Problem])] = []
        for id in StateFolder(output: output).published {
            let problems =
                PublishedResult(id, in: output)?.verify() ?? [
                    Problem(
                        .environment, "the receipt cannot be read",
                        fix: "let the user who runs scanmill read it; if it is damaged, run the capture again"
                    ).at(file: "\(output)/\(id)/\(Receipt.fileName)")
                ]
            results.append((id, problems))
        }
        for id in StateFolder(output: output).withoutReceipt {
            let folder = "\(output)/\(id)"
            do throws(Problem) { results.append((id, [try PublishedResult.loss(of: folder)])) } catch {
                results.append((id, [error]))
            }
        }
        if !json { for problem in results.flatMap(\.problems) { Console.error(problem.message()) } }
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
                "\(results.count.counted("result")): \(results.count - bad.count) sound, \(bad.count) damaged")
        }
        if !bad.isEmpty { throw ExitCode(ExitStatus.environment) }
    }
}
