import ScanModel

/// The command that runs captures again as they were run, for people to type.
struct RerunCommand {
    /// As they were given.
    var pipeline: String
    var output: String
    /// The values of `--set`.
    var settings: [String]
    /// The other words that decide what is run and how: `--force`, `--replace`, formats, limits.
    var further: [String]

    /// - Parameters:
    ///   - inputs: the captures' paths.
    ///   - choice: the words that choose them, where the paths may hold others too.
    func text(_ inputs: [String], _ choice: [String] = []) -> String {
        let words = ["scanmill", "run", pipeline] + inputs.map(Self.path) + ["-o", output] + choice + ["--retry"]
        return Wording.command(words + settings.flatMap { ["--set", $0] } + further)
    }

    /// With a folder before it, a name that begins with a dash is no option.
    static func path(_ path: String) -> String { path.hasPrefix("-") ? "./\(path)" : path }
}
