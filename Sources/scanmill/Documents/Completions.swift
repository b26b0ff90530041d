import ArgumentParser
import ScanFormats
import ScanPipeline
import ScanStages

/// What shells offer while a command is typed. The lists come from the tool that is installed, at that moment.
extension CompletionKind {
    /// A file; ``CompletionScript`` adds the names of ready-made pipelines.
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
        let path = words.map(ReadyPipelines.resolved).first(where: NamedPath.isNamedLikePipeline)
        let named = path.flatMap { path in
            (try? PipelineFile.bytes(at: path)).map { bytes in
                PipelineFile.parse(String(decoding: bytes, as: UTF8.self), path: path).file.entries.map(\.stage)
            }
        }
        let stages = named ?? library.names
        return zip(Pipeline.labels(of: stages), stages).flatMap { label, stage in
            (library[stage]?.options ?? []).map { "\(label).\($0.name)" }
        }
    }
}

/// What the library generates for a shell.
enum CompletionScript {
    /// For an argument the library has a shell offer files or words, and a pipeline is either: where a script offers a
    /// pipeline's file, it offers the names of the ready-made ones too, as behind `scanmill pipelines`.
    /// - Parameter script: for bash, zsh or fish.
    static func offeringReadyPipelines(_ script: String) -> String {
        let request = "---completion pipelines -- positional@0"
        let cursor = "\"$(__scanmill_cursor_index_in_current_word)\""
        let bashFiles = "__scanmill_add_completions -o plusdirs -fX '!*.@(yaml|yml)'"
        let bashNames = "$(__scanmill_custom_complete \(request) \"${COMP_CWORD}\" \(cursor))"
        let zshFiles = "_files -g '\\''*.yaml *.yml'\\''"
        let zshNames = "__scanmill_custom_complete \(request) \"${current_word_index}\" \(cursor)"
        let fishFiles = "(set -l exts \\'yaml\\' \\'yml\\';"
        let fishNames =
            "__scanmill_custom_completion \(request) (count (__scanmill_tokens -pc)) (__scanmill_tokens -tC)"
        return script.replacing(bashFiles, with: "__scanmill_add_completions -W \"\(bashNames)\"\n        \(bashFiles)")
            .replacing(zshFiles, with: "{\(zshNames); \(zshFiles)}")
            .replacing(fishFiles, with: "(\(fishNames);\(fishFiles.dropFirst())")
    }
}
