import ArgumentParser
import ScanFormats
import ScanModel

struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats",
        abstract: "Lists the formats that `read` takes, and what is read from each, or shows one.")

    @Argument(help: "A format's name.", completion: .format) var name: String?
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        guard let name else { return json ? Console.out(FormatDoc.json) : Console.out(FormatDoc.text) }
        let cards = CaptureFormats.all.map { $0.card }
        guard let card = cards.first(where: { $0.name == name }) else {
            let fix = NamedFormat.suggestion(for: name, among: cards) ?? "`scanmill formats` lists them"
            throw Console.exitCode(saying: Problem(.usage, "there is no format `\(name)`", fix: fix))
        }
        if json { Console.out(FormatDoc.json(card)) } else { Console.out(FormatDoc.text(card)) }
    }
}
