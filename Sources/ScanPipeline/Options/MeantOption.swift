import ScanModel

/// An option, and what it is to be, as somebody meant it who wrote them in another way than pipelines do.
struct MeantOption {
    var name: String
    /// Nil where only the option was named.
    var value: String?

    /// As in a stage's braces.
    var inBraces: String { "{\(name): \(value ?? "…")}" }

    /// - Parameters:
    ///   - text: what stands where an option and its value should: `size=0.02`, `--size 0.02`, `{size: 0.02}`, or a value
    ///     alone, which is taken for that of the only option that takes it.
    ///   - specs: the stage's options.
    /// - Returns: nil where nobody can tell.
    init?(_ text: some StringProtocol, among specs: [OptionSpec]) {
        let isSign = { (character: Character) in " =:,{}()".contains(character) }
        let bare = String(text).drop(while: isSign).dropLast(while: isSign)
        let word = bare.drop { "-./".contains($0) }.prefix { $0.isLetter || $0.isNumber || "-_".contains($0) }
        if let named = specs.first(where: { Nearest.isSame($0.name, String(word)) }) {
            let rest = String(bare[word.endIndex...].drop(while: isSign))
            name = named.name
            if rest.isEmpty {
                value = named.kind == .flag ? "true" : nil
            } else {
                // Of several options in one text, none is the value of another.
                guard named.takes(rest) || (named.isFree && !rest.contains { " ,".contains($0) }) else { return nil }
                value = rest
            }
            return
        }
        let taking = specs.filter { $0.takes(String(bare)) }
        guard taking.count == 1 else { return nil }
        (name, value) = (taking[0].name, String(bare))
    }
}

extension OptionSpec {
    /// Whether a text is one of the option's values, and not just any text.
    func takes(_ text: String) -> Bool {
        switch kind {
        case .number(let range): Double(text).map(range.contains) ?? false
        case .integer(let range): Int(text).map(range.contains) ?? false
        case .flag: OptionReader.flag(text) != nil
        case .choice(let words): words.contains(text)
        case .text, .frames, .integers: false
        }
    }

    /// The number that a text begins with, which goes on with a unit; nil where the option cannot be it. Percents of what is
    /// at most 1 are a share.
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
    fileprivate var isFree: Bool {
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
    var listed: String { isEmpty ? "it takes none" : "its options are \(map(\.name).joined(separator: ", "))" }
}
