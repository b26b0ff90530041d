import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Through the two formats that have such folders.
@Suite struct PictureFolderTests {
    private func png(_ width: Int = 8, _ height: Int = 6) throws(Problem) -> [UInt8] {
        try PNG.encodeRGB(
            RGBImage(width: width, height: height, pixels: Array(repeating: 9, count: width * height * 3)))
    }

    private func open(_ files: [String: [UInt8]]) throws -> Capture {
        let folder = try TemporaryFolder()
        let path = try folder.write(files, under: "pictures")
        return try PictureFolderCapture.open(CaptureFolder(path: path), rules: ReadRules())
    }

    /// Opens a MultiScan capture of ten camera lines with these pictures.
    private func open(pictures names: [String], lines: Int = 10) throws -> Capture {
        var sample = MultiScanSample()
        sample.frameCount = lines
        sample.pictures = .none
        sample.colorSize = PixelSize(8, 6)
        var files = try sample.files()
        for name in names { files["color/\(name)"] = try png() }
        let folder = try TemporaryFolder()
        return try MultiScanCapture.open(
            CaptureFolder(path: try folder.write(files, under: "scan")), rules: ReadRules())
    }

    private func names(_ capture: Capture) -> [String] {
        capture.frames.map { $0.pictureFile?.split(separator: "/").last.map(String.init) ?? "-" }
    }

    // MARK: - Which files are pictures

