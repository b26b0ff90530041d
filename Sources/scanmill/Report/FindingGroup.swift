import ScanModel

/// All findings with one cause.
struct FindingGroup: Sendable {
    /// What can be done about some of the findings.
    struct Fix {
        var text: String
        var findings: [Finding]

        /// - Parameter place: among those of the cause, in the order of their first findings.
        fileprivate func rank(at place: Int) -> (Int, Int, Int) {
            if place == 0 { return (0, .min, 0) }
            return (findings.contains(where: \.isRepeatable) ? 0 : 1, -findings.count, place)
        }
    }

    var kind: Finding.Kind
    var title: String
    /// Those of captures that ran in this run first, then those that failed in it without having begun, then what earlier
    /// runs have left; the worst of each first.
    var findings: [Finding]
    /// How many are of captures that ran in this run.
    var ran = 0
    /// Whether most captures of the batch have it, which says something about how they are recorded.
    var isCommon = false
    /// Whether it says nothing against a single capture.
    var isUsual: Bool { isCommon && !kind.isGoal && !findings.contains(where: \.isNeverUsual) }
    /// Whether it says of the geometry that it may be wrong, and not that it is.
    private var isInDoubt: Bool { kind == .geometry && findings.allSatisfy { $0.weight < FindingRules.proven } }

    /// Where most captures of the batch have something, separates those that are far worse off than the rest: most
    /// never see one side of the box, say, and one never sees four.
    private static func split(_ findings: [Finding], of count: Int) -> [[Finding]] {
        guard isCommon(findings, of: count), let usual = findings.map(\.weight).middle, usual > 0 else {
            return [findings]
        }
        let worse = findings.filter { $0.weight > 2 * usual }
        // Where many are worse, nothing is usual.
        guard !worse.isEmpty, 5 * worse.count <= findings.count else { return [findings] }
        return [worse, findings.filter { $0.weight <= 2 * usual }]
    }

    private static func isCommon(_ findings: [Finding], of count: Int) -> Bool {
        // A capture that failed or whose copy is cut off is to be seen to, whatever became of the others.
        if let kind = findings.first?.kind, kind == .failure || kind == .loss { return false }
        return count >= fewestForCommon && 2 * findings.count > count
    }

    /// Of fewer captures nothing is common.
    private static let fewestForCommon = 8

    /// What can be done, with the findings that it is for: the first one's, then what lets a run try them again, then what
    /// is for most.
    func fixes(_ captures: [CaptureFacts]) -> [Fix] {
        let said = findings.compactMap { finding in
            finding.fix.map { (subject: finding, text: $0, id: captures[finding.capture].id) }
        }
        let fixes = Phrase.grouped(said).map { Fix(text: $0, findings: $1) }
        return fixes.enumerated().sorted { $0.element.rank(at: $0.offset) < $1.element.rank(at: $1.offset) }
            .map(\.element)
    }

    /// Makes the title from what all messages have in common. What it leaves open is in each finding's own text.
    private mutating func shareMessage() {
        guard var shared = findings.first?.message else { return }
        for message in findings.compactMap(\.message) { shared.merge(message) }
        title = Wording.capitalised(shared.text)
        for index in findings.indices {
            guard let own = findings[index].message?.text, own != shared.text else { continue }
            findings[index].text = FindingRules.sentences([own, findings[index].text])
        }
    }

    /// Failures first, then by kind; of one kind what is new, and the most frequent first, but what is proven before what
    /// is in doubt. What more than half of the captures have is normal for the batch, and comes after what is unlike the
    /// rest.
    static func grouped(_ findings: [Finding], of captures: [CaptureFacts]) -> [FindingGroup] {
        let ids = captures.map(\.id)
        // What earlier runs have left was shown by their reports.
        let isNew = { (finding: Finding) in !captures[finding.capture].isFromBefore }
        let hasRun = { (finding: Finding) in captures[finding.capture].share != nil }
        let groups = Dictionary(grouping: findings) { "\($0.kind.rawValue) \($0.cause ?? $0.title)" }
        var sorted = groups.values.flatMap { split($0, of: ids.count) }.compactMap { findings -> FindingGroup? in
            guard let first = findings.first else { return nil }
            // What is given up hides nothing that can be saved.
            let byWeight = findings.sorted { ($1.weight, ids[$0.capture]) < ($0.weight, ids[$1.capture]) }
            let worstFirst = byWeight.filter(\.isRepeatable) + byWeight.filter { !$0.isRepeatable }
            let rest = worstFirst.filter { !hasRun($0) }
            let newFirst = worstFirst.filter(hasRun) + rest.filter(isNew) + rest.filter { !isNew($0) }
            let isOfOneTitle = findings.allSatisfy { $0.title == first.title }
            var group = FindingGroup(
                kind: first.kind, title: isOfOneTitle ? first.title : first.cause ?? first.title, findings: newFirst,
                isCommon: isCommon(findings, of: ids.count))
            group.shareMessage()
            return group
        }
        // A cause is named once: a short path is why a side is not seen, where most captures see them all.
        let explained = Set(sorted.filter { $0.kind == .coverage && !$0.isCommon }.flatMap(\.findings).map(\.capture))
        for index in sorted.indices where sorted[index].kind == .path {
            sorted[index].findings.removeAll { explained.contains($0.capture) }
        }
        sorted.removeAll(where: \.findings.isEmpty)
        for index in sorted.indices { sorted[index].ran = sorted[index].findings.count(where: hasRun) }
        let rank = Dictionary(uniqueKeysWithValues: zip(Finding.Kind.allCases, 0...))
        func place(_ group: FindingGroup) -> Int { (rank[group.kind] ?? 0) + (group.isCommon ? rank.count : 0) }
        func age(_ group: FindingGroup) -> Int { group.findings.contains(where: isNew) ? 0 : 1 }
        return sorted.sorted {
            (place($0), age($0), $0.isInDoubt ? 1 : 0, $1.findings.count, $0.title)
                < (place($1), age($1), $1.isInDoubt ? 1 : 0, $0.findings.count, $1.title)
        }
    }
}
