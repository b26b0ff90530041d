import ArgumentParser
import Glibc
import ScanModel
import ScanPipeline

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Writes a page that shows what became of each capture.",
        discussion: """
            The page is beside the record of the newest run, OUT/.scanmill/runs/<when>/report.html, with report.json, \
            which holds every number on it; OUT/.scanmill/report.html always leads to the newest. `run` writes it by \
            itself when something ran. It shows what measuring stages left in the receipts, and names what was not \
            measured; of a mesh, how large it is, with links to it. Pictures are taken from captures that are still \
            where they were, six from each, and from what `render-mesh` or `render-cloud` drew.

            Exit codes: 0 written, 2 no capture was run into this folder, 3 it cannot be written.
            """)

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String
    /// With this a run reports on itself, whatever clock other runs were recorded under.
    @Option(name: .customLong("run"), help: .hidden) var runName: String?
    /// The process of that run, with which this one ends.
    @Option(help: .hidden) var parent: Int32?
    @Flag(name: .shortAndLong, help: "Do not print the page's path.") var quiet = false

    func run() throws {
        try Console.orExit(RunThreads.require)
        if let parent {
            DetachedThread.start {
                while getppid() == parent { sleep(1) }
                ProcessSession.endOwn()
            }
        }
        Allocator.returnLargeBuffers()
        let page = try Console.orExit { () throws(Problem) in
            do throws(Problem) { return try ReportFiles.make(for: output, run: runName) } catch {
                throw NamedPath.advised(error, ofOutput: output)
            }
        }
        if !quiet { Console.out(page) }
    }
}
