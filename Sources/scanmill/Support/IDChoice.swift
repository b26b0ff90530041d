import ScanModel
import ScanPipeline

/// The captures that words of `--only` or `--exclude` name: each is an id, or a pattern as a shell has it (`scene01*`).
struct IDChoice {
    private(set) var ids: Set<String> = []
    /// The words that no id fits.
    private(set) var idle: [String] = []

    init(_ words: [String], among known: [String]) {
        for word in words {
            let named = Self.ids(meantBy: word, among: known)
            if named.isEmpty { idle.append(word) }
            ids.formUnion(named)
        }
    }

    /// An id with such characters in it names itself and no other, also when its capture is gone, as far as that can be
    /// told.
    private static func ids(meantBy word: String, among known: [String]) -> [String] {
        if known.contains(word) { return [word] }
        let pattern = NamePattern(word)
        return pattern.isName ? [] : known.filter(pattern.fits)
    }

    /// What is wrong with a word that no id fits.
    static func problem(with word: String, of option: String, among known: [String]) -> Problem {
        problem(with: word, of: option, fix: suggestion(for: word, of: option, among: known))
    }

    /// - Parameter fix: what ``suggestion(for:of:among:)`` says.
    static func problem(with word: String, of option: String, fix: String?) -> Problem {
        Problem(
            .usage, "`\(option) \(word)`: no capture has this id",
            fix: fix ?? "`scanmill plan` without `\(option)` lists the captures and their ids")
    }

    /// What may be meant by a word that no id fits; nil where nothing is near to it. It is compared with every id.
    static func suggestion(for word: String, of option: String, among known: [String]) -> String? {
        if let way = wayToName(word, of: option, among: known) { return way }
        let own = parts(of: word)
        // What differs in its numbers alone is another capture, not a slip, unless only zeros are missing in front.
        let others = known.filter { id in
            let parts = parts(of: id)
            return parts.words != own.words || parts.numbers == own.numbers
        }
        return Nearest.suggestion(word, among: others)
    }

    /// An id without its digits, and its numbers without the zeros in front. Capitals, underscores and dashes are told
    /// apart no more than in suggestions.
    private static func parts(of id: String) -> (words: String, numbers: [String]) {
        let plain = id.lowercased().replacing("_", with: "-").utf8
        let words = String(decoding: plain.filter { !$0.isASCIIDigit }, as: UTF8.self)
        let numbers = plain.split { !$0.isASCIIDigit }.map { digits in
            String(decoding: digits.drop { $0 == UInt8(ascii: "0") }, as: UTF8.self)
        }
        return (words, numbers)
    }

    /// How captures are named that were named at once, as `a,b`; nil where a part names none.
    private static func wayToName(_ list: String, of option: String, among known: [String]) -> String? {
        let parts = list.split(separator: ",").map { String($0.drop(while: \.isWhitespace)) }
        if parts.isEmpty || parts.contains(where: { ids(meantBy: $0, among: known).isEmpty }) { return nil }
        let words = parts.prefix(5).map { "\(option) \(ShellWord.quoted($0))" } + (parts.count > 5 ? ["…"] : [])
        return "name each by itself:  \(words.joined(separator: " "))"
    }
}
