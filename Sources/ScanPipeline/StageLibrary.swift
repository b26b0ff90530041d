import ScanModel

/// The stages that pipelines can be built from: a value that is handed in, so that tests can bring their own.
public struct StageLibrary: Sendable {
    /// One kind of stage: its card, and how an instance is made from options.
    public struct Entry: Sendable {
        public let card: StageCard
        package let make: @Sendable (inout OptionReader) -> any Stage

        public init<S: Stage>(_ type: S.Type) {
            card = type.card
            make = { options in S(&options) }
        }

        /// An entry whose instances are made by a closure, so that a test can hand in a capture of its own.
        package init(card: StageCard, make: @escaping @Sendable (inout OptionReader) -> any Stage) {
            self.card = card
            self.make = make
        }

        /// The options, as the stage declares them.
        public var options: [OptionSpec] { described.options.specs }

        /// What a stage with default options needs and makes.
        public var uses: Uses { described.stage.uses }

        private var described: (stage: any Stage, options: OptionReader) {
            var options = OptionReader()
            let stage = make(&options)
            return (stage, options)
        }
    }

    public let entries: [Entry]

    public init(_ entries: [Entry]) { self.entries = entries }

    public subscript(name: String) -> Entry? { entries.first { $0.card.name == name } }

    public var names: [String] { entries.map(\.card.name) }

    /// The stage with nearly this name.
    func nearest(to name: String) -> Entry? { Nearest.match(name, among: names).flatMap { self[$0] } }

    /// "did you mean …", when a stage has nearly this name, or only a few mention a word of it.
    public func suggestion(for name: String) -> String? {
        let near = nearest(to: name)?.card.name
        let isSlip = near.map { Nearest.distance(Array($0.utf8), Array(name.utf8)) <= 2 } ?? false
        let named = isSlip ? [] : Self.speaking(of: name, entries.map(\.card))
        let meant = named.isEmpty ? [near].compactMap(\.self) : named
        return meant.isEmpty ? nil : "did you mean \(meant.map { "`\($0)`" }.joined(separator: " or "))?"
    }

    /// The stages whose own name or summary contains a word of a name, if there are only a few.
    private static func speaking(of name: String, _ cards: [StageCard]) -> [String] {
        for word in name.lowercased().split(separator: "-").reversed() where word.count > 3 {
            for words in [\StageCard.name, \StageCard.summary] {
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
