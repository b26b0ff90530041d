import ArgumentParser
import ScanModel
import ScanPipeline

struct GcCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc", abstract: "Removes what killed runs and samples left behind.",
        discussion: """
            Results are never touched, nor is anything that a runner is still working on. What was kept about captures \
            that no longer have a result or a failure note is removed too, as it is by each run. What a killed `sample` or \
            `inspect` left goes once nothing in it has changed for an hour. An older result that a killed run had moved \
            away is put back where there is no newer one.
            """)

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String
    @Flag(help: "Say what would be removed, and remove nothing.") var dryRun = false

    /// How many paths are named.
    private static let shown = 20

    func run() throws {
        // The folder may not belong to a run: a sample was to be written into it, say.
        let scratch = ScratchFolder(in: output)
        let tidied = dryRun ? scratch.foreseen : scratch.tidy()
        let found =
            if !tidied.isEmpty { tidied } else {
                try Console.orExit { () throws(Problem) in
                    do throws(Problem) { try NamedPath.requireOutput(output) } catch {
                        throw error.fault == .usage ? scratch.unfinished ?? error : error
                    }
                    let state = StateFolder(output: output)
                    return dryRun ? try Leftovers.foreseen(in: state) : try Leftovers.collect(in: state)
                }
            }
        name(found.removed, dryRun ? "would remove" : "removed")
        name(found.putBack, dryRun ? "would put back" : "put back")
        let become = dryRun ? "would be " : ""
        let count = "\(found.removed.count.counted("leftover")) \(become)removed"
        let putBack = "\(found.putBack.count.counted("older result")) \(become)put back"
        Console.out(found.putBack.isEmpty ? count : "\(count), \(putBack)")
        for part in StateFolder(output: output).linkedParts {
            Console.error(Console.visible("warning: \(part) is a link: nothing behind it is removed"))
        }
        guard let first = found.left.first else { return }
        throw Console.exitCode(
            saying: Problem(
                .environment,
                "\(found.left.count.counted("leftover")) \(dryRun ? "would stay" : "could not be removed"), such as this one",
                fix: "run it as the user who runs scanmill, or remove it by hand"
            ).at(file: first))
    }

    private func name(_ paths: [String], _ what: String) {
        for path in paths.prefix(Self.shown) { Console.out("\(what)  \(Console.visible(path))") }
        if paths.count > Self.shown { Console.out("\(what)  \(paths.count - Self.shown) more") }
    }
}
