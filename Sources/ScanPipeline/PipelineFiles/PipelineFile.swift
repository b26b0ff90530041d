import ScanModel
import Yams

/// A pipeline as it stands in a file: names and option values with their places, nothing checked yet.
///
/// The only file that calls Yams; PipelineFileSyntax.swift goes by the messages of its parser. Values stay text; what
/// they mean is up to the option that takes them.
public struct PipelineFile: Sendable {
    public struct Entry: Sendable {
        public var stage: String
        public var options: [String: OptionValue]
        public var line: Int?
        public var column: Int?
        /// What stands in the place of its options and is none.
        package var stray: OptionValue?
        /// What it says cannot be understood, and has been reported.
        package var isBroken = false

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
    /// Whether there is a file that somebody can edit: commands have pipelines of their own.
    var isEditable = true
    /// The text's lines as YAML reads them, without the slips that were reported.
    var lines: [String] = []
    /// The text's lines, for messages.
    private var shown: [String] = []
    /// Keys that stand again further down in their mapping, and were reported: what they say is passed over.
    private var repeated: [Mark] = []

    public init(path: String, name: String, summary: String? = nil, entries: [Entry]) {
        self.path = path
        self.name = name
        self.summary = summary
        self.entries = entries
    }

    /// A pipeline file's bytes. What has more than a million of them is something else.
    public static func bytes(at path: String) throws(Problem) -> [UInt8] {
        try FileSystem.bytes(of: path, limit: 1 << 20)
    }

    /// The text that a pipeline file's bytes hold.
    /// - Throws: a problem with the place of the first byte that is not UTF-8.
    public static func text(of bytes: [UInt8], path: String) throws(Problem) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        // Where the bytes and their repaired form diverge.
        let repaired = String(decoding: bytes, as: UTF8.self).utf8
        let place = zip(repaired, bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? bytes.count
        let line = bytes[..<place].count { $0 == UInt8(ascii: "\n") } + 1
        throw Problem(.usage, "this is not UTF-8 text", fix: "save the file as UTF-8").at(
            file: path, line: line, column: 1, byte: Int64(place), of: Int64(bytes.count))
    }

    /// Reads the text of a pipeline file.
    /// - Returns: the file, as far as it can be understood, and every mistake in its layout.
    public static func parse(_ text: String, path: String) -> (file: PipelineFile, problems: [Problem]) {
        var file = PipelineFile(path: path, name: stem(of: path), entries: [])
        let text = text.withoutByteOrderMark
        file.lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        file.shown = file.lines
        if let alias = tooManyAliases(text) {
            return (file, [file.locate(alias)])
        }
        var problems = file.mendSlips()
        let mended = problems.isEmpty ? text : file.lines.joined(separator: "\n")
        do {
            if let root = try file.compose(mended, &problems) {
                file.read(root, &problems)
            } else {
                problems.append(Self.mistake("the file is empty", fix: "begin with  stages: [read, …]"))
            }
        } catch let error as YamlError {
            problems.append(file.syntax(error, in: mended))
        } catch {
            problems.append(Problem(.usage, "this is not YAML: \(error)"))
        }
        return (file, problems.map(file.locate))
    }

    /// Composes the file's text. Of keys that stand in a mapping more than once, at which YAML stops, all but the last are
    /// reported and renamed, so that the rest of the file can be looked at.
    private mutating func compose(_ text: String, _ problems: inout [Problem]) throws -> Node? {
        var renamed = lines
        while true {
            do {
                let text = repeated.isEmpty ? text : renamed.joined(separator: "\n")
                return try Yams.compose(yaml: text, .basic)
            } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
                let mark = Mark(context.mark)
                guard let key = keys.first, repeated.count < Self.mostRepeated, !repeated.contains(mark),
                    Self.rename(keyAt: mark, repeated.count, in: &renamed)
                else { throw YamlError.duplicatedKeysInMapping(duplicates: keys, context: context) }
                problems.append(Self.repetition(of: [key], at: mark))
                repeated.append(mark)
            }
        }
    }

    /// Each makes YAML read the file once more.
    private static let mostRepeated = 16

    private static func repetition(of keys: [String], at mark: Mark) -> Problem {
        let keys = keys.map { "`\($0)`" }.joined(separator: ", ")
        return Problem(.usage, "the key \(keys) occurs here more than once", fix: "keep one of them").at(mark)
    }

    /// A mapping's keys and values, without keys that stand again further down.
    private func pairs(_ mapping: Node.Mapping) -> [(key: Node, value: Node)] {
        mapping.filter { pair in pair.key.mark.map { repeated.contains(Mark($0)) } != true }
    }

