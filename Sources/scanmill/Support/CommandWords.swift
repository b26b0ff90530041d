import FoundationEssentials
import ScanModel
import ScanPipeline

/// The words of the command line.
enum CommandWords {
    /// The words after the program's own name.
    ///
    /// Swift looks for them beside the environment, and finds none once a preloaded library has moved that, as
    /// libfaketime does: a night would end with a page of help and success.
    static let arguments: [String] = {
        let given = Array(CommandLine.arguments.dropFirst())
        return given.isEmpty ? bytes?.map { String(decoding: $0, as: UTF8.self) } ?? given : given
    }()

    /// The same as the shell gave them; nil where the kernel does not tell.
    private static var bytes: [[UInt8]]? {
        FileManager.default.contents(atPath: "/proc/self/cmdline").map { line in
            line.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast().map(Array.init)
        }
    }

    /// - Throws: a problem with fault `environment` where nothing tells the words, rather than as if there were none; with
    ///   fault `usage` where one is not text, rather than to use another path than was named.
    static func requireKnown() throws(Problem) {
        // Even without words there is the program's own name.
        if CommandLine.arguments.isEmpty, !FileSystem.exists("/proc/self/cmdline") {
            throw Problem(
                .environment, "the command line cannot be read: /proc is not mounted",
                fix: "mount it:  mount -t proc proc /proc")
        }
        // Bytes that are no text have become such characters, which may also have been typed.
        guard let mended = arguments.first(where: { $0.unicodeScalars.contains("\u{FFFD}") }),
            bytes?.contains(where: { String(validating: $0, as: UTF8.self) == nil }) == true
        else { return }
        throw Problem(.usage, "a word of the command is not UTF-8: \(mended)", fix: "rename what it names")
    }

    /// The command as it was given, with other words in place of some, to be copied into a shell.
    /// - Parameter others: what stands in place of which word, where that stands first. Values of options, such as the
    ///   folder for the results and the ids of captures, stay, which may be called the same.
    static func command(exchanging others: [String: String]) -> String {
        var others = others
        let command = (try? CommandTree.scanmill())?.commands.first { $0.name == arguments.first }
        let takingValue = Set((command?.options ?? []).filter { $0.value != nil }.flatMap(\.names))
        let words = arguments.indices.map { index in
            let isValue = index > 0 && takingValue.contains(arguments[index - 1])
            return isValue ? arguments[index] : others.removeValue(forKey: arguments[index]) ?? arguments[index]
        }
        return line(["scanmill"] + words)
    }

    /// The words of a command as a shell takes them.
    static func line(_ words: [String]) -> String { words.map(ShellWord.quoted).joined(separator: " ") }

    /// The command that writes the report about a folder of results.
    static func report(_ output: String) -> String { line(["scanmill", "report", ShellWord.path(output)]) }

    /// The command that lists how the captures of a folder of results stand.
    static func status(_ output: String) -> String { line(["scanmill", "status", ShellWord.path(output)]) }
}
