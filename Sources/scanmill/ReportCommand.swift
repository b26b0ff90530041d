import ArgumentParser
import ScanModel
import ScanPipeline

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Writes a page that shows what became of all captures.",
        discussion: """
            The page stands beside the record of the newest run, OUT/.scanmill/runs/<when>/report.html, with report.json, \
            which holds every number on it; OUT/.scanmill/report.html always leads to the newest. `run` writes it by \
            itself when something ran. What measuring stages left in the receipts is shown, and what was not measured is \
            named. Pictures are taken from the captures where they still lie at their place, six of each.

            Exit codes: 0 written, 2 no capture was run into this folder, 3 it cannot be written.
            """)

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String
    /// Whatever clock the others were recorded under, a run reports on itself.
    @Option(name: .customLong("run"), help: .hidden) var runName: String?
    @Flag(name: .shortAndLong, help: "Do not print the page's path.") var quiet = false

    func run() throws {
        Allocator.returnLargeBuffers()
        let page = try Console.orExit { () throws(Problem) in try ReportFiles.make(for: output, run: runName) }
        if !quiet { Console.out(page) }
    }
}
