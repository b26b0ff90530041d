import ScanModel
import ScanPipeline

extension CaptureOutcome {
    /// What became of a capture, as `run --json` and the log give it to programs.
    var json: JSONObject {
        var object: JSONObject = [
            "id": .string(input.id), "input": .string(input.path), "status": .string(ending.kind.rawValue),
        ]
        switch ending {
        case .done(let summary):
            object["frames"] = .object([
                "source": .of(summary.frameCount), "kept": .of(summary.framesKept), "bad": .of(summary.badFrameCount),
            ])
            object["files"] = .of(summary.fileCount)
            object["bytes"] = .integer(summary.byteCount)
            object["salvaged"] = .bool(!summary.forgiven.isEmpty)
            object["doubtful"] = .bool(summary.isDoubtful)
            object["warnings"] = .of(summary.warnings)
            object["notes"] = summary.notes.isEmpty ? nil : .of(summary.notes)
            object["reason"] = .of(reason)
        case .failed(let problem), .failedBefore(let problem):
            object["fault"] = .string(problem.fault.rawValue)
            object["summary"] = .string(problem.summary)
            object["message"] = .string(problem.message(ofCapture: input.path))
            object["fix"] = .of(problem.allFixes)
            object["of-pipeline"] = .bool(problem.isOfPipeline)
        case .unsuited(let problem): object["reason"] = .string(problem.summary)
        case .left(let reason): object["reason"] = .string(reason.text)
        default: break
        }
        return object
    }
}
