/// Times as recorders write them, in nanoseconds.
enum RecordedTime {
    /// Times are less than this: 126 years.
    static let limit: Int64 = 4_000_000_000_000_000_000

    /// Nil for what is not a time: not finite, or beyond ``limit``.
    static func nanoseconds(seconds: Double) -> Int64? {
        abs(seconds) < Double(limit) / 1e9 ? Int64((seconds * 1e9).rounded()) : nil
    }

    /// Nil for more than nanoseconds can count, 292 years.
    static func nanoseconds(microseconds: UInt64) -> Int64? {
        let (product, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : Int64(exactly: product)
    }
}
