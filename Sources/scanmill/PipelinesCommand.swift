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

    func run() throws {
        let names = ReadyPipelines.names
        guard let folder = ReadyPipelines.folder, !names.isEmpty else {
            throw Console.exitCode(
                saying: Problem(.environment, ReadyPipelines.absence, fix: ReadyPipelines.wayToInstall))
        }
        guard let name else {
            let width = names.map(\.count).max() ?? 0
            for name in names {
                Console.out(name.padded(to: width + 2) + (ReadyPipelines.summary(of: name) ?? ""))
            }
            return Console.out("they are in \(folder)")
        }
        guard let path = ReadyPipelines.path(of: name) else {
            let fix = Nearest.suggestion(name, among: names) ?? "`scanmill pipelines` lists them"
            throw Console.exitCode(saying: Problem(.usage, "there is no ready-made pipeline `\(name)`", fix: fix))
        }
        do throws(Problem) { Console.raw(try PipelineFile.bytes(at: path), to: STDOUT_FILENO) } catch {
            throw Console.exitCode(saying: error)
        }
    }
}
