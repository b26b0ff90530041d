import ScanStages
import Testing

@Suite struct VideoClockTests {
    /// What a clock for 10 frames a second shows.
    private func shown(_ times: [Int64], longestStep: Int64? = nil) -> (times: [Int64], clock: VideoClock) {
        var clock = VideoClock(rate: 10, longestStep: longestStep)
        let shown = times.map { clock.shown(at: $0) }
        return (shown, clock)
    }

    @Test func followsTheTimestamps() {
        let (times, clock) = shown([5_000_000, 5_001_000, 105_000_000])
        #expect(times == [0, 1000, 100_000_000])
        #expect(clock.changeCount == 0 && clock.firstChange == nil)
    }

    @Test func aStepThatIsNoneIsAUsualOne() {
        // The same time again, one within the same microsecond, and one before.
        let (times, clock) = shown([0, 50_000_000, 50_000_000, 50_000_999, 20_000_000, 60_000_000])
        #expect(times == [0, 50_000_000, 150_000_000, 250_000_000, 350_000_000, 390_000_000])
        #expect(clock.changeCount == 3 && clock.firstChange == 2)
    }

    @Test func aStepThatAVideoCannotHoldIsAUsualOne() {
        let (times, clock) = shown([0, 999_999, 2_000_000, 2_050_000], longestStep: 1000)
        #expect(times == [0, 999_999, 100_999_999, 101_049_999])
        #expect(clock.changeCount == 1 && clock.firstChange == 2)
        let (far, _) = shown([.min, .max, .max])
        #expect(far == [0, 100_000_000, 200_000_000])
    }
}
