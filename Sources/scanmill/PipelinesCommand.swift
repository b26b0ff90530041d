import ArgumentParser
import Glibc
import ScanModel
import ScanPipeline

struct PipelinesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipelines", abstract: "Lists the ready-made pipelines, or prints one.",
        discussion: """
            `run`, `plan` and `check` take them by their names. To change more of one than `--set` does, write it to a \
            file of your own: scanmill pipelines room-mesh > mine.yaml
            """)

    @Argument(help: "A pipeline's name.", completion: .readyPipeline) var name: String?
    @Flag(help: "Print names, what they are for and their paths as JSON.") var json = false

    func run() throws {
        guard let folder = ReadyPipelines.folder, !ReadyPipelines.names.isEmpty else {
            throw Console.exitCode(
                saying: Problem(.environment, ReadyPipelines.absence, fix: ReadyPipelines.wayToInstall))
        }
        if let name { try show(name) } else { list(folder) }
    }

    private func list(_ folder: String) {
        let names = ReadyPipelines.names
        if json { return Console.out(.array(names.map(ReadyPipelines.json))) }
        let width = names.map(\.count).max() ?? 0
        for name in names {
            Console.out(name.padded(to: width + 2) + (ReadyPipelines.summary(of: name) ?? ""))
        }
        Console.out("they are in \(folder)")
    }

    private func show(_ name: String) throws {
        guard let path = ReadyPipelines.path(of: name) else {
            let fix =
                Nearest.suggestion(name, among: ReadyPipelines.names) ?? "`scanmill pipelines` lists them"
            throw Console.exitCode(saying: Problem(.usage, "there is no ready-made pipeline `\(name)`", fix: fix))
        }
        if json { return Console.out(ReadyPipelines.json(name)) }
        do throws(Problem) { Console.raw(try PipelineFile.bytes(at: path), to: STDOUT_FILENO) } catch {
            throw Console.exitCode(saying: error)
        }
    }
}
