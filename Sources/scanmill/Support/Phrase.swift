/// A message, told apart from others by its words alone: the numbers in it, and its capture's id, may differ from one
/// to the next.
struct Phrase: Sendable, Hashable {
    /// What is before, between and after the values.
    private let words: [String]
    /// Nil where they differ.
    private var values: [String?]

    /// - Parameter id: the capture that the message is about.
    init(_ message: String, id: String = "") {
        let (text, id) = (Array(message.utf8), Array(id.utf8))
        var words: [String] = []
        var values: [String?] = []
        var (start, index) = (0, 0)
        while index < text.count {
            let end = Self.end(ofValueAt: index, in: text, id)
            if end == index {
                index += 1
                continue
            }
            words.append(String(decoding: text[start..<index], as: UTF8.self))
            values.append(String(decoding: text[index..<end], as: UTF8.self))
            (start, index) = (end, end)
        }
        words.append(String(decoding: text[start...], as: UTF8.self))
        (self.words, self.values) = (words, values)
    }

    /// Of messages about several captures. An id may be a word of the message, such as `depth`: the others then say the same.
    static func all(of messages: [(text: String, id: String)]) -> [Phrase] {
        let phrases = messages.map { (own: Phrase($0.text, id: $0.id), words: Phrase($0.text)) }
        let alike = Dictionary(grouping: phrases, by: \.own).mapValues(\.count)
        let same = Dictionary(grouping: phrases, by: \.words).mapValues(\.count)
        return phrases.map { own, words in alike[own] == 1 && same[words] ?? 0 > 1 ? words : own }
    }

    /// The message, with … where merged ones differ: `sharpness … is not above frame …'s in its window`.
    var text: String { text(values) }

    /// The same with all values left open.
    var pattern: String { text(values.map { _ in nil }) }

    /// Leaves open what differs in another message of the same words.
    mutating func merge(_ other: Phrase) {
        for (index, value) in other.values.enumerated() where values[index] != value { values[index] = nil }
    }

    /// What messages are about, by what they say, in the order of the first of each. A command in which they differ is no
    /// command: each of them then stands by itself.
    static func grouped<Subject>(
        _ messages: [(subject: Subject, text: String, id: String)]
    ) -> [(text: String, subjects: [Subject])] {
        var groups: [(phrase: Phrase, members: [(subject: Subject, text: String)])] = []
        var places: [Phrase: Int] = [:]
        for (message, phrase) in zip(messages, all(of: messages.map { ($0.text, $0.id) })) {
            let member = (message.subject, message.text)
            if let place = places[phrase] {
                groups[place].phrase.merge(phrase)
                groups[place].members.append(member)
            } else {
                places[phrase] = groups.count
                groups.append((phrase, [member]))
            }
        }
        return groups.flatMap { phrase, members in
            let shared = phrase.text
            let isWhole = members.allSatisfy { commands(in: $0.text) == commands(in: shared) }
            return isWhole ? [(shared, members.map(\.subject))] : members.map { ($0.text, [$0.subject]) }
        }
    }

    /// Messages set commands off by two spaces.
    private static func commands(in message: String) -> [String] {
        message.split(separator: "  ").dropFirst().map(String.init)
    }

    static func == (a: Phrase, b: Phrase) -> Bool { a.words == b.words }
    func hash(into hasher: inout Hasher) { hasher.combine(words) }

    private func text(_ values: [String?]) -> String {
        zip(words, values).reduce("") { $0 + $1.0 + ($1.1 ?? "…") } + (words.last ?? "")
    }

    /// The end of the id or number that begins at a place; the place itself where none does.
    private static func end(ofValueAt index: Int, in text: [UInt8], _ id: [UInt8]) -> Int {
        let behind = index + id.count
        if !id.isEmpty, text[index...].starts(with: id), index == 0 || !isLetter(text[index - 1]),
            behind == text.count || !isLetter(text[behind])
        {
            return behind
        }
        var end = index
        while end < text.count, text[end].isASCIIDigit || end > index && isInside(end, text) { end += 1 }
        return end
    }

    /// A point or comma belongs to the number when a digit follows.
    private static func isInside(_ index: Int, _ text: [UInt8]) -> Bool {
        (text[index] == UInt8(ascii: ".") || text[index] == UInt8(ascii: ",")) && index + 1 < text.count
            && text[index + 1].isASCIIDigit
    }

    /// Digits, too: an id is not part of a longer word.
    private static func isLetter(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
