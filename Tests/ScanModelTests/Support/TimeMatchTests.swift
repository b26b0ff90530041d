import Glibc
import ScanModel
import TestSupport
import Testing

@Suite struct TimeMatchTests {
    @Test func theNearestGoFirst() {
        // 10 and 12 are equally near to 11, and the earlier pair wins; 12 is left with 14.
        let match = TimeMatch([10, 12], with: [11, 14], within: 5)
        #expect(match.partners == [0, 1])
        #expect(match.largestGap == 2)
        // 12 takes 11, so that 9 has to go without: 14 is too far away.
        let other = TimeMatch([9, 12], with: [11, 15], within: 4)
        #expect(other.partners == [nil, 0])
        #expect(other.matchedCount == 1)
        // 11 is near enough to 9, but paired with another time.
        #expect(other.outdone == [0] && match.outdone == [])
        #expect(
            other.summary
                == .object(["matched": .of(1), "unmatched": .of(1), "largest-gap-ms": .number(1e-6)]))
    }

    @Test func partnersNeedNotStandInOrder() {
        let match = TimeMatch([300, 100, 200], with: [205, 95, 500], within: 10)
        #expect(match.partners == [nil, 1, 0])
        #expect(match.largestGap == 5)
    }

    @Test func theToleranceIsKeptExactly() {
        #expect(TimeMatch([0], with: [20], within: 20).partners == [0])
        let apart = TimeMatch([0], with: [21], within: 20)
        #expect(apart.partners == [nil] && apart.outdone == [])
        #expect(TimeMatch([7], with: [7], within: 0).partners == [0])
        let both = TimeMatch([0, 4], with: [2], within: 2)
        #expect(both.partners == [0, nil] && both.outdone == [1])
    }

    @Test func nothingToMatch() {
        #expect(TimeMatch([], with: [1], within: 1).partners == [])
        #expect(TimeMatch([1], with: [], within: 1).partners == [nil])
        #expect(TimeMatch([], with: [], within: 1).matchedCount == 0)
    }

    @Test func timesAtTheEndsOfTheClock() {
        let match = TimeMatch([.min, .max], with: [.max, .min], within: .max)
        #expect(match.partners == [1, 0])
    }

    @Test func theNearestOfEach() {
        // 12 is as near to 10 as to 14; of two equal targets, a time behind them finds the last.
        let near = TimeMatch.nearest(to: [0, 12, 12, 20, 21, 30], among: [10, 14, 20, 20])
        #expect(near.map { $0?.place } == [0, 0, 0, 2, 3, 3])
        #expect(near.map { $0?.gap } == [10, 2, 2, 0, 1, 10])
        #expect(TimeMatch.nearest(to: [1], among: []).map { $0?.place } == [nil])
        // Too far away for a number.
        #expect(TimeMatch.nearest(to: [.max], among: [.min]).map { $0?.place } == [nil])
        #expect(TimeMatch.nearest(to: [-2, .max - 1], among: [.min, .max]).map { $0?.gap } == [.max - 1, 1])
    }

    /// As associate.py does it: all pairs, sorted by their difference.
    private func byAllPairs(_ times: [Int64], _ targets: [Int64], _ tolerance: Int64) -> [Int?] {
        var pairs: [(gap: Int64, one: Int, other: Int)] = []
        for (i, a) in times.enumerated() {
            for (k, b) in targets.enumerated() where abs(a - b) <= tolerance { pairs.append((abs(a - b), i, k)) }
        }
        var partners = [Int?](repeating: nil, count: times.count)
        var taken: Set<Int> = []
        for pair in pairs.sorted(by: { $0.gap < $1.gap }) where partners[pair.one] == nil && !taken.contains(pair.other)
        {
            partners[pair.one] = pair.other
            taken.insert(pair.other)
        }
        return partners
    }

    @Test func itIsWhatAllPairsGive() {
        var random = SplitMix(seed: 5)
        for round in 0..<200 {
            // No two differences are alike, so that there is but one answer.
            let times = (0..<Int.random(in: 0..<12, using: &random)).map {
                Int64($0 * 1000 + Int.random(in: 0..<2000, using: &random)) << 14 | Int64(1 << $0)
            }
            let targets = Set(
                (0..<Int.random(in: 0..<12, using: &random)).map {
                    Int64($0 * 1000 + Int.random(in: 0..<2000, using: &random)) << 14
                }
            ).sorted()
            let tolerance = Int64.random(in: 0..<1500, using: &random) << 14
            let expected = byAllPairs(times, targets, tolerance)
            #expect(TimeMatch(times, with: targets, within: tolerance).partners == expected, "round \(round)")
        }
    }

    /// Lists in order are walked, and others are not: which way is taken makes no difference.
    @Test func theOrderOfTheListsChangesNothing() {
        var random = SplitMix(seed: 6)
        for round in 0..<2000 {
            let reach = Int64.random(in: 10...60, using: &random)
            func list() -> [Int64] {
                let count = Int.random(in: 1..<9, using: &random)
                return (0..<count).map { _ in Int64.random(in: -reach...reach, using: &random) }.sorted()
            }
            let (times, targets) = (list(), list())
            let tolerance = Int64.random(in: 0...12, using: &random)
            let walked = TimeMatch(times, with: targets, within: tolerance)
            // One more, at the wrong end and far from all others.
            let mixed = TimeMatch(times + [-1000], with: targets, within: tolerance)
            #expect(mixed.partners.dropLast().elementsEqual(walked.partners), "round \(round)")
            #expect(mixed.largestGap == walked.largestGap && mixed.outdone == walked.outdone, "round \(round)")
        }
    }

    private static var secondsOfThread: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec
    }

    /// All pairs would take minutes of processor time, however busy the machine is.
    @Test func manyEqualTimesTakeNoLonger() {
        let began = Self.secondsOfThread
        defer { #expect(Self.secondsOfThread - began < 20) }
        let same = Array(repeating: Int64(5), count: 200_000)
        let match = TimeMatch(same, with: same, within: 10)
        #expect(match.matchedCount == 200_000)
        let one = TimeMatch(same, with: [6], within: 10)
        #expect(one.matchedCount == 1)
    }
}
