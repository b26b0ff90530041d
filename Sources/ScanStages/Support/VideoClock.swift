/// When each frame of a video is shown: as far behind the one before as the timestamps say, or one usual step where a
/// video has no place for theirs. Some apps repeat the last camera line until all streams are equally long, and a
/// recording may pause for an hour.
package struct VideoClock: Sendable {
    /// Frames that are shown at other steps than their timestamps', and the first of them, counted from 0.
    package private(set) var changeCount = 0
    package private(set) var firstChange: Int?
    private let usualStep: Int64
    private let longestStep: Int64
    private var frameCount = 0
    /// Of the frame before, nanoseconds: its timestamp, and when it is shown.
    private var timestamp: Int64?
    private var shown: Int64 = 0

    /// - Parameters:
    ///   - rate: frames a second, of the usual step.
    ///   - longestStep: microseconds between two frames; nil where there is no bound.
    package init(rate: Double, longestStep: Int64?) {
        usualStep = Int64((1e9 / rate).rounded())
        self.longestStep = longestStep ?? .max
    }

    /// - Parameter time: the next frame's timestamp, nanoseconds.
    /// - Returns: nanoseconds after the first frame.
    package mutating func shown(at time: Int64) -> Int64 {
        defer { (timestamp, frameCount) = (time, frameCount + 1) }
        guard let timestamp else { return 0 }
        let (step, overflow) = time.subtractingReportingOverflow(timestamp)
        // A video counts microseconds; rounded to those, a step may gain one.
        let fits = !overflow && step >= 1000 && step / 1000 < longestStep
        if !fits {
            changeCount += 1
            firstChange = firstChange ?? frameCount
        }
        // Beyond 292 years it wraps, and the encoder refuses a time before the last one.
        shown &+= fits ? step : usualStep
        return shown
    }
}
