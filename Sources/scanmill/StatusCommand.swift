import ArgumentParser
import ScanModel
import ScanPipeline

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: """
            Lists what is stale, failed, excluded, running, unreadable, was never run or lost its result, and counts what \
            is done.
            """,
        discussion: """
            Everything is read from receipts, failure notes and the records of runs; there is no database. The exit \
            code is 0 whatever state the captures are in: programs read `--json`. It is 2 when nothing was run into \
            the folder, and 3 when that cannot be told because the folder cannot be read.
            """)

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        try Console.orExit { () throws(Problem) in try NamedPath.requireOutput(output) }
        let entries = OutputStatus(output: output, programs: .installed).entries
        if json {
            Console.out(
                .array(
                    entries.map { entry in
                        .object([
                            "id": .string(entry.id), "status": .string(entry.standing.rawValue),
                            "cause": .of(entry.cause), "capture-gone": entry.isCaptureGone ? .bool(true) : nil,
                            "older-result": [.failed, .excluded].contains(entry.standing)
                                ? .bool(entry.hasOlderResult) : nil,
                        ])
                    }))
            return
        }
        for entry in entries where entry.standing != .done {
            let cause = entry.cause.map { "  \(Console.visible($0))" } ?? ""
            let older = entry.hasOlderResult ? " (an older result is there)" : ""
            Console.out("\(entry.standing.rawValue)  \(Console.visible(entry.id))\(cause)\(older)")
        }
        let groups = Dictionary(grouping: entries, by: \.standing)
        let parts = OutputStatus.Standing.allCases.compactMap { standing in
            groups[standing].map { "\($0.count) \(standing.rawValue)" }
        }
        let gone = entries.count(where: \.isCaptureGone)
        let ofGone = gone == 0 ? "" : "; of \(gone.counted("result")) the capture is gone"
        Console.out(
            entries.isEmpty ? "no capture has been run into \(output)" : parts.joined(separator: ", ") + ofGone)
    }
}
