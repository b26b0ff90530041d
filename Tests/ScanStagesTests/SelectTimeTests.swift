import ScanModel
import TestSupport
import Testing

@Suite struct SelectTimeTests {
    /// A frame every tenth of a second, by a clock whose zero is anywhere.
    private func frames(_ count: Int, _ timestamp: (Int) -> Int64? = { 5_000_000_000 + Int64($0) * 100_000_000 })
        -> MemoryCapture
    {
        MemoryCapture((0..<count).map { MemoryCapture.Item(timestamp: timestamp($0)) })
    }

    private func kept(_ options: String, of capture: MemoryCapture) throws -> [Int] {
        try StageRun("- select-time: \(options)", on: capture).kept
    }

    @Test func bothBoundsBelongToThePart() throws {
        #expect(try kept("{from: 0.3, to: 0.7}", of: frames(11)) == Array(3...7))
        #expect(try kept("{from: 0.3}", of: frames(11)) == Array(3...10))
        #expect(try kept("{to: 0.25}", of: frames(11)) == [0, 1, 2])
        #expect(try kept("{from: 0.5, to: 0.5}", of: frames(11)) == [5])
        #expect(try kept("{to: 3600}", of: frames(11)) == Array(0...10))
    }

    @Test func negativeSecondsCountFromTheEnd() throws {
        #expect(try kept("{to: -0.3}", of: frames(11)) == Array(0...7))
        #expect(try kept("{from: -0.3}", of: frames(11)) == Array(7...10))
        #expect(try kept("{from: -0.5, to: -0.2}", of: frames(11)) == [5, 6, 7, 8])
        #expect(try kept("{from: 0.2, to: -0.2}", of: frames(11)) == Array(2...8))
        #expect(try kept("{from: -0.5, to: 0.8}", of: frames(11)) == [5, 6, 7, 8])
    }

    @Test func everyDropSaysWhy() throws {
        let run = try StageRun("- select-time: {from: 0.15, to: -0.1}", on: frames(5))
        #expect(
            run.drops == [
                "0 select-time: before 0.15 s", "1 select-time: before 0.15 s", "4 select-time: after the last 0.1 s",
            ])
    }

    /// What stages above drop does not shift the part.
    @Test func secondsCountFromTheSourcesFirstFrame() throws {
        let run = try StageRun(
            "- select-frames: {exclude: [0-2, 9-10]}\n- select-time: {from: 0.5, to: -0.3}", on: frames(11))
        #expect(run.kept == [5, 6, 7])
    }

    @Test func framesWithoutATimeAreDropped() throws {
        let run = try StageRun(
            "- select-time: {from: 0.1}", on: frames(6) { $0 == 0 || $0 == 3 ? nil : Int64($0) * 100_000_000 })
        // The first that has a time is where seconds begin.
        #expect(run.kept == [2, 4, 5])
        #expect(run.drops.contains("3 select-time: no time"))
        // And the last that has one is where they end.
        let endless = frames(6) { $0 == 5 ? nil : Int64($0) * 100_000_000 }
        #expect(try kept("{to: -0.1}", of: endless) == [0, 1, 2, 3])
    }

    @Test func aCaptureThatIsTooShortFails() throws {
        let short = problem { _ = try StageRun("- select-time: {from: 2}", on: frames(11)) }
        #expect(
            short?.summary == "no frame is left between the bounds of select-time: the recording is 1.00 s long")
        #expect(short?.isOfPipeline == true)
        // It is told when the capture is opened, before a bad picture is.
        var bad = frames(11)
        bad.items[0].file = "0.png"
        bad.files["0.png"] = [0]
        bad.onBadFrame = .fail
        let early = problem { _ = try StageRun("- downscale: {factors: [2]}\n- select-time: {from: 2}", on: bad) }
        #expect(early?.summary == short?.summary)
        let timeless = problem { _ = try StageRun("- select-time: {from: 2}", on: frames(3) { _ in nil }) }
        #expect(timeless?.summary == "select-time needs timestamp, and this capture has none")
    }

    /// The recording is long enough: what lies between the bounds was dropped by others.
    @Test func framesThatOthersDroppedAreNotTheBounds() throws {
        func failure(_ stages: String, _ capture: MemoryCapture) -> Problem? {
            problem { _ = try StageRun(stages + "- select-time: {to: 0.3}", on: capture) }
        }
        let few = failure("- select-frames: {include: [5-7]}\n", frames(11))
        #expect(
            few?.summary == "none of the 3 frames that the stages above left lies between the bounds of select-time")
        #expect(few?.fix == "put `select-time` above the stages that drop frames, or choose other bounds")
        #expect(few?.isOfPipeline == true)
        let one = failure("- select-frames: {include: [5]}\n", frames(11))
        let only = "the only frame that the stages above left does not lie between the bounds of select-time"
        #expect(one?.summary == only)
        // Nothing can be put above the reader.
        var unread = frames(11)
        for index in 0..<4 { unread.items[index].drop = Drop(whileReading: "it is a copy of another") }
        let left = failure("", unread)
        #expect(left?.summary.hasPrefix("none of the 7 frames ") == true && left?.fix == "choose other bounds")
    }

    @Test func mistakesAreToldBeforeAnythingRuns() {
        #expect(StageRun.mistakes(in: "- select-time") == ["select-time has nothing to do"])
        #expect(
            StageRun.mistakes(in: "- select-time: {from: 3, to: 2}") == [
                "`from: 3` is after `to: 2`, which leaves nothing"
            ])
        #expect(
            StageRun.mistakes(in: "- select-time: {from: -1, to: -2.5}") == [
                "`from: -1` is after `to: -2.5`, which leaves nothing"
            ])
        #expect(
            StageRun.mistakes(in: "- select-time: {from: 0.0004, to: 0.0001}") == [
                "`from: 0.0004` is after `to: 0.0001`, which leaves nothing"
            ])
        // Whether these leave something depends on the capture.
        #expect(StageRun.mistakes(in: "- select-time: {from: 3, to: -2}") == [])
        #expect(StageRun.mistakes(in: "- select-time: {from: -3, to: 2}") == [])
    }
}
