import ScanModel

/// A line about one capture in a list of all of them.
struct CaptureLine {
    /// How the capture stands.
    let word: String
    let id: String
    /// What is said of it, with the space between that and the id.
    let rest: String

    /// Where more lines differ in nothing but the id and the numbers, the others are counted.
    private static let mostAlike = 5

    private struct Kind: Hashable {
        let word: String
        let phrase: Phrase
    }

    /// Lists for people: once an option has changed, the same is said of thousands of captures, and what only one has would
    /// be lost among them.
    /// - Parameters:
    ///   - width: of the column of words.
    ///   - isWhole: whether each capture has a line, whatever is said of it.
    /// - Returns: what to print. What is counted stands where the last of its captures would.
    static func list(_ lines: [CaptureLine], width: Int, isWhole: Bool) -> [String] {
        let phrases = Phrase.all(of: lines.map { ($0.rest, $0.id) })
        let kinds = zip(lines, phrases).map { Kind(word: $0.word, phrase: $1) }
        let counts = Dictionary(grouping: kinds, by: \.self).mapValues(\.count)
        var seen: [Kind: Int] = [:]
        // What those that are counted share.
        var shared: [Kind: Phrase] = [:]
        return zip(lines, kinds).compactMap { line, kind in
            let (place, count) = (seen[kind, default: 0], counts[kind] ?? 0)
            seen[kind] = place + 1
            // Counting a single one would save no line.
            if isWhole || place < mostAlike || count == mostAlike + 1 {
                return Console.visible("\(line.word.padded(to: width)) \(line.id)\(line.rest)")
            }
            shared[kind, default: kind.phrase].merge(kind.phrase)
            guard place + 1 == count, let rest = shared[kind]?.text.drop(while: { $0 == " " }) else { return nil }
            let what = "\(count - mostAlike) more (--all lists them)"
            return Console.visible("\(line.word.padded(to: width)) \(what)\(rest.isEmpty ? "" : ": \(rest)")")
        }
    }
}
