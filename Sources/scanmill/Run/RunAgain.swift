import ScanModel
import ScanPipeline

extension RunRecord.Command {
    /// The command that runs captures again as they were run, for people to type.
    /// - Parameters:
    ///   - inputs: the captures' paths.
    ///   - choice: the words that choose them, where the paths may hold others too.
    ///   - retries: whether to run those too that are as they were.
    func again(_ inputs: [String], _ choice: [String] = [], retries: Bool = true) -> String {
        let words = ["scanmill", "run", pipeline] + inputs.map(CommandWords.path) + ["-o", output] + choice
        return Wording.command(words + (retries ? ["--retry"] : []) + settings.flatMap { ["--set", $0] } + further)
    }
}
