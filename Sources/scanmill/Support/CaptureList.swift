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
    static func find(_ options: BatchOptions) throws -> CaptureList {
        let (paths, only, output) = (options.inputs, options.only, options.output)
        let pipelineFolder = ConsoleFile.folder(of: options.pipeline)
        var found: [(id: String, path: String)] = []
        var unreadable: [CaptureSearch.Unreadable] = []
        for path in paths {
            do throws(Problem) {
                found += try CaptureSearch.captures(at: path, skipping: output, unreadable: &unreadable)
            } catch {
                Console.error(error.message())
                throw ExitCode(ExitStatus.usage)
            }
        }
        if found.isEmpty && unreadable.isEmpty {
            Console.error("error: there is no capture in \(paths.joined(separator: ", "))")
            Console.error("   = fix: `scanmill inspect DIR` says what a folder holds")
            throw ExitCode(ExitStatus.usage)
        }
        for id in only where !found.contains(where: { $0.id == id }) {
            Console.error("error: `--only \(id)`: no capture has this id")
            throw ExitCode(ExitStatus.usage)
        }
        // Named twice, or found below two of the folders: one capture all the same.
        // By bytes: to Swift, names that differ in Unicode's composition alone are equal.
        var seen: Set<[UInt8]> = []
        found = found.filter { seen.insert(Array($0.path.utf8)).inserted }
        if !only.isEmpty { found = found.filter { only.contains($0.id) } }
        var list = CaptureList()
        if only.isEmpty {
            list.refused = unreadable.map { odd in
                let input = CaptureInput(id: odd.name, path: odd.path, pipelineFolder: pipelineFolder)
                return CaptureOutcome(input: input, ending: .failed(odd.problem))
            }
        }
        let byID = Dictionary(grouping: found, by: \.id)
        for capture in found {
            let input = CaptureInput(id: capture.id, path: capture.path, pipelineFolder: pipelineFolder)
            let twins = byID[capture.id] ?? []
            if let defect = OutputFolder.defect(ofID: capture.id) {
                list.refused.append(CaptureOutcome(input: input, ending: .failed(defect)))
            } else if twins.count > 1 {
                let problem = Problem(
                    .input, "\(twins.count) captures are called \(capture.id)",
                    notes: twins.map { "one is \($0.path)" },
                    fix: "rename all but one, or run them into different output folders")
                list.refused.append(CaptureOutcome(input: input, ending: .failed(problem)))
            } else {
                list.inputs.append(input)
            }
        }
        return list
    }
}
