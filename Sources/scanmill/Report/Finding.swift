/// Something about a capture that a person should look at, with what proves it.
struct Finding: Sendable {
    /// In the order in which they are shown: what makes a capture useless first.
    enum Kind: String, Sendable, CaseIterable {
        case failure, loss, geometry, coverage, jumps, speed, misfit, blur, dropped, depth, path, warning

        /// Whether it says that a capture misses a goal, which is no better when all others miss it too.
        var isGoal: Bool { [.failure, .loss, .geometry, .coverage, .jumps, .speed].contains(self) }
    }

    /// The number that says it best, with what it should be.
    struct Headline: Sendable {
        var label: String
        var value: Double
        var words: String
        var expected: String
    }

    var kind: Kind
    /// The capture's place in ``NightReport/captures``.
    var capture: Int
    /// What is wrong, in a few words.
    var title: String
    /// What captures with the same cause have in common, where their titles differ: "one side", "two sides".
    var cause: String?
    /// The message that the title stands for, where there is one.
    var message: Phrase?
    /// What is true of this capture, in sentences.
    var text: String
    /// What can be done.
    var fix: String?
    /// Whether the same run may succeed once that is done.
    var isRepeatable = true
    var headline: Headline?
    /// How bad it is compared with others of the same cause.
    var weight = 0.0
    /// Whether it says as much against a capture where most others have it, too, whatever its kind.
    var isNeverUsual = false
}

extension Finding.Headline {
    /// A number against the usual one, where that is known; both are written in the same way.
    init(_ label: String, _ value: Double, usual: Double?, as words: (Double) -> String) {
        self.init(label: label, value: value, words: words(value), expected: usual.map { "usual: \(words($0))" } ?? "")
    }
}
