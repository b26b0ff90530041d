extension Phrase {
    /// Which messages captures have, and how many captures have each; the most frequent first.
    static func counted(
        _ captures: [CaptureFacts], _ messages: (CaptureFacts) -> [String]
    ) -> [(phrase: Phrase, count: Int)] {
        var counted: [Phrase: (phrase: Phrase, count: Int)] = [:]
        for capture in captures {
            let phrases = messages(capture).map { Phrase($0, id: capture.id) }
            for phrase in phrases { counted[phrase, default: (phrase, 0)].phrase.merge(phrase) }
            for phrase in Set(phrases) { counted[phrase]?.count += 1 }
        }
        return counted.values.sorted { ($1.count, $0.phrase.text) < ($0.count, $1.phrase.text) }
    }
}
