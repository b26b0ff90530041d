import Glibc
import ScanModel
import ScanPipeline

/// What `inspect` has to tell, for people and for programs: the text and the JSON are made from the same values, so that
/// they cannot say different things.
struct FactSheet {
    var sections: [Section] = []

    /// A heading and what is under it. A section without a title comes first, and its facts are members of the whole
    /// JSON object; every other section is a member of its own.
    struct Section {
        var key: String
        var title: String?
        var content: Content
    }

    enum Content {
        case facts([Fact])
        case table([Column], rows: [[Value?]])
        case problems([(weight: String, problem: Problem)], root: String)
    }

    struct Fact {
        var key: String
        var label: String
        var value: Value

        /// - Parameter label: the key with spaces, where nothing else is said.
        init(_ key: String, label: String? = nil, _ value: Value) {
            self.key = key
            self.label = label ?? key.split(separator: "-").joined(separator: " ")
            self.value = value
        }
    }

    struct Column {
        var key: String
        var title: String
        var isNumber = false
    }

    /// JSON has the full precision and the plain number; units are in the keys there.
    indirect enum Value {
        case text(String)
        case count(Int, of: String? = nil)
        /// A count that reads as a word when it is 0.
        case tally(Int, zero: String, of: String)
        case bytes(Int64)
        case number(Double, digits: Int, unit: String = "")
        /// Of 1.
        case share(Double)
        /// One number where both ends are the same.
        case range(ClosedRange<Double>, digits: Int, unit: String = "")
        case values(ClosedRange<Int>)
        case vector(Vector3, digits: Int, unit: String = "")
        case size(PixelSize)
        case flag(Bool, yes: String, no: String)
        case phrase([Part])
        case list([Value])
    }

    /// A piece of a phrase, with the words around it; a member of an object in JSON.
    struct Part {
        var key: String
        var before: String
        var value: Value
        var after: String

        init(_ before: String, _ key: String, _ value: Value, _ after: String = "") {
            self.key = key
            self.before = before
            self.value = value
            self.after = after
        }
    }

    /// Adds those facts that are there, if there are any.
    mutating func add(_ key: String, _ title: String?, _ facts: [Fact?]) {
        let facts = facts.compactMap(\.self)
        if !facts.isEmpty { sections.append(Section(key: key, title: title, content: .facts(facts))) }
    }

    /// Adds a table, if it has rows.
    mutating func add(_ key: String, _ title: String, _ columns: [Column], _ rows: [[Value?]]) {
        if !rows.isEmpty { sections.append(Section(key: key, title: title, content: .table(columns, rows: rows))) }
    }
}

// MARK: - JSON

extension FactSheet {
    var json: JSONValue {
        var object = JSONObject()
        for section in sections {
            switch section.content {
            case .facts(let facts):
                var members = JSONObject()
                for fact in facts { members[fact.key] = fact.value.json }
                if section.title == nil {
                    object.merge(members)
                } else {
                    object[section.key] = .object(members)
                }
            case .table(let columns, let rows):
                object[section.key] = .array(
                    rows.map { row in
                        var members = JSONObject()
                        for (column, value) in zip(columns, row) { members[column.key] = value?.json }
                        return .object(members)
                    })
            case .problems(let problems, _):
                object[section.key] = .array(
                    problems.map { weight, problem in
                        var members: JSONObject = ["weight": .string(weight)]
                        members.merge(problem.json)
                        return .object(members)
                    })
            }
        }
        return .object(object)
    }
}

extension FactSheet.Value {
    var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .count(let count, _), .tally(let count, _, _): .of(count)
        case .bytes(let count): .integer(count)
        case .number(let value, _, _), .share(let value): .number(value)
        case .range(let range, _, _): .of([range.lowerBound, range.upperBound])
        case .values(let range): .of([range.lowerBound, range.upperBound])
        case .vector(let vector, _, _): .of(vector.components)
        case .size(let size): .of([size.width, size.height])
        case .flag(let flag, _, _): .bool(flag)
        case .list(let values): .array(values.map(\.json))
        case .phrase(let parts):
            .object(
                parts.reduce(into: JSONObject()) { object, part in object[part.key] = part.value.json })
        }
    }
}

// MARK: - Text

extension FactSheet {
    /// How many columns lines have at most where nobody says otherwise.
    private static let width = 100