    /// The value of a `--set`: a list is written as in a file, and everything else is the text as it stands, so that no
    /// character is special to YAML.
    package static func value(_ text: String) -> OptionValue {
        guard text.hasPrefix("["), tooManyAliases(text) == nil, let node = try? Yams.compose(yaml: text, .basic) else {
            return OptionValue(.scalar(text))
        }
        return OptionValue(content(of: node))
    }

    /// The value of a `--set` as a stage's braces hold it: in brackets where the option takes a list, and in quotes where
    /// YAML would take it for something else.
    static func inBraces(_ text: String, as kind: OptionSpec.Kind?) -> String {
        if kind?.isList == true, text.contains(","), FrameList.isMeantAsNumbers(text) { return "[\(text)]" }
        let node = tooManyAliases(text) == nil ? try? Yams.compose(yaml: "{x: \(text)}", .basic) : nil
        let pairs = node?.mapping.map(Array.init) ?? []
        if pairs.map({ content(of: $0.value) }) == [value(text).content] { return text }
        return String(decoding: JSONWriter.text(.string(text), pretty: false), as: UTF8.self)
    }

    /// Aliases of aliases of lists can stand for more than any machine can hold, and are slow even before anybody looks
    /// at them.
    private static func tooManyAliases(_ text: String) -> Problem? {
        // Without an anchor they stand for nothing.
        guard text.utf8.contains(UInt8(ascii: "&")) else { return nil }
        // Each begins with an asterisk and its anchor's name, where a value may begin.
        let bytes = Array(text.utf8)
        let count = bytes.indices.dropLast().count { place in
            bytes[place] == UInt8(ascii: "*") && !" *\n\r\t/".utf8.contains(bytes[place + 1])
                && (place == 0 || " [,{:?-\n\t".utf8.contains(bytes[place - 1]))
        }
        if count <= mostAliases { return nil }
        return mistake(
            "the file has \(count) aliases (`*name`), and at most \(mostAliases) are read",
            fix: "write out what they stand for")
    }

    /// They stand for 3^(32/3) values at most.
    private static let mostAliases = 32

