/// Times of frames and samples in captures: nanoseconds on one of the recorder's clocks, whose zero may be anywhere.
public enum Timestamp {
    /// Two timestamps may be further apart than a timestamp can hold. The difference is taken before it is converted: a
    /// clock that counts from 1970 has more digits than a floating-point number.
    public static func seconds(from start: Int64, to end: Int64) -> Double {
        let (difference, isTooFar) = end.subtractingReportingOverflow(start)
        return (isTooFar ? Double(end) - Double(start) : Double(difference)) / 1e9
    }
}
