import ScanModel

/// The command that runs one capture again as it was run, for people to type.
struct RerunCommand {
    /// As they were given.
    var pipeline: String
    var output: String
    /// The values of `--set`.
    var settings: [String]
    /// The other words that decide what is run and how: `--force`, `--replace`, formats, limits.
    var further: [String]

    /// - Parameters:
    ///   - input: the capture's path.
    ///   - choice: the words that choose it, where the path may hold others too.
    func text(_ input: String, _ choice: [String] = []) -> String {
        let words = ["scanmill", "run", pipeline, Self.path(input), "-o", output] + choice + ["--retry"]
        return Wording.command(words + settings.flatMap { ["--set", $0] } + further)
    }

    /// With a folder before it, a name that begins with a dash is no option.
    static func path(_ path: String) -> String { path.hasPrefix("-") ? "./\(path)" : path }
}
