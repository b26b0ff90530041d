import ScanModel
import ScanStages
import Testing

@Suite struct PreviewClockTests {
    /// The times at which frames are shown, milliseconds; nil for those that are left out.
    private static func shown(
        _ clock: PreviewClock, milliseconds: [Int64?]
    ) -> [Int64?] {
        var clock = clock
        return milliseconds.enumerated().map { index, time in
            var facts = FrameFacts(index: index)
            facts.timestamp = time.map { 9_000_000_000_000 + $0 * 1_000_000 }
            guard let place = clock.place(of: facts) else { return nil }
            return clock.take(place) / 1_000_000
        }
    }

    private static func clock(speed: Double = 1, rate: Int = 10, hasTimes: Bool = true) -> PreviewClock {
        PreviewClock(speed: speed, rate: rate, nominal: 20, hasTimes: hasTimes)
    }

    @Test func framesTakeTheNearestPlace() {
        #expect(Self.shown(Self.clock(), milliseconds: [0, 98, 207, 300]) == [0, 100, 200, 300])
        // Of several frames in one place, the first is shown.
        #expect(
            Self.shown(Self.clock(), milliseconds: [0, 33, 67, 100, 133, 167, 200]) == [
                0, nil, 100, nil, nil, 200, nil,
            ])
        #expect(Self.shown(Self.clock(speed: 2), milliseconds: [0, 100, 200, 400]) == [0, 100, nil, 200])
        #expect(Self.shown(Self.clock(speed: 0.5), milliseconds: [0, 100, 200]) == [0, 200, 400])
    }

    @Test func aPauseIsNoLongerThanASecond() {
        #expect(Self.shown(Self.clock(), milliseconds: [0, 100, 60_100, 60_200]) == [0, 100, 1100, 1200])
    }

    /// Slow motion is no pause.
    @Test func aPauseIsOneOfTheRecording() {
        #expect(Self.shown(Self.clock(speed: 0.5), milliseconds: [0, 800, 1600]) == [0, 1600, 3200])
        #expect(Self.shown(Self.clock(speed: 0.5), milliseconds: [0, 60_000]) == [0, 2000])
    }

    @Test func timesThatDoNotGoOnAreLeftOut() {
        #expect(Self.shown(Self.clock(), milliseconds: [0, 100, 100, 50, 200]) == [0, 100, nil, nil, 200])
        #expect(Self.shown(Self.clock(), milliseconds: [0, -9_000_000]) == [0, nil])
        var clock = Self.clock()
        for time in [Int64.min, 0, Int64.max] {
            var facts = FrameFacts(index: 0)
            facts.timestamp = time
            if let place = clock.place(of: facts) { _ = clock.take(place) }
        }
        #expect(clock.seconds == 2.1)
    }

    @Test func withoutTimesTheNominalRateCounts() {
        // 20 frames per second in 10 places.
        #expect(
            Self.shown(Self.clock(hasTimes: false), milliseconds: [nil, nil, nil, nil, nil]) == [0, 100, nil, 200, nil])
    }
}
