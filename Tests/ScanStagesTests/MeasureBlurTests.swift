import ScanModel
import TestSupport
import Testing

@Suite struct MeasureBlurTests {
    /// Grey noise of some contrast, in colours.
    private func capture(_ contrasts: [UInt8]) -> MemoryCapture {
        var dice = SplitMix(seed: 81)
        return MemoryCapture(
            contrasts.map { contrast in
                var item = MemoryCapture.Item(timestamp: 0)
                item.pixels = RGBImage(
                    width: 16, height: 12,
                    pixels: (0..<16 * 12 * 3).map { _ in UInt8.random(in: 0...contrast, using: &dice) })
                item.luma = LumaImage(
                    width: 16, height: 12,
                    pixels: (0..<16 * 12).map { _ in UInt8.random(in: 0...contrast, using: &dice) })
                return item
            })
    }

    @Test(arguments: ["bt601", "luma"])
    func scoresAreThoseOfFilterBlurAndNothingIsDropped(gray: String) throws {
        let capture = capture([10, 250, 0, 90])
        let measured = try StageRun("- measure-blur: {gray: \(gray)}", on: capture)
        let filtered = try StageRun("- filter-blur: {at-least: 50, gray: \(gray)}", on: capture)
        #expect(measured.kept == [0, 1, 2, 3] && filtered.kept.count < 4)
        #expect(measured.counts("measure-blur")["scores"] == filtered.counts("filter-blur")["scores"])
        #expect(measured.counts("measure-blur")["scores"]?.array?.count == 4)
        #expect(measured.capture.frames.map(\.sharpness) == filtered.capture.frames.map(\.sharpness))
    }

    /// Each stage's receipt holds its own scores, not those of one below.
    @Test func aStageBelowThatScoresAnewChangesNothing() throws {
        let capture = capture([10, 250, 90])
        let alone = try StageRun("- measure-blur", on: capture).counts("measure-blur")["scores"]
        let both = try StageRun("- measure-blur\n- filter-blur: {at-least: 0, gray: luma}", on: capture)
        #expect(both.counts("measure-blur")["scores"] == alone)
        #expect(both.counts("filter-blur")["scores"] != alone)
    }

    @Test func onlyFramesThatAreLeftAreScored() throws {
        let run = try StageRun("- select-frames: {exclude: [1]}\n- measure-blur", on: capture([10, 250, 0]))
        let frames = run.counts("measure-blur")["scores"]?.array?.compactMap { $0["frame"]?.integer }
        #expect(frames == [0, 2])
        #expect(run.capture.frames[1].sharpness == nil)
    }

    @Test func framesThatALaterStageOfThePassDropsAreScoredToo() throws {
        let run = try StageRun("- measure-blur\n- filter-blur: {at-least: 1000}", on: capture([10, 250, 0]))
        #expect(run.kept == [1])
        #expect(run.counts("measure-blur")["scores"]?.array?.count == 3)
    }

    @Test func whatItMeasuresNeedsNoReader() {
        #expect(StageRun.mistakes(in: "- measure-blur: {gray: blue}").count == 1)
        #expect(StageRun.mistakes(in: "- measure-blur").isEmpty)
    }
}
