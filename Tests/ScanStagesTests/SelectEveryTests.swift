import ScanModel
import ScanStages
import TestSupport
import Testing

@Suite struct SelectEveryTests {
    private func frames(_ count: Int, _ timestamps: (Int) -> Int64? = { Int64($0) * 100_000_000 }) -> MemoryCapture {
        MemoryCapture((0..<count).map { MemoryCapture.Item(timestamp: timestamps($0)) })
    }

    private func kept(_ options: String, of capture: MemoryCapture) throws -> [Int] {
        try StageRun("- select-every: \(options)", on: capture).kept
    }

    @Test func stepCountsSourceFramesFromTheOffset() throws {
        #expect(try kept("{step: 3}", of: frames(10)) == [0, 3, 6, 9])
        #expect(try kept("{step: 3, offset: 2}", of: frames(10)) == [2, 5, 8])
        // The offset is the first one, also where it is a multiple of the step.
        #expect(try kept("{step: 3, offset: 6}", of: frames(10)) == [6, 9])
        #expect(try kept("{step: 1}", of: frames(3)) == [0, 1, 2])
        #expect(try kept("{step: 100, offset: 4}", of: frames(10)) == [4])
        // Source frames, not those that are left.
        let run = try StageRun("- select-frames: {exclude: [0, 1]}\n- select-every: {step: 2}", on: frames(8))
        #expect(run.kept == [2, 4, 6])
        #expect(run.drops.first { $0.hasPrefix("3 ") } == "3 select-every: not one of every 2 from 0")
    }

    @Test func countSpreadsOverTheFramesThatAreLeft() throws {
        #expect(try kept("{count: 3}", of: frames(11)) == [0, 5, 10])
        #expect(try kept("{count: 4}", of: frames(10)) == [0, 3, 6, 9])
        #expect(try kept("{count: 1}", of: frames(11)) == [5])
        #expect(try kept("{count: 10}", of: frames(10)) == Array(0..<10))
        #expect(try kept("{count: 11}", of: frames(10)) == Array(0..<10))
        let run = try StageRun(
            "- select-frames: {include: [2, 3, 4, 8, 12]}\n- select-every: {count: 3}", on: frames(20))
        #expect(run.kept == [2, 8, 12])
        #expect(run.drops.contains("3 select-every: not one of 3 spread over time"))
    }

    /// A time beside a number would stand years away from it.
    @Test func whereOneFrameHasNoTimeNumbersCount() throws {
        let capture = frames(21) { $0 == 0 ? nil : 5_000_000_000_000 + Int64($0) * 100_000_000 }
        #expect(try kept("{count: 5}", of: capture) == [0, 5, 10, 15, 20])
    }

    @Test func momentsAreEvenlySpacedInTimeNotInNumber() throws {
        // Moments 0, 33.3, 66.7, 100 of these: the nearest are 0, 33, 70, 100.
        let times: [Int64] = [0, 1, 2, 3, 33, 38, 70, 98, 99, 100]
        #expect(try kept("{count: 4}", of: frames(10) { times[$0] * 1_000_000_000 }) == [0, 4, 6, 9])
        // A hole in time: the moment in its middle goes to one of its edges, and none is taken twice.
        let hole: [Int64] = [0, 1, 2, 97, 98, 99]
        #expect(SelectEvery.spread(5, over: hole) == [0, 2, 3, 4, 5])
        // Without timestamps, the frames' numbers are the moments.
        #expect(try kept("{count: 2}", of: frames(7) { _ in nil }) == [0, 6])
    }

    @Test func exactlyAsManyAreKeptWhateverTheTimes() {
        var dice = SplitMix(seed: 5)
        for round in 0..<300 {
            let count = Int.random(in: 2...60, using: &dice)
            var moments = (0..<count).map { _ in Int64.random(in: 0...500, using: &dice) }
            if round % 10 != 0 { moments.sort() }
            let wanted = Int.random(in: 1...count, using: &dice)
            let chosen = SelectEvery.spread(wanted, over: moments)
            #expect(chosen.count == wanted)
            #expect(zip(chosen, chosen.dropFirst()).allSatisfy { $0 < $1 })
            #expect(chosen.allSatisfy(moments.indices.contains))
            guard round % 10 != 0, wanted > 1 else { continue }
            #expect(moments[chosen[0]] == moments[0])
            #expect(moments[chosen[wanted - 1]] == moments[count - 1])
        }
    }

    @Test func whereThereIsRoomEachMomentGetsItsNearestFrame() {
        var dice = SplitMix(seed: 6)
        for _ in 0..<100 {
            // Steps of 5 to 15, and moments at least 30 apart: no frame is the nearest to two of them.
            var moments: [Int64] = [0]
            for _ in 0..<100 { moments.append((moments.last ?? 0) + Int64.random(in: 5...15, using: &dice)) }
            let end = Double(moments[100])
            let wanted = Int(end / 30)
            let chosen = SelectEvery.spread(wanted, over: moments)
            for (number, position) in chosen.enumerated() {
                let moment = end * Double(number) / Double(wanted - 1)
                let nearest = moments.map { abs(Double($0) - moment) }.min() ?? 0
                #expect(abs(Double(moments[position]) - moment) == nearest)
            }
        }
    }

    @Test func timesAtTheEndsOfTheirRangeDoNotTrap() {
        #expect(SelectEvery.spread(2, over: [.min, 0, .max]) == [0, 2])
    }

    /// Equal moments are not gone through again for every frame.
    @Test func aClockThatStandsStillUntilTheLastFrame() {
        let chosen = SelectEvery.spread(100_000, over: Array(repeating: 7, count: 200_000) + [8])
        #expect(chosen.dropLast().elementsEqual(0..<99_999) && chosen.last == 200_000)
        #expect(SelectEvery.spread(3, over: [0, 0, 0, 4, 4, 4, 8, 8, 8]) == [0, 3, 6])
        #expect(SelectEvery.spread(4, over: [0, 0, 0, 0, 9, 9]) == [0, 1, 4, 5])
    }

    /// The reason says by what.
    @Test func framesWithoutTimesAreSpreadByTheirNumbers() throws {
        for (times, way) in [([nil, nil, nil], "the frames"), ([0, 1, 2], "time"), ([5, 5, 5], "the frames")]
            as [([Int64?], String)]
        {
            let capture = MemoryCapture(times.map { MemoryCapture.Item(timestamp: $0) })
            let run = try StageRun("- select-every: {count: 2}", on: capture)
            #expect(run.drops == ["1 select-every: not one of 2 spread over \(way)"])
        }
    }

    /// Then frames are spread by their order.
    @Test(arguments: [[5, 5, 5, 5, 5], [9, 8, 7, 6, 5]] as [[Int64]])
    func aClockThatStandsStill(_ times: [Int64]) throws {
        #expect(try kept("{count: 3}", of: frames(5) { times[$0] }) == [0, 2, 4])
    }

    @Test func exactlyOneOfTheTwo() {
        #expect(StageRun.mistakes(in: "- select-every") == ["one of `step`, `count` is needed"])
        #expect(
            StageRun.mistakes(in: "- select-every: {step: 2, count: 3}") == [
                "`step` and `count` exclude each other"
            ])
        #expect(
            StageRun.mistakes(in: "- select-every: {count: 3, offset: 1}") == [
                "`offset` goes with `step`, not with `count`"
            ])
    }
}
