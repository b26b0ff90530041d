/// "Did you mean …": the candidate with the smallest edit distance, if it is near enough to be a slip.
package enum Nearest {
    /// Capitals count as small letters, and an underscore as a dash.
    package static func match(_ word: String, among candidates: [String]) -> String? {
        let word = plain(word)
        let letters = Array(word.utf8)
        let limit = max(1, letters.count / 3)
        // A number that is not a candidate is another number, not a slip, and so is a letter: units and axes.
        let candidates = candidates.filter {
            plain($0) == word || ($0.utf8.count > 1 && (Double(word) == nil || Double($0) == nil))
        }
        let near = candidates.compactMap { candidate -> (name: String, distance: Int)? in
            // The lengths alone may already be too far apart.
            if abs(candidate.utf8.count - letters.count) > limit { return nil }
            let distance = distance(letters, Array(plain(candidate).utf8))
            return distance <= limit ? (candidate, distance) : nil
        }
        let best = near.min { $0.distance < $1.distance }
        if let best, best.distance <= 2 { return best.name }
        // An unfinished name, or one with something added, is nearer than a slip of three letters.
        let begun = candidates.first {
            plain($0).hasPrefix(word) || ($0.utf8.count > 2 && word.hasPrefix(plain($0)))
        }
        return letters.count >= 3 ? begun ?? best?.name : best?.name
    }

    package static func suggestion(_ word: String, among candidates: [String]) -> String? {
        let near =
            ofWords(of: word, among: candidates, ==) ?? match(word, among: candidates)
            ?? ofWords(of: word, among: candidates) { $0.isSubset(of: $1) || $1.isSubset(of: $0) }
        return near.map { "did you mean `\($0)`?" }
    }

    /// The candidate with the same words in another order, or with some of them or more: `size` for `voxel-size`.
    private static func ofWords(
        of name: String, among candidates: [String], _ fits: (Set<Substring>, Set<Substring>) -> Bool
    ) -> String? {
        // A single letter is no word: units and axes are told apart by it.
        let candidates = candidates.filter { $0.utf8.count > 2 }
        func words(_ name: String) -> Set<Substring> { Set(plain(name).split(separator: "-")) }
        let asked = words(name)
        return name.utf8.count < 3 || asked.isEmpty ? nil : candidates.first { fits(words($0), asked) }
    }

    /// Whether two names differ at most by capitals, and by underscores for dashes.
    static func isSame(_ a: String, _ b: String) -> Bool { plain(a) == plain(b) }

    private static func plain(_ word: String) -> String { word.lowercased().replacing("_", with: "-") }

    /// Levenshtein distance, with a swap of neighbours as one edit (optimal string alignment).
    package static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
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
