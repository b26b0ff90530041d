import ScanModel
import ScanPipeline

/// What a run says about its captures.
struct RunReport {
    let quiet: Bool

    func ended(_ outcome: CaptureOutcome) {
        switch outcome.result {
        case .success(let summary):
            guard !quiet else { return }
            let frames =
                summary.framesKept == summary.frameCount
                ? Console.count(summary.frameCount, "frame") : "\(summary.framesKept) of \(Console.count(summary.frameCount, "frame"))"
            Console.out(
                "done    \(outcome.input.id)  \(frames), \(Console.count(summary.fileCount, "file")), \(Console.size(summary.byteCount))")
            for warning in summary.warnings { Console.error("warning: \(outcome.input.id): \(warning)") }
        case .failure(let problem):
            if !quiet { Console.out("failed  \(outcome.input.id)  \(problem.summary)") }
            Console.error(problem.message(root: outcome.input.path))
        }
    }

    func summary(_ outcomes: [CaptureOutcome], command: String, output: String) {
        let failed = outcomes.filter { if case .failure = $0.result { true } else { false } }
        if !quiet {
            Console.out(
                "\(Console.count(outcomes.count, "capture")): \(outcomes.count - failed.count) done, \(failed.count) failed; results are in \(output)"
            )
        }
        for outcome in failed {
            Console.error("to try \(outcome.input.id) again:  \(command) \(Self.quoted(outcome.input.path)) -o \(Self.quoted(output))")
        }
    }

    static func json(_ outcomes: [CaptureOutcome]) -> JSONValue {
        .object([
            "captures": .array(
                outcomes.map { outcome in
                    var object: JSONObject = ["id": .string(outcome.input.id), "input": .string(outcome.input.path)]
                    switch outcome.result {
                    case .success(let summary):
                        object["status"] = .string("done")
                        object["frames"] = .object([
                            "source": .of(summary.frameCount), "kept": .of(summary.framesKept),
                        ])
                        object["files"] = .of(summary.fileCount)
                        object["bytes"] = .integer(summary.byteCount)
                        object["warnings"] = .of(summary.warnings)
                    case .failure(let problem):
                        object["status"] = .string("failed")
                        object["fault"] = .string(problem.fault.rawValue)
                        object["message"] = .string(problem.message(root: outcome.input.path))
                    }
                    return .object(object)
                })
        ])
    }

    /// The environment outranks a capture's own fault: it concerns all of them.
    static func exitCode(_ outcomes: [CaptureOutcome]) -> Int32? {
        let faults = outcomes.compactMap { outcome -> Problem.Fault? in
            if case .failure(let problem) = outcome.result { problem.fault } else { nil }
        }
        if faults.contains(.environment) { return ExitStatus.environment }
        return faults.isEmpty ? nil : ExitStatus.capturesFailed
    }

    /// A path as a shell takes it.
    static func quoted(_ path: String) -> String {
        let plain = path.utf8.allSatisfy {
            ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a) || "/._-+=:,@".utf8.contains($0)
        }
        return plain && !path.isEmpty ? path : "'" + path.replacing("'", with: "'\\''") + "'"
    }
}
