import ScanModel
import ScanPipeline

/// What measuring stages leave in the receipt: few numbers, rounded to their accuracy.
enum Measurement {
    /// The most entries of a list that has one for each frame.
    static let listLimit = 256

    /// A number rounded to a number of significant digits, so that small worlds keep theirs.
    static func number(_ value: Double, digits: Int = 5) -> JSONValue {
        // Never −0.
        .number(value.isFinite ? value.rounded(digits: digits) + 0 : 0)
    }

    /// A coordinate, rounded to tenths of a millimetre; never −0.
    static func coordinate(_ value: Double) -> JSONValue { .number(value.rounded(decimals: 4) + 0) }

    /// `{lowest, median, p90, highest}`.
    static func object(_ distribution: Distribution) -> JSONValue {
        .object([
            "lowest": number(distribution.lowest), "median": number(distribution.median),
            "p90": number(distribution.quantile(0.9)), "highest": number(distribution.highest),
        ])
    }
}

extension StageContext {
    /// Says in the receipt, and nowhere else, what could not be measured and why: ready pipelines measure what there is
    /// to measure, and a capture that has no box is no reason for a warning.
    func recordUnmeasured(_ reason: String) { record("not-measured", .string(reason)) }
}
