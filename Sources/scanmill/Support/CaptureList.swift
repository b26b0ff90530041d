import ArgumentParser
import ScanFormats
import ScanModel
import ScanPipeline

/// The captures that a command line means.
struct CaptureList {
    var inputs: [CaptureInput] = []
    /// Captures that cannot be run: names that are not safe, ids that stand twice.
    var refused: [CaptureOutcome] = []

    /// What a person should know of what was named, as lines.
    var warnings: [String] = []

    /// - Throws: exit code 2 when something that was named is not there, when there is no capture at all, or for an
    ///   `--only` that matches nothing.
    static func find(_ options: BatchOptions) throws -> CaptureList {
        let (paths, only, output) = (options.inputs, options.only, options.output)
        let pipelineFolder = ConsoleFile.folder(of: options.pipeline)
        var found: [CaptureSearch.Found] = []
        var unreadable: [CaptureSearch.Unreadable] = []
        var list = CaptureList()
        var without: [String] = []
        for path in paths {
            do throws(Problem) {
                let search = try CaptureSearch(at: path, skipping: output)
                found += search.captures
                unreadable += search.unreadable
                without += search.captures.isEmpty && search.unreadable.isEmpty ? [path] : search.without
                list.warn(of: search.within, in: path)
            } catch {
                // What is there and is no capture does not keep the others from being run.
                guard paths.count > 1, FileSystem.exists(path) else {
                    Console.error(error.message())
                    throw ExitCode(ExitStatus.usage)
                }
                without.append(path)
            }
        }
        if found.isEmpty && unreadable.isEmpty {
            Console.error("error: there is no capture in \(paths.joined(separator: ", "))")
            Console.error("   = fix: `scanmill inspect DIR` says what a folder holds")
            throw ExitCode(ExitStatus.usage)
        }
        for capture in found { try Console.orExit { () throws(Problem) in try requireApart(capture, output) } }
        list.warn(without: without)
        for id in only where !found.contains(where: { $0.id == id }) {
            Console.error("error: `--only \(id)`: no capture has this id")
            throw ExitCode(ExitStatus.usage)
        }
        // Named twice, or found below two of the folders: one capture all the same.
        // By bytes: to Swift, names that differ in Unicode's composition alone are equal.
        var seen: Set<[UInt8]> = []
        found = found.filter { seen.insert(Array($0.path.utf8)).inserted }
        if !only.isEmpty { found = found.filter { only.contains($0.id) } }
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

    /// What is read is never written to, nor replaced by its own result.
    private static func requireApart(_ capture: CaptureSearch.Found, _ output: String) throws(Problem) {
        guard let input = FileSystem.realPath(capture.path), let results = FileSystem.realPath(output) else { return }
        if FileSystem.lies(results, in: input) {
            throw Problem(
                .usage, "the results would be written into the capture \(capture.path)",
                fix: "name a folder outside of it with -o"
            ).at(file: output)
        }
        if FileSystem.lies(input, in: "\(results)/\(capture.id)") {
            throw Problem(
                .usage, "the result would replace the capture \(capture.path) itself",
                fix: "name another folder with -o"
            ).at(file: output)
        }
    }

    private mutating func warn(without paths: [String]) {
        guard let first = paths.first else { return }
        let more = paths.count > Self.shown ? " and \(paths.count - Self.shown) more" : ""
        warnings += [
            "warning: there is no capture in \(paths.prefix(Self.shown).joined(separator: ", "))\(more)",
            "   = fix: `scanmill inspect \(ShellWord.quoted(first))` says what is wrong with it",
        ]
    }

    private mutating func warn(of inner: [String], in path: String) {
        if inner.isEmpty { return }
        let more = inner.count > Self.shown ? " and \(inner.count - Self.shown) more" : ""
        warnings += [
            "warning: \(path) is one capture, but there are more in it: "
                + "\(inner.prefix(Self.shown).joined(separator: ", "))\(more)",
            "   = fix: if these are to be run, move what makes \(path) itself a capture out of it, or name them one by one",
        ]
    }

    /// How many paths a warning names.
    private static let shown = 5
}
