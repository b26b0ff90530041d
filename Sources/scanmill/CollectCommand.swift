import ArgumentParser
import ScanModel
import ScanPipeline

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
