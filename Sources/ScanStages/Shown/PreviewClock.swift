import ScanModel

/// When each frame is shown in a preview: in places 1 / rate of a second apart, counted from 0.
package struct PreviewClock: Sendable {
    private let speed: Double
    private let rate: Int
    private let hasTimes: Bool
    /// Nanoseconds from one frame's number to the next, where there are no times.
    private let step: Double
    /// The time of the frame before, nanoseconds on the recorder's clock.
    private var before: Double?
    /// Seconds into the preview of the last frame that came by.
    private var shown = 0.0
    /// The place of the frame that was shown last.
    private var last: Int?

    /// Seconds of the recording: where frames are missing, a picture is held for no longer than this takes.
    private static let longestPause = 1.0

    /// - Parameters:
    ///   - nominal: frames per second, for captures without times.
    ///   - hasTimes: whether every frame has a timestamp.
    package init(speed: Double, rate: Int, nominal: Double, hasTimes: Bool) {
        self.speed = speed
        self.rate = rate
        self.hasTimes = hasTimes
        step = 1e9 / nominal
    }

    /// The place of the next frame; nil if it is taken, or if the frame's time does not advance.
    package mutating func place(of frame: FrameFacts) -> Int? {
        let now = hasTimes ? Double(frame.timestamp ?? 0) : Double(frame.index) * step
        if let before {
            guard now > before else { return nil }
            shown += min((now - before) / 1e9, Self.longestPause) / speed
        }
        before = now
        let place = Int((shown * Double(rate)).rounded())
        return place > last ?? -1 ? place : nil
    }

    /// Takes a place.
    /// - Returns: its time in nanoseconds.
    package mutating func take(_ place: Int) -> Int64 {
        last = place
        return Int64((Double(place) * 1e9 / Double(rate)).rounded())
    }

    /// How long the preview is, to the end of its last frame.
    package var seconds: Double { last.map { Double($0 + 1) / Double(rate) } ?? 0 }
}
