import FoundationEssentials
import Glibc
import ScanPipeline
import Subprocess
import SystemPackage

/// Writes the report at the end of a run, in a process of its own: it opens captures, and whatever one of them does to
/// the process must not affect the run.
enum ReportProcess {
    /// How long it may take: it looks at captures, and a disk that hangs must not keep the next night from beginning.
    private static let limit = Duration.seconds(3600)

    /// Prints the path where the newest report always is, or a warning when there is no report.
    /// - Parameter run: the name of the run that has ended; nil for the newest.
    static func run(_ output: String, run: String?, isQuiet: Bool, stop: StopSignal) async {
        let choice = run.map { ["--run", $0] } ?? []
        let latest = ContinuousClock.now + limit
        do {
            let ended = try await Follower.run(
                FilePath(RunningBinary.startable),
                Arguments(["report", "--parent", "\(getpid())"] + choice + ["--", output]),
                environment: .inherit.updating(["SWIFT_BACKTRACE": "enable=no"]),
                output: .string(limit: 1 << 16), error: .string(limit: 1 << 16), stop: stop, limit: limit)
            if ended.terminationStatus.isSuccess {
                let doorway = "\(StateFolder(output: output).path)/\(ReportPage.fileName)"
                if !isQuiet { Console.out("the report is \(Console.visible(doorway))") }
                return
            }
            let words = ended.standardError.split(separator: "\n").prefix(2).map { line in
                String(line.drop { $0 == " " }.replacing("error: ", with: "", maxReplacements: 1))
            }
            let why =
                if let reason = stop.reason {
                    reason
                } else if .now >= latest {
                    "it took more than an hour, and was killed; write it with  \(CommandWords.report(output))"
                } else if words.isEmpty {
                    "it ended with \(ended.terminationStatus.words)"
                } else {
                    words.joined(separator: " ")
                }
            Console.error("warning: the report was not written: \(why)")
        } catch {
            Console.error("warning: the report was not written: \(error)")
        }
    }
}
