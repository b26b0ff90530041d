import ArgumentParser
import ScanModel
import ScanPipeline

struct GcCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc", abstract: "Removes what killed runs and samples left behind.",
        discussion: """
            Results are never touched, nor is anything that a runner still works on. What was kept of captures that \
            have neither a result nor a failure note any more goes too, as it does with each run.
            """)

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String

    func run() throws {
        // A folder into which a sample was to be written, say, is no run's.
        let scratch = ScratchFolder(in: output).tidy()
        let (removed, left) =
            if !scratch.removed.isEmpty || !scratch.left.isEmpty { scratch } else {
                try Console.orExit { () throws(Problem) in
                    let state = StateFolder(output: output)
                    try state.requireOutput()
                    return try Leftovers.collect(in: state)
                }
            }
        Console.out("\(removed.count.counted("leftover")) removed")
        guard let first = left.first else { return }
        try Console.orExit { () throws(Problem) in
            throw Problem(
                .environment, "\(left.count.counted("leftover")) could not be removed, such as this one",
                fix: "run it as the user who runs scanmill, or remove it by hand"
            ).at(file: first)
        }
    }
}
