import ScanModel
import TestSupport
import Testing

@Suite struct MaskConfidenceTests {
    private func capture(_ values: [UInt8], _ range: ClosedRange<Int>) -> MemoryCapture {
        var item = MemoryCapture.Item(depth: values.indices.map { Float($0 + 1) })
        item.confidence = ConfidenceMap(width: values.count, height: 1, values: values, range: range)
        return MemoryCapture([item])
    }

    /// What is left of depth 1, 2, 3, … under these values of confidence.
    private func masked(_ values: [UInt8], _ range: ClosedRange<Int>, level: Int) throws -> [Float]? {
        try StageRun("- mask-confidence: {at-least: \(level)}", on: capture(values, range)).frames.first?.depth?.metres
    }

    @Test func aLevelIsARecordedValueOfThePhone() throws {
        #expect(try masked([0, 1, 2], 0...2, level: 0) == [1, 2, 3])
        #expect(try masked([0, 1, 2], 0...2, level: 1) == [0, 2, 3])
        #expect(try masked([0, 1, 2], 0...2, level: 2) == [0, 0, 3])
    }

    @Test func aLevelIsAThirdOfAWiderRange() throws {
        // 255 · 1/3 = 85 and 255 · 2/3 = 170.
        #expect(try masked([0, 84, 85, 169, 170, 255], 0...255, level: 0) == [1, 2, 3, 4, 5, 6])
        #expect(try masked([0, 84, 85, 169, 170, 255], 0...255, level: 1) == [0, 0, 3, 4, 5, 6])
        #expect(try masked([0, 84, 85, 169, 170, 255], 0...255, level: 2) == [0, 0, 0, 0, 5, 6])
        // 100 · 1/3 = 33.3 and 100 · 2/3 = 66.7, which are no whole numbers: the next ones pass.
        #expect(try masked([33, 34, 66, 67], 0...100, level: 1) == [0, 2, 3, 4])
        #expect(try masked([33, 34, 66, 67], 0...100, level: 2) == [0, 0, 0, 4])
        // A range that does not begin at 0: (v − 1) / 6.
        #expect(try masked([1, 2, 3, 4, 5, 7], 1...7, level: 1) == [0, 0, 3, 4, 5, 6])
        #expect(try masked([1, 2, 3, 4, 5, 7], 1...7, level: 2) == [0, 0, 0, 0, 5, 6])
        // A range of two values: 0 is low, 1 is high.
        #expect(try masked([0, 1], 0...1, level: 1) == [0, 2])
        #expect(try masked([0, 1], 0...1, level: 2) == [0, 2])
    }

    @Test func theDefaultIsHighAndConfidenceItselfStays() throws {
        var capture = capture([2, 1, 0, 2], 0...2)
        capture.items[0].depth?.metres[3] = 0
        let run = try StageRun("- mask-confidence", on: capture)
        #expect(run.frames.first?.depth?.metres == [1, 0, 0, 0])
        #expect(run.frames.first?.confidence?.values == [2, 1, 0, 2])
        #expect(run.count("mask-confidence", "pixels-in") == 3)
        #expect(run.count("mask-confidence", "pixels-out") == 1)
        #expect(
            StageRun.mistakes(in: "- mask-confidence: {at-least: 3}") == [
                "`at-least` is 3, which is not between 0 and 2"
            ])
    }

    @Test func valuesThatTheRecorderDoesNotWriteAreSaid() throws {
        var capture = capture([0, 3, 255], 0...2)
        capture.items.append(capture.items[0])
        capture.items[1].confidence?.values = [0, 1, 2]
        let run = try StageRun("- mask-confidence", on: capture)
        #expect(run.frames.map { $0.depth?.metres } == [[0, 2, 3], [0, 0, 3]])
        #expect(run.count("mask-confidence", "frames-with-odd-confidence") == 1)
        #expect(
            run.warnings == [
                "mask-confidence: confidence has values that its recorder does not write, beyond 0…2: those above count as "
                    + "high, and the file may be damaged or from another app"
            ])
        capture.items.removeFirst()
        #expect(try StageRun("- mask-confidence", on: capture).warnings.isEmpty)
    }

    @Test func confidenceOfAnotherSizeIsTheFramesFault() throws {
        var capture = capture([2, 2], 0...2)
        capture.items.append(capture.items[0])
        capture.items[0].confidence = ConfidenceMap(width: 1, height: 2, values: [2, 2], range: 0...2)
        let run = try StageRun("- mask-confidence", on: capture)
        #expect(run.drops == ["0 mask-confidence: depth is 2×1, confidence 1×2"])
        #expect(run.kept == [1])
    }

    @Test func aCaptureWithoutConfidenceIsNamed() throws {
        let problem = problem { _ = try StageRun("- mask-confidence", on: MemoryCapture([.init(depth: [1])])) }
        #expect(problem?.summary == "mask-confidence needs confidence, and this capture has none")
        #expect(problem?.fault == .input)
        #expect(problem?.fix == "do without `if-missing: fail` with  --set mask-confidence.if-missing=pass")
    }

    @Test func capturesWithoutConfidence() throws {
        let capture = MemoryCapture([.init(depth: [1, 2])])
        let run = try StageRun("- mask-confidence: {if-missing: pass}", on: capture)
        #expect(run.frames.first?.depth?.metres == [1, 2])
        #expect(run.warnings.isEmpty && run.receipt["notes"]?.array?.count == 1)
        #expect(throws: Problem.self) { _ = try StageRun("- mask-confidence", on: capture) }
    }

    @Test func framesOfWhichNoneHasConfidence() throws {
        var capture = capture([2, 2], 0...2)
        capture.items.append(MemoryCapture.Item(depth: [3, 4]))
        let run = try StageRun("- select-frames: {exclude: 0}\n- mask-confidence", on: capture)
        #expect(
            run.warnings == [
                "mask-confidence: none of 2 depth pixels is left: none of the frames with depth has confidence; with "
                    + "`if-missing: pass` they keep their depth"
            ])
    }

    /// Nobody vouches for its depth.
    @Test func aFrameWithoutConfidence() throws {
        var capture = capture([2, 2], 0...2)
        capture.items.append(MemoryCapture.Item(depth: [3, 4]))
        let run = try StageRun("- mask-confidence", on: capture)
        #expect(run.frames.map { $0.depth?.metres } == [[1, 2], [0, 0]])
        #expect(run.count("mask-confidence", "frames-without-confidence") == 1)
        #expect(run.count("mask-confidence", "pixels-in") == 4 && run.count("mask-confidence", "pixels-out") == 2)
        for options in ["{if-missing: pass}", "{at-least: 0}"] {
            let passed = try StageRun("- mask-confidence: \(options)", on: capture)
            #expect(passed.frames.map { $0.depth?.metres } == [[1, 2], [3, 4]])
        }
    }
}
