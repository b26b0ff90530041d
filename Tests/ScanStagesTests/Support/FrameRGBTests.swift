import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// Through stages, since that is where frames meet their capture's files.
@Suite struct FrameRGBTests {
    private func capture(_ files: [[UInt8]]) -> MemoryCapture {
        var capture = MemoryCapture([])
        for (number, bytes) in files.enumerated() {
            var item = MemoryCapture.Item(depth: [1])
            item.file = "color/\(number).png"
            capture.files["color/\(number).png"] = bytes
            capture.items.append(item)
        }
        return capture
    }

    @Test func whatAPictureIsSaysItsContentNotItsName() throws {
        let picture = RGBImage(width: 8, height: 8, pixels: Array(repeating: 77, count: 192))
        let run = try StageRun("- unproject", on: capture([try PNG.encodeRGB(picture), try JPEG.encode(picture)]))
        #expect(run.frames.map { $0.points?.colors } == [[77, 77, 77], [77, 77, 77]])
    }

    @Test func aPictureIsDecodedOnceAndStaysTheFileThatItIs() throws {
        let run = try StageRun("- unproject", on: capture([try pngOf(width: 8, height: 6)]), probing: [.color])
        #expect(run.frames.first?.picture == .file("color/0.png"))
        #expect(run.frames.first?.decodedPicture?.pixels.prefix(3) == [10, 20, 30])
        // Nothing of it is kept if no later stage wants it.
        let without = try StageRun("- unproject", on: capture([try pngOf(width: 8, height: 6)]), probing: [.points])
        #expect(without.frames.first?.picture == nil)
        #expect(without.frames.first?.decodedPicture == nil)
    }

    /// A stage makes the same of a video's planes as of their colours.
    @Test func colorsOfPlanesAreMadeOnce() throws {
        var dice = SplitMix(seed: 5)
        let planes = YUVImage(
            width: 8, height: 6, planes: (0..<72).map { _ in UInt8.random(in: 0...255, using: &dice) },
            encoding: YUVEncoding(matrix: .bt709, isFullRange: false))
        func run(_ stages: String, _ change: (inout MemoryCapture.Item) -> Void) throws -> StageRun {
            var item = MemoryCapture.Item(depth: Array(repeating: 1, count: 48), height: 6)
            change(&item)
            return try StageRun(stages, on: MemoryCapture([item]), probing: [.color, .points])
        }
        for stages in ["- unproject", "- measure-blur\n- unproject", "- unproject\n- measure-blur"] {
            let recorded = try run(stages) { $0.planes = planes }
            let colored = try run(stages) { $0.pixels = RGBImage(planes) }
            #expect(recorded.frames.first?.points?.colors != nil)
            #expect(recorded.frames.first?.points == colored.frames.first?.points)
            #expect(recorded.frames.first?.picture == .pixels(RGBImage(planes)))
            #expect(recorded.capture.frames.map(\.sharpness) == colored.capture.frames.map(\.sharpness))
        }
        let scored = try StageRun(
            "- measure-blur", on: MemoryCapture([.init(planes: planes)]), probing: [.points])
        #expect(scored.capture.frames[0].sharpness == Sharpness.score(RGBImage(planes)))
    }

    @Test func aDamagedPictureCostsItsFrameAlone() throws {
        let whole = try pngOf(width: 8, height: 6)
        var damaged = whole
        damaged[whole.count / 2] ^= 0xff
        let run = try StageRun(
            "- unproject", on: capture([whole, damaged, [], Array("not a picture".utf8), Array(whole.dropLast(20))]))
        #expect(run.kept == [0])
        #expect(run.drops.count == 4)
        for (number, drop) in run.drops.enumerated() {
            #expect(drop.hasPrefix("\(number + 1) unproject: "))
            #expect(drop.hasSuffix("(color/\(number + 1).png)"))
        }
    }

    @Test func aTurnedPictureIsNamedAsSuch() throws {
        var capture = capture([try pngOf(width: 6, height: 8)])
        capture.colorSize = PixelSize(8, 6)
        capture.onBadFrame = .fail
        let problem = problem { _ = try StageRun("- unproject", on: capture) }
        #expect(problem?.summary == "the picture is 6×8, and the capture's pictures are 8×6")
        #expect(problem?.notes == ["it looks turned by 90°"])
        #expect(problem?.place.file == "color/0.png")
        #expect(problem?.place.frame == 0)
    }

    /// A JPEG is scored row by row, without a decoded picture whose size could be checked.
    @Test func aTurnedPictureIsNamedWhereItIsOnlyScored() throws {
        let picture = RGBImage(width: 6, height: 8, pixels: Array(repeating: 77, count: 144))
        var capture = capture([try JPEG.encode(picture)])
        capture.colorSize = PixelSize(8, 6)
        capture.onBadFrame = .fail
        let problem = problem { _ = try StageRun("- measure-blur", on: capture) }
        #expect(problem?.summary == "the picture is 6×8, and the capture's pictures are 8×6")
        #expect(problem?.place.file == "color/0.png")
    }

    /// By the size that it was recorded with.
    @Test(arguments: ["turn: {quarter-turns: 1}", "resize: {width: 4, height: 3}"])
    func aPictureOfAnotherSizeIsNamedWhereItIsChanged(_ stage: String) throws {
        var capture = capture([try pngOf(width: 6, height: 8)])
        capture.items[0].depth = nil
        capture.colorSize = PixelSize(8, 6)
        capture.onBadFrame = .fail
        let problem = problem {
            _ = try StageRun("- \(stage)", on: capture, probing: [.color])
        }
        #expect(problem?.summary == "the picture is 6×8, and the capture's pictures are 8×6")
        #expect(problem?.place.file == "color/0.png")
    }
}
