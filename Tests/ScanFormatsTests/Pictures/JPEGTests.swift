import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// A picture with slopes, edges and some noise.
func testPicture(_ width: Int, _ height: Int, seed: UInt64 = 5) -> RGBImage {
    var random = SplitMix(seed: seed)
    var pixels: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            let noise = Int(random.next() & 7)
            pixels.append(UInt8(truncatingIfNeeded: x * 255 / width + noise))
            pixels.append(UInt8(truncatingIfNeeded: y * 200 / height + noise))
            pixels.append((x / 8 + y / 8) % 2 == 0 ? 220 : 40)
        }
    }
    return RGBImage(width: width, height: height, pixels: pixels)
}

func meanDifference(_ a: [UInt8], _ b: [UInt8]) -> Double {
    Double(zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(a.count)
}

@Suite struct JPEGTests {
    @Test(arguments: JPEG.Subsampling.allCases)
    func comesBackNearlyTheSame(subsampling: JPEG.Subsampling) throws {
        for (width, height) in [(1, 1), (7, 5), (64, 48), (333, 217)] {
            let picture = testPicture(width, height)
            let file = try JPEG.encode(picture, subsampling: subsampling)
            let header = try JPEG.header(file)
            #expect(header == PictureHeader(width: width, height: height, channels: 3, bitDepth: 8))
            let decoded = try JPEG.decodeRGB(file)
            #expect(decoded.width == width && decoded.height == height)
            if subsampling == .s444 { #expect(meanDifference(decoded.pixels, picture.pixels) < 3) }
            let luma = try JPEG.decodeLuma(file)
            #expect(meanDifference(luma.pixels, LumaImage(grayOf: decoded).pixels) < 1.5)
        }
    }

    @Test func qualityAndSubsamplingChangeTheSize() throws {
        let picture = testPicture(160, 120)
        let sizes = try [
            JPEG.encode(picture, quality: 50, subsampling: .s420),
            JPEG.encode(picture, quality: 95, subsampling: .s420),
            JPEG.encode(picture, quality: 95, subsampling: .s444),
        ].map(\.count)
        #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2])
        #expect(try JPEG.encode(picture) == JPEG.encode(picture, quality: 95, subsampling: .s420))
    }

    /// Markers as Python finds them, which knows nothing of libjpeg.
    @Test func writesTheSubsamplingIntoTheFrameHeader() throws {
        let script = """
            import sys, struct
            b = open(sys.argv[1], 'rb').read(); i = 2
            while b[i + 1] != 0xc0: i += 2 + struct.unpack('>H', b[i + 2:i + 4])[0]
            print(*struct.unpack('>BHHB', b[i + 4:i + 10]), hex(b[i + 11]), hex(b[i + 14]), hex(b[i + 17]), end='')
            """
        let folder = try TemporaryFolder()
        for (subsampling, factors) in [(JPEG.Subsampling.s444, "0x11"), (.s420, "0x22")] {
            let file = try JPEG.encode(testPicture(40, 24), subsampling: subsampling)
            let fields = try runPython(script, [folder.write(file, to: "x.jpg")]).output
            #expect(fields == "8 24 40 3 \(factors) 0x11 0x11")
        }
    }

    /// The smallest of libjpeg's sizes that is large enough, close to the mean over the area.
    @Test(arguments: [(100, 60, 13, 8), (100, 60, 12, 30), (101, 61, 26, 16), (64, 48, 60, 40), (16, 16, 100, 100)])
    func decodesAtASmallerSize(_ width: Int, _ height: Int, _ atLeastWide: Int, _ atLeastHigh: Int) throws {
        let slope = RGBImage(
            width: width, height: height,
            pixels: (0..<width * height * 3).map { UInt8($0 / 3 % width * 2 / 2 + $0 / 3 / width + $0 % 3 * 10) })
        let bytes = try JPEG.encode(slope, quality: 95, subsampling: .s444)
        let image = try JPEG.decodeRGB(bytes, noSmallerThan: PixelSize(atLeastWide, atLeastHigh))
        #expect(image.width >= min(width, atLeastWide) && image.height >= min(height, atLeastHigh))
        #expect(image.width <= width && image.height <= height)
        if atLeastWide == 13 { #expect(image.width == 13 && image.height == 8) }
        if atLeastWide == 100 { #expect(try image == JPEG.decodeRGB(bytes)) }
        // In the middle, where no border rounds the size up.
        for y in image.height / 4..<image.height * 3 / 4 {
            for x in image.width / 4..<image.width * 3 / 4 {
                let (u, v) = (
                    (Double(x) + 0.5) * Double(width) / Double(image.width) - 0.5,
                    (Double(y) + 0.5) * Double(height) / Double(image.height) - 0.5
                )
                let red = Double(image.pixels[(y * image.width + x) * 3])
                #expect(abs(red - (u + v)) < 6, "(\(x), \(y))")
            }
        }
    }

    @Test func reportsEveryCut() throws {
        let file = try JPEG.encode(testPicture(48, 40), subsampling: .s420)
        for cut in 0..<file.count {
            let part = Array(file.prefix(cut))
            let problem = problem { () throws(Problem) in _ = try JPEG.decodeRGB(part) }
            #expect(problem?.fault == .input, "cut at \(cut)")
            if cut >= 3 { #expect(problem?.summary == "JPEG truncated", "cut at \(cut)") }
            let luma = TestSupport.problem { () throws(Problem) in _ = try JPEG.decodeLuma(part) }
            #expect(luma == problem)
            #expect(JPEG.cutDefect(part) != nil)
        }
        #expect(problem { () throws(Problem) in _ = try JPEG.decodeRGB([]) }?.summary == "JPEG is empty")
        #expect(JPEG.cutDefect(file) == nil)
    }

    @Test func neverCrashesOnFlippedBits() throws {
        let file = try JPEG.encode(testPicture(24, 16), quality: 60)
        var refused = 0
        for bit in 0..<file.count * 8 {
            var flipped = file
            flipped[bit / 8] ^= 1 << (bit % 8)
            let limits = PictureLimits(side: 2048, pixels: 1 << 20)
            if problem(of: { () throws(Problem) in _ = try JPEG.decodeRGB(flipped, limits: limits) }) != nil {
                refused += 1
            }
        }
        #expect(refused > 500)
    }

    @Test func toleratesWhatDoesNotChangePixels() throws {
        let picture = testPicture(48, 40)
        let file = try JPEG.encode(picture)
        let pixels = try JPEG.decodeRGB(file)
        // A few stray bytes before the end marker, as some encoders leave them; a phone's notes behind it.
        let stray = file.dropLast(2) + [0x00, 0x12] + file.suffix(2)
        #expect(try JPEG.decodeRGB(Array(stray)) == pixels)
        #expect(try JPEG.decodeRGB(file + slopes(5000)) == pixels)
        #expect(try JPEG.decodeRGB(file + [UInt8](repeating: 0, count: 512)) == pixels)
        // Another version of JFIF than libjpeg knows.
        var later = file
        let version = Array("JFIF\0".utf8) + [1]
        try #require(Array(later[6..<12]) == version)
        later[11] = 2
        #expect(try JPEG.decodeRGB(later) == pixels)
        // Many mean that the scan ran out of step.
        let lost = Array(file.dropLast(2) + [UInt8](repeating: 0x12, count: 200) + file.suffix(2))
        let problem = problem { () throws(Problem) in _ = try JPEG.decodeRGB(lost) }
        #expect(problem?.summary == "JPEG damaged")
        #expect(problem?.notes.first?.hasSuffix("extraneous bytes before marker 0xd9") == true)
    }

    /// Samsung's phones left numbers 0 that only progressive pictures need.
    @Test func toleratesAScanHeaderOfZeros() throws {
        let file = try JPEG.encode(testPicture(48, 40))
        let scan = try #require((0..<file.count - 1).first { file[$0] == 0xff && file[$0 + 1] == 0xda })
        // The last three bytes of a header for three components (ITU-T T.81, B.2.3).
        try #require(Array(file[scan + 11..<scan + 14]) == [0, 63, 0])
        var zeros = file
        zeros[scan + 12] = 0
        #expect(try JPEG.decodeRGB(zeros) == JPEG.decodeRGB(file))
        #expect(try JPEG.decodeLuma(zeros) == JPEG.decodeLuma(file))
    }

    /// Pixel phones wrote a segment whose marker was 00 E1 instead of FF E1.
    @Test func toleratesBytesBetweenSegments() throws {
        let file = try JPEG.encode(testPicture(48, 40))
        let pixels = try JPEG.decodeRGB(file)
        // Behind JFIF's segment.
        try #require(Array(file[2..<6]) == [0xff, 0xe0, 0, 16])
        let odd = [0x00, 0xe1, 1, 0xf4] + [UInt8](repeating: 0x78, count: 498)
        let picture = Array(file[..<20]) + odd + Array(file[20...])
        #expect(try JPEG.decodeRGB(picture) == pixels)
        #expect(try JPEG.header(picture) == JPEG.header(file) && JPEG.cutDefect(picture) == nil)
        // What follows is found all the same: here a thumbnail with an end marker of its own.
        let notes = Array("Exif\0\0".utf8) + (try JPEG.encode(testPicture(16, 12)))
        let size = notes.count + 2
        let segment = [0xff, 0xe1, UInt8(size >> 8), UInt8(size & 255)] + notes
        let noted = Array(file[..<20]) + odd + segment + Array(file[20...])
        #expect(try JPEG.decodeRGB(noted) == pixels)
        #expect(JPEG.cutDefect(noted) == nil)
        #expect(JPEG.cutDefect(Array(noted.dropLast(2))) == "it has no end marker")
        // Tables that are lost in this way are missed, also from the header alone.
        var (place, tables) = (2, [Int]())
        while file[place + 1] != 0xda {
            if file[place + 1] == 0xc4 { tables.append(place) }
            place += 2 + (Int(file[place + 2]) << 8) + Int(file[place + 3])
        }
        #expect(tables.count == 4)
        for table in tables {
            var lost = file
            lost[table] = 0
            let problem = problem { () throws(Problem) in _ = try JPEG.header(lost) }
            #expect(problem?.summary == "JPEG damaged" && problem?.fault == .input)
            #expect(problem?.notes.first?.hasPrefix("libjpeg says: a Huffman table is missing") == true)
        }
    }

    /// As many as there are, as long as they have not been taken for pixels.
    @Test func toleratesPaddingBeforeTheEndMarker() throws {
        let file = try JPEG.encode(testPicture(48, 40))
        let pixels = try JPEG.decodeRGB(file)
        for count in [40, 400, 70_000] {
            for byte: UInt8 in [0, 0xff] {
                let padded = Array(file.dropLast(2)) + [UInt8](repeating: byte, count: count) + Array(file.suffix(2))
                #expect(try JPEG.decodeRGB(padded) == pixels, "\(count) × \(byte)")
                #expect(JPEG.cutDefect(padded) == nil)
            }
        }
        let scan = try #require((0..<file.count - 1).first { file[$0] == 0xff && file[$0 + 1] == 0xda })
        let half = Array(file[..<((scan + file.count) / 2)])
        let lost = half + [UInt8](repeating: 0, count: 200_000) + Array(file.suffix(2))
        let problem = problem { () throws(Problem) in _ = try JPEG.decodeRGB(lost) }
        #expect(problem?.summary == "JPEG damaged")
        #expect(problem?.notes.first?.hasSuffix("extraneous bytes before marker 0xd9") == true)
        // Zeros behind stray bytes do not excuse those.
        let mixed = Array(file.dropLast(2)) + [UInt8](repeating: 0x12, count: 60) + [0, 0] + Array(file.suffix(2))
        #expect(TestSupport.problem { () throws(Problem) in _ = try JPEG.decodeRGB(mixed) } != nil)
    }

    /// A header that announces much in few bytes: refused before any memory is taken for it.
    @Test func refusesHugeAndEmptyPictures() throws {
        let file = try JPEG.encode(testPicture(16, 16))
        let frame = try #require((0..<file.count - 1).first { file[$0] == 0xff && file[$0 + 1] == 0xc0 })
        func announcing(_ width: Int, _ height: Int) -> [UInt8] {
            var file = file
            for (i, value) in [height >> 8, height & 255, width >> 8, width & 255].enumerated() {
                file[frame + 5 + i] = UInt8(value)
            }
            return file
        }
        for (width, height) in [
            (50_000, 50_000), (32_769, 1), (1, 32_769), (32_768, 7630), (0, 16), (16, 0), (65_535, 65_535),
        ] {
            let problem = problem { () throws(Problem) in _ = try JPEG.decodeRGB(announcing(width, height)) }
            #expect(problem?.fault == .input, "\(width) × \(height)")
        }
        let problem = problem { () throws(Problem) in _ = try JPEG.header(announcing(50_000, 50_000)) }
        #expect(problem?.summary == "a picture of 50000 × 50000 pixels")
        #expect(try JPEG.header(announcing(32_768, 7629)).width == 32_768)
        // As many as are allowed are not too many.
        #expect(try JPEG.header(file, limits: PictureLimits(side: 16, pixels: 256)).width == 16)
        let tight = PictureLimits(side: 16, pixels: 255)
        #expect(TestSupport.problem { () throws(Problem) in _ = try JPEG.header(file, limits: tight) } != nil)
        // Within the limits, but the data is for 16 × 16 pixels.
        let hollow = TestSupport.problem { () throws(Problem) in _ = try JPEG.decodeRGB(announcing(32_768, 7629)) }
        #expect(hollow?.summary == "JPEG damaged")
    }

    /// In a process of its own, whose memory is not that of other tests.
    @Test func hugePicturesTakeNoMemory() async throws {
        await #expect(processExitsWith: .success) {
            var file = try JPEG.encode(testPicture(16, 16))
            let frame = try #require((0..<file.count - 1).first { file[$0] == 0xff && file[$0 + 1] == 0xc0 })
            // 50,000 × 50,000, which is refused, and 32,768 × 8,192, which is not, but has no data.
            for size: [UInt8] in [[0xc3, 0x50, 0xc3, 0x50], [0x20, 0, 0x80, 0]] {
                file.replaceSubrange(frame + 5..<frame + 9, with: size)
                let file = file
                #expect(problem { () throws(Problem) in _ = try JPEG.decodeRGB(file) } != nil)
                #expect(problem { () throws(Problem) in _ = try JPEG.decodeLuma(file) } != nil)
            }
            // Not `ru_maxrss`, which a process inherits from the one that started it.
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let peak = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let kibibytes = try #require(
                peak.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
            #expect(kibibytes < 256 << 10 || Sanitizer.isOn)
        }
    }

    @Test func refusesCMYK() throws {
        // The frame header of a CMYK picture; its scan is never reached.
        let frame: [UInt8] = [0xff, 0xc0, 0, 20, 8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]
        let scan: [UInt8] = [0xff, 0xda, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0]
        let file = [0xff, 0xd8] + frame + scan + [0xff, 0xd9]
        #expect(try JPEG.header(file).channels == 4)
        let problem = problem { () throws(Problem) in _ = try JPEG.decodeRGB(file) }
        #expect(problem?.summary == "a CMYK picture, which is not read; convert it to RGB")
    }

    /// Frame headers as medical and scientific cameras write them; their scans are never reached.
    @Test(arguments: [(0xc1, 12, "12-bit"), (0xc2, 12, "12-bit"), (0xc3, 14, "lossless")] as [(UInt8, UInt8, String)])
    func namesKindsThatAreNotRead(marker: UInt8, bits: UInt8, kind: String) throws {
        let frame: [UInt8] = [0xff, marker, 0, 11, bits, 0, 8, 0, 8, 1, 1, 0x11, 0]
        let scan: [UInt8] = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]
        let file = [0xff, 0xd8] + frame + scan + [0xff, 0xd9]
        let problem = problem { () throws(Problem) in _ = try JPEG.decodeRGB(file) }
        #expect(problem?.summary == "a \(kind) JPEG, which is not read; convert it to an ordinary one")
    }

    /// A progressive picture of 8 × 8 pixels, made by libjpeg: of one that lost its last scans, libjpeg makes a blurred
    /// one without a word.
    @Test func aPictureThatLacksScansIsDamaged() throws {
        let text = """
            ffd8ffdb0043000302020302020303030304030304050805050404050a070706080c0a0c0c0b0a0b0b0d0e12100d0e110e0b
            0b1016101113141515150c0f171816141812141514ffc2000b080008000801011100ffc40014000100000000000000000000
            000000000005ffda00080101000000015bffc4001510010100000000000000000000000000000006ffda0008010100010502
            8e7fffc400171000030100000000000000000000000000000482c1ffda0008010100063f026e34ffc4001410010000000000
            0000000000000000000000ffda0008010100013f216fffda0008010100000010ff00ffc40014100100000000000000000000
            000000000000ffda0008010100013f106fffd9
            """
        let digits = text.filter { !$0.isNewline }.compactMap(\.hexDigitValue)
        let file = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        let pixels = try JPEG.decodeRGB(file).pixels
        #expect(pixels.prefix(12).allSatisfy { abs(Int($0) - 90) < 3 })
        // Each behind a scan.
        for end in [117, 152, 189, 222, 234] {
            let cut = file.prefix(end) + [0xff, 0xd9]
            let problem = problem { () throws(Problem) in _ = try JPEG.decodeRGB(Array(cut)) }
            #expect(problem?.summary == "JPEG damaged", "cut at \(end)")
            #expect(problem?.notes == ["libjpeg says: some of the picture's scans are missing"])
        }
    }

    @Test func refusesWhatItCannotEncode() {
        let picture = testPicture(8, 8)
        for quality in [0, 101] {
            let problem = problem { () throws(Problem) in _ = try JPEG.encode(picture, quality: quality) }
            #expect(problem?.fault == .usage)
        }
        let empty = RGBImage(width: 0, height: 8, pixels: [])
        #expect(problem { () throws(Problem) in _ = try JPEG.encode(empty) }?.fault == .input)
    }

    @Test func looksAtHeadAndTailOnly() throws {
        let picture = try JPEG.encode(testPicture(800, 600), subsampling: .s444)
        try #require(picture.count > 2 * JPEG.tailBytes)
        func verdict(_ file: [UInt8]) -> String? {
            JPEG.cutDefect(Array(file.prefix(8)), file.suffix(JPEG.tailBytes), at: max(0, file.count - JPEG.tailBytes))
        }
        #expect(verdict(picture) == nil)
        #expect(verdict(picture + [0, 0, 0, 0]) == nil)
        #expect(verdict(picture + slopes(1000)) == nil)
        let cut = Array(picture.dropLast(3))
        #expect(verdict(cut) == "it has no end marker in its last 65536 bytes")
        // Bytes FF may fill up before a marker.
        #expect(verdict(cut + [0xff, 0xff, 0xd0]) == "it has no end marker in its last 65536 bytes")
        #expect(verdict(cut + [UInt8](repeating: 0, count: 1 << 17)) == "it ends in 65536 zeros")
        // A phone's video behind the picture: no end marker in sight, and yet whole.
        var random = SplitMix(seed: 3)
        var video = (0..<200_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        for i in 1..<video.count where video[i - 1] == 0xff && video[i] == 0xd9 { video[i] = 0xd8 }
        #expect(verdict(picture + video) == nil)
        #expect(verdict(Array("{\"notes\": \"none\"}".utf8)) == "it does not start as a JPEG")
        #expect(verdict([]) == "it is empty")
        #expect(verdict([0xff, 0xd8, 0xff, 0xe0]) == "it has no end marker")
    }

    /// A thumbnail in a phone's notes has an end marker of its own.
    @Test func aThumbnailIsNotThePicture() throws {
        let thumbnail = try JPEG.encode(testPicture(160, 120), quality: 40)
        let plain = try JPEG.encode(testPicture(400, 300))
        let notes = Array("Exif\0\0".utf8) + thumbnail
        let size = notes.count + 2
        let picture = [0xff, 0xd8, 0xff, 0xff, 0xe1, UInt8(size >> 8), UInt8(size & 255)] + notes + plain.dropFirst(2)
        try #require(picture.count < JPEG.tailBytes && size < 1 << 16)
        #expect(try JPEG.decodeRGB(picture) == JPEG.decodeRGB(plain))
        let folder = try TemporaryFolder()
        for (left, isWhole) in [
            (picture.count, true), (picture.count - 2, false), (picture.count / 2, false), (size + 200, false),
        ] {
            let file = Array(picture.prefix(left))
            #expect((JPEG.cutDefect(file) == nil) == isWhole, "\(left)")
            if !isWhole {
                #expect(problem { () throws(Problem) in _ = try JPEG.decodeRGB(file) }?.summary == "JPEG truncated")
            }
            try folder.write(file, to: "c/images/0.jpg")
            try folder.write(plain, to: "c/images/1.jpg")
            let tree = try CaptureFormats.tree(at: "\(folder.path)/c")
            let capture = try PictureFolderCapture.open(tree, rules: ReadRules())
            #expect((capture.frames.first?.drop == nil) == isWhole, "\(left)")
        }
    }

    @Test(.enabled(if: SharedData.isThere)) func decodesRealPictures() throws {
        for name in ["fox/images/0.jpg", "office/color/000007.jpg"] {
            let file = try SharedData.bytes(name)
            let header = try JPEG.header(file)
            let image = try JPEG.decodeRGB(file)
            #expect(header.channels == 3 && image.width == header.width && image.height == header.height)
            #expect(JPEG.cutDefect(file) == nil)
            let cut = Array(file.prefix(file.count / 2))
            #expect(problem { () throws(Problem) in _ = try JPEG.decodeRGB(cut) }?.summary == "JPEG truncated")
        }
    }
}
