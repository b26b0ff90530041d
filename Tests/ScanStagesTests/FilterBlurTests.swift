import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct FilterBlurTests {
    /// A black picture of 8 × 6 with one pixel of brightness b: its Laplacian is −4b there and b in the four pixels
    /// around, so the variance is (16 + 4) · b² / 48.
    private func picture(_ b: UInt8) -> RGBImage {
        var pixels = [UInt8](repeating: 0, count: 8 * 6 * 3)
        for channel in 0..<3 { pixels[3 * (2 * 8 + 3) + channel] = b }
        return RGBImage(width: 8, height: 6, pixels: pixels)
    }

    private func score(_ b: Int) -> Double { Double(20 * b * b) / 48 }

    /// One frame a second.
    private func capture(_ brightness: [UInt8], seconds: (Int) -> Double = { Double($0) }) -> MemoryCapture {
        MemoryCapture(
            brightness.enumerated().map { number, b in
                var item = MemoryCapture.Item(timestamp: Int64(seconds(number) * 1e9))
                item.pixels = picture(b)
                return item
            })
    }

    private func run(_ options: String, _ brightness: [UInt8]) throws -> StageRun {
        try StageRun("- filter-blur: \(options)", on: capture(brightness))
    }

    private func scores(_ run: StageRun, _ label: String = "filter-blur") -> [String] {
        (run.counts(label)["scores"]?.array ?? []).map { "\($0["frame"]?.integer ?? -1): \($0["score"]?.double ?? -1)" }
    }

    // MARK: - The score

    @Test func theScoreIsTheVarianceOfTheLaplacian() throws {
        let run = try run("{at-least: 0}", [1, 6, 0, 255])
        #expect(run.capture.frames.map(\.sharpness) == [score(1), 15, 0, score(255)])
        #expect(scores(run) == ["0: \(score(1))", "1: 15.0", "2: 0.0", "3: \(score(255))"])
        #expect(run.count("filter-blur", "longest-dropped-run") == 0)
    }

    @Test func theScoreOfAnyPictureIsPythons() throws {
        var dice = SplitMix(seed: 30)
        let pixels = (0..<13 * 9 * 3).map { _ in UInt8.random(in: .min ... .max, using: &dice) }
        var item = MemoryCapture.Item()
        item.pixels = RGBImage(width: 13, height: 9, pixels: pixels)
        let run = try StageRun("- filter-blur: {at-least: 0}", on: MemoryCapture([item]))
        let expected = try PythonReaders.run(
            """
            w, h, p = 13, 9, json.loads(sys.argv[1])
            g = [(9798 * p[3 * i] + 19235 * p[3 * i + 1] + 3735 * p[3 * i + 2] + 16384) >> 15 for i in range(w * h)]
            def at(x, y):
                x = -x if x < 0 else 2 * (w - 1) - x if x >= w else x
                y = -y if y < 0 else 2 * (h - 1) - y if y >= h else y
                return g[y * w + x]
            l = [at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4 * at(x, y) for y in range(h) for x in range(w)]
            mean = sum(l) / len(l)
            print(json.dumps(sum((v - mean) ** 2 for v in l) / len(l)))
            """, ["\(pixels)"])
        let found = try #require(run.capture.frames[0].sharpness)
        #expect(abs(found / (expected.double ?? 0) - 1) < 1e-12)
    }

    @Test func lumaIsThePicturesOwnBrightness() throws {
        // A video's brightness plane beside its picture: another brightness shows which of the two was taken.
        var capture = capture([10])
        capture.items[0].luma = LumaImage(
            width: 8, height: 6, pixels: stride(from: 0, to: 144, by: 3).map { picture(20).pixels[$0] })
        #expect(
            try StageRun("- filter-blur: {at-least: 0, gray: luma}", on: capture).capture.frames[0].sharpness
                == score(20))
        #expect(try StageRun("- filter-blur: {at-least: 0}", on: capture).capture.frames[0].sharpness == score(10))
    }

    @Test func lumaOfAJPEGDoesNotDependOnWhoDecodedItBefore() throws {
        var dice = SplitMix(seed: 31)
        let noise = RGBImage(
            width: 32, height: 24, pixels: (0..<32 * 24 * 3).map { _ in UInt8.random(in: 0...255, using: &dice) })
        let bytes = try JPEG.encode(noise, quality: 90)
        var item = MemoryCapture.Item(depth: [1, 2])
        item.file = "a.jpg"
        var capture = MemoryCapture([item])
        capture.files["a.jpg"] = bytes
        let own = Sharpness.score(try JPEG.decodeLuma(bytes))
        let ofColors = Sharpness.score(try JPEG.decodeRGB(bytes))
        #expect(own != ofColors)
        let rule = "- filter-blur: {at-least: 0, gray: luma}"
        #expect(try StageRun(rule, on: capture).capture.frames[0].sharpness == own)
        #expect(try StageRun("- unproject\n" + rule, on: capture).capture.frames[0].sharpness == own)
        #expect(try StageRun("- filter-blur: {at-least: 0}", on: capture).capture.frames[0].sharpness == ofColors)
        // A PNG has no brightness plane of its own.
        capture.files["a.jpg"] = try PNG.encodeRGB(noise)
        #expect(try StageRun(rule, on: capture).capture.frames[0].sharpness == Sharpness.score(noise))
    }

    // MARK: - The rules

    @Test func atLeastKeepsFramesWithThatScore() throws {
        let run = try run("{at-least: 15}", [6, 5, 7, 0])
        #expect(run.kept == [0, 2])
        #expect(
            run.drops == ["1 filter-blur: sharpness 10.42 is under 15", "3 filter-blur: sharpness 0 is under 15"])
        #expect(scores(run).count == 4)
        // As many decimals as show the difference.
        let near = try self.run("{at-least: 10.41667}", [6, 5])
        #expect(near.drops == ["1 filter-blur: sharpness 10.416667 is under 10.41667"])
    }

    @Test func keepKeepsTheBestAndTiesGoToTheLowerFrame() throws {
        // ceil(0.5 · 5) = 3 of these: the two best, and the first of the equal ones.
        let run = try run("{keep: 0.5}", [3, 9, 3, 3, 8])
        #expect(run.kept == [0, 1, 4])
        #expect(run.drops.first == "2 filter-blur: sharpness 3.75 is not among the best 3 of 5")
        #expect(try self.run("{keep: 1}", [1, 1, 2]).kept == [0, 1, 2])
        #expect(try self.run("{keep: 0.0001}", [1, 3, 2]).kept == [1])
        #expect(try self.run("{keep: 0.34}", [1, 3, 2]).kept == [1, 2])
    }

    @Test(arguments: [(0.07, 100, 7), (0.28, 25, 7), (0.55, 100, 55), (0.2, 5, 1), (0.201, 5, 2), (0.1, 3, 1)])
    func aShareIsADecimalNumber(share: Double, count: Int, kept: Int) throws {
        let run = try run("{keep: \(share)}", (0..<count).map { UInt8($0) })
        #expect(run.kept == Array((count - kept)..<count))
    }

    @Test func windowKeepsTheSharpestOfEachAndOneOfTheLastShortOne() throws {
        // Windows 0–2, 3–5, 6–7; the first of equals.
        let run = try run("{window: 3}", [1, 4, 2, 5, 5, 5, 1, 2])
        #expect(run.kept == [1, 3, 7])
        #expect(run.drops.first == "0 filter-blur: sharpness 0.42 is not above frame 1's in its window")
        #expect(try self.run("{window: 3}", [1, 2, 3, 1]).kept == [2, 3])
        #expect(try self.run("{window: 1}", [1, 0, 3]).kept == [0, 1, 2])
        #expect(try self.run("{window: 1000000}", [1, 3, 3]).kept == [1])
    }

    /// Whatever the rate is: 10 a second, a pause, and two that were taken by hand.
    @Test func secondsKeepTheSharpestOfEachStretchOfTime() throws {
        var capture = capture([1, 4, 2, 5, 5, 1, 2, 3])
        for (index, tenths) in [0, 1, 2, 3, 4, 9, 20, 40].enumerated() {
            capture.items[index].timestamp = Int64(tenths) * 100_000_000
        }
        // 0–0.2, 0.3–0.4, 0.9, 2, 4.
        let run = try StageRun("- filter-blur: {seconds: 0.3}", on: capture)
        #expect(run.kept == [1, 3, 5, 6, 7])
        #expect(run.drops.first == "0 filter-blur: sharpness 0.42 is not above frame 1's in its stretch")
        // A frame whose time nobody knows is compared with none.
        capture.items[2].timestamp = nil
        #expect(try StageRun("- filter-blur: {seconds: 0.3}", on: capture).kept == [1, 2, 3, 5, 6, 7])
        #expect(try StageRun("- filter-blur: {seconds: 86400}", on: capture).kept == [1, 2, 3])
    }

    /// 0.067 times a billion comes out above 67 million.
    @Test(arguments: [67, 100])
    func aFrameExactlySoMuchLaterIsNoNeighbour(milliseconds: Int) throws {
        let seconds = Double(milliseconds) / 1000
        let capture = capture([1, 4, 2], seconds: { Double($0 * milliseconds) / 1000 })
        #expect(try StageRun("- filter-blur: {seconds: \(seconds)}", on: capture).kept == [0, 1, 2])
        #expect(try StageRun("- filter-blur: {seconds: \(seconds + 0.001)}", on: capture).kept == [1, 2])
    }

    @Test func countKeepsSoManySpreadEvenly() throws {
        // Stretches 0–1, 2–4, 5–7 of 8.
        let three = try run("{count: 3}", [1, 4, 2, 5, 5, 1, 2, 3])
        #expect(three.kept == [1, 3, 7])
        #expect(three.drops.first == "0 filter-blur: sharpness 0.42 is not above frame 1's in its stretch")
        #expect(try run("{count: 8}", [1, 4, 2, 5, 5, 1, 2, 3]).drops.isEmpty)
        #expect(try run("{count: 200}", [1, 4]).kept == [0, 1])
        #expect(try run("{count: 1}", [1, 4, 2]).kept == [1])
        #expect(try run("{count: 70}", (0..<100).map { UInt8($0) }).kept.count == 70)
    }

    /// Frames of a video wait for their neighbours, pixels and all, and one decoding does. Another look at all frames below
    /// it ends the pass, and the video is decoded again.
    @Test(
        arguments: [1, 2, 8],
        [
            "- filter-blur: {window: 3}", "- filter-blur: {seconds: 0.25}",
            "- turn: {quarter-turns: 1}\n- filter-blur: {window: 3}",
        ])
    func windowsOfAVideoAreTheSameInOnePassAndInTwo(_ workers: Int, _ choice: String) throws {
        let source = try MiniSource { $0.pictures = .mp4 }
        let (above, below) = (
            "- read\n\(choice)", "- decompress\n- unproject\n- write-ply\n- write-transforms"
        )
        let one = try PipelineRun("\(above)\n\(below)", on: source.path, workers: workers)
        let two = try PipelineRun("\(above)\n- select-every: {step: 1}\n\(below)", on: source.path, workers: workers)
        #expect(one.files.contains("mini.ply"))
        #expect(one.digests == two.digests)
        #expect(one.receipt["frames"] == two.receipt["frames"])
        #expect(one.receipt["frames"]?["kept"]?.integer == 3)
    }

    /// What is wrong with the files of frames that are not left is never known, in one pass or in two.
    @Test func damagedFilesOfFramesThatAreNotLeft() throws {
        let folder = try TemporaryFolder()
        let source = try folder.copySample("stray-scanner", to: "stray")
        func run(_ between: String) throws -> PipelineRun {
            try PipelineRun(
                "- read: {bad-frame-limit: 0.5}\n- filter-blur: {window: 4}\n\(between)- decompress\n- unproject\n- write-ply",
                on: source)
        }
        let sound = try run("")
        let kept = Set(0..<12).subtracting(
            (sound.receipt["frames"]?["dropped"]?.array ?? []).compactMap { $0["frame"]?.integer.map(Int.init) })
        try #require(kept.count == 3)
        for index in 0..<12 where !kept.contains(index) {
            try folder.write("torn", to: "stray/depth/\(FrameName.padded(index)).png")
        }
        let (one, two) = (try run(""), try run("- select-every: {step: 1}\n"))
        #expect(one.digests == sound.digests && two.digests == sound.digests)
        #expect(one.receipt["frames"] == sound.receipt["frames"])
        // Nor is another frame chosen for one that turns out to be damaged.
        try folder.write("torn", to: "stray/depth/\(FrameName.padded(try #require(kept.min()))).png")
        #expect(try run("").receipt["frames"]?["kept"]?.integer == 2)
        #expect(try run("").digests == (try run("- select-every: {step: 1}\n")).digests)
    }

    @Test func windowsAreOfTheFramesThatAreLeft() throws {
        // Left are 0, 2, 4, 6: windows 0, 2 and 4, 6.
        let run = try StageRun(
            "- select-every: {step: 2}\n- filter-blur: {window: 2}", on: capture([1, 9, 2, 9, 4, 9, 3]))
        #expect(run.kept == [2, 4])
        // Only their pictures were looked at.
        #expect(scores(run).count == 4)
    }

    @Test func noGapIsLongerThanTwoWindows() throws {
        var dice = SplitMix(seed: 32)
        let run = try run("{window: 5}", (0..<200).map { _ in UInt8.random(in: 0...255, using: &dice) })
        #expect(run.kept.count == 40)
        #expect(zip(run.kept, run.kept.dropFirst()).allSatisfy { $1 - $0 < 10 })
    }

    @Test(arguments: ["{at-least: 15}", "{keep: 0.3}", "{window: 4}"])
    func theResultDoesNotDependOnTheWorkers(rule: String) throws {
        var dice = SplitMix(seed: 33)
        let capture = capture((0..<50).map { _ in UInt8.random(in: 0...20, using: &dice) })
        let receipts = try [1, 2, 8].map {
            try StageRun("- filter-blur: \(rule)", on: capture, workers: $0).bytes("receipt.json")
        }
        #expect(receipts[1] == receipts[0])
        #expect(receipts[2] == receipts[0])
    }

    @Test func twoInARow() throws {
        let run = try StageRun(
            "- filter-blur: {window: 2}\n- filter-blur: {keep: 0.5}", on: capture([1, 4, 3, 2, 9, 9, 2, 1]))
        #expect(run.kept == [1, 4])
        #expect(scores(run, "filter-blur[1]").count == 8)
        #expect(scores(run, "filter-blur[2]").map { $0.prefix(2) } == ["1:", "2:", "4:", "6:"])
    }

    @Test func exactlyOneRule() {
        #expect(
            StageRun.mistakes(in: "- filter-blur") == [
                "one of `at-least`, `keep`, `window`, `seconds`, `count` is needed"
            ])
        #expect(
            StageRun.mistakes(in: "- filter-blur: {keep: 0.5, window: 3}") == [
                "`keep` and `window` exclude each other"
            ])
    }

    /// The command line's rule takes the place of the file's, whatever its name is.
    @Test func aRuleThatIsSetReplacesTheOther() throws {
        func options(_ settings: [String]) throws -> JSONObject? {
            let text = "name: test\nstages: [read, filter-blur: {seconds: 0.2, gray: luma}, decompress, write-frames]\n"
            return try Pipeline.load(text: text, path: "p.yaml", settings: settings, library: .builtIn).steps[1].options
        }
        let set = try options(["filter-blur.window=3"])
        #expect(set?["window"] == .integer(3) && set?["gray"] == .string("luma") && set?["seconds"] == nil)
        #expect(throws: PipelineMistakes.self) {
            _ = try options(["filter-blur.window=3", "filter-blur.count=3"])
        }
    }

    // MARK: - Gaps

    @Test func theLongestRunIsCountedAndALongGapSaid() throws {
        // Frames 1–2 and 4–6 are dropped, a second apart: from frame 3 to frame 7 there is nothing.
        let run = try run("{at-least: 15}", [9, 0, 0, 9, 0, 0, 0, 9])
        #expect(run.count("filter-blur", "longest-dropped-run") == 3)
        #expect(
            run.warnings == [
                "filter-blur: frames 4 to 6 were all dropped, which leaves a gap of 4 s; `window` leaves shorter ones"
            ])
        let window = try self.run("{window: 4}", [9, 0, 0, 0, 0, 0, 0, 9])
        #expect(
            window.warnings == [
                "filter-blur: frames 1 to 6 were all dropped, which leaves a gap of 7 s; a smaller `window`, or "
                    + "`seconds`, leaves shorter ones"
            ])
    }

    @Test func aShortGapIsNotWorthAWarning() throws {
        let dense = capture([9, 0, 0, 9]) { Double($0) / 3 }
        let run = try StageRun("- filter-blur: {at-least: 15}", on: dense)
        #expect(run.count("filter-blur", "longest-dropped-run") == 2)
        #expect(run.warnings.isEmpty)
        let slow = capture([9, 0, 0, 9]) { Double($0) * 0.34 }
        #expect(try StageRun("- filter-blur: {at-least: 15}", on: slow).warnings.count == 1)
    }

    @Test func theGapThatIsSaidIsTheLongestInTime() throws {
        // Three frames within 0.4 s, then one that is alone for 3 s.
        let times = [0, 0.1, 0.2, 0.3, 0.4, 2, 3.4]
        let run = try StageRun("- filter-blur: {at-least: 15}", on: capture([9, 0, 0, 0, 9, 0, 9]) { times[$0] })
        #expect(run.count("filter-blur", "longest-dropped-run") == 3)
        #expect(run.warnings.count == 1)
        #expect(run.warnings.first?.contains("frame 5 was dropped, which leaves a gap of 3 s") == true)
    }

    /// No rule leaves a shorter gap where nothing was recorded.
    @Test func aPauseOfTheRecordingIsNoGap() throws {
        let pause = capture([9, 0, 9]) { [0, 0.1, 30][$0] }
        #expect(try StageRun("- filter-blur: {seconds: 0.2}", on: pause).warnings.isEmpty)
        // What was dropped around it is one.
        let more = capture([9, 0, 0, 0, 9]) { [0, 0.1, 30, 30.9, 31.3][$0] }
        let run = try StageRun("- filter-blur: {at-least: 15}", on: more)
        #expect(run.warnings.first?.contains("frames 1 to 3 were all dropped, which leaves a gap of 31.3 s") == true)
    }

    @Test func framesThatOthersDroppedDoNotHideAGap() throws {
        // Every second frame is gone already; of the others, 2, 4 and 6 are blurred.
        let run = try StageRun(
            "- select-every: {step: 2}\n- filter-blur: {at-least: 15}", on: capture([9, 9, 0, 9, 0, 9, 0, 9, 9]))
        #expect(run.kept == [0, 8])
        #expect(run.count("filter-blur", "longest-dropped-run") == 3)
        #expect(run.warnings.first?.contains("frames 2 to 6 were all dropped, which leaves a gap of 8 s") == true)
    }

    @Test func gapsAtTheEndsReachToTheLastFrameDropped() throws {
        let run = try run("{at-least: 15}", [0, 0, 9, 0, 0, 0])
        #expect(run.warnings.first?.contains("frames 3 to 5 were all dropped, which leaves a gap of 3 s") == true)
        #expect(run.count("filter-blur", "longest-dropped-run") == 3)
    }
}
