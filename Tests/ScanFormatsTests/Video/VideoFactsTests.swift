import ScanFormats
import Testing

@Suite struct VideoFactsTests {
    /// 30 a second with a phone's jitter: 0 to 4 ms, other for each `seed`.
    private func timestamps(_ count: Int, seed: UInt64) -> [Int64] {
        var state = seed
        return (0..<count).map { frame in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return 77_000_000_000_000 + Int64(frame) * 33_333_333 + Int64(state >> 33) % 4_000_000
        }
    }

    private func video(_ timestamps: [Int64], without lost: Set<Int>) -> VideoFacts {
        let kept = timestamps.indices.filter { !lost.contains($0) }.map { timestamps[$0] }
        var facts = VideoFacts()
        facts.frameCount = kept.count
        facts.times = kept.map { $0 - kept[0] }
        return facts
    }

    @Test(arguments: [[5], [0], [39], [0, 1, 2], [0, 17, 39], [10, 11, 12, 30], Array(0..<12)])
    func eachFrameOfAVideoIsFoundByItsTime(_ lost: [Int]) {
        for seed in 1...20 {
            let timestamps = timestamps(40, seed: UInt64(seed))
            let pairing = video(timestamps, without: Set(lost)).pairing(with: timestamps)
            var number = 0
            let expected = timestamps.indices.map { index -> Int? in
                if lost.contains(index) { return nil }
                defer { number += 1 }
                return number
            }
            #expect(pairing?.places == expected && pairing?.isSure == true, "seed \(seed)")
        }
    }

    /// Too early or too late by more than half a frame; the first frame sets the clocks.
    @Test func framesThatAreShownAtAnotherTimeThanTheyWereTaken() {
        let taken = (0..<10).map { Int64($0) * 100 }
        var facts = VideoFacts()
        facts.times = [0, 100, 140, 300, 460, 500, 600, 700, 850, 900]
        let off = facts.framesOffTime(from: taken)
        #expect(off.map(\.frame) == [2, 4])
        #expect(off.map(\.late) == [-60, 60])
    }

    /// A clock without jitter fits at the first frame as well as at the second.
    @Test func anEvenClockDoesNotTellWhichFramesAreMissingAtItsEnds() {
        let even = (0..<40).map { 5_000_000_000 + Int64($0) * 33_333_333 }
        let lost = video(even, without: [0, 5])
        var rounded = lost
        rounded.times = lost.times?.map { ($0 * 600 + 500_000_000) / 1_000_000_000 * 1_000_000_000 / 600 }
        for facts in [lost, rounded] {
            let pairing = facts.pairing(with: even)
            #expect(pairing?.isSure == false)
            #expect(pairing?.places == (0..<40).map { [4, 39].contains($0) ? nil : $0 < 4 ? $0 : $0 - 1 })
        }
    }

    /// What does not tell by its times may say when it begins.
    @Test func aVideoWhoseClockBeginsLate() {
        let even = (0..<40).map { 5_000_000_000 + Int64($0) * 33_333_333 }
        for (start, lost) in [(0.0333, [0, 5]), (0.1, [0, 1, 2]), (0.017, [39, 38]), (9.0, [38, 39])] {
            var facts = video(even, without: Set(lost))
            facts.start = start
            let first = start < 0.02 || start > 1 ? 0 : lost.prefix { $0 < 5 }.count
            #expect(facts.pairing(with: even)?.places.prefix(4).first { $0 != nil } == 0)
            #expect(facts.pairing(with: even)?.places.firstIndex { $0 != nil } == first, "\(start)")
        }
    }

    /// The most frames that pairing allows to be missing, so that the most beginnings are tried.
    @Test func aLongVideoThatLacksManyFrames() {
        let timestamps = timestamps(10_000, seed: 3)
        let lost = Set((0..<100).map { 7 + $0 * 90 })
        let pairing = video(timestamps, without: lost).pairing(with: timestamps)
        let found = pairing?.places.indices.filter { pairing?.places[$0] == nil }
        #expect(found == lost.sorted() && pairing?.isSure == true)
    }

    /// A video at a rate of its own, one of another recording, and one that lacks nothing.
    @Test func timesThatDoNotFitPairNothing() {
        let timestamps = timestamps(40, seed: 7)
        var slow = video(timestamps, without: [9])
        slow.times = slow.times?.map { $0 * 5 / 4 }
        #expect(slow.pairing(with: timestamps) == nil)
        #expect(
            video(self.timestamps(80, seed: 8).enumerated().filter { $0.offset % 3 != 1 }.map(\.element), without: [])
                .pairing(with: timestamps) == nil)
        #expect(video(timestamps, without: []).pairing(with: timestamps) == nil)
        #expect(VideoFacts().pairing(with: timestamps) == nil)
    }

    @Test func timestampsAtTheEndsOfTheirRangeDoNotTrap() {
        var timestamps = timestamps(8, seed: 1)
        let facts = video(timestamps, without: [3])
        (timestamps[0], timestamps[7]) = (.min, .max)
        #expect(facts.pairing(with: timestamps) == nil)
    }
}
