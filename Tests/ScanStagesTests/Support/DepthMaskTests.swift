import ScanModel
import TestSupport
import Testing

@Suite struct DepthMaskTests {
    @Test func everyMaskCountsWhatWasValidBeforeAndAfter() throws {
        var item = MemoryCapture.Item(depth: [0, 1, 2, 3])
        item.confidence = ConfidenceMap(width: 4, height: 1, values: [2, 2, 0, 2], range: 0...2)
        let run = try StageRun("- mask-confidence\n- mask-range: {far: 2}", on: MemoryCapture([item, item]))
        #expect(run.count("mask-confidence", "pixels-in") == 6)
        #expect(run.count("mask-confidence", "pixels-out") == 4)
        #expect(run.count("mask-range", "pixels-in") == 4)
        #expect(run.count("mask-range", "pixels-out") == 2)
        #expect(run.frames.map { $0.depth?.metres } == [[0, 1, 0, 0], [0, 1, 0, 0]])
    }

    @Test func aFrameWithoutDepthIsDroppedByName() throws {
        let run = try StageRun("- mask-range", on: MemoryCapture([.init(depth: [1]), .init()]))
        #expect(run.drops == ["1 mask-range: the frame has no depth"])
    }
}
