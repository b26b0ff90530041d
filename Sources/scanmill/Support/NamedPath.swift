import ArgumentParser
import FoundationEssentials
import ScanFormats
import ScanModel
import ScanPipeline

/// A path on the command line that is not what the command takes, and what was meant by it.
enum NamedPath {
    /// Says what is wrong with what was named as a capture.
    /// - Returns: exit code 3 where the environment stands in the way, else 2.
    static func exitCode(saying problem: Problem, of path: String) -> ExitCode {
        Console.error(advised(problem, of: path).message())
        return ExitCode(ExitStatus.of(problem))
    }

    /// A problem with what was named as a capture, with a better fix where there is one: the name that was meant, or the
    /// folder of the capture that the file is a part of.
    private static func advised(_ problem: Problem, of path: String) -> Problem {
        var advised = problem
        if !FileSystem.exists(path) {
            advised.fix = suggestion(for: path) ?? problem.fix
        } else if problem.fix == CaptureFormats.wayToName, let folder = CaptureSearch.capture(holding: path) {
            advised.fix =
                "it is one of the files of \(folder); name that:  \(CommandWords.command(exchanging: [path: folder]))"
        } else if problem.fix == CaptureFormats.wayToName, let kind = CaptureSearch.Stranger(path) {
            let (what, fix) = kind.words(for: 1)
            (advised.summary, advised.fix) = ("this is \(what)", fix)
        } else if problem.summary == CaptureFormats.noCapture, let (what, results) = results(at: path) {
            let output = ShellWord.quoted(path: results)
            advised.summary = "this is \(what), not a capture"
            advised.fix =
                "`scanmill status \(output)` lists the results, and `scanmill report \(output)` makes a page about them"
        }
        return advised
    }

    /// What a folder of results is, or a result in one, and the folder of all results.
    private static func results(at path: String) -> (what: String, output: String)? {
        if !StateFolder(output: path).published.isEmpty {
            return ("the folder of a run's results", String(path.withoutSlashBehind))
        }
        guard let (part, folder) = resultFolder(around: path) else { return nil }
        return ("\(part)a result", folder)
    }

    /// The folder of all results among which the one lies that a path names, or names a part of.
    private static func resultFolder(around path: String) -> (part: String, folder: String)? {
        guard let place = FileSystem.realPath(path), let result = ResultPlace.result(around: place) else {
            return nil
        }
        let real = FileSystem.parent(of: result)
        // As it was written, unless the path is a link, or ends in dots.
        let near = FileSystem.parent(of: path)
        let folder = result == place && FileSystem.realPath(near) == real ? near : real
        return (result == place ? "" : "part of ", folder)
    }

    /// - Throws: what ``StateFolder/requireOutput()`` throws, with a better fix where there is one.
    static func requireOutput(_ path: String) throws(Problem) {
        do throws(Problem) { try StateFolder(output: path).requireOutput() } catch {
            throw advised(error, ofOutput: path)
        }
    }

    /// A problem with what was named as the folder of a run's results, with a better fix where there is one: the name
    /// that was meant, or the folder in which the named result lies.
    static func advised(_ problem: Problem, ofOutput path: String) -> Problem {
        guard problem.fault == .usage else { return problem }
        var advised = problem
        if !FileSystem.exists(path) {
            advised.fix = suggestion(for: path) ?? problem.fix
            return advised
        }
        guard let (part, folder) = resultFolder(around: path) else { return problem }
        advised.summary = "this is \(part)a result of \(folder), not the folder of all results"
        advised.fix = "name that folder:  \(CommandWords.command(exchanging: [path: folder]))"
        return advised
    }

    /// “Did you mean …” for a path that leads nowhere; nil where nothing there has a name like it.
    static func suggestion(for path: String) -> String? {
        nearest(to: path).map { "did you mean `\($0)`?" }
    }

    /// The same for a path that is to name a file.
    static func suggestion(forFile path: String) -> String? {
        nearest(to: path).flatMap { FileSystem.isFolder($0) ? nil : "did you mean `\($0)`?" }
    }

    private static func nearest(to path: String) -> String? {
        var found = path.isAbsolutePath ? "/" : ""
        for part in path.pathParts {
            let next = found + part
            if FileSystem.exists(next) {
                found = "\(next)/"
            } else {
                guard let name = name(like: String(part), in: found.isEmpty ? "." : found) else { return nil }
                found += "\(name)/"
            }
        }
        let near = String(found.withoutSlashBehind)
        return FileSystem.exists(near) && !FileSystem.exists(path) ? near : nil
    }

    private static func name(like part: String, in folder: String) -> String? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // A folder may hold a night's pictures.
        let seen = names.filter { !$0.hasPrefix(".") }.sorted().prefix(10_000)
        let same = seen.first { $0.lowercased() == part.lowercased() }
        let extended = seen.first { $0.hasPrefix("\(part).") }
        return same ?? extended ?? Nearest.match(part, among: Array(seen))
    }

    /// The ready-made pipeline that was named without its folder.
    static func readyPipeline(_ path: String) -> String? {
        let ready = "pipelines/\(path)"
        let isReady = !path.isAbsolutePath && !FileSystem.exists(path) && FileSystem.exists(ready)
        return isReady ? "did you mean `\(ready)`?" : nil
    }

    /// Whether a file is named as pipelines are.
    static func isNamedLikePipeline(_ path: String) -> Bool {
        [".yaml", ".yml"].contains { path.lowercased().hasSuffix($0) }
    }

    /// Ends the command where a capture stands in the pipeline's place and the pipeline among the captures.
    /// - Throws: exit code 2, after the command has been said in its right order.
    static func requireOrder(of batch: BatchOptions) throws {
        let capture = batch.pipeline
        guard !isNamedLikePipeline(capture), let pipeline = batch.inputs.first(where: isPipeline),
            isMeantAsCapture(capture)
        else { return }
        let command = CommandWords.command(exchanging: [capture: pipeline, pipeline: capture])
        throw Console.exitCode(
            saying: Problem(
                .usage, "\(capture) stands where the pipeline should, and the pipeline among the captures",
                fix: "name the pipeline first:  \(command)"))
    }

    /// Notes among captures may have the same ending.
    private static func isPipeline(_ path: String) -> Bool {
        if !FileSystem.exists(path) { return ReadyPipelines.resolved(path) != path }
        guard isNamedLikePipeline(path), FileSystem.regularSize(of: path) != nil,
            let bytes = try? PipelineFile.bytes(at: path)
        else { return false }
        return String(decoding: bytes, as: UTF8.self).contains("stages:")
    }

    private static func isMeantAsCapture(_ path: String) -> Bool {
        !FileSystem.exists(path) || FileSystem.isFolder(path) || (try? CaptureFormats.tree(at: path)) != nil
            || CaptureSearch.capture(holding: path) != nil
    }
}
