/// Times of frames and samples as captures have them: nanoseconds on a clock of the recorder's, whose zero may be anywhere.
public enum Timestamp {
    /// Two timestamps may be further apart than a timestamp can say. The difference is taken first: a clock that counts from
    /// 1970 has more digits than a floating-point number.
    public static func seconds(from start: Int64, to end: Int64) -> Double {
        let (difference, isTooFar) = end.subtractingReportingOverflow(start)
        return (isTooFar ? Double(end) - Double(start) : Double(difference)) / 1e9
    }
}
