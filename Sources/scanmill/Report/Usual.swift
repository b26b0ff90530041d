import ScanModel

/// What is usual for one measurement in a batch, and which values are not.
///
/// The modified z-score of B. Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers" (1993): the distance from
/// the median in units of the median absolute deviation / 0.6745, and of 1.2533 times the mean absolute deviation where
/// more than half of the values are equal. They call a value an outlier beyond 3.5.
struct Usual: Sendable {
    static let limit = 3.5
    /// Fewer values say nothing about what is usual.
    static let fewest = 8

    let median: Double
    private let deviation: Double

    /// - Returns: nil for fewer than ``fewest`` values.
    init?(_ values: [Double]) {
        guard values.count >= Self.fewest, let median = Distribution(values)?.median else { return nil }
        self.median = median
        let distances = values.map { abs($0 - median) }
        let middle = Distribution(distances)?.median ?? 0
        let mean = distances.reduce(0, +) / Double(distances.count)
        deviation = middle > 0 ? middle / 0.6745 : 1.2533 * mean
    }

    /// How far a value is from the median, in deviations; signed.
    func score(_ value: Double) -> Double {
        if value == median { return 0 }
        return deviation > 0 ? (value - median) / deviation : value > median ? .infinity : -.infinity
    }

    /// - Parameter step: differences smaller than this do not matter to anybody.
    func isTooLow(_ value: Double, step: Double) -> Bool { score(value) < -Self.limit && median - value > step }
    func isTooHigh(_ value: Double, step: Double) -> Bool { score(value) > Self.limit && value - median > step }
}
