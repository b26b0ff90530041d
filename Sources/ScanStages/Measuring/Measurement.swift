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

    /// Says that lengths are in the capture's own unit, whatever the names of the figures say.
    func recordUnknownUnit() { record("is-metric", .bool(false)) }
}

extension Trajectory.JumpLimits {
    /// Declares the options that decide what a jump is.
    init(_ options: inout OptionReader) {
        let usual = Trajectory.JumpLimits()
        self.init(
            speed: options.number(
                "jump-speed", "A step of more than 5 cm that is faster than this is a jump.", default: usual.speed,
                in: 0...1e6, unit: "m/s"),
            turning: options.number(
                "jump-turning", "A step of more than 10° that is faster than this is a jump.", default: usual.turning,
                in: 0...1e6, unit: "°/s"))
    }

    /// The limits for a capture: if its unit may not be a metre, speeds say nothing.
    func applied(to capture: Capture) -> Trajectory.JumpLimits {
        capture.isMetric ? self : Trajectory.JumpLimits(speed: .infinity, turning: turning)
    }
}

extension Double {
    /// With two decimals, or as many as show that it is more than a limit.
    func text(over limit: Double) -> String { text(showing: { $0 > limit }) }

    /// With two decimals, or as many as show that it is less than a limit.
    func text(under limit: Double) -> String { text(showing: { $0 < limit }) }

    private func text(showing isShown: (Double) -> Bool) -> String {
        let decimals = (2...6).first { isShown(rounded(decimals: $0)) }
        return decimals.map { shortText(decimals: $0) } ?? description
    }
}
