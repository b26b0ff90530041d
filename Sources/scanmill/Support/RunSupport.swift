import ArgumentParser
import FoundationEssentials
import Glibc
import ScanModel
import ScanPipeline
import Subprocess

/// Free bytes on a path's filesystem.
enum FreeSpace {
    static func bytes(at path: String) -> Int64? {
        var facts = statvfs()
        var path = path
        // OUT may not be there yet: then its nearest folder that is.
        while statvfs(path, &facts) != 0 {
            let parent = FileSystem.parent(of: path)
            if parent == path || errno != ENOENT { return nil }
            path = parent
        }
        // Some network filesystems say more than there can be.
        let (bytes, overflow) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return overflow ? .max : Int64(clamping: bytes)
    }
}

/// The command that is run when a run has ended.
enum FinishHook {
    /// As long as a capture has after a signal.
    private static let grace = Duration.seconds(5)

    static func run(_ command: String, status: Int32, output: String, stop: StopSignal) async {
        do {
            let ended = try await Follower.run(
                "/bin/sh", ["-c", command],
                environment: .inherit.updating(["SCANMILL_STATUS": "\(status)", "SCANMILL_OUT": output]),
                output: .currentStandardError, error: .currentStandardError, stop: stop, grace: grace)
            if !ended.terminationStatus.isSuccess {
                let how =
                    switch ended.terminationStatus {
                    case .exited(let code): "exit code \(code)"
                    case .signaled(let signal): "signal \(signal)"
                    }
                Console.error("warning: the command of --on-finish ended with \(how)")
            }
        } catch {
            Console.error("warning: the command of --on-finish could not be run: \(error)")
        }
    }
}

/// Figures of a run in Prometheus' text format, for the node exporter's textfile collector.
enum RunMetrics {
    static func write(_ outcomes: [CaptureOutcome], seconds: Double, to path: String) throws(Problem) {
        var text = """
            # HELP scanmill_captures Captures of the last run by how they ended.
            # TYPE scanmill_captures gauge

            """
        let counts = Dictionary(grouping: outcomes, by: { RunReport.word($0.ending) }).mapValues(\.count)
        for word in RunReport.words { text += "scanmill_captures{ended=\"\(word)\"} \(counts[word] ?? 0)\n" }
        let done = outcomes.compactMap { outcome in if case .done(let summary) = outcome.ending { summary } else { nil }
        }
        for (name, help, value) in [
            (
                "frames_source", "Frames that the captures of the last run held.",
                Double(done.reduce(0) { $0 + $1.frameCount })
            ),
            ("frames_kept", "Frames that were kept in the last run.", Double(done.reduce(0) { $0 + $1.framesKept })),
            ("written_bytes", "Bytes published in the last run.", Double(done.reduce(0) { $0 + $1.byteCount })),
            ("run_seconds", "How long the last run took.", seconds),
            ("run_end_seconds", "When the last run ended, seconds since 1970.", Date().timeIntervalSince1970),
        ] {
            text += "# HELP scanmill_\(name) \(help)\n# TYPE scanmill_\(name) gauge\nscanmill_\(name) \(value)\n"
        }
        // In one step, because the collector reads whenever it likes; but a device or a pipe stays what it is.
        if FileSystem.isSpecial(path) {
            try FileSystem.overwrite(path, with: Array(text.utf8))
        } else {
            try FileSystem.replace(path, with: Array(text.utf8))
        }
    }
}

extension Console {
    /// Runs something whose problem ends the command, with the exit code that its fault has.
    static func orExit<Value>(_ body: () throws(Problem) -> Value) throws -> Value {
        do throws(Problem) { return try body() } catch {
            Console.error(error.message())
            throw ExitCode(error.fault == .usage ? ExitStatus.usage : ExitStatus.environment)
        }
    }
}
