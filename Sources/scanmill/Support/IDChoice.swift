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
        let fix =
            wayToName(word, of: option, among: known) ?? Nearest.suggestion(word, among: known)
            ?? "`scanmill plan` without `\(option)` lists the captures and their ids"
        return Problem(.usage, "`\(option) \(word)`: no capture has this id", fix: fix)
    }

    /// How captures are named that were named at once, as `a,b`; nil where a part names none.
    private static func wayToName(_ list: String, of option: String, among known: [String]) -> String? {
        let parts = list.split(separator: ",").map { String($0.drop(while: \.isWhitespace)) }
        if parts.isEmpty || parts.contains(where: { ids(meantBy: $0, among: known).isEmpty }) { return nil }
        let words = parts.prefix(5).map { "\(option) \(ShellWord.quoted($0))" } + (parts.count > 5 ? ["…"] : [])
        return "name each by itself:  \(words.joined(separator: " "))"
    }
}
