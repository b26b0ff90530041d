/// Times as recorders write them, in nanoseconds.
enum RecordedTime {
    /// Times are less than this: 126 years.
    static let limit: Int64 = 4_000_000_000_000_000_000

    /// Nil for what is not a time: not finite, or beyond ``limit``.
    static func nanoseconds(seconds: Double) -> Int64? {
        abs(seconds) < Double(limit) / 1e9 ? Int64((seconds * 1e9).rounded()) : nil
    }

    /// Nil for what is not a time: beyond ``limit``.
    static func nanoseconds(microseconds: UInt64) -> Int64? {
        microseconds < UInt64(limit / 1000) ? Int64(microseconds) * 1000 : nil
    }
}
