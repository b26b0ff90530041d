/// A summary of many numbers: the lowest, the highest, and the quantiles between.
public struct Distribution: Hashable, Sendable {
    private let sorted: [Double]

    /// - Returns: nil without any numbers. Those that are not finite are ignored.
    public init?(_ values: some Sequence<Double>) {
        sorted = values.filter(\.isFinite).sorted()
        if sorted.isEmpty { return nil }
    }

    public var count: Int { sorted.count }
    public var lowest: Double { sorted[0] }
    public var highest: Double { sorted[sorted.count - 1] }
    /// The middle number, or the mean of the two in the middle.
    public var median: Double { quantile(0.5) }

    /// The number below which a share of them lies, interpolated between neighbours (R. J. Hyndman and Y. Fan, "Sample
    /// Quantiles in Statistical Packages", 1996, type 7: numpy's default).
    /// - Parameter share: 0 to 1.
    public func quantile(_ share: Double) -> Double {
        let position = share * Double(sorted.count - 1)
        let below = min(Int(position), sorted.count - 1)
        let above = min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
    }

    /// The range of the numbers that remain when a share of them is cut off at each end; at least the one or two in the
    /// middle remain.
    package func range(without share: Double) -> ClosedRange<Double> {
        let cut = min(Int(Double(sorted.count) * share), (sorted.count - 1) / 2)
        return sorted[cut]...sorted[sorted.count - 1 - cut]
    }
}

extension Distribution {
    /// Spearman's rank correlation of pairs of numbers: −1 when one falls as the other rises, 1 when both rise together.
    /// Equal numbers share the mean of their ranks.
    /// - Parameters: equally many numbers each, all finite.
    /// - Returns: nil for fewer than 3 pairs, or where one of the two never changes.
    public static func rankCorrelation(_ a: [Double], _ b: [Double]) -> Double? {
        precondition(a.count == b.count)
        guard a.count >= 3 else { return nil }
        let (ranksA, ranksB) = (ranks(a), ranks(b))
        // With ties too, the mean of the ranks is that of 1…n.
        let mean = Double(a.count + 1) / 2
        var (ab, aa, bb) = (0.0, 0.0, 0.0)
        for (x, y) in zip(ranksA, ranksB) {
            ab += (x - mean) * (y - mean)
            aa += (x - mean) * (x - mean)
            bb += (y - mean) * (y - mean)
        }
        return aa > 0 && bb > 0 ? ab / (aa * bb).squareRoot() : nil
    }

    private static func ranks(_ values: [Double]) -> [Double] {
        let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
        var ranks = Array(repeating: 0.0, count: values.count)
        var start = 0
        while start < order.count {
            var end = start
            while end + 1 < order.count, values[order[end + 1]] == values[order[start]] { end += 1 }
            for place in start...end { ranks[order[place]] = Double(start + end) / 2 + 1 }
            start = end + 1
        }
        return ranks
    }
}
