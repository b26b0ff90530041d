import ArgumentParser

struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats", abstract: "Lists the formats that `read` takes, and what is read from each.")

    func run() { Console.out(FormatDoc.text) }
}
