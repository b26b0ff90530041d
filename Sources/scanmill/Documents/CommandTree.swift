import ArgumentParser
import ScanModel

/// The commands as they are declared, for the pages that describe them: argument-parser's own description of the tool,
/// without what is hidden.
struct CommandTree {
    struct Option {
        /// As typed, the long name last: `-o`, `--output`; empty for a positional.
        var names: [String]
        /// What a value is called; nil for a flag.
        var value: String?
        var help: String
        var fallback: String?
        var choices: [String]
        var isOptional: Bool
        var isRepeating: Bool
    }

    var name: String
    var abstract: String
    var discussion: String
    var options: [Option]
    var commands: [CommandTree]

    static func scanmill() throws(Problem) -> CommandTree {
        let dump = try JSONValue.parse(Array(ScanMillCommand._dumpHelp().utf8), file: "the commands' description")
        return CommandTree(dump["command"] ?? .null)
    }

    private init(_ json: JSONValue) {
        let shown = { (list: JSONValue?) in (list?.array ?? []).filter { $0["shouldDisplay"]?.bool != false } }
        name = json["commandName"]?.string ?? ""
        abstract = json["abstract"]?.string ?? ""
        discussion = json["discussion"]?.string ?? ""
        options = shown(json["arguments"]).map(Option.init)
        commands = shown(json["subcommands"]).map(CommandTree.init).filter { $0.name != "help" }
    }
}

extension CommandTree.Option {
    fileprivate init(_ json: JSONValue) {
        let kind = json["kind"]?.string
        names = (json["names"]?.array ?? []).compactMap { name in
            name["name"]?.string.map { name["kind"]?.string == "long" ? "--\($0)" : "-\($0)" }
        }.sorted { $0.count < $1.count }
        value = kind == "flag" ? nil : json["valueName"]?.string
        help = json["abstract"]?.string ?? ""
        fallback = json["defaultValue"]?.string
        choices = (json["allValues"]?.array ?? []).compactMap(\.string)
        isOptional = json["isOptional"]?.bool ?? true
        isRepeating = json["isRepeating"]?.bool ?? false
    }

    var isPositional: Bool { names.isEmpty }
    /// `--version` and `--help`, which every command has.
    var isCommon: Bool { names.contains("--help") || names.contains("--version") }

    /// What follows the help: the choices that it does not name, and the default.
    var addition: String {
        var parts: [String] = []
        if !choices.isEmpty && !choices.allSatisfy(help.contains) {
            parts.append("one of " + choices.joined(separator: ", "))
        }
        if let fallback { parts.append("default \(fallback)") }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
    }
}
