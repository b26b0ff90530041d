import ArgumentParser
import FoundationEssentials
import ScanModel
import ScanPipeline
import ScanStages

/// A pipeline file as commands take it: read, with the `--set` changes, every mistake shown.
struct LoadedPipeline {
    var pipeline: Pipeline
    var text: String
    var path: String

    /// - Throws: exit code 2, after all mistakes have been printed; 3 where the machine keeps the file from being read.
    static func load(_ path: String, settings: [String]) throws -> LoadedPipeline {
        do {
            return try open(path, settings: settings)
        } catch {
            for problem in error.problems { Console.error(problem.compilerStyle) }
            Console.error((error.count.map { "\($0); " } ?? "") + "nothing was run")
            throw ExitCode(error.exitCode)
        }
    }

    /// - Parameter pipeline: a file, or the name of a ready-made pipeline.
    static func open(_ pipeline: String, settings: [String]) throws(PipelineMistakes) -> LoadedPipeline {
        let path = ReadyPipelines.resolved(pipeline)
        let text: String
        do throws(Problem) {
            text = try PipelineFile.text(of: try bytes(of: path), path: path)
        } catch {
            // In `--set stage.option value`, the value is taken for the pipeline.
            throw PipelineMistakes(problems: OptionOverride.mistakes(in: settings) + [error])
        }
        let pipeline = try Pipeline.load(text: text, path: path, settings: settings, library: .builtIn)
        return LoadedPipeline(pipeline: pipeline, text: text, path: path)
    }

    private static func bytes(of path: String) throws(Problem) -> [UInt8] {
        do throws(Problem) { return try PipelineFile.bytes(at: path) } catch {
            // The path is right then.
            if error.fault == .environment { throw error }
            var problem = error
            problem.fix =
                if FileSystem.isFolder(path) {
                    holdsPipeline(path) ? "name a YAML file in it" : "name a pipeline's YAML file; \(ready)"
                } else if FileSystem.isSpecial(path) {
                    "write what it holds to a file, and name that"
                } else {
                    suggestion(for: path) ?? "check the path; \(ready)"
                }
            throw problem
        }
    }

    private static let ready = "`scanmill pipelines` lists the ready-made ones"

    /// What a path that leads nowhere was meant to name.
    private static func suggestion(for path: String) -> String? {
        // A word is the name of a ready-made one, rather than of a file beside it.
        let isWord = !path.contains { $0 == "/" || $0 == "." }
        if isWord, StageLibrary.builtIn.names.contains(path) {
            return "`\(path)` is a stage, of which pipelines are made: see  scanmill stages \(path)  ; \(ready)"
        }
        let near = Nearest.suggestion(path, among: ReadyPipelines.names)
        if isWord, let near { return near }
        let file =
            NamedPath.readyPipeline(path) ?? NamedPath.suggestion(forFile: path)
            ?? NamedPath.suggestion(forFile: "pipelines/\(path)")
        if file == nil, isWord, ReadyPipelines.folder == nil {
            return "\(ReadyPipelines.absence): \(ReadyPipelines.wayToInstall)"
        }
        return file ?? near
    }

    private static func holdsPipeline(_ folder: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains(where: NamedPath.isNamedLikePipeline)
    }
}

extension PipelineMistakes {
    /// How many there are, in words; nil for none. That the machine keeps the file from being read is no mistake.
    var count: String? {
        let count = problems.count { ExitStatus.of($0) == ExitStatus.usage }
        return count == 0 ? nil : count.counted("mistake")
    }

    /// The exit code of a command that they end.
    var exitCode: Int32 { problems.map(ExitStatus.of).max() ?? ExitStatus.usage }
}