    /// As TUM's rgb/ without its lists: several pictures in each second.
    @Test func picturesThatAreCalledAfterTheirTimes() throws {
        let times = ["9.96", "10.033333", "10.1", "10.06", "9.9"]
        let capture = try open(times.reduce(into: [:]) { $0["rgb/\($1).png"] = try png() })
        #expect(names(capture) == ["9.9.png", "9.96.png", "10.033333.png", "10.06.png", "10.1.png"])
        #expect(capture.warnings.isEmpty)
        // Two cameras' pictures are no times.
        #expect {
            try open(["rgb/12.left.png": try png(), "rgb/12.right.png": try png()])
        } throws: { ($0 as? Problem)?.summary == "two pictures have the same number" }
        #expect {
            try open(["rgb/12_left.png": try png(), "rgb/12_right.png": try png()])
        } throws: { ($0 as? Problem)?.summary == "two pictures have the same number" }
    }

    @Test func picturesAreSortedByNumberNotAsText() throws {
        let capture = try open(["9", "10", "2", "1", "100"].reduce(into: [:]) { $0["images/\($1).png"] = [] })
        #expect(names(capture) == ["1.png", "2.png", "9.png", "10.png", "100.png"])
    }

    @Test func depthPicturesAndOtherFilesAreNoFrames() throws {
        var files = [
            "rgb/0.png": try png(),
            "rgb/1.JPG": try JPEG.encode(RGBImage(width: 8, height: 6, pixels: Array(repeating: 1, count: 144))),
        ]
        for name in ["0.depth.png", "0.mask.png", "notes.txt", ".hidden.png", "1.tiff", "png", "2.png/inner.png"] {
            files["rgb/\(name)"] = try png()
        }
        let capture = try open(files)
        #expect(names(capture) == ["0.png", "1.JPG"])
        #expect(capture.colorSize == PixelSize(8, 6))
        #expect(capture.keptFrames.count == 2)
        #expect(capture.files.map(\.path) == ["rgb/0.png", "rgb/1.JPG"])
    }

    @Test func theFirstFolderThatHoldsAPictureIsTaken() throws {
        let capture = try open(["images/0.png": png(), "rgb/7.png": png(), "rgb/8.png": png(), "color/readme.txt": []])
        #expect(names(capture) == ["7.png", "8.png"])
    }

    @Test func whereTheNumberStands() throws {
        for (pattern, numbers) in [
            ("frame_%.jpg", ["000002", "000010"]), ("IMG 20240101 %.png", ["2", "10"]),
            ("frame-%.color.png", ["000002", "000010"]),
            ("img.%.png", ["2", "10"]), ("%_left.png", ["2", "10"]),
        ] {
            let files = try numbers.reduce(into: [String: [UInt8]]()) {
                $0["images/\(pattern.replacing("%", with: $1))"] = try png()
            }
            let capture = try open(files)
            #expect(names(capture) == numbers.map { pattern.replacing("%", with: $0) })
            // Numbers with a gap, which is only noticed where the numbers are found.
            #expect(
                capture.warnings == [
                    "the numbers in images/ have gaps; the pictures were given to the frames in their order"
                ])
        }
    }

    /// Dates, times of the day, and numbers that begin anew each day or second: in their order, without a word on gaps.
    @Test(arguments: [
        ["PXL_20230105_143022123", "PXL_20230105_143025456", "PXL_20230106_010000000"],
        ["PXL_20230105_090022123", "PXL_20230105_143025456"], ["1672929022123", "1672929025456"],
        ["20230105_143022_001", "20230105_143022_002", "20230105_143100_001"],
        ["IMG-20230106-WA0001", "IMG-20230106-WA0002", "IMG-20230107-WA0001"],
        ["20230105_143022", "20230105_143022(0)", "20230105_143022(1)", "20230105_143023"],
        ["2023-01-05 14.30.22", "2023-01-05 14.30.25", "2023-01-06 09.00.00"],
    ])
    func picturesThatPhonesName(_ names: [String]) throws {
        let capture = try open(names.reduce(into: [:]) { $0["images/\($1).png"] = try png() })
        #expect(self.names(capture) == names.map { "\($0).png" })
        #expect(capture.warnings.isEmpty, "\(capture.warnings)")
    }

    @Test(arguments: [["frame_1", "frame_2", "frame_10"], ["0000000001", "0000000003"]])
    func gapsInCountsAreSaid(_ names: [String]) throws {
        let capture = try open(names.reduce(into: [:]) { $0["images/\($1).png"] = try png() })
        #expect(self.names(capture) == names.map { "\($0).png" })
        #expect(
            capture.warnings == [
                "the numbers in images/ have gaps; the pictures were given to the frames in their order"
            ])
    }

    @Test func picturesWithoutNumbersComeBehindSortedAsText() throws {
        let capture = try open(
            ["b", "a", "3", "99999999999999999999999"].reduce(into: [:]) { $0["images/\($1).png"] = try png() })
        #expect(names(capture) == ["3.png", "99999999999999999999999.png", "a.png", "b.png"])
        #expect(capture.warnings.isEmpty)
    }

    @Test func twoPicturesOfOneNumberAreRefused() throws {
        let files = try ["images/1.png": png(), "images/01.jpg": png(), "images/2.png": png()]
        let folder = try TemporaryFolder()
        let tree = CaptureFolder(path: try folder.write(files, under: "pictures"))
        // It is a folder of pictures all the same, so that the reason is heard.
        #expect(PictureFolderCapture.recognise(tree) != nil)
        let problem = #expect(throws: Problem.self) { try PictureFolderCapture.open(tree, rules: ReadRules()) }
        #expect(problem?.summary == "two pictures have the same number")
        #expect(problem?.notes == ["images/01.jpg and images/1.png: the frames could not be told apart"])
        #expect(problem?.place.file == "images")
    }

    // MARK: - Which frame gets which picture

    @Test func withoutGapsByOrder() throws {
        for first in [0, 1, 5000] {
            let capture = try open(pictures: (first..<first + 10).map { "frame_\($0).png" })
            #expect(names(capture) == (first..<first + 10).map { "frame_\($0).png" })
            #expect(capture.warnings.isEmpty)
            #expect(capture.keptFrames.count == 10)
        }
    }

    @Test func aMissingPictureDoesNotShiftTheOthers() throws {
        for first in [0, 1] {
            let capture = try open(pictures: (0..<10).filter { $0 != 4 }.map { "\($0 + first).png" })
            #expect(names(capture) == (0..<10).map { $0 == 4 ? "-" : "\($0 + first).png" })
            #expect(capture.frames[4].drop == Drop(stage: "read", reason: "it has no picture in color/", isBad: true))
            #expect(capture.keptFrames.count == 9)
        }
    }

    /// A picture is missing at one end, and which one depends on where frames are counted from.
    @Test func numbersThatLeaveTheFirstFrameOpenSaySo() throws {
        let fromOne = try open(pictures: (1..<10).map { "\($0).png" })
        #expect(names(fromOne) == (1..<10).map { "\($0).png" } + ["-"])
        #expect(
            fromOne.warnings == [
                "the numbers in color/ go from 1 to 9, and there are 10 camera lines: frames were taken to be counted from "
                    + "1; if they are counted from 0, every pose is one picture off"
            ])
        // With two gone at the start, they are more likely counted from 0.
        let fromTwo = try open(pictures: (2..<10).map { "\($0).png" })
        #expect(names(fromTwo) == ["-", "-"] + (2..<10).map { "\($0).png" })
        #expect(fromTwo.warnings.count == 1)
        // The last number says where the count began.
        let toTen = try open(pictures: (2..<11).map { "\($0).png" })
        #expect(names(toTen) == ["-"] + (2..<11).map { "\($0).png" })
        #expect(toTen.warnings.isEmpty)
        let late = try open(pictures: (5..<14).map { "\($0).png" })
        #expect(names(late) == (5..<14).map { "\($0).png" } + ["-"])
        #expect(
            late.warnings == [
                "the numbers in color/ begin at 5, and there are 9 pictures for 10 camera lines; pictures were given to the "
                    + "first frames in their order"
            ])
    }

    /// The pictures of a capture that ScanMill wrote count from 0, and others may have come in their place.
    @Test func otherPicturesBesideOwnCameraLines() throws {
        func capture(_ numbers: some Sequence<Int>) throws -> Capture {
            var sample = MultiScanSample()
            (sample.frameCount, sample.pictures, sample.colorSize) = (10, .none, PixelSize(8, 6))
            var files = try sample.files()
            let lines = String(decoding: files["scan.jsonl"] ?? [], as: UTF8.self)
            files["scan.jsonl"] = Array(
                lines.replacing("\"timestamp\"", with: "\"source_frame\": 3, \"timestamp\"").utf8)
            for number in numbers { files["color/\(number).png"] = try png() }
            let folder = try TemporaryFolder()
            return try MultiScanCapture.open(
                CaptureFolder(path: try folder.write(files, under: "scan")), rules: ReadRules())
        }
        // Its own, of which the first did not arrive, or some in between.
        #expect(names(try capture(1..<10)) == ["-"] + (1..<10).map { "\($0).png" })
        let own = try capture([0, 1, 2, 4, 5, 6, 7, 8])
        #expect(names(own).prefix(5) == ["0.png", "1.png", "2.png", "-", "4.png"] && own.warnings.isEmpty)
        // Counted from 1: all with one missing in the middle, or the copy broken off.
        let fromOne = try capture((1...10).filter { $0 != 5 })
        #expect(names(fromOne) == (1...10).map { $0 == 5 ? "-" : "\($0).png" })
        let broken = try capture(1...8)
        #expect(names(broken) == (1...8).map { "\($0).png" } + ["-", "-"])
        #expect(broken.warnings.count == 1)
    }

    @Test func aPictureWithoutANumberIsNoFrameOfACapture() throws {
        let capture = try open(pictures: (0..<10).filter { $0 != 4 }.map { "\($0).png" } + ["thumbnail.png"])
        #expect(names(capture) == (0..<10).map { $0 == 4 ? "-" : "\($0).png" })
        #expect(capture.warnings == ["color/thumbnail.png has no number in its name, and was left out"])
        let many = try open(pictures: (0..<10).map { "\($0).png" } + ["b.png", "a.png", "c.png"])
        let warning = "3 files have no number in their names, and were left out, the first color/a.png"
        #expect(many.warnings == [warning])
    }

    @Test func secondCopiesAreNoFrames() throws {
        let copies = ["3 2.png", "3 (1).png", "3 copy.png", "3 copy 2.png", "3 - Copy.png", "3 - Copy (2).png"]
        var capture = try open(pictures: (0..<10).map { "\($0).png" } + copies)
        #expect(names(capture) == (0..<10).map { "\($0).png" })
        #expect(capture.warnings.isEmpty)
        let folder = try TemporaryFolder()
        for name in ["3.png"] + copies { try folder.write(try png(), to: "color/\(name)") }
        capture.noteDoubts(in: CaptureFolder(path: folder.path))
        #expect(
            capture.warnings.first
                == "6 files in color/ look like second copies, and were left out: 3 (1).png, …")
        // Nothing of that name is there without the mark.
        #expect(names(try open(pictures: (0..<10).map { "IMG \($0).png" })) == (0..<10).map { "IMG \($0).png" })
    }

    @Test func numbersThatCannotBeFramesGoByOrderWithAWarning() throws {
        // Every fifth picture of a video, renumbered camera lines.
        let capture = try open(pictures: (0..<10).map { "\($0 * 5).png" })
        #expect(names(capture) == (0..<10).map { "\($0 * 5).png" })
        #expect(
            capture.warnings == [
                "the numbers in color/ have gaps; the pictures were given to the frames in their order"
            ])
        // Numbers that begin elsewhere.
        let late = try open(pictures: [3, 4, 6, 7, 8, 9, 10, 11, 12, 13].map { "late\($0).png" })
        #expect(late.warnings.count == 1)
        #expect(late.keptFrames.count == 10)
    }

    @Test func theLargestNumberThereIs() throws {
        // Nine digits and more are times or dates, most often; the largest of all has no next one.
        let odd = try open(pictures: ["0.png", "\(Int.max).png"] + (1..<9).map { "\($0).png" })
        #expect(odd.warnings.count == 1)
        #expect(odd.keptFrames.count == 10)
    }

    @Test func aFewPicturesMoreOrLess() throws {
        let more = try open(pictures: (0..<12).map { "\($0).png" })
        #expect(more.frames.count == 12)
        #expect(more.frames[10].drop?.reason == "there are only 10 camera lines")
        #expect(more.frames[11].drop?.isBad == false)
        let fewer = try open(pictures: (0..<8).map { "a\($0).png" })
        #expect(fewer.frames.count == 10)
        #expect(fewer.frames[7].drop == nil)
        #expect(fewer.frames[8].drop == Drop(stage: "read", reason: "there are only 8 pictures"))
        let problem = #expect(throws: Problem.self) { try open(pictures: (0..<30).map { "\($0).png" }) }
        #expect(problem?.notes.first == "camera lines: 10, pictures: 30")
    }

    // MARK: - Whether they are whole

    @Test func picturesThatCannotBeReadAreDroppedByName() throws {
        let whole = try png()
        let jpeg = try JPEG.encode(RGBImage(width: 8, height: 6, pixels: Array(repeating: 100, count: 144)))
        let capture = try open([
            "color/0.png": whole, "color/1.png": Array(whole.dropLast(1)), "color/2.png": [],
            "color/3.jpg": Array(jpeg.dropLast(2)),
            "color/4.jpg": Array("no picture at all".utf8), "color/5.jpg": jpeg, "color/6.png": Array(whole.prefix(20)),
        ])
        #expect(capture.keptFrames.map(\.index) == [0, 5])
        let reasons = capture.frames.map { $0.drop?.reason ?? "" }
        #expect(reasons[1] == "PNG truncated (color/1.png)")
        #expect(reasons[2].hasSuffix("(color/2.png)"))
        #expect(reasons[3] == "JPEG truncated or damaged: it has no end marker (color/3.jpg)")
        #expect(reasons[4] == "the picture begins neither as a JPEG nor as a PNG (color/4.jpg)")
        #expect(reasons[6].hasSuffix("(color/6.png)"))
        #expect(capture.frames.allSatisfy { $0.drop?.isBad != false })
    }

    @Test func picturesThatDidNotArriveAreDroppedByCause() throws {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
        let capture = try open([
            "color/0.png": try png(), "color/1.png": Array(pointer.utf8),
            "color/2.png": [UInt8](repeating: 0, count: 5000), "color/3.png": [],
        ])
        #expect(
            capture.frames.map { $0.drop?.reason } == [
                nil, "this is a Git LFS pointer, not the file (color/1.png)",
                "the file begins with nothing but zero bytes: its copy was never finished (color/2.png)",
                "the picture is empty (color/3.png)",
            ])
        #expect(capture.frames.map { $0.drop?.fix } == [nil, "git lfs pull", "copy it again", nil])
    }

    /// As many bytes as there are may follow a PNG's last chunk, which its decoder never reads.
    @Test func whatFollowsAPNGDoesNotMatter() throws {
        let whole = try png()
        let padded = whole + [UInt8](repeating: 0, count: 2000)
        let capture = try open([
            "color/0.png": padded, "color/1.png": whole + [UInt8](repeating: 7, count: 500_000),
            "color/2.png": whole.dropLast(1) + [UInt8](repeating: 0, count: 500_000),
        ])
        #expect(capture.dropReasons == [nil, nil, "PNG truncated (color/2.png)"])
        #expect(try PNG.decodeRGB(padded) == PNG.decodeRGB(whole))
    }

    @Test func aLargePictureIsLookedAtFromBothEnds() throws {
        // Noise of half a megabyte: more than is read of its start.
        var dice = SplitMix(seed: 40)
        let noise = RGBImage(
            width: 700, height: 500, pixels: (0..<1_050_000).map { _ in UInt8.random(in: 0...255, using: &dice) })
        let jpeg = try JPEG.encode(noise, quality: 95, subsampling: .s444)
        #expect(jpeg.count > 400_000)
        var cut = jpeg
        cut.removeLast(100_000)
        let capture = try open([
            "color/0.jpg": jpeg, "color/1.jpg": cut, "color/2.png": PNG.encodeRGB(noise),
            "color/3.png": PNG.encodeRGB(noise).dropLast(13),
        ])
        #expect(capture.keptFrames.map(\.index) == [0, 2])
        #expect(capture.colorSize == PixelSize(700, 500))
    }

    @Test func theOddSizeIsTheRareOne() throws {
        var files: [String: [UInt8]] = [:]
        for number in 0..<5 { files["color/\(number).png"] = try png() }
        files["color/2.png"] = try png(6, 8)
        let capture = try open(files)
        #expect(capture.colorSize == PixelSize(8, 6))
        #expect(
            capture.frames[2].drop
                == Drop(stage: "read", reason: "the picture is 6×8, and the others are 8×6", isBad: true))
        #expect(capture.keptFrames.count == 4)
    }

    @Test func aTieIsAlwaysDecidedAlike() throws {
        // As many of one size as of the other, equally wide: the smaller one counts, in every process.
        let files = try [
            "color/0.png": png(8, 7), "color/1.png": png(8, 6), "color/2.png": png(8, 7), "color/3.png": png(8, 6),
        ]
        for _ in 0..<10 { #expect(try open(files).colorSize == PixelSize(8, 6)) }
    }
}
