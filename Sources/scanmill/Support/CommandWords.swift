import FoundationEssentials

/// The words of the command line.
enum CommandWords {
    /// The words after the program's own name.
    ///
    /// Swift looks for them beside the environment, and finds none once a preloaded library has moved that, as
    /// libfaketime does: a night would end with a page of help and success.
    static let arguments: [String] = {
        let given = Array(CommandLine.arguments.dropFirst())
        guard given.isEmpty, let bytes = FileManager.default.contents(atPath: "/proc/self/cmdline") else {
            return given
        }
        let words = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        return words.dropFirst().map { String(decoding: $0, as: UTF8.self) }
    }()
}
