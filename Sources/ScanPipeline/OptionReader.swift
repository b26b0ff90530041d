import ScanModel

/// What an option is, for help, pages and the schema.
public struct OptionSpec: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case number(ClosedRange<Double>)
        case integer(ClosedRange<Int>)
        case flag
        case choice([String])
        case text
        /// Whole numbers and ranges (`[3, 17-20]`), or the path of a file that lists them.
        case frames
        case integers(ClosedRange<Int>)
    }

    public var name: String
    public var help: String
    public var kind: Kind
    /// As it would be written in a pipeline; nil when the option has no value unless it is given.
    public var defaultText: String?
    public var unit: String?
}

/// The one place where a stage's options are declared: each call declares an option, documents it, reads it, checks it
/// and falls back to its default. Mistakes are collected, so that all of a file's are reported together.
public struct OptionReader: Sendable {
    /// A mistake in an option, still without its place in the file.
    struct Mistake: Sendable {
        var option: String?
        var summary: String
        var fix: String?
    }

    public private(set) var specs: [OptionSpec] = []
    private(set) var mistakes: [Mistake] = []
    /// Every option with the value that counts, defaults included; options without a value are left out.
    public private(set) var resolved = JSONObject()
    private let given: [String: OptionValue]

    init(given: [String: OptionValue] = [:]) { self.given = given }

    /// A number.
    public mutating func number(
        _ name: String, _ help: String, default value: Double, in range: ClosedRange<Double>, unit: String? = nil
    ) -> Double {
        number(name, help, in: range, unit: unit, default: value) ?? value
    }

    /// A number that need not be given.
    public mutating func number(
        _ name: String, _ help: String, in range: ClosedRange<Double>, unit: String? = nil
    ) -> Double? {
        number(name, help, in: range, unit: unit, default: nil)
    }

    private mutating func number(
        _ name: String, _ help: String, in range: ClosedRange<Double>, unit: String?, default value: Double?
    ) -> Double? {
        declare(name, help, .number(range), default: value.map(OptionText.number), unit: unit)
        var result = value
        if let text = scalar(name, "a number") {
            if let number = Double(text), number.isFinite {
                if range.contains(number) {
                    result = number
                } else {
                    fail(name, "`\(name)` is \(text), which is not \(OptionText.range(range, unit: unit))")
                }
            } else {
                fail(name, "`\(name)` takes a number, not `\(text)`")
            }
        }
        if let result { resolved[name] = Self.json(result) }
        return result
    }

    /// A whole number.
    public mutating func integer(
        _ name: String, _ help: String, default value: Int, in range: ClosedRange<Int>, unit: String? = nil
    ) -> Int {
        integer(name, help, in: range, unit: unit, default: value) ?? value
    }

    /// A whole number that need not be given.
    public mutating func integer(
        _ name: String, _ help: String, in range: ClosedRange<Int>, unit: String? = nil
    ) -> Int? {
        integer(name, help, in: range, unit: unit, default: nil)
    }

    private mutating func integer(
        _ name: String, _ help: String, in range: ClosedRange<Int>, unit: String?, default value: Int?
    ) -> Int? {
        declare(name, help, .integer(range), default: value.map(String.init), unit: unit)
        var result = value
        if let text = scalar(name, "a whole number") {
            if let number = Int(text) {
                if range.contains(number) {
                    result = number
                } else {
                    fail(name, "`\(name)` is \(text), which is not \(OptionText.range(range, unit: unit))")
                }
            } else {
                fail(name, "`\(name)` takes a whole number, not `\(text)`")
            }
        }
        if let result { resolved[name] = .of(result) }
        return result
    }

    /// A list of whole numbers.
    public mutating func integers(
        _ name: String, _ help: String, default value: [Int], in range: ClosedRange<Int>
    ) -> [Int] {
        declare(name, help, .integers(range), default: OptionText.list(value))
        var result = value
        if let option = given[name] {
            let texts = option.items ?? [option.text ?? ""]
            let numbers = texts.compactMap { Int($0) }
            if numbers.count == texts.count, numbers.allSatisfy(range.contains) {
                result = numbers
            } else {
                fail(name, "`\(name)` takes whole numbers, each \(OptionText.range(range, unit: nil))", "[2, 4, 8]")
            }
        }
        resolved[name] = .of(result)
        return result
    }

    /// Yes or no.
    public mutating func flag(_ name: String, _ help: String, default value: Bool) -> Bool {
        declare(name, help, .flag, default: value ? "true" : "false")
        var result = value
        if let text = scalar(name, "true or false") {
            switch text.lowercased() {
            case "true", "yes", "on": result = true
            case "false", "no", "off": result = false
            default: fail(name, "`\(name)` takes true or false, not `\(text)`")
            }
        }
        resolved[name] = .bool(result)
        return result
    }

