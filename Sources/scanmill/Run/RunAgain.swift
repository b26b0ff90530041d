import ScanModel
import ScanPipeline

extension RunRecord.Command {
    /// The command that runs captures again as they were run, for people to type.
    /// - Parameters:
    ///   - inputs: the captures' paths.
    ///   - choice: the words that choose them, where the paths may hold others too.
    func again(_ inputs: [String], _ choice: [String] = []) -> String {
        let words = ["scanmill", "run", pipeline] + inputs.map(CommandWords.path) + ["-o", output] + choice
        return Wording.command(words + ["--retry"] + settings.flatMap { ["--set", $0] } + further)
    }
}
