import ScanModel
import Synchronization

/// The stages that pipelines can be built from: a value that is handed in, so that tests can bring their own.
public struct StageLibrary: Sendable {
    /// One kind of stage: its card, and how an instance is made from options.
    public struct Entry: Sendable {
        public let card: StageCard
        package let make: @Sendable (inout OptionReader) -> any Stage
        private let declaration: Declaration

        public init<S: Stage>(_ type: S.Type) { self.init(card: type.card) { options in S(&options) } }

        /// An entry whose instances are made by a closure, so that a test can hand in a capture of its own.
        package init(card: StageCard, make: @escaping @Sendable (inout OptionReader) -> any Stage) {
            self.card = card
            self.make = make
            declaration = Declaration(make)
        }

        /// The options, as the stage declares them.
        public var options: [OptionSpec] { declaration.content.options }

        /// What a stage with default options needs and makes.
        public var uses: Uses { declaration.content.uses }
    }

    /// What a stage declares of itself. A check of a long pipeline asks every stage for it many times: it is read once.
    private final class Declaration: Sendable {
        private let make: @Sendable (inout OptionReader) -> any Stage
        private let known = Mutex<(options: [OptionSpec], uses: Uses)?>(nil)

        init(_ make: @escaping @Sendable (inout OptionReader) -> any Stage) { self.make = make }

        var content: (options: [OptionSpec], uses: Uses) {
            known.withLock { known in
                if let known { return known }
                var options = OptionReader()
                let stage = make(&options)
                let content = (options.specs, stage.uses)
                known = content
                return content
            }
        }
    }

    public let entries: [Entry]

    public init(_ entries: [Entry]) { self.entries = entries }

    public subscript(name: String) -> Entry? { entries.first { $0.card.name == name } }

    public var names: [String] { entries.map(\.card.name) }

    /// The stage with nearly this name.
    func nearest(to name: String) -> Entry? { Nearest.match(name, among: names).flatMap { self[$0] } }

    /// "did you mean …", when a stage has nearly this name, or begins it; whose option or value it is; or "did you mean …"
    /// when only a few stages mention a word of it.
    public func suggestion(for name: String) -> String? {
        let near = nearest(to: name)?.card.name
        let isSlip = near.map { Nearest.distance(Array($0.utf8), Array(name.utf8)) <= 2 } ?? false
        let word = String(name.prefix { $0.isLetter || $0.isNumber || "-_".contains($0) })
        let begun = word == name ? nil : self[word]?.card.name
        if !isSlip, begun == nil, let owners = owners(of: word) { return owners }
        let named = isSlip || begun != nil ? [] : Self.speaking(of: name, entries.map(\.card))
        let meant = named.isEmpty ? [begun ?? near].compactMap(\.self) : named
        return meant.isEmpty ? nil : "did you mean \(meant.map { "`\($0)`" }.joined(separator: " or "))?"
    }

    /// The stages that have an option of this name, or one with this value; nil where there are none, or the word is part
    /// of a stage's own name.
    private func owners(of word: String) -> String? {
        if names.contains(where: { $0.split(separator: "-").contains { Nearest.isSame(String($0), word) } }) {
            return nil
        }
        if let owners = owners(ofOption: word) { return owners }
        guard let option = entries.firstNonNil({ $0.options.choice(of: word)?.name }) else { return nil }
        let taking = entries.filter { $0.options.choice(of: word)?.name == option }
        return "`\(word)` is a value of `\(option)`, an option of \(Self.listed(taking))"
    }

    /// The stages that have an option of this name, in words; nil where there are none.
    func owners(ofOption name: String) -> String? {
        let having = entries.filter { $0.options.contains { Nearest.isSame($0.name, name) } }
        return having.isEmpty ? nil : "`\(name)` is an option of \(Self.listed(having))"
    }

    private static func listed(_ entries: [Entry]) -> String { entries.map { "`\($0.card.name)`" }.listed }

    /// The stages whose own name or summary contains a word of a name, if there are only a few. Short words are looked
    /// for in names alone.
    private static func speaking(of name: String, _ cards: [StageCard]) -> [String] {
        for word in name.lowercased().split(separator: "-").reversed() where word.count > 2 {
            for words in word.count > 3 ? [\StageCard.name, \StageCard.summary] : [\StageCard.name] {
                let found = cards.filter { card in
                    card[keyPath: words].lowercased().split { !$0.isLetter }.contains { part in
                        part == word || word.hasPrefix(part) && part.count > 3
                    }
                }
                if (1...3).contains(found.count) { return found.map(\.name) }
            }
        }
        return []
    }

    /// The stages that make a channel with their default options, in the order of the list.
    func makers(of channel: Channel) -> [String] {
        entries.filter { $0.uses.possible.contains(channel) }.map(\.card.name)
    }
}
