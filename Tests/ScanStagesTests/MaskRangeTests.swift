import ScanModel
import TestSupport
import Testing

@Suite struct MaskRangeTests {
    private func masked(_ metres: [Float], _ stage: String) throws -> [Float]? {
        try StageRun(stage, on: MemoryCapture([.init(depth: metres)])).frames.first?.depth?.metres
    }

    @Test func bothBoundsBelongToTheRange() throws {
        let metres: [Float] = [1, Float(1).nextDown, 4, Float(4).nextUp, 2, 0]
        #expect(try masked(metres, "- mask-range: {near: 1, far: 4}") == [1, 0, 4, 0, 2, 0])
    }

    @Test func boundsAreComparedInSinglePrecision() throws {
        // 700 mm recorded as a whole number is the float nearest to 0.7, which is a little less than 0.7.
        let recorded = Float(700.0 / 1000)
        #expect(Double(recorded) < 0.7)
        #expect(try masked([recorded, recorded.nextDown], "- mask-range: {near: 0.7}") == [recorded, 0])
        #expect(try masked([recorded, recorded.nextUp], "- mask-range: {far: 0.7}") == [recorded, 0])
    }

    @Test func theDefaultsAreMultiScans() throws {
        #expect(try masked([0.1, Float(0.1).nextDown, 10, Float(10).nextUp], "- mask-range") == [0.1, 0, 10, 0])
    }

    @Test func noDepthStaysNoDepthWhateverTheBounds() throws {
        let run = try StageRun(
            "- mask-range: {near: 0, far: 1000}", on: MemoryCapture([.init(depth: [0, 0.001, 65504])]))
        #expect(run.frames.first?.depth?.metres == [0, 0.001, 0])
        #expect(run.count("mask-range", "pixels-in") == 2)
        #expect(run.count("mask-range", "pixels-out") == 1)
    }

    @Test func aRangeOfOneDepthAndOneTurnedRound() throws {
        #expect(try masked([2, 2.5], "- mask-range: {near: 2, far: 2}") == [2, 0])
        func mistakes(_ options: String) -> [String] { StageRun.mistakes(in: "- mask-range: \(options)") }
        #expect(mistakes("{near: 5, far: 4}") == ["`near`, 5, is not below `far`, 4"])
        #expect(mistakes("{near: 20}") == ["`near`, 20, is not below `far`, 10 where it is not given"])
        #expect(mistakes("{far: 0.05}") == ["`near`, 0.1 where it is not given, is not below `far`, 0.05"])
        // What is no bound at all is one mistake.
        #expect(mistakes("{near: 100, far: 5000}") == ["`far` is 5000, which is not between 0 and 1000 m"])
    }

    @Test func aRangeThatLeavesNothingIsSaid() throws {
        let run = try StageRun(
            "- mask-range: {near: 5}", on: MemoryCapture([.init(depth: [1, 2]), .init(depth: [3, 0])]))
        #expect(
            run.warnings == [
                "mask-range: none of 3 depth pixels is left: the range is 5 to 10 m; see with  scanmill inspect  how far "
                    + "depth reaches"
            ])
        let one = try StageRun("- mask-range: {near: 5}", on: MemoryCapture([.init(depth: [1, 0])]))
        #expect(one.warnings.first?.hasPrefix("mask-range: the only depth pixel is lost: ") == true, "\(one.warnings)")
        // Where there was none before, the mask took none.
        #expect(try StageRun("- mask-range: {near: 5}", on: MemoryCapture([.init(depth: [0, 0])])).warnings.isEmpty)
    }

    /// As with metres taken for something else, and one far wall.
    @Test func aRangeThatLeavesHardlyAnythingIsSaid() throws {
        let near = [Float](repeating: 1, count: 60)
        let run = try StageRun("- mask-range: {near: 5}", on: MemoryCapture([.init(depth: near + [6, 7])]))
        #expect(
            run.warnings == [
                "mask-range: only 3.2 % of 62 depth pixels are left: the range is 5 to 10 m; see with  scanmill inspect  how "
                    + "far depth reaches"
            ])
        let more = MemoryCapture([.init(depth: near + [6, 7, 8, 9])])
        #expect(try StageRun("- mask-range: {near: 5}", on: more).warnings.isEmpty)
    }

    @Test func twoInARowNarrow() throws {
        let run = try StageRun(
            "- mask-range: {near: 1}\n- mask-range: {far: 3}", on: MemoryCapture([.init(depth: [0.5, 1, 2, 3, 4])]))
        #expect(run.frames.first?.depth?.metres == [0, 1, 2, 3, 0])
        #expect(run.count("mask-range[1]", "pixels-out") == 4)
        #expect(run.count("mask-range[2]", "pixels-in") == 4)
        #expect(run.count("mask-range[2]", "pixels-out") == 3)
    }
}
