import FoundationEssentials
import ScanPipeline
import Subprocess
import SystemPackage

/// Writes the report at the end of a run, in a process of its own: it opens captures, and whatever one of them does to
/// the process must not affect the run.
enum ReportProcess {
    /// Prints the path where the newest report always is, or a warning when there is no report.
    /// - Parameter run: the name of the run that has ended; nil for the newest.
    static func run(_ output: String, run: String?, isQuiet: Bool, stop: StopSignal) async {
        let choice = run.map { ["--run", $0] } ?? []
        do {
            let ended = try await Follower.run(
                FilePath(RunningBinary.startable), Arguments(["report"] + choice + ["--", output]),
                environment: .inherit.updating(["SWIFT_BACKTRACE": "enable=no"]),
                output: .string(limit: 1 << 16), error: .string(limit: 1 << 16), stop: stop)
            if ended.terminationStatus.isSuccess {
                let doorway = "\(StateFolder(output: output).path)/\(ReportPage.fileName)"
                if !isQuiet { Console.out("the report is \(doorway)") }
                return
            }
            let words = ended.standardError.split(separator: "\n").prefix(2).map { line in
                String(line.drop { $0 == " " }.replacing("error: ", with: "", maxReplacements: 1))
            }
            let why =
                stop.reason
                ?? (words.isEmpty ? "it ended with \(ended.terminationStatus)" : words.joined(separator: " "))
            Console.error("warning: the report was not written: \(why)")
        } catch {
            Console.error("warning: the report was not written: \(error)")
        }
    }
}
