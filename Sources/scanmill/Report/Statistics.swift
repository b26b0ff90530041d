import ScanModel

/// What is usual among many values, by medians, which a few odd ones do not move.
enum Statistics {
    /// Of fewer earlier runs nothing is called usual.
    static let fewestRuns = 3

    /// The middle half of the values.
    struct Band: Sendable, Hashable {
        var low: Double
        var median: Double
        var high: Double

        init?(_ values: [Double]) {
            guard let values = Distribution(values) else { return nil }
            (low, median, high) = (values.quantile(0.25), values.median, values.quantile(0.75))
        }
    }

    /// What was usual in earlier runs, of each of which there is a value; nil for fewer than ``fewestRuns`` of them.
    static func usual(_ values: [Double]) -> Band? { values.count < fewestRuns ? nil : Band(values) }
}
