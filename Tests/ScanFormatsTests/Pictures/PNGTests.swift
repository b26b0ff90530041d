import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PNGTests {
    /// Writes PNGs by hand, with nothing but Python's zlib and struct, and reads them back.
    static let codec = """
        def chunk(kind, data): return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
        def png(w, h, bits, color, rows, extra=[], interlace=0):
            raw = b''.join(b'\\0' + r for r in rows)
            return (b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, bits, color, 0, 0, interlace))
                    + b''.join(chunk(*e) for e in extra) + chunk(b'IDAT', zlib.compress(raw)) + chunk(b'IEND', b''))
        def chunks(data):
            i, found = 8, []
            while i < len(data):
                n, kind = struct.unpack('>I4s', data[i:i + 8])
                body = data[i + 8:i + 8 + n]
                assert struct.unpack('>I', data[i + 8 + n:i + 12 + n])[0] == zlib.crc32(kind + body)
                found.append((kind, body)); i += 12 + n
            return found
        def pixels(data):
            found = chunks(data)
            w, h, bits, color = struct.unpack('>IIBB', found[0][1][:10])
            bpp = {0: 1, 2: 3, 6: 4}[color] * bits // 8
            raw = zlib.decompress(b''.join(b for k, b in found if k == b'IDAT'))
            stride, before, out = w * bpp, bytearray(w * bpp), b''
            for y in range(h):
                kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
                for x in range(stride):
                    a = row[x - bpp] if x >= bpp else 0
                    b, c = before[x], before[x - bpp] if x >= bpp else 0
                    p = a + b - c
                    near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                    row[x] = (row[x] + [0, a, b, (a + b) // 2, near][kind]) & 255
                before, out = row, out + bytes(row)
            return out

        """

    /// PNGs that Python makes from such expressions.
    private func made(_ expressions: String...) throws -> [[UInt8]] {
        try python(Self.codec + expressions.map { "put(\($0))\n" }.joined())
    }

    private func depthPicture(_ width: Int, _ height: Int) -> Gray16Image {
        var random = SplitMix(seed: 2)
        let pixels = (0..<width * height).map { i -> UInt16 in
            let slope = 900 + i % width * 11 + i / width * 7 + Int(random.next() % 9)
            return random.next() % 20 == 0 ? 0 : UInt16(truncatingIfNeeded: slope)
        }
        return Gray16Image(width: width, height: height, pixels: pixels)
    }

    @Test func writesWhatPythonReads() throws {
        let depth = depthPicture(37, 19)
        let bigEndian = depth.pixels.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let color = testPicture(31, 17)
        let gray = LumaImage(width: 31, height: 17, pixels: slopes(31 * 17))
        let folder = try TemporaryFolder()
        var expected: [[UInt8]] = []
        func check(_ file: [UInt8], _ pixels: [UInt8]) throws {
            try folder.write(file, to: "\(expected.count).png")
            expected.append(pixels)
        }
        let file16 = try PNG.encodeGray16(depth)
        #expect(try PNG.decodeGray16(file16) == depth)
        #expect(try PNG.header(file16) == PictureHeader(width: 37, height: 19, channels: 1, bitDepth: 16))
        try check(file16, bigEndian)
        let file8 = try PNG.encodeGray8(gray)
        #expect(try PNG.decodeGray8(file8) == gray)
        try check(file8, gray.pixels)
        for level in [0, 1, 6, 12] {
            let file24 = try PNG.encodeRGB(color, compressionLevel: level)
            #expect(try PNG.decodeRGB(file24) == color)
            try check(file24, color.pixels)
        }
        let script = "for i in range(\(expected.count)): put(pixels(open(f'{sys.argv[1]}/{i}.png', 'rb').read()))"
        #expect(try python(Self.codec + script, [folder.path]) == expected)
    }

    @Test func theSettingsThatAreNotGivenAreLossless() throws {
        let depth = depthPicture(64, 48)
        #expect(try PNG.decodeGray16(PNG.encodeGray16(depth)) == depth)
        let color = testPicture(64, 48)
        #expect(try PNG.decodeRGB(PNG.encodeRGB(color)) == color)
        let gray = LumaImage(width: 64, height: 48, pixels: slopes(64 * 48))
        #expect(try PNG.decodeGray8(PNG.encodeGray8(gray)) == gray)
    }

    @Test func whatIsTransparentIsBlack() throws {
        let image = RGBImage(width: 3, height: 2, pixels: (1...18).map { UInt8($0) })
        let mask = LumaImage(width: 3, height: 2, pixels: [255, 0, 9, 0, 255, 255])
        let file = try PNG.encodeRGBA(image, alpha: mask)
        #expect(try PNG.header(file) == PictureHeader(width: 3, height: 2, channels: 4, bitDepth: 8))
        let folder = try TemporaryFolder()
        try folder.write(file, to: "0.png")
        let expected: [UInt8] = [
            1, 2, 3, 255, 0, 0, 0, 0, 7, 8, 9, 9, 0, 0, 0, 0, 13, 14, 15, 255, 16, 17, 18, 255,
        ]
        let script = "put(pixels(open(f'{sys.argv[1]}/0.png', 'rb').read()))"
        #expect(try python(Self.codec + script, [folder.path]) == [expected])
    }

    /// libpng's simplified interface turns such depth into other depth.
    @Test(arguments: [
        "(b'sRGB', b'\\0')", "(b'gAMA', struct.pack('>I', 45455))", "(b'gAMA', struct.pack('>I', 100000))",
    ])
    func colourSpacesDoNotTouchDepth(chunk: String) throws {
        let values = (0..<64).map { $0 * 1021 }
        let script = """
            png(8, 8, 16, 0, [struct.pack('>8H', *[v * 1021 for v in range(y * 8, y * 8 + 8)]) for y in range(8)], [\(chunk)])
            """
        let depth = try PNG.decodeGray16(made(script)[0])
        #expect(depth.pixels.map { Int($0) } == values)
    }

    @Test func decodesEveryKindToColour() throws {
        let cases: [(script: String, pixels: [UInt8])] = [
            ("png(2, 1, 8, 2, [bytes([1, 2, 3, 4, 5, 6])])", [1, 2, 3, 4, 5, 6]),
            ("png(2, 1, 8, 6, [bytes([1, 2, 3, 0, 4, 5, 6, 9])])", [1, 2, 3, 4, 5, 6]),
            ("png(2, 1, 8, 0, [bytes([7, 9])])", [7, 7, 7, 9, 9, 9]),
            ("png(2, 1, 8, 4, [bytes([7, 0, 9, 128])])", [7, 7, 7, 9, 9, 9]),
            ("png(2, 1, 8, 3, [bytes([1, 0])], [(b'PLTE', bytes([1, 2, 3, 4, 5, 6]))])", [4, 5, 6, 1, 2, 3]),
            (
                "png(2, 1, 8, 3, [bytes([1, 0])], [(b'PLTE', bytes([1, 2, 3, 4, 5, 6])), (b'tRNS', bytes([0, 9]))])",
                [4, 5, 6, 1, 2, 3]
            ),
            ("png(2, 1, 4, 3, [bytes([0x10])], [(b'PLTE', bytes([1, 2, 3, 4, 5, 6]))])", [4, 5, 6, 1, 2, 3]),
            ("png(4, 1, 2, 0, [bytes([0x1b])])", [0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255]),
            // round(v · 255 / 65535): 128 becomes 0, 129 becomes 1.
            (
                "png(4, 1, 16, 2, [struct.pack('>12H', 0, 65535, 128, 129, 257, 32768, 1, 2, 3, 385, 386, 65407)])",
                [0, 255, 0, 1, 1, 128, 0, 0, 0, 1, 2, 255]
            ),
            (
                "png(2, 1, 8, 2, [bytes([1, 2, 3, 4, 5, 6])], [(b'tRNS', bytes([0, 1, 0, 2, 0, 3]))])",
                [1, 2, 3, 4, 5, 6]
            ),
            (
                "png(2, 1, 8, 0, [bytes([7, 9])], [(b'tRNS', bytes([0, 7])), (b'gAMA', bytes([0, 0, 1, 0]))])",
                [7, 7, 7, 9, 9, 9]
            ),
        ]
        let files = try python(Self.codec + cases.map { "put(\($0.script))\n" }.joined())
        for (file, (script, pixels)) in zip(files, cases) {
            #expect(try PNG.decodeRGB(file).pixels == pixels, "\(script)")
        }
        #expect(files.count == cases.count)
    }

    @Test func decodesEveryKindToGrey() throws {
        let files = try made(
            "png(8, 1, 1, 0, [bytes([0xa5])])", "png(2, 1, 8, 4, [bytes([7, 0, 9, 128])])",
            "png(2, 1, 16, 0, [struct.pack('>2H', 257 * 40, 65535)])", "png(1, 1, 8, 2, [bytes([10, 20, 30])])")
        // The last: (9798 · 10 + 19235 · 20 + 3735 · 30 + 16384) >> 15.
        let expected: [[UInt8]] = [[255, 0, 255, 0, 0, 255, 0, 255], [7, 9], [40, 255], [18]]
        #expect(try files.map { try PNG.decodeGray8($0).pixels } == expected)
    }

    /// Every number but 0 counts, the small ones of 16 bits too; alpha does not.
    @Test func masksOfEveryKind() throws {
        let files = try made(
            "png(4, 1, 1, 0, [bytes([0x50])])", "png(3, 1, 8, 0, [bytes([0, 1, 255])])",
            "png(3, 1, 8, 4, [bytes([0, 255, 1, 0, 255, 9])])", "png(3, 1, 16, 0, [struct.pack('>3H', 0, 1, 256)])",
            "png(3, 1, 16, 4, [struct.pack('>6H', 0, 65535, 1, 0, 256, 9)])",
            "png(3, 1, 8, 2, [bytes([0, 0, 0, 0, 1, 0, 0, 0, 255])])",
            "png(4, 1, 16, 2, [struct.pack('>12H', 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 65535)])",
            "png(2, 1, 16, 6, [struct.pack('>8H', 0, 0, 0, 65535, 0, 0, 1, 0)])",
            "png(2, 1, 8, 3, [bytes([1, 0])], [(b'PLTE', bytes([0, 0, 0, 0, 5, 0]))])")
        let expected: [[UInt8]] = [
            [0, 255, 0, 255], [0, 255, 255], [0, 255, 255], [0, 255, 255], [0, 255, 255], [0, 255, 255],
            [0, 255, 255, 255], [0, 255], [255, 0],
        ]
        #expect(try files.map { try PNG.decodeMask($0).pixels } == expected)
    }

    @Test func decodesInterlacedPictures() throws {
        // 2 × 2 pixels: passes 1, 6 and 7 of Adam7 hold (0,0), (1,0), and the second row.
        let file = try made("png(2, 2, 8, 0, [bytes([10]), bytes([20]), bytes([30, 40])], [], 1)")[0]
        #expect(try PNG.decodeGray8(file).pixels == [10, 20, 30, 40])
    }

    /// NeRFCapture's projects hold such pictures of depth, four channels of 8 bits, whose metres are lost.
    @Test(arguments: [(0, 8, "1 × 8"), (2, 8, "3 × 8"), (6, 8, "4 × 8"), (4, 16, "2 × 16"), (2, 16, "3 × 16")])
    func refusesWhatIsNotDepth(color: Int, bits: Int, kind: String) throws {
        let channels = [0: 1, 2: 3, 4: 2, 6: 4][color] ?? 0
        let file = try made("png(1, 1, \(bits), \(color), [bytes(\(channels * bits / 8))])")[0]
        let problem = problem { () throws(Problem) in _ = try PNG.decodeGray16(file) }
        #expect(problem?.summary == "not a depth picture: it has \(kind) bits a pixel, not 1 × 16")
        #expect(problem?.fault == .input)
    }

    @Test func reportsEveryCutAndEveryFlippedBit() throws {
        let file = try PNG.encodeGray16(depthPicture(9, 7))
        let whole = try PNG.decodeGray16(file)
        for cut in 0..<file.count {
            let problem = problem { () throws(Problem) in _ = try PNG.decodeGray16(Array(file.prefix(cut))) }
            #expect(problem?.summary == (cut == 0 ? "PNG is empty" : "PNG damaged"), "cut at \(cut)")
        }
        let limits = PictureLimits(side: 2048, pixels: 1 << 20)
        for bit in 0..<file.count * 8 {
            var flipped = file
            flipped[bit / 8] ^= 1 << (bit % 8)
            do throws(Problem) {
                // Only where it does not matter: in the end chunk, which holds nothing.
                #expect(try PNG.decodeGray16(flipped, limits: limits) == whole, "bit \(bit)")
                #expect(bit / 8 >= file.count - 12, "bit \(bit)")
            } catch { #expect(error.fault == .input) }
        }
    }

    @Test(arguments: [
        (0, 0), (50_000, 50_000), (0x7fff_ffff, 0x7fff_ffff), (0xffff_ffff, 1), (32_769, 1), (32_768, 8193),
    ])
    func refusesHugeAndEmptyPictures(width: Int, height: Int) throws {
        let file = try made("png(\(width), \(height), 16, 0, [])")[0]
        let problem = problem { () throws(Problem) in _ = try PNG.decodeGray16(file) }
        #expect(problem?.fault == .input)
        if width == 50_000 { #expect(problem?.summary == "a picture of 50000 × 50000 pixels") }
    }

    @Test func looksAtTheFirstAndTheLastBytesOnly() throws {
        let file = try PNG.encodeGray16(depthPicture(40, 30))
        #expect(PNG.isPNG(file))
        #expect(!PNG.isPNG(Array(file.dropFirst())) && !PNG.isPNG([]))
        #expect(PNG.cutDefect(file.suffix(20)) == nil)
        #expect(PNG.cutDefect(file + [0, 0, 0]) == nil)
        #expect(PNG.cutDefect(file + [UInt8](repeating: 0, count: 2000)) == nil && PNG.cutDefect([]) != nil)
        for cut in 1...12 {
            #expect(PNG.cutDefect(Array(file.dropLast(cut))) == "it does not end with its last chunk")
        }
    }

    /// A profile or a text that unpacks to gigabytes is not unpacked.
    @Test func ignoresWhatIsPackedBesideThePixels() throws {
        let file = try made(
            "png(1, 1, 8, 0, [bytes([5])], [(b'iCCP', b'x\\0\\0' + zlib.compress(bytes(1 << 24))), "
                + "(b'zTXt', b'x\\0\\0' + zlib.compress(bytes(1 << 24)))])")[0]
        #expect(try PNG.decodeGray8(file).pixels == [5])
    }

    @Test func refusesWhatItCannotEncode() {
        let color = RGBImage(width: 1, height: 1, pixels: [1, 2, 3])
        for level in [-1, 13] {
            let problem = problem { () throws(Problem) in _ = try PNG.encodeRGB(color, compressionLevel: level) }
            #expect(problem?.fault == .usage)
        }
        let empty = LumaImage(width: 0, height: 0, pixels: [])
        #expect(problem { () throws(Problem) in _ = try PNG.encodeGray8(empty) }?.fault == .input)
    }

    /// Colour types of PNG's third edition, 11.2.1.
    @Test(arguments: [(0, false, false), (2, false, true), (3, false, false), (4, true, false), (6, true, true)])
    func knowsWhatPixelsHold(_ type: Int, hasAlpha: Bool, hasColorChannels: Bool) {
        let head =
            Array("\u{89}PNG\r\n\u{1a}\n".unicodeScalars.map { UInt8($0.value) })
            + [0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 8, 0, 0, 0, 6, 8, UInt8(type), 0, 0, 0, 1, 2, 3, 4]
        #expect(PNG.colorType(head)?.hasAlpha == hasAlpha)
        #expect(PNG.colorType(head)?.hasColorChannels == hasColorChannels)
        #expect(PNG.colorType(Array(head.dropLast())) == nil && PNG.colorType([]) == nil)
    }
}
