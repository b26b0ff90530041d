/// Pairs the times of two streams that were recorded on one clock: the nearest first, each time at most once.
///
/// TUM's `associate.py` does the same by listing all pairs. Here only neighbours in time are considered, since no pair
/// can be nearer than the nearest two neighbours: n log n, whatever the times are.
public struct TimeMatch: Hashable, Sendable {
    /// For each of the first times, the index of its partner among the second; nil if it has none.
    public private(set) var partners: [Int?]
    /// The largest difference of a pair, nanoseconds.
    public private(set) var largestGap: Int64 = 0
    /// The largest difference that a pair may have, nanoseconds.
    public let tolerance: Int64

    /// The indices of the first times that have no partner although some were near enough: each of those was paired
    /// with another time.
    public private(set) var outdone: Set<Int> = []

    public var matchedCount: Int { partners.count { $0 != nil } }

    /// - Parameters: nanoseconds, in any order.
    public init(_ times: [Int64], with targets: [Int64], within tolerance: Int64) {
        self.tolerance = tolerance
        if let found = Self.uncontested(times, targets, within: tolerance) {
            (partners, largestGap) = found
            return
        }
        partners = Array(repeating: nil, count: times.count)
        var line = TimeLine(times, targets)
        var waiting = Heap()
        for left in line.items.indices.dropLast() { waiting.push(line.pair(left, left + 1, within: tolerance)) }
        while let pair = waiting.pop() {
            guard line.isThere(pair.left), line.isThere(pair.right) else { continue }
            let (one, other) = (line.items[pair.left], line.items[pair.right])
            if one.isTarget {
                partners[other.place] = one.place
            } else {
                partners[one.place] = other.place
            }
            largestGap = max(largestGap, pair.gap)
            if let (left, right) = line.remove(pair.left, pair.right) {
                waiting.push(line.pair(left, right, within: tolerance))
            }
        }
        let (own, others) = (line.items.filter { !$0.isTarget }, line.items.filter(\.isTarget))
        for (item, near) in zip(own, Self.nearest(to: own.map(\.time), among: others.map(\.time))) {
            if let near, near.gap <= tolerance, partners[item.place] == nil { outdone.insert(item.place) }
        }
    }

    /// The nearest target of each time, where both lists are in order and no two times have the same nearest: then no
    /// pair competes with another, and one walk along the lists finds what the heap would, in a hundredth of the time.
    /// - Returns: nil where that is not so.
    private static func uncontested(
        _ times: [Int64], _ targets: [Int64], within tolerance: Int64
    ) -> (partners: [Int?], largestGap: Int64)? {
        func isInOrder(_ list: [Int64]) -> Bool { zip(list, list.dropFirst()).allSatisfy { $0 <= $1 } }
        guard isInOrder(times), isInOrder(targets) else { return nil }
        var partners = [Int?](repeating: nil, count: times.count)
        var (largestGap, taken) = (Int64(0), -1)
        for (index, near) in nearest(to: times, among: targets).enumerated() {
            guard let near, near.gap <= tolerance else { continue }
            if near.place == taken { return nil }
            partners[index] = near.place
            (largestGap, taken) = (max(largestGap, near.gap), near.place)
        }
        return (partners, largestGap)
    }

    /// The target nearest to each time, and how far away it is: of two that are equally near, the earlier. Nil where
    /// there is none, or it is too far away for a number.
    /// - Parameters: nanoseconds, both in order.
    package static func nearest(to times: [Int64], among targets: [Int64]) -> [(place: Int, gap: Int64)?] {
        var next = 0
        return times.map { time in
            while next < targets.count, targets[next] < time { next += 1 }
            let before = next > 0 ? gap(from: targets[next - 1], to: time) : nil
            let after = next < targets.count ? gap(from: time, to: targets[next]) : nil
            if let before, before <= after ?? .max { return (next - 1, before) }
            return after.map { (next, $0) }
        }
    }

    /// Nil where it is too long for a number.
    fileprivate static func gap(from earlier: Int64, to later: Int64) -> Int64? {
        let (gap, isTooLong) = later.subtractingReportingOverflow(earlier)
        return isTooLong ? nil : gap
    }

    /// For a receipt: how many of the first times have a partner, how many have none, and the largest difference.
    public var summary: JSONValue {
        .object([
            "matched": .of(matchedCount), "unmatched": .of(partners.count - matchedCount),
            "largest-gap-ms": .number(Double(largestGap) / 1e6),
        ])
    }
}

/// Two neighbours that may become a pair.
private struct Candidate {
    var gap: Int64
    var left: Int
    var right: Int

    /// The nearest first; of equally near ones the earlier.
    static func precedes(_ a: Candidate, _ b: Candidate) -> Bool { (a.gap, a.left) < (b.gap, b.left) }
}

/// The times of both lists in order, from which pairs are taken out.
private struct TimeLine {
    struct Item {
        var time: Int64
        var isTarget: Bool
        var place: Int
    }

    let items: [Item]
    private var before: [Int]
    private var after: [Int]
    private var isGone: [Bool]

    init(_ times: [Int64], _ targets: [Int64]) {
        let all =
            times.enumerated().map { Item(time: $1, isTarget: false, place: $0) }
            + targets.enumerated().map { Item(time: $1, isTarget: true, place: $0) }
        items = all.sorted { ($0.time, $0.isTarget ? 1 : 0, $0.place) < ($1.time, $1.isTarget ? 1 : 0, $1.place) }
        before = items.indices.map { $0 - 1 }
        after = items.indices.map { $0 + 1 }
        isGone = Array(repeating: false, count: items.count)
    }

    func isThere(_ item: Int) -> Bool { !isGone[item] }

    func pair(_ left: Int, _ right: Int, within tolerance: Int64) -> Candidate? {
        let (one, other) = (items[left], items[right])
        guard one.isTarget != other.isTarget else { return nil }
        guard let gap = TimeMatch.gap(from: one.time, to: other.time), gap <= tolerance else { return nil }
        return Candidate(gap: gap, left: left, right: right)
    }

    /// - Returns: the two items that have become neighbours.
    mutating func remove(_ left: Int, _ right: Int) -> (Int, Int)? {
        isGone[left] = true
        isGone[right] = true
        let (outer, next) = (before[left], after[right])
        if outer >= 0 { after[outer] = next }
        if next < items.count { before[next] = outer }
        return outer >= 0 && next < items.count ? (outer, next) : nil
    }
}

/// A binary heap: the first candidate is at the top.
private struct Heap {
    private var items: [Candidate] = []

    mutating func push(_ item: Candidate?) {
        guard let item else { return }
        items.append(item)
        var child = items.count - 1
        while child > 0, Candidate.precedes(items[child], items[(child - 1) / 2]) {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> Candidate? {
        guard let first = items.first else { return nil }
        let last = items.removeLast()
        if items.isEmpty { return first }
        items[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < items.count && Candidate.precedes(items[child], items[least]) { least = child }
            if least == parent { return first }
            items.swapAt(parent, least)
            parent = least
        }
    }
}
