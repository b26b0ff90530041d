import ScanModel

/// Something about a capture that a person should look at, with what proves it.
struct Finding: Sendable {
    /// In the order in which they are shown: what makes a capture useless first.
    enum Kind: String, Sendable, CaseIterable {
        case failure, geometry, coverage, jumps, speed, blur, dropped, depth, path, warning

        /// Whether it says that a capture misses a goal: that is no better for being so in all others.
        var isGoal: Bool { [.failure, .geometry, .coverage, .jumps, .speed].contains(self) }
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
    /// What is so for this capture, in sentences.
    var text: String
    /// What can be done.
    var fix: String?
    var headline: Headline?
    /// How bad it is among those with the same cause.
    var weight = 0.0
}

/// All findings with one cause.
struct FindingGroup: Sendable {
    var kind: Finding.Kind
    var title: String
    /// The worst first.
    var findings: [Finding]
    /// Most captures of the batch have it: that says something about how they are recorded.
    var isCommon = false
    /// It says nothing against one of them.
    var isUsual: Bool { isCommon && !kind.isGoal }

    /// Takes those apart that are far worse off than the rest, where most captures of the batch have something: one side
    /// of the box is never seen in most, and four in one.
    private static func split(_ findings: [Finding], of count: Int) -> [[Finding]] {
        let weights = findings.map(\.weight).sorted()
        guard isCommon(findings, of: count), weights[weights.count / 2] > 0 else { return [findings] }
        let limit = 2 * weights[weights.count / 2]
        let worse = findings.filter { $0.weight > limit }
        // Where many are, there is no usual.
        guard !worse.isEmpty, 5 * worse.count <= findings.count else { return [findings] }
        return [worse, findings.filter { $0.weight <= limit }]
    }

    private static func isCommon(_ findings: [Finding], of count: Int) -> Bool {
        count >= fewestForCommon && 2 * findings.count > count && findings.first?.kind != .failure
    }

    /// Of fewer captures nothing is common.
    private static let fewestForCommon = 8

    /// Makes the title of what all messages have in common. What is left open there stands in each finding's own text.
    private mutating func shareMessage() {
        guard var shared = findings.first?.message else { return }
        for message in findings.compactMap(\.message) { shared.merge(message) }
        title = Wording.capitalised(shared.text)
        for index in findings.indices {
            guard let own = findings[index].message?.text, own != shared.text else { continue }
            findings[index].text = FindingRules.sentences([own, findings[index].text])
        }
    }

    /// Failures first, then by kind; of one kind the most frequent first. What is so in more than half of the captures is
    /// the batch's own way, and comes behind what is unlike the rest.
    static func grouped(_ findings: [Finding], ids: [String]) -> [FindingGroup] {
        let groups = Dictionary(grouping: findings) { "\($0.kind.rawValue) \($0.cause ?? $0.title)" }
        var sorted = groups.values.flatMap { split($0, of: ids.count) }.compactMap { findings -> FindingGroup? in
            guard let first = findings.first else { return nil }
            let worstFirst = findings.sorted { ($1.weight, ids[$0.capture]) < ($0.weight, ids[$1.capture]) }
            let isOfOneTitle = findings.allSatisfy { $0.title == first.title }
            var group = FindingGroup(
                kind: first.kind, title: isOfOneTitle ? first.title : first.cause ?? first.title, findings: worstFirst,
                isCommon: isCommon(findings, of: ids.count))
            group.shareMessage()
            return group
        }
        // One cause once: a short path is why a side is not seen, where most captures see them all.
        let explained = Set(sorted.filter { $0.kind == .coverage && !$0.isCommon }.flatMap(\.findings).map(\.capture))
        for index in sorted.indices where sorted[index].kind == .path {
            sorted[index].findings.removeAll { explained.contains($0.capture) }
        }
        sorted.removeAll(where: \.findings.isEmpty)
        let rank = Dictionary(uniqueKeysWithValues: zip(Finding.Kind.allCases, 0...))
        func place(_ group: FindingGroup) -> Int { (rank[group.kind] ?? 0) + (group.isCommon ? rank.count : 0) }
        return sorted.sorted {
            (place($0), $1.findings.count, $0.title) < (place($1), $0.findings.count, $1.title)
        }
    }
}
