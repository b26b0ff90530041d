import ScanFormats
import ScanModel

extension FuzzTarget {
    /// A PNG of few pixels, as colour, as grey and as depth: as it is, and with correct checksums, which no fuzzer
    /// guesses.
    static let png = FuzzTarget("png") { bytes in
        let limits = PictureLimits(side: 256, pixels: 1 << 12)
        _ = PNG.cutDefect(bytes)
        for bytes in [bytes, withRightChecksums(bytes)] {
            check { () throws(Problem) in
                let image = try PNG.decodeRGB(bytes, limits: limits)
                expect(image.pixels.count == 3 * image.width * image.height, "a picture has all its pixels")
            }
            check { () throws(Problem) in
                let image = try PNG.decodeGray8(bytes, limits: limits)
                expect(image.pixels.count == image.width * image.height, "a picture has all its pixels")
            }
            check { () throws(Problem) in
                let image = try PNG.decodeGray16(bytes, limits: limits)
                expect(image.pixels.count == image.width * image.height, "a picture has all its pixels")
            }
        }
    }

    private static func check(_ decode: () throws(Problem) -> Void) {
        do throws(Problem) {
            try decode()
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
    }

    private static func withRightChecksums(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var start = 8
        while start + 12 <= bytes.count {
            let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = start + 8 + length
            guard end + 4 <= bytes.count else { break }
            var sum = UInt32.max
            for byte in bytes[start + 4..<end] {
                sum ^= UInt32(byte)
                for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
            }
            for i in 0..<4 { bytes[end + i] = UInt8(truncatingIfNeeded: ~sum >> (24 - 8 * UInt32(i))) }
            start = end + 4
        }
        return bytes
    }
}
