import ArgumentParser
import ScanModel
import ScanPipeline

struct GcCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc", abstract: "Removes what killed runs and samples left behind.",
        discussion: """
            Results are never touched, nor is anything that a runner is still working on. What was kept about captures \
            that no longer have a result or a failure note is removed too, as it is by each run. What a killed `sample` or \
            `inspect` left goes once nothing in it has changed for an hour.
            """)

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String

    func run() throws {
        // The folder may not belong to a run: a sample was to be written into it, say.
        let scratch = ScratchFolder(in: output)
        let tidied = scratch.tidy()
        let (removed, left) =
            if !tidied.removed.isEmpty || !tidied.left.isEmpty { tidied } else {
                try Console.orExit { () throws(Problem) in
                    do throws(Problem) { try NamedPath.requireOutput(output) } catch {
                        throw error.fault == .usage ? scratch.unfinished ?? error : error
                    }
                    return try Leftovers.collect(in: StateFolder(output: output))
                }
            }
        Console.out("\(removed.count.counted("leftover")) removed")
        guard let first = left.first else { return }
        throw Console.exitCode(
            saying: Problem(
                .environment, "\(left.count.counted("leftover")) could not be removed, such as this one",
                fix: "run it as the user who runs scanmill, or remove it by hand"
            ).at(file: first))
    }
}
