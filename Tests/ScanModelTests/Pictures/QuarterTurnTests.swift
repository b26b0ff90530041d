import ScanModel
import Testing

@Suite struct QuarterTurnTests {
    /// What stands at (u, v) of the turned picture: u' = H − 1 − v, v' = u, applied once for each quarter.
    private func turned(_ pixels: [[UInt8]], _ width: Int, _ quarters: Int) -> (pixels: [[UInt8]], width: Int) {
        var (pixels, width) = (pixels, width)
        for _ in 0..<quarters {
            let height = pixels.count / width
            var new = pixels
            for v in 0..<height {
                for u in 0..<width { new[u * height + height - 1 - v] = pixels[v * width + u] }
            }
            (pixels, width) = (new, height)
        }
        return (pixels, width)
    }

    /// Pixels that all differ, as far as their bytes allow.
    private func pixels(_ count: Int, bytes: Int) -> [[UInt8]] {
        (0..<count).map { pixel in (0..<bytes).map { UInt8(truncatingIfNeeded: (pixel * 7) >> (8 * $0)) ^ UInt8($0) } }
    }

    /// Numbers that were replaced when the file was read are reported from the turned depth too.
    @Test func countsOfReplacedNumbersStay() {
        var depth = RecordedDepth(
            width: 2, height: 1, encoding: .uint16(unitsPerMetre: 1000), bytes: [1, 0, 0, 0])
        depth.replaced = RecordedDepth.Replaced(missing: 3, beyond: 2)
        #expect(depth.turned(quarterTurns: 1).replaced == RecordedDepth.Replaced(missing: 3, beyond: 2))
    }

    @Test(arguments: [(1, 1), (1, 70), (70, 1), (64, 64), (33, 65), (129, 31), (100, 70)], [0, 1, 2, 3, -1, 6])
    func turnsPixelsOfEveryWidth(size: (width: Int, height: Int), quarters: Int) {
        let (width, height) = size
        func check(_ bytes: Int, _ turn: ([UInt8]) -> (Int, Int, [UInt8])) {
            let pixels = pixels(width * height, bytes: bytes)
            let (expected, newWidth) = turned(pixels, width, QuarterTurn.normalized(quarters))
            let (foundWidth, foundHeight, found) = turn(Array(pixels.joined()))
            #expect(found == Array(expected.joined()), "\(bytes) bytes")
            #expect(foundWidth == newWidth)
            #expect(foundHeight == width * height / newWidth)
        }
        check(1) {
            let turned = LumaImage(width: width, height: height, pixels: $0).turned(quarterTurns: quarters)
            return (turned.width, turned.height, turned.pixels)
        }
        check(3) {
            let turned = RGBImage(width: width, height: height, pixels: $0).turned(quarterTurns: quarters)
            return (turned.width, turned.height, turned.pixels)
        }
        for encoding in [DepthEncoding.float16Metres, .float32Metres] {
            check(encoding.bytesPerPixel) {
                let turned = RecordedDepth(width: width, height: height, encoding: encoding, bytes: $0)
                    .turned(quarterTurns: quarters)
                return (turned.width, turned.height, turned.bytes)
            }
        }
    }
}
