import ScanModel

/// The reference page of a stage, from its own declarations alone.
public enum StageDoc {
    /// Markdown.
    public static func page(_ entry: StageLibrary.Entry) -> String {
        let card = entry.card
        var page = "# \(card.name)\n\n\(MarkdownText.prose(card.summary))\n\n```yaml\n\(card.example)\n```\n\n"
        page += MarkdownText.prose(card.details) + "\n"
        page += "\n## Options\n\n"
        if entry.options.isEmpty {
            page += "None.\n"
        } else {
            page += "| option | value | default | meaning |\n| --- | --- | --- | --- |\n"
            for option in entry.options {
                let fallback = option.defaultText.map { "`\($0.replacing("|", with: "\\|"))`" } ?? "–"
                page +=
                    "| `\(option.name)` | \(value(of: option)) | \(fallback) | \(MarkdownText.cell(option.help)) |\n"
            }
        }
        page += "\n## \(usesTitle(entry))\n\n" + uses(entry.uses)
        return page
    }

    /// The list of all stages, Markdown.
    public static func index(_ library: StageLibrary) -> String {
        var page =
            "# Stages\n\nIn the order in which a pipeline would use them.\n\n| stage | what it does |\n| --- | --- |\n"
        for entry in library.entries {
            page += "| [\(entry.card.name)](\(entry.card.name).md) | \(MarkdownText.cell(entry.card.summary)) |\n"
        }
        return page
    }

    /// What `scanmill stages NAME` prints.
    public static func text(_ entry: StageLibrary.Entry) -> String {
        var text = "\(entry.card.name): \(entry.card.summary)\n\n\(entry.card.details)\n\nOptions:\n"
        if entry.options.isEmpty { text += "  none\n" }
        for option in entry.options {
            let fallback = option.defaultText.map { ", default \($0)" } ?? ""
            text += "  \(option.name): \(value(of: option).filter { $0 != "`" })\(fallback)\n      \(option.help)\n"
        }
        let uses = uses(entry.uses).filter { $0 != "`" }.split(separator: "\n").map { "  " + $0.dropFirst(2) }
        return text + "\n\(usesTitle(entry)):\n" + uses.joined(separator: "\n")
            + "\n\nExample:\n  \(entry.card.example)"
    }

    /// The same facts for programs.
    public static func json(_ entry: StageLibrary.Entry) -> JSONValue {
        var roles = JSONObject()
        for (name, role) in [("frame", entry.uses.frame), ("fold", entry.uses.fold), ("finish", entry.uses.finish)] {
            roles[name] = .object([
                "needs": .of(role.demands.map { $0.map(\.name).joined(separator: "|") }),
                "needs-where": .object(conditions(of: role)),
                "wants": .of(role.optional.map(\.name)),
                "prefers": .of(role.prefers.map { $0.map(\.name).joined(separator: "|") }),
                "makes": .of(role.possible.map(\.name).sorted()),
                "changes": .of(role.changes.map(\.name)), "drops": .bool(role.drops),
            ])
        }
        return .object([
            "name": .string(entry.card.name), "summary": .string(entry.card.summary),
            "details": .string(entry.card.details), "example": .string(entry.card.example),
            "revision": .of(entry.card.revision), "options": .array(entry.options.map(json)), "uses": .object(roles),
            "writes": .of(entry.uses.claims),
        ])
    }

    /// The needed channel by the one that gives rise to the need.
    private static func conditions(of role: Uses.Role) -> JSONObject {
        role.conditions.reduce(into: JSONObject()) { $0[$1.when.name] = .string($1.needed.name) }
    }

    private static func json(_ option: OptionSpec) -> JSONValue {
        .object([
            "name": .string(option.name), "help": .string(option.help),
            "value": .string(value(of: option).filter { $0 != "`" }), "default": .of(option.defaultText),
            "unit": .of(option.unit),
        ])
    }

    private static func value(of option: OptionSpec) -> String {
        switch option.kind {
        case .number(let range): "number \(OptionText.range(range, unit: option.unit))"
        case .integer(let range): "whole number \(OptionText.range(range, unit: option.unit))"
        case .integers(let range): "list of whole numbers, each \(OptionText.range(range, unit: option.unit))"
        case .flag: "`true` or `false`"
        case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .text: "text"
        case .frames: "frame numbers and ranges, or a file"
        }
    }

    private static func usesTitle(_ entry: StageLibrary.Entry) -> String {
        entry.options.isEmpty ? "Needs and makes" : "Needs and makes, with the default options"
    }

    private static func uses(_ uses: Uses) -> String {
        var lines: [String] = []
        var needs: [String] = []
        var own: Set<Channel> = []
        for role in uses.roles {
            // What the stage itself has made by then need not come from elsewhere.
            let groups = role.demands.filter(own.isDisjoint)
            needs += groups.map { $0.map { "`\($0.name)`" }.joined(separator: " or ") }
            own.formUnion(role.possible)
        }
        let wants = Set(uses.roles.flatMap(\.optional)).subtracting(uses.roles.flatMap { $0.demands.joined() })
        let makes = uses.possible
        let changes = Set(uses.roles.flatMap(\.changes))
        func list(_ channels: Set<Channel>) -> String {
            channels.map { "`\($0.name)`" }.sorted().joined(separator: ", ")
        }
        if !needs.isEmpty { lines.append("- needs " + needs.unique.joined(separator: ", ")) }
        for condition in uses.roles.flatMap(\.conditions) {
            lines.append("- needs `\(condition.needed.name)` where there is `\(condition.when.name)`")
        }
        if !wants.isEmpty { lines.append("- uses, when there: " + list(wants)) }
        for group in uses.roles.flatMap(\.prefers).unique {
            lines.append("- uses the first that is there of " + group.map { "`\($0.name)`" }.joined(separator: ", "))
        }
        if !makes.isEmpty { lines.append("- makes " + list(makes)) }
        if !changes.isEmpty { lines.append("- changes " + list(changes)) }
        if uses.drops { lines.append("- drops frames") }
        if !uses.claims.isEmpty {
            lines.append(
                "- writes " + uses.claims.map { "`\($0.replacing("{id}", with: "<id>"))`" }.joined(separator: ", "))
        }
        return lines.isEmpty ? "- nothing\n" : lines.joined(separator: "\n") + "\n"
    }
}

extension Uses.Role {
    /// What it looks at when it is there: also what it only passes on under another name.
    fileprivate var optional: [Channel] {
        let known = Set(wants).union(demands.joined())
        return wants + derives.map(\.from).filter { !known.contains($0) }
    }
}
