extension Phrase {
    /// Captures beyond this many are only counted.
    static let mostNamed = 5

    /// Which messages captures have, how many captures have each, and the places of the first few of these; the most
    /// frequent first.
    static func counted(
        _ captures: [CaptureFacts], _ messages: (CaptureFacts) -> [String]
    ) -> [(phrase: Phrase, count: Int, first: [Int])] {
        var counted: [Phrase: (phrase: Phrase, count: Int, first: [Int])] = [:]
        for (place, capture) in captures.enumerated() {
            let phrases = messages(capture).map { Phrase($0, id: capture.id) }
            for phrase in phrases { counted[phrase, default: (phrase, 0, [])].phrase.merge(phrase) }
            for phrase in Set(phrases) {
                counted[phrase]?.count += 1
                if counted[phrase]?.first.count ?? 0 < mostNamed { counted[phrase]?.first.append(place) }
            }
        }
        return counted.values.sorted { ($1.count, $0.phrase.text) < ($0.count, $1.phrase.text) }
    }
}
