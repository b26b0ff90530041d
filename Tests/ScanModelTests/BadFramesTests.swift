import ScanModel
import Testing

@Suite struct BadFramesTests {
    private func capture(bad: Int, of count: Int) -> Capture {
        var capture = Capture(id: "c")
        capture.frames = (0..<count).map { FrameFacts(index: $0) }
        for index in 0..<bad { capture.drop(index, stage: "read", reason: "the pose is not finite", isBad: true) }
        return capture
    }

    @Test func aFewAreForgiven() {
        #expect(capture(bad: 0, of: 0).excessOfBadFrames() == nil)
        #expect(capture(bad: 1, of: 20).excessOfBadFrames() == nil)
    }

    @Test func moreThanTheLimitFailTheCapture() {
        let problem = capture(bad: 3, of: 41).excessOfBadFrames(readBy: "read[2]")
        #expect(problem?.summary == "3 of 41 frames are bad (7.317 %)")
        #expect(problem?.notes.first == "the limit is 5 %")
        #expect(problem?.notes.count == 4)
        let way = "allow more with  --set 'read[2].bad-frame-limit=0.08'"
        #expect(problem?.fix == "copy or record the capture again, or \(way)")
    }

    /// To allow them all would leave nothing.
    @Test func noLimitHelpsWhereEveryFrameIsBad() {
        #expect(capture(bad: 4, of: 4).excessOfBadFrames()?.fix == "copy or record the capture again")
    }

    /// A higher limit is no help either where a stage dropped the frames that were sound.
    @Test func noLimitHelpsWhereNoFrameIsLeft() {
        var capture = capture(bad: 3, of: 4)
        capture.drop(3, stage: "filter-blur", reason: "blurred")
        #expect(capture.excessOfBadFrames()?.fix == "copy or record the capture again")
    }

    /// Nor where only frames are left that are held out.
    @Test func noLimitHelpsWhereNoFrameIsLeftToTrainOn() {
        var capture = capture(bad: 2, of: 4)
        for index in 0..<4 { capture.frames[index].split = index < 2 ? .training : .test }
        #expect(capture.excessOfBadFrames()?.fix == "copy or record the capture again")
        capture.frames[3].split = [.training, .test]
        #expect(capture.excessOfBadFrames()?.fix?.contains("bad-frame-limit=0.5") == true)
        for index in 0..<4 { capture.frames[index].split = .test }
        #expect(capture.excessOfBadFrames()?.fix?.contains("bad-frame-limit=0.5") == true)
    }

    /// As decimals these shares are not exact: 0.29 · 100 < 29, and 0.7 · 90 < 63.
    @Test(arguments: [(29, 100), (63, 90), (58, 100), (7, 100)])
    func theProposedLimitAllowsThem(_ bad: Int, _ count: Int) throws {
        var capture = capture(bad: bad, of: count)
        let fix = try #require(capture.excessOfBadFrames()?.fix)
        let limit = try #require(fix.split(separator: "=").last)
        capture.badFrameLimit = try #require(Double(limit))
        #expect(capture.excessOfBadFrames() == nil)
    }

    @Test func whatMendsAllOfThemIsSaid() {
        var capture = capture(bad: 0, of: 4)
        for index in 0..<2 {
            capture.drop(index, stage: "read", reason: "WebP", isBad: true, fix: "convert the pictures to PNG")
        }
        #expect(
            capture.excessOfBadFrames()?.fix
                == "convert the pictures to PNG, or allow more with  --set read.bad-frame-limit=0.5")
        capture.drop(2, stage: "read", reason: "the pose is not finite", isBad: true)
        #expect(capture.excessOfBadFrames()?.fix?.hasPrefix("copy or record the capture again") == true)
    }

    @Test func whatAFilterDroppedDoesNotCount() {
        var capture = capture(bad: 1, of: 20)
        for index in 1..<19 { capture.drop(index, stage: "filter-blur", reason: "blurred") }
        #expect(capture.excessOfBadFrames() == nil)
    }

    /// Of frames of which the app kept no picture, those that were left out for want of it.
    @Test func framesWithoutAPictureDoNotCount() {
        var capture = capture(bad: 1, of: 40)
        capture.sparse[.color] = SparseChannel(without: Array(10..<40), reason: "the app kept no picture of it")
        #expect(capture.excessOfBadFrames() == nil)
        for index in 10..<40 { capture.drop(index, whileReading: "the app kept no picture of it") }
        #expect(capture.excessOfBadFrames()?.summary == "1 of 10 frames is bad (10 %)")
    }

    @Test func theLimitIsTheCaptures() {
        var capture = capture(bad: 3, of: 4)
        capture.badFrameLimit = 0.75
        #expect(capture.excessOfBadFrames() == nil)
        capture.badFrameLimit = 0
        #expect(capture.excessOfBadFrames() != nil)
    }

    /// As few as streams may differ in length by are no reason to fail.
    @Test func whatFramesLackCountsWhereItIsUsed() {
        var capture = capture(bad: 0, of: 20)
        capture.gaps = [.recordedDepth: [5, 6, 7]]
        #expect(capture.excessOfBadFrames() == nil)
        capture.gaps = [.recordedDepth: [5, 6, 7, 8]]
        let problem = capture.excessOfBadFrames(using: [.pose, .recordedDepth])
        #expect(problem?.summary == "4 of 20 frames are bad (20 %)")
        #expect(
            problem?.notes == ["the limit is 5 %"] + (5...7).map { "frame \($0): it has no depth" } + ["and 1 more"])
        #expect(capture.excessOfBadFrames(using: [.color]) == nil)
        capture.badFrameLimit = 0.2
        #expect(capture.excessOfBadFrames() == nil)
        // A frame that is bad as well is one frame.
        capture.drop(5, stage: "read", reason: "the pose is not finite", isBad: true)
        #expect(capture.excessOfBadFrames() == nil)
        // One that was left out lacks nothing that is used.
        capture = self.capture(bad: 0, of: 20)
        capture.gaps = [.recordedDepth: [5, 6, 7, 8]]
        capture.drop(5, stage: "filter-blur", reason: "blurred")
        #expect(capture.excessOfBadFrames() == nil)
    }
}
