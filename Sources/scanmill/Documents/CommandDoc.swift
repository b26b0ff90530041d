import ScanPipeline

/// The commands' reference page in Markdown, made from their own declarations alone.
enum CommandDoc {
    static func page(_ tool: CommandTree) -> String {
        var page = "# Commands\n\n\(MarkdownText.prose("\(tool.abstract)\n\n\(tool.discussion)"))\n"
        for command in tool.commands { page += "\n" + section(command, of: tool.name) }
        page += "\n## Exit codes of \(tool.name) run\n\n| code | meaning |\n| --- | --- |\n"
        for (code, meaning) in ExitStatus.meanings { page += "| \(code) | \(meaning) |\n" }
        return page
    }

    /// How a command is called, on one line.
    static func usage(_ command: CommandTree, of tool: String) -> String {
        let own = command.options.filter { !$0.isCommon }
        var words = [tool, command.name]
        words += own.filter(\.isPositional).map { option in
            let word = (option.value ?? "").uppercased() + (option.isRepeating ? "…" : "")
            return option.isOptional ? "[\(word)]" : word
        }
        words += own.filter { !$0.isPositional && !$0.isOptional }.map {
            "\($0.names[0]) \(($0.value ?? "").uppercased())"
        }
        if own.contains(where: { !$0.isPositional && $0.isOptional }) { words.append("[OPTION…]") }
        return words.joined(separator: " ")
    }

    private static func section(_ command: CommandTree, of tool: String) -> String {
        var section =
            "## \(tool) \(command.name)\n\n\(MarkdownText.prose(command.abstract))\n\n```\n\(usage(command, of: tool))\n```\n"
        if !command.discussion.isEmpty { section += "\n\(MarkdownText.prose(command.discussion))\n" }
        let own = command.options.filter { !$0.isCommon }
        if own.isEmpty { return section }
        section += "\n| argument | meaning |\n| --- | --- |\n"
        for option in own {
            let value = option.value.map { $0.uppercased() } ?? ""
            let word =
                option.isPositional
                ? value : option.names.joined(separator: ", ") + (value.isEmpty ? "" : " \(value)")
            section += "| `\(word)` | \(MarkdownText.cell(option.help + option.addition)) |\n"
        }
        return section
    }
}
