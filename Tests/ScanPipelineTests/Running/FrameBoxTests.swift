import ScanModel
import ScanPipeline
import Testing

@Suite struct FrameBoxTests {
    @Test func keepsFactsAndTraces() {
        let box = FrameBox(
            frames: (0..<3).map(FrameFacts.init(index:)), traces: [FrameTrace(isTaken: true, files: ["a"])])
        #expect(box.frame(at: 0).isTaken)
        #expect(box.frame(at: 0).files == ["a"])
        #expect(!box.frame(at: 2).isTaken)

        var frame = box.frame(at: 2)
        frame.isTaken = true
        frame.files.append("b")
        frame.sharpness = 3
        frame.depth = DepthMap(width: 1, height: 1, metres: [1])
        box.take(frame, at: 2)
        #expect(box.frames[2].sharpness == 3)
        #expect(
            box.traces == [
                FrameTrace(isTaken: true, files: ["a"]), FrameTrace(), FrameTrace(isTaken: true, files: ["b"]),
            ])
        #expect(box.frame(at: 2).depth == nil)
    }

    /// Workers do not end in order.
    @Test func aFrameSeesThePreviousOneAsItWasAtFirst() {
        let box = FrameBox(frames: (0..<2).map(FrameFacts.init(index:)), traces: [])
        var first = box.frame(at: 0)
        #expect(first.previousFacts == nil)
        first.pose = .identity
        box.take(first, at: 0)
        #expect(box.frame(at: 1).previousFacts == FrameFacts(index: 0))
    }
}
