/// A figure of this run against the same in earlier ones.
struct Trend: Sendable {
    enum Kind: String, Sendable { case ready, kept, time, written }

    var kind: Kind
    var value: Double
    /// The same figure of the earlier runs, the oldest first; of time and bytes, of those with about as many captures.
    var history: [Double]
    /// Nil for fewer than ``Statistics/fewestRuns`` earlier runs.
    var usual: Statistics.Band?

    /// The difference from the usual value.
    var change: Double? { usual.map { value - $0.median } }
    /// Whether it lies outside of the middle half of the earlier runs, and on which side.
    var side: Int { usual.map { value < $0.low ? -1 : value > $0.high ? 1 : 0 } ?? 0 }

    static func all(_ summary: Summary, _ earlier: [EarlierRun]) -> [Trend] {
        func trend(_ kind: Kind, _ value: Double?, _ history: [Double]) -> Trend? {
            value.map { Trend(kind: kind, value: $0, history: history, usual: Statistics.usual(history)) }
        }
        guard summary.ran > 0 else { return [] }
        // A night of two captures takes no time against one of thousands.
        let alike = earlier.filter { 2 * min($0.ran, summary.ran) >= max($0.ran, summary.ran) }
        return [
            trend(.ready, summary.runReadyShare, earlier.compactMap(\.readyShare)),
            trend(.kept, summary.runFrames.keptShare, earlier.compactMap(\.keptShare)),
            trend(.time, summary.seconds, alike.compactMap(\.seconds)),
            trend(.written, Double(summary.runBytes), alike.map { Double($0.bytes) }),
        ].compactMap(\.self)
    }
}
