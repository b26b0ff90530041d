import ScanFormats
import ScanStages
import Testing

@Suite struct VideoClockTests {
    /// What a clock shows, at 60 frames per second unless told otherwise.
    private func shown(
        _ times: [Int64], rate: Double = 60, in container: VideoSettings.Container = .mp4
    ) -> (times: [Int64], clock: VideoClock) {
        var clock = VideoClock(rate: rate, in: container)
        let shown = times.map { clock.shown(at: $0) }
        return (shown, clock)
    }

    @Test func followsTheTimestamps() {
        let (times, clock) = shown([5_000_000, 5_001_000, 105_000_000])
        #expect(times == [0, 1000, 100_000_000])
        #expect(clock.repeats.count == 0 && clock.pauses.count == 0)
    }

    /// Whatever the timestamps: a third of a second has no whole number of any ticks, and none of it adds up.
    @Test(arguments: [VideoSettings.Container.mp4, .matroska]) func evenStepsDoNotDrift(
        _ container: VideoSettings.Container
    ) {
        var clock = VideoClock(rate: 3, isEven: true, in: container)
        let times = [0, 0, 7_200_000_000_000, 5, -1, 3].map { clock.shown(at: $0) }
        let thirds: [Int64] =
            container == .mp4
            ? [0, 333_333, 666_667, 1_000_000, 1_333_333, 1_666_667] : [0, 333, 667, 1000, 1333, 1667]
        #expect(times == thirds.map { $0 * container.tick })
        #expect(clock.repeats.count == 0 && clock.pauses.count == 0)
    }

    @Test func aStepThatIsNoneIsAUsualOne() {
        // The same time again, one within the same microsecond, and one before.
        let (times, clock) = shown([0, 50_000_000, 50_000_000, 50_000_999, 20_000_000, 60_000_000], rate: 10)
        #expect(times == [0, 50_000_000, 150_000_000, 250_000_000, 350_000_000, 390_000_000])
        #expect(clock.repeats.count == 3 && clock.repeats.first == 2 && clock.pauses.count == 0)
    }

    /// A clock that counts milliseconds has no sixtieths of a second.
    @Test(arguments: [VideoSettings.Container.mp4, .matroska]) func timesAreThoseThatTheFileCanHold(
        _ container: VideoSettings.Container
    ) {
        let times = shown([0, 17_000_000, 17_000_000, 17_000_000, 33_000_000], in: container).times
        #expect(times.allSatisfy { $0.isMultiple(of: container.tick) })
        #expect(times[3] - times[2] == (container == .mp4 ? 16_667_000 : 17_000_000))
        #expect(shown([0, 1_000_000, 1_999_999], in: .matroska).clock.repeats.first == 2)
        #expect(shown([0, 0], rate: 100_000, in: .matroska).times == [0, 1_000_000])
    }

    @Test func aStepThatAnMP4CannotHoldIsAUsualOne() {
        let hour: Int64 = 3_600_000_000_000
        let (times, clock) = shown([0, hour, hour + 50_000_000], rate: 10)
        #expect(times == [0, 100_000_000, 150_000_000])
        #expect(clock.pauses.count == 1 && clock.pauses.first == 1 && clock.repeats.count == 0)
        #expect(shown([0, hour], in: .matroska).times == [0, hour])
        let (far, farther) = shown([.min, .max, .min], rate: 10)
        #expect(far == [0, 100_000_000, 200_000_000])
        #expect(farther.pauses.first == 1 && farther.repeats.first == 2)
    }
}
