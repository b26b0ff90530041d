import ScanModel

/// The one place where a stage's options are declared: each call declares an option, documents it, reads it, checks it
/// and falls back to its default. Mistakes are collected, so that all of a file's are reported together.
///
/// A name is kebab-case; the help is one sentence for people, about what a larger or another value does; bounds belong to
/// their range; a unit is for people too, and values come as they were written. Where a value is missing or wrong, the
/// call gives the default, or nil where there is none.
public struct OptionReader: Sendable {
    /// A mistake in an option, still without its place in the file.
    package struct Mistake: Sendable {
        package var option: String?
        package var summary: String
        package var fix: String?
    }

    public private(set) var specs: [OptionSpec] = []
    package private(set) var mistakes: [Mistake] = []
    /// What is odd but not wrong, such as options that have no effect in view of the others.
    package private(set) var odd: [Mistake] = []
    /// Every option with the value that counts, defaults included; options without a value are left out.
    public private(set) var resolved = JSONObject()
    /// Those of them that are not at their default.
    package private(set) var deviations = JSONObject()
    var given: [String: OptionValue]
    /// The stages above, from the first one on, with their resolved options.
    private let above: [(stage: String, options: JSONObject)]

    package init(given: [String: OptionValue] = [:], above: [(stage: String, options: JSONObject)] = []) {
        self.given = given
        self.above = above
    }

    /// A number.
    /// - Parameter usual: what makes sense in a scan; a number outside, as in another unit, is warned of and taken.
    public mutating func number(
        _ name: String, _ help: String, default value: Double, in range: ClosedRange<Double>,
        usual: ClosedRange<Double>? = nil, unit: String? = nil
    ) -> Double {
        number(name, help, in: range, usual: usual, unit: unit, default: value) ?? value
    }

    /// A number that need not be given.
    /// - Parameter usual: what makes sense in a scan; a number outside, as in another unit, is warned of and taken.
    public mutating func number(
        _ name: String, _ help: String, in range: ClosedRange<Double>, usual: ClosedRange<Double>? = nil,
        unit: String? = nil
    ) -> Double? {
        number(name, help, in: range, usual: usual, unit: unit, default: nil)
    }

