import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct WriteContactSheetTests {
    /// The middle of the place with this number on a page with 4 columns on 172 pixels: cells of 38.
    private static func place(_ page: RGBImage, _ n: Int, pitch: Int) -> RGBColor {
        page[4 + n % 4 * 42 + 19, 4 + n / 4 * pitch + 10]
    }

    private static func page(_ run: StageRun, _ name: String = "memory_contact.jpg") throws -> RGBImage {
        try JPEG.decodeRGB(try run.bytes(name))
    }

    private static let options = "columns: 4, width: 172, quality: 95"

    @Test func everyFrameIsThereInItsOrder() throws {
        let run = try StageRun("- write-contact-sheet: {\(Self.options)}", on: .shown(10, size: PixelSize(76, 56)))
        #expect(run.files == ["memory_contact.jpg"])
        let page = try Self.page(run)
        // 38 × 28 a cell, 11 for the number, 4 between.
        #expect((page.width, page.height) == (172, 3 * 43 + 4))
        #expect((0..<10).map { MemoryCapture.frame(of: Self.place(page, $0, pitch: 43)) } == Array(0..<10))
        #expect(run.count("write-contact-sheet", "pictures") == 10 && run.count("write-contact-sheet", "pages") == 1)
        // Below the pictures stand their numbers, light on dark.
        let digits = (0..<10).map { n in
            (0..<38).contains { page[4 + n % 4 * 42 + $0, 4 + n / 4 * 43 + 33].green > 150 }
        }
        #expect(!digits.contains(false))
    }

    /// The number that stands below the picture in a place, by its dots: cells of 38, and 11 pixels for the number.
    private static func number(_ page: RGBImage, _ n: Int, cellHeight: Int) -> Int? {
        (0..<100).first { number in
            let text = String(number)
            var dots = RGBImage(width: BitmapFont.width(of: text), height: BitmapFont.height, color: .black)
            dots.write(text, x: 0, y: 0, color: .white)
            let left = 4 + n % 4 * 42 + (38 - dots.width) / 2
            let top = 4 + n / 4 * (cellHeight + 15) + cellHeight + 2
            return (0..<dots.height).allSatisfy { y in
                (0..<dots.width).allSatisfy { x in
                    (page[left + x, top + y].green > 130) == (dots[x, y] == .white)
                }
            }
        }
    }

    /// Those of the source, as `select-frames` takes them, and not the places on the page.
    @Test func theNumbersAreTheFrames() throws {
        let run = try StageRun(
            "- select-frames: {exclude: [0, 1, 2, 7]}\n- write-contact-sheet: {\(Self.options)}",
            on: .shown(13, size: PixelSize(76, 56)))
        let page = try Self.page(run)
        let kept = [3, 4, 5, 6, 8, 9, 10, 11, 12]
        #expect((0..<9).map { MemoryCapture.frame(of: Self.place(page, $0, pitch: 43)) } == kept)
        #expect((0..<9).compactMap { Self.number(page, $0, cellHeight: 28) } == kept)
    }

    /// Of 8 pixels at least, with 4 between: 100 pixels have place for 8.
    @Test func morePicturesThanARowHoldsAreRefused() {
        let options = { (columns: Int) in "- write-contact-sheet: {width: 100, columns: \(columns)}" }
        #expect(
            StageRun.mistakes(in: options(9)).first
                == "9 pictures beside each other do not fit into 100 pixels")
        #expect(!StageRun.mistakes(in: options(8)).contains { $0.contains("do not fit") })
    }

    @Test func framesAreSpreadAsSelectEverySpreadsThem() throws {
        let capture = MemoryCapture.shown(13, size: PixelSize(76, 56))
        let run = try StageRun("- write-contact-sheet: {\(Self.options), count: 5}", on: capture)
        let selected = try StageRun("- select-every: {count: 5}", on: capture)
        let page = try Self.page(run)
        #expect((0..<5).map { MemoryCapture.frame(of: Self.place(page, $0, pitch: 43)) } == selected.kept)
        #expect(selected.kept == [0, 3, 6, 9, 12])
    }

    @Test func droppedFramesAreNotShown() throws {
        var capture = MemoryCapture.shown(8, size: PixelSize(76, 56))
        for frame in [0, 3] { capture.items[frame].drop = Drop(stage: "hand-in", reason: "test") }
        let run = try StageRun(
            "- select-frames: {exclude: [7]}\n- write-contact-sheet: {\(Self.options)}", on: capture)
        let page = try Self.page(run)
        #expect((0..<5).map { MemoryCapture.frame(of: Self.place(page, $0, pitch: 43)) } == [1, 2, 4, 5, 6])
        #expect(run.count("write-contact-sheet", "pictures") == 5)
    }

    @Test func whatDoesNotFitGoesToFurtherPages() throws {
        let run = try StageRun(
            "- write-contact-sheet: {\(Self.options), rows: 2, count: 100}", on: .shown(12, size: PixelSize(76, 56)))
        #expect(run.files == ["memory_contact.jpg", "memory_contact_2.jpg"])
        let second = try Self.page(run, "memory_contact_2.jpg")
        #expect((0..<4).map { MemoryCapture.frame(of: Self.place(second, $0, pitch: 43)) } == [8, 9, 10, 11])
        #expect(second.height == 43 + 4 && run.count("write-contact-sheet", "pages") == 2)
    }

    @Test func upIsUp() throws {
        let run = try StageRun(
            "- write-contact-sheet: {\(Self.options)}", on: .shown(4, size: PixelSize(76, 57), turns: 3))
        let page = try Self.page(run)
        // 38 pixels wide and 51 tall.
        #expect(page.height == 51 + 11 + 4 + 4 && run.count("write-contact-sheet", "quarter-turns") == 3)
    }

    /// What is far, or sure, lies on top, whatever way the camera was held.
    @Test(arguments: 0...3, ["depth", "confidence"]) func upIsUpInMapsToo(turns: Int, content: String) throws {
        // Turned clockwise once, what was left is at the top.
        let isOnTop: [Bool] = (0..<24).map { pixel in
            let (u, v) = (pixel % 6, pixel / 6)
            return [v < 2, u < 3, v >= 2, u >= 3][turns]
        }
        var capture = MemoryCapture.shown(2, size: PixelSize(60, 40), turns: turns)
        for n in 0..<2 {
            capture.items[n].depth = DepthMap(width: 6, height: 4, metres: isOnTop.map { $0 ? 3 : 1 })
            capture.items[n].confidence = ConfidenceMap(
                width: 6, height: 4, values: isOnTop.map { $0 ? 2 : 0 }, range: 0...2)
        }
        let run = try StageRun("- write-contact-sheet: {\(Self.options), of: \(content)}", on: capture)
        let page = try Self.page(run, "memory_contact_\(content).jpg")
        #expect(run.count("write-contact-sheet", "quarter-turns") == turns)
        // 38 pixels wide, and upright 4:6 or 6:4; the scale at the foot has 26.
        let height = turns % 2 == 0 ? 25 : 57
        #expect(page.height == height + 15 + 4 + 26)
        let depth = DepthColors(near: 0.2, far: 5)
        let wanted: [RGBColor] =
            content == "depth"
            ? [depth.color(of: 3), depth.color(of: 1)]
            : [ColorMap.viridis.color(at: 1), ColorMap.viridis.color(at: 0)]
        for n in 0..<2 {
            let x = 4 + n * 42 + 19
            let found = [page[x, 4 + height / 4], page[x, 4 + height * 3 / 4]]
            for (one, other) in zip(found, wanted) {
                let pairs = [(one.red, other.red), (one.green, other.green), (one.blue, other.blue)]
                #expect(pairs.allSatisfy { abs(Int($0.0) - Int($0.1)) <= 20 }, "\(found), not \(wanted)")
            }
        }
    }

    @Test func depthHasItsColoursAndAScale() throws {
        let metres: [Float] = [0, 1, 2, 3]
        let capture = MemoryCapture(metres.map { MemoryCapture.Item(depth: [$0, $0, $0, $0], height: 2) })
        let run = try StageRun(
            "- write-contact-sheet: {\(Self.options), of: depth, near: 1, far: 3}", on: capture)
        let page = try Self.page(run, "memory_contact_depth.jpg")
        let colors = DepthColors(near: 1, far: 3)
        for (n, depth) in metres.enumerated() {
            let (found, wanted) = (Self.place(page, n, pitch: 53), colors.color(of: Double(depth)))
            #expect(
                zip([found.red, found.green, found.blue], [wanted.red, wanted.green, wanted.blue]).allSatisfy {
                    abs(Int($0) - Int($1)) <= 6
                })
        }
        #expect(page.height == 53 + 4 + 26)
    }

    /// A page of them would be gigabytes.
    @Test(arguments: ["color", "depth"]) func anUnknownUnitIsSaidOfDepth(content: String) throws {
        var capture = MemoryCapture.shown(2)
        for n in capture.items.indices {
            capture.items[n].depth = DepthMap(width: 2, height: 2, metres: [1, 2, 3, 4])
        }
        func warnings() throws -> [String] {
            try StageRun("- write-contact-sheet: {of: \(content)}", on: capture).warnings
        }
        #expect(try warnings().isEmpty)
        capture.isMetric = false
        let words = "write-contact-sheet: the world's unit is unknown: `near` and `far` may not be in metres"
        let said = try warnings()
        #expect(said == (content == "depth" ? [words] : []), "\(said)")
    }

    @Test func depthThatIsLongAndThinIsRefused() throws {
        let item = MemoryCapture.Item(depth: Array(repeating: 1, count: 4096), height: 4096)
        let problem = problem {
            _ = try StageRun("- write-contact-sheet: {of: depth, columns: 1, width: 4000}", on: MemoryCapture([item]))
        }
        #expect(problem?.summary.hasPrefix("a page of 1 × ") == true)
    }

    @Test func confidenceHasItsColours() throws {
        let capture = MemoryCapture(
            (0..<3).map { level in
                var item = MemoryCapture.Item()
                item.confidence = ConfidenceMap(
                    width: 2, height: 2, values: Array(repeating: UInt8(level), count: 4), range: 0...2)
                return item
            })
        let run = try StageRun("- write-contact-sheet: {\(Self.options), of: confidence}", on: capture)
        let page = try Self.page(run, "memory_contact_confidence.jpg")
        let found = (0..<3).map { Self.place(page, $0, pitch: 53) }
        #expect(found[0].green < 40 && found[1].green > 120 && found[1].green < 170 && found[2].green > 210)
    }

    @Test func theBytesDoNotDependOnTheNumberOfWorkers() throws {
        let source = try MiniSource { $0.frameCount = 30 }
        let stages = """
            - read
            - write-contact-sheet: {count: 9, columns: 3, rows: 2}
            - decompress
            - write-contact-sheet: {of: depth}
            - write-contact-sheet: {of: confidence}
            """
        let runs = try [1, 4].map { try PipelineRun(stages, on: source.path, workers: $0) }
        #expect(runs[0].digests == runs[1].digests && runs[0].receipt == runs[1].receipt)
        #expect(runs[0].files.count == 4)
    }

    @Test func damagedPicturesArePassedOver() throws {
        let source = try MiniSource { $0.damagedPictures = [0, 3] }
        let run = try PipelineRun("- read: {bad-frame-limit: 1}\n- write-contact-sheet", on: source.path)
        #expect(run.counts("write-contact-sheet")["pictures"]?.integer == 5)
        #expect(run.receipt["frames"]?["kept"]?.integer == 7)
    }

    @Test func whatNoPageCanHoldIsRefused() throws {
        #expect(
            StageRun.mistakes(in: "- write-contact-sheet: {count: 1000, columns: 1, rows: 1}")
                == ["1000 pictures need more than 100 pages of 1"])
        let problem = problem {
            _ = try StageRun("- write-contact-sheet: {columns: 1, rows: 100, width: 16384}", on: .shown(2))
        }
        #expect(problem?.isOfPipeline == true)
        #expect(problem?.fix?.hasPrefix("fewer `rows`, which makes more pages") == true)
    }
}