    /// One of a few words: the raw values of an enumeration.
    public mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ help: String, default value: Choice
    ) -> Choice where Choice.RawValue == String {
        let words = Choice.allCases.map(\.rawValue)
        declare(name, help, .choice(words), default: value.rawValue)
        var result = value
        if let text = scalar(name, "a word") {
            if let choice = Choice(rawValue: text) {
                result = choice
            } else {
                fail(
                    name, "`\(name)` is `\(text)`, which is none of \(words.joined(separator: ", "))",
                    Nearest.suggestion(text, among: words))
            }
        }
        resolved[name] = .string(result.rawValue)
        return result
    }

    /// Any text; never empty.
    public mutating func text(_ name: String, _ help: String, default value: String) -> String {
        text(name, help, default: Optional(value)) ?? value
    }

    /// A text that need not be given.
    public mutating func text(_ name: String, _ help: String) -> String? { text(name, help, default: nil) }

    private mutating func text(_ name: String, _ help: String, default value: String?) -> String? {
        declare(name, help, .text, default: value)
        var result = value
        if let text = scalar(name, "a text") {
            if text.isEmpty { fail(name, "`\(name)` is empty") } else { result = text }
        }
        if let result { resolved[name] = .string(result) }
        return result
    }

    /// Frame numbers: a list such as `[3, 17-20]`, or the path of a text file with one number or range a line.
    public mutating func frames(_ name: String, _ help: String) -> FrameList? {
        declare(name, help, .frames, default: nil)
        guard let option = given[name] else { return nil }
        if option.items == nil, let text = option.text, FrameList(parsing: [text]) == nil {
            resolved[name] = .string(text)
            return .file(text)
        }
        let items = option.items ?? [option.text ?? ""]
        guard let list = FrameList(parsing: items) else {
            fail(name, "`\(name)` takes frame numbers and ranges, not `\(items.joined(separator: ", "))`", "[3, 17-20]")
            return nil
        }
        resolved[name] = .of(items)
        return list
    }

    /// Reports a mistake that concerns several options, or none in particular.
    public mutating func fail(_ option: String?, _ summary: String, _ fix: String? = nil) {
        mistakes.append(Mistake(option: option, summary: summary, fix: fix))
    }

    /// Checks that exactly one of these options is given.
    public mutating func exactlyOne(of names: [String]) {
        let present = names.filter { given[$0] != nil }
        let list = names.map { "`\($0)`" }.joined(separator: ", ")
        if present.isEmpty {
            fail(nil, "one of \(list) is needed", "give the one you mean; `scanmill stages` explains them")
        } else if present.count > 1 {
            fail(present[1], "only one of \(list) can be given, not \(present.map { "`\($0)`" }.joined(separator: " and "))")
        }
    }

    /// What was given and never declared, once the stage has read its options.
    var undeclared: [String] { given.keys.filter { name in !specs.contains { $0.name == name } }.sorted() }

    private mutating func declare(
        _ name: String, _ help: String, _ kind: OptionSpec.Kind, default text: String?, unit: String? = nil
    ) {
        precondition(!specs.contains { $0.name == name }, "a stage declares the option \(name) twice")
        specs.append(OptionSpec(name: name, help: help, kind: kind, defaultText: text, unit: unit))
    }

    private mutating func scalar(_ name: String, _ kind: String) -> String? {
        guard let option = given[name] else { return nil }
        if let text = option.text { return text }
        fail(name, "`\(name)` takes \(kind), not a \(option.items == nil ? "mapping" : "list")")
        return nil
    }

    private static func json(_ value: Double) -> JSONValue {
        if let whole = Int64(exactly: value), abs(whole) < 1 << 53 { .integer(whole) } else { .number(value) }
    }
}

/// How values are written for people.
enum OptionText {
    static func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value), abs(whole) < 1_000_000_000 { String(whole) } else { value.description }
    }

    /// At most three significant decimals, for percentages and the like.
    static func short(_ value: Double) -> String { number((value * 1000).rounded() / 1000) }

    static func list(_ values: [Int]) -> String { "[" + values.map(String.init).joined(separator: ", ") + "]" }

    static func range(_ range: ClosedRange<Double>, unit: String?) -> String {
        let unit = unit.map { " \($0)" } ?? ""
        if range.upperBound == .greatestFiniteMagnitude { return "at least \(number(range.lowerBound))\(unit)" }
        return "between \(number(range.lowerBound)) and \(number(range.upperBound))\(unit)"
    }

    static func range(_ range: ClosedRange<Int>, unit: String?) -> String {
        let unit = unit.map { " \($0)" } ?? ""
        if range.upperBound == .max { return "at least \(range.lowerBound)\(unit)" }
        return "between \(range.lowerBound) and \(range.upperBound)\(unit)"
    }
}

/// A choice of frames by their source numbers.
public enum FrameList: Sendable, Hashable {
    case ranges([ClosedRange<Int>])
    /// A text file, relative to the capture or to the pipeline, with a number or a range on each line.
    case file(String)

    /// Nil when an item is neither a number nor a range `a-b` with a ≤ b.
    public init?(parsing items: [String]) {
        var ranges: [ClosedRange<Int>] = []
        for item in items {
            let parts = item.split(separator: "-", omittingEmptySubsequences: false).map {
                Int($0.trimmingPrefix { $0 == " " }.reversed().drop { $0 == " " }.reversed().map(String.init).joined())
            }
            switch parts.count {
            case 1:
                guard let number = parts[0], number >= 0 else { return nil }
                ranges.append(number...number)
            case 2:
                guard let low = parts[0], let high = parts[1], low >= 0, low <= high else { return nil }
                ranges.append(low...high)
            default: return nil
            }
        }
        self = .ranges(ranges)
    }
}
