import ScanModel
import ScanPipeline

extension RunRecord.Command {
    /// The most captures, or folders of them, in a command.
    static let mostNamed = 12

    /// The command that runs captures again as they were run, for people to type.
    /// - Parameters:
    ///   - inputs: the captures' paths.
    ///   - choice: the words that choose them, where the paths may hold others too.
    ///   - retries: whether to run those too that are as they were.
    func again(_ inputs: [String], _ choice: [String] = [], retries: Bool = true) -> String {
        let words =
            ["scanmill", "run"] + ([pipeline] + inputs).map(ShellWord.path)
            + ["-o", ShellWord.path(output)] + choice
        return CommandWords.line(words + (retries ? ["--retry"] : []) + settings.flatMap { ["--set", $0] } + further)
    }
}

extension Problem {
    /// Whether a run in which a capture failed may succeed once that is mended. What is wrong with names and folders is
    /// seen without a run, and a name that is not text cannot be typed.
    /// - Parameters:
    ///   - id: the capture's.
    ///   - path: where it is, as it was given.
    func isMendable(_ id: String, at path: String) -> Bool {
        fault != .usage && !isOfPipeline && OutputFolder.defect(ofID: id) == nil && !FileSystem.isMended(path)
    }
}
