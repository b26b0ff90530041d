import ArgumentParser
import ScanFormats
import ScanPipeline
import ScanStages

/// What shells offer while a command is typed. The lists come from the tool that is installed, at that moment.
extension CompletionKind {
    static var pipeline: CompletionKind { .file(extensions: ["yaml", "yml"]) }
    static var capture: CompletionKind { .file() }
    static var readyPipeline: CompletionKind { .custom { _, _, _ in ReadyPipelines.names } }
    static var stage: CompletionKind { .custom { _, _, _ in StageLibrary.builtIn.names } }
    static var format: CompletionKind { .custom { _, _, _ in CaptureFormats.names } }
    static var writtenFormat: CompletionKind {
        .custom { _, _, _ in SampleCommand.formats.map(\.name) }
    }

    /// `stage.option`, of the stages in the pipeline that the line names, or of all. No `=`, which bash would escape.
    static var setting: CompletionKind { .custom { words, _, _ in settings(for: words) } }

    private static func settings(for words: [String]) -> [String] {
        let library = StageLibrary.builtIn
        let path = words.first { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
        let named = path.flatMap { path in
            (try? FileSystem.bytes(of: path, limit: 1 << 20)).map { bytes in
                Set(PipelineFile.parse(String(decoding: bytes, as: UTF8.self), path: path).file.entries.map(\.stage))
            }
        }
        return library.entries.filter { named?.contains($0.card.name) ?? true }.flatMap { entry in
            entry.options.map { "\(entry.card.name).\($0.name)" }
        }
    }
}
