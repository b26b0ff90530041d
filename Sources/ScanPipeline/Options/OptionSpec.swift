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

        var isList: Bool {
            switch self {
            case .frames, .integers: true
            case .number, .integer, .flag, .choice, .text: false
            }
        }
    }

    public var name: String
    public var help: String
    public var kind: Kind
    /// As it would be written in a pipeline; nil when the option has no value unless it is given.
    public var defaultText: String?
    public var unit: String?
}

extension OptionSpec {
    /// Whether a text is one of the option's values, and not just any text.
    func takes(_ text: String) -> Bool {
        switch kind {
        case .number(let range): OptionReader.decimal(text).map(range.contains) ?? false
        case .integer(let range): Int(text).map(range.contains) ?? false
        case .flag: OptionReader.flag(text) != nil
        case .choice(let words): words.contains(text)
        case .text, .frames, .integers: false
        }
    }

    /// The number in a text that goes on with a unit, as in `2 cm`; nil where the option does not take that number. For
    /// an option of at most 1, percents are a share: `50%` is 0.5.
    func number(before text: String) -> String? {
        let digits = text.prefix { "0123456789+-.".contains($0) }
        let rest = text[digits.endIndex...].drop(while: \.isWhitespace)
        guard let number = OptionReader.decimal(digits), rest.allSatisfy({ $0.isLetter || $0 == "%" }) else {
            return nil
        }
        switch kind {
        case .integer(let range): return Int(exactly: number).flatMap { range.contains($0) ? String($0) : nil }
        case .number(let range):
            let meant = rest == "%" && range.upperBound <= 1 ? number / 100 : number
            return range.contains(meant) ? OptionText.number(meant) : nil
        default: return nil
        }
    }

    /// Whether nearly any text may be its value.
    var isFree: Bool {
        switch kind {
        case .text, .frames, .integers: true
        default: false
        }
    }
}

extension [OptionSpec] {
    /// The only option of which a word is a value: `mask-as` for `alpha`. A number may be anything.
    func choice(of word: String) -> OptionSpec? {
        let taking = filter {
            if case .choice(let words) = $0.kind { words.contains(word) && Double(word) == nil } else { false }
        }
        return taking.count == 1 ? taking[0] : nil
    }

    /// What to say of a stage of which no option was named.
    var listed: String {
        switch count {
        case 0: "it takes none"
        case 1: "its only option is \(self[0].name)"
        default: "its options are \(map(\.name).joined(separator: ", "))"
        }
    }
}
