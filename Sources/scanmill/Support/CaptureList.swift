import ArgumentParser
import ScanFormats
import ScanModel
import ScanPipeline

/// The captures that a command line means.
struct CaptureList {
    var inputs: [CaptureInput] = []
    /// Captures that cannot be run: names that are not safe, ids that stand twice.
    var refused: [CaptureOutcome] = []

    /// - Throws: exit code 2 when there is no capture at all, or an `--only` that matches nothing.
    static func find(
        _ paths: [String], only: [String], output: String, pipelineFolder: String
    ) throws -> CaptureList {
        var found: [(id: String, path: String)] = []
        for path in paths {
            do throws(Problem) { found += try CaptureSearch.captures(at: path, skipping: output) } catch {
                Console.error(error.message())
                throw ExitCode(ExitStatus.usage)
            }
        }
        if found.isEmpty {
            Console.error("error: there is no capture in \(paths.joined(separator: ", "))")
            Console.error("   = fix: `scanmill inspect DIR` says what a folder holds")
            throw ExitCode(ExitStatus.usage)
        }
        for id in only where !found.contains(where: { $0.id == id }) {
            Console.error("error: `--only \(id)`: no capture has this id")
            throw ExitCode(ExitStatus.usage)
        }
        if !only.isEmpty { found = found.filter { only.contains($0.id) } }
        var list = CaptureList()
        let byID = Dictionary(grouping: found, by: \.id)
        for capture in found {
            let input = CaptureInput(id: capture.id, path: capture.path, pipelineFolder: pipelineFolder)
            let twins = byID[capture.id] ?? []
            if let defect = CaptureID.defect(capture.id) {
                list.refused.append(CaptureOutcome(input: input, result: .failure(defect)))
            } else if twins.count > 1 {
                let problem = Problem(
                    .input, "\(twins.count) captures are called \(capture.id)", notes: twins.map { "one is \($0.path)" },
                    fix: "rename all but one, or run them into different output folders")
                list.refused.append(CaptureOutcome(input: input, result: .failure(problem)))
            } else {
                list.inputs.append(input)
            }
        }
        return list
    }
}

/// Whether an id can be a folder's name below OUT.
enum CaptureID {
    static func defect(_ id: String) -> Problem? {
        let fix = "rename the capture"
        if id.isEmpty || id == "." || id == ".." || id.hasPrefix(".scanmill") {
            return Problem(.input, "`\(id)` cannot be a capture's id", fix: fix)
        }
        if id.utf8.count > 200 {
            return Problem(.input, "the capture's id is \(id.utf8.count) bytes long, more than 200", fix: fix)
        }
        if id.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f || $0 == "/" }) {
            return Problem(.input, "the capture's id holds a control character or a slash", fix: fix)
        }
        return nil
    }
}
