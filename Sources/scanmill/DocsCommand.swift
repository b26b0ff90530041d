import ArgumentParser
import ScanModel
import ScanPipeline
import ScanStages

struct DocsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docs",
        abstract: "Writes the reference pages of stages, formats and commands, and the pipelines' JSON Schema.")

    @Argument(help: "The folder to write into; it is created if it is missing.", completion: .directory) var folder:
        String

    func run() throws {
        let library = StageLibrary.builtIn
        var pages = [
            "stages.md": StageDoc.index(library), "formats.md": FormatDoc.page,
            "commands.md": CommandDoc.page(try CommandTree.scanmill()),
        ]
        for entry in library.entries { pages["\(entry.card.name).md"] = StageDoc.page(entry) }
        pages["pipeline.schema.json"] = String(decoding: JSONWriter.text(PipelineSchema.schema(library)), as: UTF8.self)
        try Console.orExit { () throws(Problem) in
            try OutputPlace.requireFree(folder, for: "the pages")
            try FileSystem.makeFolders(folder)
            for (name, text) in pages.sorted(by: { $0.key < $1.key }) {
                try FileSystem.replace("\(folder)/\(name)", with: Array(text.utf8))
            }
        }
        Console.out("\(pages.count.counted("file")) in \(folder)")
    }
}
