import ArgumentParser
import ScanModel
import ScanPipeline

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: """
            Lists what failed, is unreadable, stale, doubtful, running or excluded, was never run or lost its result, and \
            counts what is done.
            """,
        discussion: """
            What needs something done comes first. A done capture is listed where even `run -q` warned of its result: as \
            `salvaged` if only the whole frames of a damaged copy were kept, else as `doubtful`; the warnings are in its \
            receipt and on the report's page. Where the same is said of many captures, five are listed and the others \
            are counted.

            Everything is read from receipts, failure notes and the records of runs; there is no database. The exit \
            code is 0 whatever state the captures are in: programs read `--json`. It is 2 when nothing was run into \
            the folder, and 3 when the folder cannot be read.
            """)

    @Argument(help: ArgumentHelp("The folder with the results.", valueName: "out"), completion: .directory)
    var output: String
    @Flag(help: "List every capture, also those that are done.") var all = false
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
                            "salvaged": entry.standing == .done ? .bool(entry.isSalvaged) : nil,
                            "doubtful": entry.standing == .done ? .bool(entry.isDoubtful) : nil,
                        ])
                    }))
            return
        }
        let listed = entries.enumerated().filter { all || !Self.isGood($1) }
            .sorted { (Self.rank($0.element), $0.offset) < (Self.rank($1.element), $1.offset) }.map(\.element)
        let lines = listed.map { entry in
            let cause = Self.cause(of: entry).map { "  \($0)" } ?? ""
            let older = entry.hasOlderResult ? " (an older result is there)" : ""
            return CaptureLine(word: Self.word(entry), id: entry.id, rest: cause + older)
        }
        let widest = lines.map(\.word.count).max() ?? 0
        CaptureLine.list(lines, width: widest + 1, isWhole: all).forEach(Console.out)
        let groups = Dictionary(grouping: entries, by: \.standing)
        let doubtful = entries.count(where: \.isDoubtful)
        let parts = OutputStatus.Standing.allCases.compactMap { standing in
            groups[standing].map { group in
                let doubts =
                    standing != .done || doubtful == 0
                    ? "" : group.count == 1 ? " (and doubtful)" : " (\(doubtful) of them doubtful)"
                return "\(group.count) \(standing.rawValue)\(doubts)"
            }
        }
        let gone = entries.count(where: \.isCaptureGone)
        let ofGone = gone == 0 ? "" : "; of \(gone.counted("result")) the capture is gone"
        Console.out(
            entries.isEmpty ? "no capture has been run into \(output)" : parts.joined(separator: ", ") + ofGone)
    }

    /// What somebody has to do something about comes first, and what was left out on purpose after all that is not good.
    private static let order: [OutputStatus.Standing] = [
        .failed, .unreadable, .stale, .resultGone, .done, .running, .neverRun, .excluded,
    ]

    private static func rank(_ entry: OutputStatus.Entry) -> Int {
        isGood(entry) ? order.count : order.firstIndex(of: entry.standing) ?? order.count
    }

    /// Whether nothing has to be done about it.
    private static func isGood(_ entry: OutputStatus.Entry) -> Bool { entry.standing == .done && !entry.isDoubtful }

    private static func word(_ entry: OutputStatus.Entry) -> String {
        entry.standing != .done || isGood(entry)
            ? entry.standing.rawValue : entry.isSalvaged ? "salvaged" : "doubtful"
    }

    /// Which warning it was is not marked in a receipt.
    private static func cause(of entry: OutputStatus.Entry) -> String? {
        if entry.standing != .done || isGood(entry) { return entry.cause }
        return entry.isSalvaged
            ? "only the whole frames of a damaged copy were kept" : "the warnings in its receipt say why"
    }
}
