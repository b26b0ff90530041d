/// A figure of this run against the same in earlier ones.
struct Trend: Sendable {
    enum Kind: String, Sendable { case ready, kept, time, written }

    var kind: Kind
    var value: Double
    /// The same figure of the earlier runs with about as many captures, the oldest first.
    var history: [Double]
    /// Nil for fewer than ``Statistics/fewestRuns`` earlier runs, and for a share of few captures.
    var usual: Statistics.Band?

    /// Of fewer captures a share says nothing: one of them is a fourth or more of it.
    private static let fewestCaptures = 5

    /// The difference from the usual value.
    var change: Double? { usual.map { value - $0.median } }
    /// Whether it lies outside of the middle half of the earlier runs, and on which side.
    var side: Int { usual.map { value < $0.low ? -1 : value > $0.high ? 1 : 0 } ?? 0 }

    static func all(_ summary: Summary, _ earlier: [EarlierRun]) -> [Trend] {
        func trend(_ kind: Kind, _ value: Double?, _ history: [Double]) -> Trend? {
            let isOfMany = summary.ran >= fewestCaptures || kind == .time || kind == .written
            return value.map {
                Trend(kind: kind, value: $0, history: history, usual: isOfMany ? Statistics.usual(history) : nil)
            }
        }
        guard summary.ran > 0 else { return [] }
        // A night of two captures takes no time against one of thousands.
        let alike = earlier.filter { 2 * min($0.ran, summary.ran) >= max($0.ran, summary.ran) }
        return [
            trend(.ready, summary.runReadyShare, alike.compactMap(\.readyShare)),
            trend(.kept, summary.runFrames.keptShare, alike.compactMap(\.keptShare)),
            trend(.time, summary.seconds, alike.compactMap(\.seconds)),
            trend(.written, Double(summary.runBytes), alike.map { Double($0.bytes) }),
        ].compactMap(\.self)
    }
}
