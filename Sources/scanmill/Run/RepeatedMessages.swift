import Synchronization

/// Messages that many captures of a night may have, told apart by their words alone: each is said of the first few
/// captures, so that it does not drown what only one has, and the others are counted.
final class RepeatedMessages: Sendable {
    private static let mostSaid = 5

    private let seen = Mutex<[Phrase: (phrase: Phrase, captures: Int)]>([:])

    /// - Parameter messages: all of one capture's.
    /// - Returns: those that few captures had before.
    func news(in messages: [String], of id: String) -> [String] {
        let phrases = messages.map { Phrase($0, id: id) }
        return seen.withLock { seen in
            for phrase in Set(phrases) { seen[phrase, default: (phrase, 0)].captures += 1 }
            for phrase in phrases { seen[phrase]?.phrase.merge(phrase) }
            return zip(messages, phrases).filter { seen[$1]?.captures ?? 0 <= Self.mostSaid }.map(\.0)
        }
    }

    /// What was not said of all captures, with how many more have it, the most frequent first.
    var rest: [(text: String, captures: Int)] {
        seen.withLock { $0.values.map { (text: $0.phrase.text, captures: $0.captures - Self.mostSaid) } }
            .filter { $0.captures > 0 }.sorted { ($1.captures, $0.text) < ($0.captures, $1.text) }
    }
}
