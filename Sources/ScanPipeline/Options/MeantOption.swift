import ScanModel

/// An option and its value, recovered from text that is not a pipeline's: `size=0.02`, `--size 0.02`.
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
