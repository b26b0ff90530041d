/// "Did you mean …": the candidate with the smallest edit distance, if it is near enough to be a slip.
enum Nearest {
    static func match(_ word: String, among candidates: [String]) -> String? {
        let scored = candidates.map { ($0, distance(Array(word.utf8), Array($0.utf8))) }
        guard let best = scored.min(by: { $0.1 < $1.1 }) else { return nil }
        // A prefix or an extension of the word is near however much longer it is.
        if word.count >= 3, let prefix = candidates.first(where: { $0.hasPrefix(word) || word.hasPrefix($0) }),
            best.1 > 2
        {
            return prefix
        }
        return best.1 <= max(1, word.utf8.count / 3) ? best.0 : nil
    }

    static func suggestion(_ word: String, among candidates: [String]) -> String? {
        match(word, among: candidates).map { "did you mean `\($0)`?" }
    }

    /// Levenshtein's distance, with a swap of neighbours as one edit (optimal string alignment).
    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { cost = min(cost, before[j - 2] + 1) }
                row.append(cost)
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
