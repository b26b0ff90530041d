import ScanPipeline
import ScanStages

/// The manual page scanmill(1), from the declarations of commands, stages and exit codes, in troff's `man` macros.
enum ManPage {
    static func text(_ tool: CommandTree) -> String {
        let title = tool.name.uppercased()
        var page = ".TH \(title) 1 \(Tool.released) \"\(Tool.nameAndVersion)\" \"User Commands\"\n"
        page += ".SH NAME\n\(Roff.text("\(tool.name) - \(name(tool.abstract))"))\n"
        page += ".SH SYNOPSIS\n"
        for (index, command) in tool.commands.enumerated() {
            page += (index == 0 ? "" : ".br\n") + synopsis(command, of: tool.name) + "\n"
        }
        page += ".SH DESCRIPTION\n" + Roff.paragraphs(tool.abstract + "\n\n" + tool.discussion)
        page += ".SH COMMANDS\n"
        for command in tool.commands { page += section(command, of: tool.name) }
        page += ".SH STAGES\n" + Roff.paragraphs("What pipelines are made of; `scanmill stages NAME` describes one.")
        page += list(StageLibrary.builtIn.entries.map { ($0.card.name, $0.card.summary) })
        page += ".SH EXIT STATUS\n" + list(ExitStatus.meanings.map { ($0.code, $0.meaning) })
        page += ".SH ENVIRONMENT\n" + list(environment)
        page += ".SH FILES\n" + list(files)
        page += ".SH EXAMPLES\n"
        for (what, command) in examples {
            page += Roff.paragraphs(what) + ".RS 4\n.EX\n\(Roff.escaped(command))\n.EE\n.RE\n"
        }
        page += ".SH SEE ALSO\n.BR ffmpeg (1),\n.BR systemd.timer (5),\n.BR cron (8)\n"
        return page
    }

    private static let environment = [
        ("PATH", "Where `ffmpeg` and `ffprobe` are found; pipelines that read or write video need them."),
        (
            "TMPDIR",
            "Where a video, a `.sens` file or ScanNet's raw streams that are compressed inside an archive are unpacked while "
                + "their capture runs; `/var/tmp` if it is not set or empty."
        ),
        ("TZ", "The time zone of `--until` and of the report."),
        ("TERM", "If it is not set, empty or `dumb`, a run draws no live progress."),
        ("COLUMNS", "The width of help; the terminal's, or 80, if it is not set."),
        ("SHELL", "The shell for `--generate-completion-script`, if none is named."),
    ]

    private static let files = [
        ("OUT/ID/", "A capture's result: whole, or not there."),
        (
            "OUT/ID/receipt.json",
            "What went in, what was done with which options, which frames stayed, and every file with its digest."
        ),
        ("OUT/.scanmill/", "Locks, failure notes, and what is known of earlier runs: everything with a clock in it."),
        (
            "pipeline.schema.json",
            "Beside a pipeline: lets editors complete and check it; `scanmill schema` prints it."
        ),
        ("PREFIX/share/scanmill/pipelines/", "Ready-made pipelines."),
        ("PREFIX/share/scanmill/systemd/", "A service and a timer for every night."),
    ]

    private static let examples = [
        ("What is in a capture, and what is wrong with it:", "scanmill inspect captures/desk"),
        (
            "From one capture to NeRF training data:",
            "scanmill run /usr/local/share/scanmill/pipelines/object-nerf.yaml captures/desk -o results"
        ),
        (
            "Every night, from cron:",
            "/usr/local/bin/scanmill run /etc/scanmill/nightly.yaml /captures -o /results --settle 10m --until 06:00 -q"
        ),
        ("What failed, and why:", "scanmill status /results"),
    ]

    /// The abstract as `whatis` shows it: without a capital or a full stop.
    private static func name(_ abstract: String) -> String {
        let text = abstract.prefix(1).lowercased() + abstract.dropFirst()
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    private static func synopsis(_ command: CommandTree, of tool: String) -> String {
        let words = CommandDoc.usage(command, of: tool).split(separator: " ", maxSplits: 2)
        let rest = words.count > 2 ? " " + Roff.text(String(words[2])) : ""
        return "\\fB\(Roff.text("\(tool) \(command.name)"))\\fR\(rest)"
    }

    private static func section(_ command: CommandTree, of tool: String) -> String {
        var section = ".SS \(Roff.text("\(tool) \(command.name)"))\n" + Roff.paragraphs(command.abstract)
        if !command.discussion.isEmpty { section += ".PP\n" + Roff.paragraphs(command.discussion) }
        for option in command.options where !option.isCommon {
            let value = option.value.map { "\\fI\(Roff.text($0.uppercased()))\\fR" }
            let names = option.names.map { "\\fB\(Roff.text($0))\\fR" }.joined(separator: ", ")
            let tag = [names, value ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
            section += ".TP\n\(tag)\n\(Roff.text(option.help + option.addition))\n"
        }
        return section
    }

    private static func list(_ items: [(String, String)]) -> String {
        items.map { ".TP\n\\fB\(Roff.text($0.0))\\fR\n\(Roff.text($0.1))\n" }.joined()
    }
}

/// Text for troff.
private enum Roff {
    /// Prose in lines of a fitting length.
    static func text(_ text: String) -> String {
        escaped(text).split(separator: "\n", omittingEmptySubsequences: false).map(fold).joined(separator: "\n")
    }

    /// Nothing in the text is a troff request except at the start of a line; what is between backticks is bold.
    static func escaped(_ text: String) -> String {
        var isCode = false
        var result = ""
        for character in text {
            switch character {
            case "`":
                isCode.toggle()
                result += isCode ? "\\fB" : "\\fR"
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "…": result += "..."
            case "–": result += "\\(en"
            case "\n": result += "\n"
            default: result.append(character)
            }
        }
        return result
    }

    /// A line as several of at most 78 bytes. None begins with a dot or an apostrophe, which would be a request.
    private static func fold(_ line: Substring) -> String {
        var lines = [""]
        for word in line.split(separator: " ") {
            let isFirst = lines[lines.count - 1].isEmpty
            if !isFirst && lines[lines.count - 1].utf8.count + word.utf8.count > 76 { lines.append("") }
            if lines[lines.count - 1].isEmpty {
                lines[lines.count - 1] = (word.hasPrefix(".") || word.hasPrefix("'") ? "\\&" : "") + word
            } else {
                lines[lines.count - 1] += " " + word
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Paragraphs, which empty lines separate in the text.
    static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n\n").map { Roff.text(String($0)) + "\n" }.joined(separator: ".PP\n")
    }
}
