import FoundationEssentials

/// The words of the command line.
enum CommandWords {
    /// Behind the program's own name.
    ///
    /// Swift looks for them beside the environment, and finds none once a library that was preloaded has moved that, as
    /// libfaketime does: a night would end well with a page of help.
    static let arguments: [String] = {
        let given = Array(CommandLine.arguments.dropFirst())
        guard given.isEmpty, let bytes = FileManager.default.contents(atPath: "/proc/self/cmdline") else {
            return given
        }
        let words = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        return words.dropFirst().map { String(decoding: $0, as: UTF8.self) }
    }()
}
