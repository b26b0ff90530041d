import Glibc
import ScanModel
import ScanPipeline

/// What the tool's exit codes mean, for its callers, for help and for the pages that list them.
enum ExitStatus {
    static let capturesFailed: Int32 = 1
    static let usage: Int32 = 2
    static let environment: Int32 = 3
    static let busy: Int32 = 75
    /// A signal's number is added to it.
    static let signals: Int32 = 128

    /// The code of a run, by how its captures ended. The environment outranks a capture's own fault, because it concerns
    /// all of them.
    static func of(_ outcomes: [CaptureOutcome]) -> Int32 {
        let faults = outcomes.compactMap { $0.ending.problem?.fault }
        if faults.contains(.environment) { return environment }
        if !faults.isEmpty { return capturesFailed }
        return outcomes.contains { $0.ending == .busy } ? busy : 0
    }

    /// The code of a command that a problem ends: what was named, or asked for, or the machine is at fault.
    static func of(_ problem: Problem) -> Int32 {
        let isMachine = [.environment, .tool].contains(problem.fault) && !problem.isOfPipeline
        return isMachine ? environment : usage
    }

    /// In the order of the codes; each meaning in full, and in the words of a command's help.
    private static let table: [(codes: [Int32], meaning: String, brief: String)] = [
        (
            [0], "all captures are done, or were left for another night as `--settle`, `--until` and `--min-free` say",
            "all captures are done or were left for another night"
        ),
        ([capturesFailed], "some captures failed; each is named with its cause", "some failed"),
        (
            [usage],
            "usage, an invalid pipeline, or a search that found no capture; nothing was run, not even `--on-finish`",
            "usage, an invalid pipeline or no capture (nothing was run)"
        ),
        (
            [environment],
            "the environment: disk, permission, a missing tool; a capture that was killed for its memory use or by `--patience`, or changed while it was read. It outranks 1",
            "the environment (disk, permission, a missing tool)"
        ),
        (
            [busy], "another runner is working on what is left, and nothing failed",
            "another runner is working on what is left and nothing failed"
        ),
        (
            [SIGHUP, SIGINT, SIGTERM].map { signals + $0 }, "stopped by SIGHUP, SIGINT, SIGTERM",
            "stopped by SIGHUP, SIGINT and SIGTERM"
        ),
    ]

    static let meanings = table.map { (code: $0.codes.map(String.init).joined(separator: ", "), meaning: $0.meaning) }

    static let inBrief = table.map { "\($0.codes.map(String.init).listed) \($0.brief)" }.joined(separator: ", ")
}
