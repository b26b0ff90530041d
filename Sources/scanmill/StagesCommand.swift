import ArgumentParser
import ScanModel
import ScanPipeline
import ScanStages

struct StagesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stages", abstract: "Lists the stages, or shows one with its options and an example.")

    @Argument(help: "A stage's name.", completion: .stage) var name: String?
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        let library = StageLibrary.builtIn
        guard let name else {
            if json {
                Console.out(.array(library.entries.map(StageDoc.json)))
            } else {
                let width = library.names.map(\.count).max() ?? 0
                for card in library.entries.map({ $0.card }) {
                    Console.out(card.name.padded(to: width + 2) + card.summary)
                }
            }
            return
        }
        guard let entry = library[name] else {
            let fix = library.suggestion(for: name) ?? "`scanmill stages` lists them"
            throw Console.exitCode(saying: Problem(.usage, "there is no stage `\(name)`", fix: fix))
        }
        if json { Console.out(StageDoc.json(entry)) } else { Console.out(StageDoc.text(entry)) }
    }
}
