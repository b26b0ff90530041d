import ScanFormats

/// When each frame of a video is shown: as long after the one before as the timestamps say, or by one usual step where
/// the video cannot hold that; or at even steps. Some apps repeat the last camera line until all streams are equally
/// long, and a recording may pause for an hour.
package struct VideoClock: Sendable {
    /// Frames that are shown at steps other than their timestamps'.
    package struct Changes: Hashable, Sendable {
        package private(set) var count = 0
        /// Counted from 0.
        package private(set) var first: Int?

        fileprivate mutating func add(_ frame: Int) {
            count += 1
            first = first ?? frame
        }
    }

    /// Those that are no later than the frame before.
    package private(set) var repeats = Changes()
    /// Those that come too long after it.
    package private(set) var pauses = Changes()
    private let container: VideoSettings.Container
    private let rate: Double
    private let isEven: Bool
    private let usualStep: Int64
    private var frameCount = 0
    /// Of the frame before, nanoseconds: its timestamp, and when it is shown.
    private var timestamp: Int64?
    private(set) var shown: Int64 = 0

    /// - Parameters:
    ///   - rate: frames per second at the usual step.
    ///   - isEven: whether all frames are shown at this rate, whatever their timestamps.
    package init(rate: Double, isEven: Bool = false, in container: VideoSettings.Container) {
        self.container = container
        self.rate = rate
        self.isEven = isEven
        let ticks = (1e9 / rate / Double(container.tick)).rounded()
        usualStep = max(1, Int64(ticks)) * container.tick
    }

    /// The clock of an mp4 that has shown frames with these timestamps, nanoseconds.
    init(showing times: [Int64]) {
        self.init(rate: 30, in: .mp4)
        for time in times { _ = shown(at: time) }
    }

    /// - Parameter time: the next frame's timestamp, nanoseconds.
    /// - Returns: nanoseconds after the first frame.
    package mutating func shown(at time: Int64) -> Int64 {
        defer { (timestamp, frameCount) = (time, frameCount + 1) }
        if isEven {
            shown = Int64((Double(frameCount) / rate * 1e9 / Double(container.tick)).rounded()) * container.tick
            return shown
        }
        guard let timestamp else { return 0 }
        let (step, overflow) = time.subtractingReportingOverflow(timestamp)
        let isHeld = !overflow && container.holds(step: step)
        if !isHeld {
            let isLater = time > timestamp && (overflow || step >= container.tick)
            if isLater { pauses.add(frameCount) } else { repeats.add(frameCount) }
        }
        // Beyond 292 years it wraps, and the encoder refuses a time before the last one.
        shown &+= isHeld ? step : usualStep
        return shown
    }
}
