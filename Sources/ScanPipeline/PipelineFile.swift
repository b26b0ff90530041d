import ScanModel
import Yams

/// A pipeline as it stands in a file: names and option values with their places, nothing checked yet.
///
/// The only file that knows YAML. Values stay texts; what they mean is for the option that takes them.
public struct PipelineFile: Sendable {
    public struct Entry: Sendable {
        public var stage: String
        public var options: [String: OptionValue]
        public var line: Int?
        public var column: Int?

        public init(stage: String, options: [String: OptionValue] = [:], line: Int? = nil, column: Int? = nil) {
            self.stage = stage
            self.options = options
            self.line = line
            self.column = column
        }
    }

    /// As the user wrote it; messages begin with it.
    public var path: String
    public var name: String
    public var summary: String?
    public var entries: [Entry] = []
    /// The text's lines, for messages.
    var lines: [String] = []

    public init(path: String, name: String, summary: String? = nil, entries: [Entry]) {
        self.path = path
        self.name = name
        self.summary = summary
        self.entries = entries
    }

    /// Reads the text of a pipeline file.
    /// - Returns: the file, as far as it can be understood, and every mistake in its layout.
    public static func parse(_ text: String, path: String) -> (file: PipelineFile, problems: [Problem]) {
        let stem = path.split(separator: "/").last.map(String.init) ?? path
        var file = PipelineFile(
            path: path, name: stem.split(separator: ".").first.map(String.init) ?? stem, entries: [])
        file.lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.hasSuffix("\r") ? String($0.dropLast()) : String($0)
        }
        var problems: [Problem] = []
        do {
            if let root = try Yams.compose(yaml: text) {
                file.read(root, &problems)
            } else {
                problems.append(Self.mistake("the file is empty", fix: "begin with  stages: [read, …]"))
            }
        } catch let error as YamlError {
            problems.append(Self.syntax(error))
        } catch {
            problems.append(Problem(.usage, "this is not YAML: \(error)"))
        }
        return (file, problems.map(file.locate))
    }

    /// Reads a value as it would stand in a pipeline, for `--set`.
    static func value(_ text: String) -> OptionValue {
        guard let node = try? Yams.compose(yaml: text) else { return OptionValue(.scalar(text)) }
        let value = Self.option(node)
        // A lone word with a colon in it is a mapping for YAML, and nearly always a text for the one who wrote it.
        return value.content == .other ? OptionValue(.scalar(text)) : OptionValue(value.content)
    }

    /// Adds the path and the line's text to a problem that knows its line.
    func locate(_ problem: Problem) -> Problem {
        var located = problem.at(file: path)
        if let line = located.place.line, lines.indices.contains(line - 1), located.excerpt == nil {
            located.excerpt = lines[line - 1]
        }
        return located
    }

    private mutating func read(_ root: Node, _ problems: inout [Problem]) {
        guard case .mapping(let mapping) = root else {
            problems.append(Self.mistake("a pipeline is a mapping with the key `stages`", at: root.mark))
            return
        }
        let known = ["name", "description", "stages"]
        var stages: Node?
        for (key, value) in mapping {
            switch key.scalar?.string ?? "" {
            case "name": name = text(value, "name", &problems) ?? name
            case "description": summary = text(value, "description", &problems)
            case "stages": stages = value
            case let other:
                problems.append(
                    Self.mistake(
                        "unknown key `\(other)`", at: key.mark,
                        fix: Nearest.suggestion(other, among: known) ?? "a pipeline has name, description and stages"))
            }
        }
        guard let stages else {
            problems.append(Self.mistake("the key `stages` is missing", at: root.mark, fix: "add  stages: [read, …]"))
            return
        }
        guard case .sequence(let sequence) = stages else {
            problems.append(Self.mistake("`stages` is a list", at: stages.mark, fix: "put each stage on its own line behind a dash"))
            return
        }
        if sequence.isEmpty { problems.append(Self.mistake("`stages` is empty", at: stages.mark)) }
        for node in sequence { readEntry(node, &problems) }
    }

    private func text(_ node: Node, _ key: String, _ problems: inout [Problem]) -> String? {
        guard let text = node.scalar?.string else {
            problems.append(Self.mistake("`\(key)` is a text", at: node.mark))
            return nil
        }
        return text
    }

    private mutating func readEntry(_ node: Node, _ problems: inout [Problem]) {
        switch node {
        case .scalar(let scalar):
            entries.append(Entry(stage: scalar.string, line: scalar.mark?.line, column: scalar.mark?.column))
        case .mapping(let mapping):
            guard mapping.count == 1, let (key, value) = mapping.first(where: { _ in true }), let name = key.scalar?.string else {
                problems.append(
                    Self.mistake(
                        "a list entry holds one stage, and this one has \(mapping.count) keys", at: node.mark,
                        fix: "begin each stage with its own dash, and indent its options below it"))
                return
            }
            var entry = Entry(stage: name, line: key.mark?.line, column: key.mark?.column)
            switch value {
            case .mapping(let options):
                for (option, value) in options {
                    var read = Self.option(value)
                    read.line = option.mark?.line
                    read.column = option.mark?.column
                    entry.options[option.scalar?.string ?? "?"] = read
                }
            case .scalar(let scalar) where scalar.string.isEmpty || scalar.string == "~" || scalar.string == "null": break
            default:
                problems.append(
                    Self.mistake(
                        "the options of `\(name)` are a mapping", at: value.mark, fix: "write  - \(name): {option: value}"))
            }
            entries.append(entry)
        default:
            problems.append(Self.mistake("a stage is a name, or a name with options", at: node.mark))
        }
    }

    private static func option(_ node: Node) -> OptionValue {
        let content: OptionValue.Content
        switch node {
        case .scalar(let scalar): content = .scalar(scalar.string)
        case .sequence(let items):
            let texts = items.compactMap { $0.scalar?.string }
            content = texts.count == items.count ? .list(texts) : .other
        default: content = .other
        }
        return OptionValue(content, line: node.mark?.line, column: node.mark?.column)
    }

    private static func mistake(_ summary: String, at mark: Mark? = nil, fix: String? = nil) -> Problem {
        Problem(.usage, summary, fix: fix).at(line: mark?.line, column: mark?.column)
    }

    private static func syntax(_ error: YamlError) -> Problem {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let notes = context.map { ["\($0.text) in line \($0.mark.line)"] } ?? []
            return Problem(.usage, "this is not YAML: \(problem)", notes: notes).at(line: mark.line, column: mark.column)
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.map { "`\($0)`" }.joined(separator: ", ")
            return Problem(.usage, "the key \(keys) stands here more than once", fix: "keep one of them")
                .at(line: context.mark.line, column: context.mark.column)
        case .reader(let problem, _, _, _): return Problem(.usage, "this is not text: \(problem)")
        default: return Problem(.usage, "this is not YAML: \(error)")
        }
    }
}