    /// The file's name without its extension.
    private static func stem(of path: String) -> String {
        let name = path.pathName ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return String(name) }
        return String(name[..<dot])
    }

    /// Adds the path and the line's text to a problem that knows its line.
    func locate(_ problem: Problem) -> Problem {
        var located = problem.at(file: path)
        if let line = located.place.line, shown.indices.contains(line - 1), located.excerpt == nil {
            // A line that no terminal shows in one piece explains nothing.
            if shown[line - 1].utf8.count <= 300 { located.excerpt = shown[line - 1] }
        }
        return located
    }

    private mutating func read(_ root: Node, _ problems: inout [Problem]) {
        guard case .mapping(let mapping) = root else {
            let fix =
                root.sequence == nil
                ? "begin with  stages: [read, …]" : "put  stages:  above the list, on a line of its own"
            problems.append(Self.mistake("a pipeline is a mapping with the key `stages`", at: root.mark, fix: fix))
            return
        }
        let known = ["name", "description", "stages"]
        var stages: Node?
        for (key, value) in pairs(mapping) {
            switch key.scalar?.string ?? "" {
            case "name": name = text(value, "name", &problems) ?? name
            case "description": summary = text(value, "description", &problems)
            case "stages": stages = value
            case "":
                problems.append(
                    Self.mistake("a key is a text", at: key.mark, fix: "a pipeline has name, description and stages"))
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
            problems.append(
                Self.mistake(
                    "`stages` is a list", at: stages.mark, fix: "put each stage on its own line after a dash"))
            return
        }
        if sequence.isEmpty {
            problems.append(
                Self.mistake("`stages` is empty", at: stages.mark, fix: "begin with a stage that reads: [read, …]"))
        }
        for node in sequence {
            if case .scalar(let scalar) = node, scalar.style == .plain, let mark = node.mark,
                let folded = foldedEntries(scalar.string, at: Mark(mark))
            {
                problems.append(folded.problem)
                entries += folded.entries
                continue
            }
            let known = problems.count
            var entry = readEntry(node, &problems)
            entry.isBroken = problems.count > known
            entries.append(entry)
        }
    }

    private func text(_ node: Node, _ key: String, _ problems: inout [Problem]) -> String? {
        guard case .scalar(let text) = Self.content(of: node), !text.isEmpty else {
            problems.append(Self.mistake("`\(key)` is a text", at: node.mark))
            return nil
        }
        return text
    }

    private func readEntry(_ node: Node, _ problems: inout [Problem]) -> Entry {
        var entry = Entry(stage: "", line: node.mark?.line, column: node.mark?.column)
        if let fix = wayToSeparate(node.mark?.line) {
            problems.append(
                Self.mistake("a stage's name and its options cannot be told apart", at: node.mark, fix: fix))
            return entry
        }
        switch node {
        case .mapping(let mapping) where pairs(mapping).count > 1:
            problems.append(
                Self.mistake(
                    "a list entry holds one stage, and this one has \(pairs(mapping).count) keys", at: node.mark,
                    fix: "begin each stage with its own dash, and indent its options below it"))
        case .mapping(let mapping):
            guard let (key, value) = pairs(mapping).first, let name = Self.name(key) else { fallthrough }
            entry = Entry(stage: name, line: key.mark?.line, column: key.mark?.column)
            readOptions(value, &entry, &problems)
        default:
            if let name = Self.name(node) {
                entry.stage = name
            } else {
                problems.append(
                    Self.mistake(
                        "a stage is a name, or a name with options", at: node.mark,
                        fix: "write  - name: {option: value}"))
            }
        }
        return entry
    }

    private func readOptions(_ node: Node, _ entry: inout Entry, _ problems: inout [Problem]) {
        if Self.content(of: node) == .scalar("") { return }
        guard case .mapping(let options) = node else {
            if let problem = Self.mistakenColon(in: node) {
                problems.append(problem)
            } else {
                entry.stray = OptionValue(Self.content(of: node), line: node.mark?.line, column: node.mark?.column)
            }
            return
        }
        for (key, value) in pairs(options) {
            guard let name = Self.name(key) else {
                let isTwice = key.mapping != nil && Self.content(of: value) == .scalar("")
                let fix = isTwice ? "take one pair of the braces away" : "write  {option: value}"
                problems.append(Self.mistake("an option's name is a text", at: key.mark, fix: fix))
                continue
            }
            if Self.content(of: value) == .scalar(""), let problem = Self.mistakenColon(in: key) {
                problems.append(problem)
                continue
            }
            entry.options[name] = OptionValue(Self.content(of: value), line: key.mark?.line, column: key.mark?.column)
        }
    }

    /// The text of a key, or of a stage without options; nil for anything else.
    private static func name(_ node: Node) -> String? {
        guard case .scalar(let text) = content(of: node), !text.isEmpty else { return nil }
        return text
    }

    private static func content(of node: Node) -> OptionValue.Content {
        switch node {
        case .scalar(let scalar):
            let isNull = scalar.style == .plain && ["~", "null", "Null", "NULL"].contains(scalar.string)
            return .scalar(isNull ? "" : scalar.string)
        case .sequence(let items):
            let texts = items.compactMap { $0.scalar?.string }
            return texts.count == items.count ? .list(texts) : .other("nested list")
        case .mapping: return .other("mapping")
        case .alias: return .other("alias")
        }
    }

    private static func mistakenColon(in node: Node) -> Problem? {
        guard let scalar = node.scalar, scalar.style == .plain, let fix = wayToPart(scalar.string) else { return nil }
        return missingSpace(node.mark.map(Mark.init), fix: fix)
    }

    private static func mistake(_ summary: String, at mark: Yams.Mark? = nil, fix: String? = nil) -> Problem {
        Problem(.usage, summary, fix: fix).at(mark.map(Mark.init))
    }

    private func syntax(_ error: YamlError, in text: String) -> Problem {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            if problem == "but found another document" {
                return Problem(
                    .usage, "a second document begins here, and a pipeline file holds one",
                    fix: "put each pipeline into a file of its own, or take the  ---  away"
                ).at(Mark(mark))
            }
            let start = context.map { Mark($0.mark) }
            if let cause = cause(of: problem, at: Mark(mark), since: start) { return cause }
            let notes = context.map { ["\($0.text) in line \($0.mark.line)"] } ?? []
            return Problem(.usage, "this is not YAML: \(problem)", notes: notes, fix: wayToMend(problem, mark.line))
                .at(Mark(mark))
        case .duplicatedKeysInMapping(let duplicates, let context):
            return Self.repetition(of: duplicates, at: Mark(context.mark))
        case .reader(let problem, let offset, _, _):
            let line = offset.map { text.prefix($0).count(where: \.isNewline) + 1 }
            return Problem(.usage, "this is not text: \(problem)").at(line: line, column: line == nil ? nil : 1)
        default: return Problem(.usage, "this is not YAML: \(error)")
        }
    }
}

extension PipelineFile.Mark {
    fileprivate init(_ mark: Yams.Mark) { self.init(line: mark.line, column: mark.column) }
}