    private mutating func number(
        _ name: String, _ help: String, in range: ClosedRange<Double>, usual: ClosedRange<Double>?, unit: String?,
        default value: Double?
    ) -> Double? {
        declare(name, help, .number(range), default: value.map(OptionText.number), unit: unit)
        var result = value
        if let text = scalar(name, "a number") {
            if let number = Self.decimal(text) {
                if range.contains(number) {
                    result = number
                    if let usual, !usual.contains(number) {
                        warn(
                            name,
                            "`\(name)` is \(text), and in scans it is usually "
                                + "\(OptionText.range(usual, unit: unit))",
                            fix: "check whether it was meant in another "
                                + "unit\(unit.map { ": its unit is \($0)" } ?? "")")
                    }
                } else {
                    fail(name, "`\(name)` is \(text), which is not \(OptionText.range(range, unit: unit))")
                }
            } else {
                fail(name, "`\(name)` takes a number, not `\(text)`", numberExample(name, for: text))
            }
        }
        if let result { settle(name, Self.json(result), isDefault: result == value) }
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
            } else if Self.isWhole(text) {
                fail(name, "`\(name)` is \(text), which is not between \(range.lowerBound) and \(range.upperBound)")
            } else {
                let nearest = Self.wholeNumber(nearest: text, in: range).map { "for example  \(name): \($0)" }
                fail(name, "`\(name)` takes a whole number, not `\(text)`", nearest ?? numberExample(name, for: text))
            }
        }
        if let result { settle(name, .of(result), isDefault: result == value) }
        return result
    }

    /// A list of whole numbers.
    public mutating func integers(
        _ name: String, _ help: String, default value: [Int], in range: ClosedRange<Int>
    ) -> [Int] {
        declare(name, help, .integers(range), default: OptionText.list(value))
        var result = value
        if let option = given[name] {
            let example = "for example  \(name): \(OptionText.list(value))"
            let numbers = option.texts.compactMap { Int($0) }
            if case .other(let kind) = option.content {
                fail(name, "`\(name)` takes whole numbers, not a \(kind)", example)
            } else if option.content == .scalar("") {
                fail(name, "`\(name)` has no value", example)
            } else if let text = option.texts.first(where: { Int($0) == nil }) {
                fail(name, "`\(name)` takes whole numbers, not `\(text)`", example)
            } else if let number = numbers.first(where: { !range.contains($0) }) {
                fail(name, "`\(name)` holds \(number), which is not \(OptionText.range(range, unit: nil))")
            } else {
                result = numbers
            }
        }
        settle(name, .of(result), isDefault: result == value)
        return result
    }

    /// Yes or no.
    public mutating func flag(_ name: String, _ help: String, default value: Bool) -> Bool {
        declare(name, help, .flag, default: value ? "true" : "false")
        var result = value
        if let text = scalar(name, "true or false") {
            if let read = Self.flag(text) {
                result = read
            } else {
                let words = ["0": ["false"], "n": ["false"], "1": ["true"], "y": ["true"]][text] ?? ["true", "false"]
                let ways = words.map { "\(name): \($0)" }.joined(separator: "  or  ")
                fail(name, "`\(name)` takes true or false, not `\(text)`", "write  \(ways)")
            }
        }
        settle(name, .bool(result), isDefault: result == value)
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
                    name, "`\(name)` is `\(text)`, which is not one of \(words.joined(separator: ", "))",
                    Nearest.suggestion(text, among: words))
            }
        }
        settle(name, .string(result.rawValue), isDefault: result.rawValue == value.rawValue)
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
        let result = scalar(name, "a text") ?? value
        if let result { settle(name, .string(result), isDefault: result == value) }
        return result
    }

    /// Frame numbers: a list such as `[3, 17-20]`, or the path of a text file with one number or range per line.
    public mutating func frames(_ name: String, _ help: String) -> FrameList? {
        declare(name, help, .frames, default: nil)
        guard let option = given[name] else { return nil }
        let example = "for example  \(name): [3, 17-20]"
        switch option.content {
        case .scalar(""): fail(name, "`\(name)` has no value", example)
        case .scalar(let text) where !FrameList.isMeantAsNumbers(text):
            settle(name, .string(text), isDefault: false)
            return .file(text)
        case .scalar, .list:
            if let list = FrameList(parsing: option.texts) {
                settle(name, .of(list.texts), isDefault: false)
                return list
            }
            let item = option.texts.first { FrameList(parsing: [$0]) == nil } ?? ""
            fail(name, "`\(name)` takes frame numbers and ranges, not `\(item)`", example)
        case .other(let kind):
            fail(name, "`\(name)` takes frame numbers and ranges, or a file, not a \(kind)", example)
        }
        return nil
    }

    // MARK: - Mistakes

    /// Reports a mistake that concerns several options, or none in particular.
    public mutating func fail(_ option: String?, _ summary: String, _ fix: String? = nil) {
        mistakes.append(Mistake(option: option, summary: summary, fix: fix))
    }

    /// Warns of what is odd about an option, or about the stage as a whole, but not wrong.
    public mutating func warn(_ option: String?, _ summary: String, fix: String) {
        odd.append(Mistake(option: option, summary: summary, fix: fix))
    }

    // MARK: - What is given

    /// Whether an option is given, even if it cannot be read.
    public func isGiven(_ name: String) -> Bool { given[name] != nil }

    /// An option's value in the nearest stage above of a name, for defaults that follow it; nil where there is none.
    public func value(of name: String, above stage: String) -> JSONValue? {
        above.last { $0.stage == stage }?.options[name]
    }

    /// Whether a stage of a name stands above.
    public func isBelow(_ stage: String) -> Bool { above.contains { $0.stage == stage } }

    /// Whether a stage of a name stands above, and none of another name between it and this one.
    /// - Parameter other: the stage that undoes what the first one does.
    public func isBelow(_ stage: String, notUndoneBy other: String) -> Bool {
        above.last { [stage, other].contains($0.stage) }?.stage == stage
    }

    /// What was given and never declared, once the stage has read its options.
    package var undeclared: [String] { given.keys.filter { name in !specs.contains { $0.name == name } }.sorted() }

    /// The same mistake with a fix, if it has none and the word that was given to its option is a value of exactly one
    /// other option.
    func advised(_ mistake: Mistake) -> Mistake {
        guard mistake.fix == nil, case .scalar(let text)? = mistake.option.flatMap({ given[$0]?.content }),
            case .choice? = specs.first(where: { $0.name == mistake.option })?.kind,
            let other = specs.choice(of: text), other.name != mistake.option, other.defaultText != text
        else { return mistake }
        var advised = mistake
        advised.fix = "write  \(other.name): \(text)"
        return advised
    }

    // MARK: - The steps of a declaration

    private mutating func declare(
        _ name: String, _ help: String, _ kind: OptionSpec.Kind, default text: String?, unit: String? = nil
    ) {
        precondition(!specs.contains { $0.name == name }, "a stage declares the option \(name) twice")
        specs.append(OptionSpec(name: name, help: help, kind: kind, defaultText: text, unit: unit))
    }

    private mutating func settle(_ name: String, _ value: JSONValue, isDefault: Bool) {
        resolved[name] = value
        if !isDefault { deviations[name] = value }
    }

    /// The text of an option that takes one value.
    private mutating func scalar(_ name: String, _ kind: String) -> String? {
        switch given[name]?.content {
        case nil: return nil
        case .scalar("")?:
            let what = isSet(name) ? "leave the setting" : "take the line"
            fail(name, "`\(name)` has no value", "give \(kind), or \(what) out")
        case .scalar(let text)?: return text
        case .list?: fail(name, "`\(name)` takes \(kind), not a list")
        case .other(let other)?: fail(name, "`\(name)` takes \(kind), not a \(other)")
        }
        return nil
    }

    /// How an option's number is written.
    /// - Parameter text: what was given for it.
    private func numberExample(_ name: String, for text: String) -> String? {
        guard let spec = specs.first(where: { $0.name == name }) else { return nil }
        let meant = spec.number(before: text)
        // A number in another unit is not the one to write.
        let alone = spec.unit == nil ? meant : nil
        let number = text.hasSuffix("%") ? meant ?? spec.defaultText : spec.defaultText ?? alone
        let example = number.map { "for example  \(name): \($0)" }
        guard let unit = spec.unit else { return example }
        return (["write the number alone; its unit is \(unit)"] + [example].compactMap(\.self)).joined(separator: ", ")
    }

    // MARK: - Values

    /// The flag that a word stands for; nil for any other word.
    package static func flag(_ text: some StringProtocol) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    }

    /// A decimal number, infinite where it is too large. Not the other forms that Swift reads (`0x10`, `nan`, `inf`): YAML
    /// and JSON differ.
    static func decimal(_ text: some StringProtocol) -> Double? {
        text.utf8.allSatisfy("0123456789+-.eE".utf8.contains) ? Double(text) : nil
    }

    /// Whether a text is a whole number, however large.
    private static func isWhole(_ text: String) -> Bool {
        let digits = text.dropFirst(text.first.map("+-".contains) == true ? 1 : 0)
        return !digits.isEmpty && digits.utf8.allSatisfy("0123456789".utf8.contains)
    }

    /// Of what an option takes, the whole number that is nearest to a decimal one; nil for any other text.
    private static func wholeNumber(nearest text: String, in range: ClosedRange<Int>) -> Int? {
        guard let number = decimal(text), let whole = Int(exactly: number.rounded()) else { return nil }
        return min(max(whole, range.lowerBound), range.upperBound)
    }

    /// Whole numbers as integers, as far as a `Double` holds them exactly.
    static func json(_ value: Double) -> JSONValue {
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { .integer(whole) } else { .number(value) }
    }
}
