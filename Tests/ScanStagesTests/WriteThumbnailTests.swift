import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct WriteThumbnailTests {
    private static func thumbnail(_ run: StageRun) throws -> RGBImage {
        try JPEG.decodeRGB(try run.bytes("memory_thumb.jpg"))
    }

    @Test func withoutScoresItIsTheFrameInTheMiddle() throws {
        for (count, dropped, middle) in [(1, [], 0), (4, [], 2), (9, [0, 1, 2], 6)] as [(Int, [Int], Int)] {
            var capture = MemoryCapture.shown(count)
            for frame in dropped { capture.items[frame].drop = Drop(stage: "hand-in", reason: "test") }
            let run = try StageRun("- write-thumbnail", on: capture)
            #expect(run.files == ["memory_thumb.jpg"])
            #expect(run.count("write-thumbnail", "frame") == middle)
            let picture = try Self.thumbnail(run)
            #expect((picture.width, picture.height) == (64, 48))
            #expect(MemoryCapture.frame(of: picture[30, 20]) == middle)
        }
    }

    /// Stripes: the finer, the sharper. In the pass in which they are scored, and in one behind it.
    @Test(arguments: ["- filter-blur: {at-least: 0}", "- filter-blur: {keep: 1}", "- filter-blur: {window: 3}"])
    func withScoresItIsTheSharpest(filter: String) throws {
        var capture = MemoryCapture.shown(9)
        for (frame, contrast) in [(1, 60), (4, 200), (7, 200)] {
            for x in stride(from: 0, to: 64, by: 2) {
                capture.items[frame].pixels?.fill(x: x, y: 0, width: 1, height: 48, RGBColor(UInt8(contrast), 0, 0))
            }
        }
        for workers in [1, 4] {
            let run = try StageRun("\(filter)\n- write-thumbnail", on: capture, workers: workers)
            let scores = run.counts("filter-blur")["scores"]?.array ?? []
            let kept = scores.filter { score in run.kept.contains(Int(score["frame"]?.integer ?? -1)) }
            let best = kept.max {
                ($0["score"]?.double ?? 0, $1["frame"]?.integer ?? 0) < (
                    $1["score"]?.double ?? 0, $0["frame"]?.integer ?? 0
                )
            }
            #expect(run.count("write-thumbnail", "frame") == best?["frame"]?.integer.map { Int($0) })
        }
    }

    @Test func itIsShrunkByAreaAndKeepsItsShape() throws {
        var capture = MemoryCapture.shown(1, size: PixelSize(90, 60))
        capture.items[0].pixels = halved(PixelSize(90, 60))
        let run = try StageRun("- write-thumbnail: {width: 30, quality: 100}", on: capture)
        let picture = try Self.thumbnail(run)
        #expect((picture.width, picture.height) == (30, 20))
        #expect(picture[15, 3].red > 250 && picture[15, 16].red < 5)
    }

    /// Up is at the top of the thumbnail, whatever way the camera was held.
    @Test(arguments: 0...3) func upIsUp(turns: Int) throws {
        let size = PixelSize(60, 40)
        var capture = MemoryCapture.shown(3, size: size, turns: turns)
        let upright = halved(QuarterTurn.size(size, turns: turns))
        for i in 0..<3 { capture.items[i].pixels = upright.turned(quarterTurns: -turns) }
        let run = try StageRun("- write-thumbnail: {width: 30, quality: 100}", on: capture)
        #expect(run.count("write-thumbnail", "quarter-turns") == turns)
        let picture = try Self.thumbnail(run)
        let whole = QuarterTurn.size(size, turns: turns)
        let expected = whole.fitting(into: PixelSize(30, whole.height))
        #expect((picture.width, picture.height) == (expected.width, expected.height))
        #expect(picture[15, 2].red > 250 && picture[15, expected.height - 3].red < 5)
        // Every frame goes on as it was.
        #expect(run.capture.frames[0].pose == capture.items[0].pose)

        let asRecorded = try StageRun("- write-thumbnail: {width: 30, upright: false}", on: capture)
        #expect(try Self.thumbnail(asRecorded).width == 30 && Self.thumbnail(asRecorded).height == 20)
        capture.worldUp = nil
        #expect(try StageRun("- write-thumbnail", on: capture).count("write-thumbnail", "quarter-turns") == 0)
    }

    @Test func aPictureThatWillNotDecodeIsPassedOver() throws {
        let source = try MiniSource { $0.damagedPictures = [3, 4] }
        let run = try PipelineRun("- read: {bad-frame-limit: 1}\n- write-thumbnail", on: source.path)
        let counts = run.counts("write-thumbnail")
        #expect(counts["frame"]?.integer == 5 && counts["pictures-passed-over"]?.integer == 2)
        #expect(run.warnings.count == 2 && run.warnings[0].contains("a picture was passed over"))
        // The frames stay: a thumbnail is no reason to lose one.
        #expect(run.receipt["frames"]?["kept"]?.integer == 7)
        let none = try MiniSource { $0.damagedPictures = Set(0..<7) }
        let nothing = try PipelineRun("- read: {bad-frame-limit: 1}\n- write-thumbnail", on: none.path)
        #expect(nothing.files == [])
        #expect(nothing.warnings.contains { $0.contains("there is no thumbnail") })
    }

    /// A frame that the thumbnail shows and a later stage finds bad is dropped, as if the thumbnail were not made.
    @Test func framesCanStillBeDroppedBelowIt() throws {
        let source = try MiniSource { $0.damagedPictures = [5] }
        let run = try PipelineRun(
            "- read: {bad-frame-limit: 1}\n- write-thumbnail\n- filter-blur: {at-least: 0}", on: source.path)
        #expect(run.receipt["frames"]?["dropped-by"]?["filter-blur"]?.integer == 1)
        #expect(run.files == ["mini_thumb.jpg"])
    }

    @Test func videosHaveOneToo() throws {
        let source = try MiniSource { $0.pictures = .mp4 }
        let runs = try [1, 4].map { try PipelineRun("- read\n- write-thumbnail", on: source.path, workers: $0) }
        #expect(runs[0].files == ["mini_thumb.jpg"] && runs[0].digests == runs[1].digests)
        #expect(runs[0].receipt == runs[1].receipt)
    }

    @Test func capturesWithoutPicturesAreRefused() throws {
        let source = try MiniSource { $0.pictures = .none }
        let problem = try #require(try PipelineRun.problem("- read\n- write-thumbnail", on: source.path))
        #expect(problem.summary == "write-thumbnail needs color, and this capture has none")
    }
}