    /// As wide as the terminal on stdout, within what is still a table and still a line; where there is none, always alike.
    static var shownWidth: Int { TerminalSize(of: STDOUT_FILENO).map { min(max($0.columns, 60), width) } ?? width }

    /// - Parameter width: of lines, apart from what has no space to break at, from tables, and from problems, whose lines
    ///   are meant to be copied.
    func text(width: Int) -> String {
        let labels = sections.flatMap { section in
            if case .facts(let facts) = section.content { facts.map(\.label.count) } else { [Int]() }
        }
        let indent = 2 + (labels.max() ?? 0) + 2
        return sections.map { section in
            Self.lines(section, indent, width).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func lines(_ section: Section, _ indent: Int, _ width: Int) -> [String] {
        let title = section.title.map { [$0] } ?? []
        switch section.content {
        case .facts(let facts):
            return title
                + facts.flatMap { fact in
                    wrapped(fact.value.text, to: width - indent).enumerated().map { number, line in
                        (number == 0 ? "  " + fact.label : "").padded(to: indent) + line
                    }
                }
        case .table(let columns, let rows):
            return table(columns, rows, title: section.title ?? "")
        case .problems(let problems, let root):
            if problems.isEmpty { return title + ["  none"] }
            return title
                + problems.flatMap { weight, problem in
                    problem.message(
                        root: FileSystem.root(ofFilesOf: root, besides: problem.place.file), as: weight
                    ).split(separator: "\n").map { "  " + $0 }
                }
        }
    }

    /// The title is in the line of the columns' titles if the first column leaves room for it.
    private static func table(_ columns: [Column], _ rows: [[Value?]], title: String) -> [String] {
        let cells = [columns.map(\.title)] + rows.map { row in row.map { $0?.text ?? "" } }
        let widths = columns.indices.map { column in cells.map { $0[column].columns }.max() ?? 0 }
        var lines = cells.map { row in
            let texts = zip(row, zip(columns, widths)).map { cell, layout in
                layout.0.isNumber
                    ? String(repeating: " ", count: layout.1 - cell.columns) + cell : cell.padded(to: layout.1)
            }
            let line = "  " + texts.joined(separator: "  ")
            return String(line.dropLast { $0 == " " })
        }
        if columns.first?.title == "", title.count < widths[0] + 2 {
            lines[0] = title + lines[0].dropFirst(title.count)
            return lines
        }
        return [title] + lines
    }

    private static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if let line = lines.last, line.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension FactSheet.Value {
    var text: String {
        switch self {
        case .text(let text): text
        case .count(let count, let noun): count.groupedText() + (noun.map { " " + Self.plural($0, count) } ?? "")
        case .tally(let count, let zero, let noun):
            count == 0 ? zero : "\(count.groupedText()) \(Self.plural(noun, count))"
        case .bytes(let count): Console.size(count)
        case .number(let value, let digits, let unit): value.fixedText(decimals: digits) + Self.spaced(unit)
        case .share(let value): (value * 100).fixedText(decimals: 1) + " %"
        case .range(let range, let digits, let unit):
            if range.lowerBound == range.upperBound {
                range.lowerBound.fixedText(decimals: digits) + Self.spaced(unit)
            } else {
                "\(range.lowerBound.fixedText(decimals: digits)) to \(range.upperBound.fixedText(decimals: digits))"
                    + Self.spaced(unit)
            }
        case .values(let range):
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        case .vector(let vector, let digits, let unit):
            vector.components.map { $0.fixedText(decimals: digits) }.joined(separator: ", ") + Self.spaced(unit)
        case .size(let size): size.description
        case .flag(let flag, let yes, let no): flag ? yes : no
        case .phrase(let parts): parts.map { $0.before + $0.value.text + $0.after }.joined()
        case .list(let values): values.map(\.text).joined(separator: ", ")
        }
    }

    private static func spaced(_ unit: String) -> String { unit.isEmpty || unit.hasPrefix("°") ? unit : " \(unit)" }

    /// "1 frame", "2 frames"; of several words the first is the noun: "3 frames off time".
    private static func plural(_ noun: String, _ count: Int) -> String {
        guard count != 1 else { return noun }
        let words = noun.split(separator: " ", maxSplits: 1)
        return words.enumerated().map { $0 == 0 ? "\($1)s" : String($1) }.joined(separator: " ")
    }
}
