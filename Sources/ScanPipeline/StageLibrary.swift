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

    /// The stage that has nearly that name.
    func nearest(to name: String) -> Entry? { Nearest.match(name, among: names).flatMap { self[$0] } }

    /// "did you mean …", when a stage has nearly that name.
    public func suggestion(for name: String) -> String? { Nearest.suggestion(name, among: names) }

    /// The stages that make a channel with their default options, in the order of the list.
    func makers(of channel: Channel) -> [String] {
        entries.filter { $0.uses.roles.contains { $0.possible.contains(channel) } }.map(\.card.name)
    }
}
