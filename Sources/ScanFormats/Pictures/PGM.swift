import ScanModel

/// Binary PGM pictures of 16-bit numbers (`P5`), the most significant byte first.
public enum PGM {
    /// The longest header, including comments.
    private static let headerLimit = 4096

    /// Whether a file begins as a PGM does, whatever it is called.
    static func isPGM(_ bytes: [UInt8]) -> Bool {
        bytes.count > 2 && bytes[0] == UInt8(ascii: "P") && bytes[1] == UInt8(ascii: "5") && bytes[2].isASCIISpace
    }

    /// Decodes depth: numbers of more than 8 bits, and nothing else.
    public static func decodeGray16(
        _ bytes: [UInt8], limits: PictureLimits = .standard
    ) throws(Problem) -> Gray16Image {
        let (header, start) = try readDepth(bytes, limits)
        let count = header.width * header.height
        guard bytes.count - start >= 2 * count else {
            throw Problem(
                .input, "PGM truncated",
                notes: [max(0, bytes.count - start).counted(of: 2 * count, "byte", "is", "are") + " there"],
                fix: PictureDamage.wayToMend)
        }
        let pixels = [UInt16](unsafeUninitializedCapacity: count) { pixels, initialized in
            bytes.withUnsafeBytes { bytes in
                for i in 0..<count {
                    pixels[i] = UInt16(
                        bigEndian: bytes.loadUnaligned(fromByteOffset: start + 2 * i, as: UInt16.self))
                }
            }
            initialized = count
        }
        return Gray16Image(width: header.width, height: header.height, pixels: pixels)
    }

    /// The header of a picture that can be depth, as ``decodeGray16(_:limits:)`` takes it.
    static func depthHeader(_ bytes: [UInt8], limits: PictureLimits) throws(Problem) -> PictureHeader {
        try readDepth(bytes, limits).header
    }

    private static func readDepth(
        _ bytes: [UInt8], _ limits: PictureLimits
    ) throws(Problem) -> (header: PictureHeader, start: Int) {
        guard isPGM(bytes) else { throw Problem(.input, "not a binary PGM") }
        var position = 2
        var numbers: [Int] = []
        for _ in 0..<3 {
            guard let number = number(bytes, &position) else {
                throw Problem(.input, "PGM damaged", notes: ["its header has no size"], fix: PictureDamage.wayToMend)
            }
            numbers.append(number)
        }
        // A single white-space character ends the header: the next byte is a pixel's.
        guard position < bytes.count, bytes[position].isASCIISpace, (1...65535).contains(numbers[2]) else {
            throw Problem(.input, "PGM damaged", notes: ["its header does not end"], fix: PictureDamage.wayToMend)
        }
        let header = PictureHeader(
            width: numbers[0], height: numbers[1], channels: 1, bitDepth: numbers[2] > 255 ? 16 : 8)
        try limits.check(header)
        guard header.bitDepth == 16 else {
            throw Problem(
                .input, "not a depth picture: it has 8 bits a pixel, not 16",
                notes: ["a depth picture saved for viewing has lost its metric values"],
                fix: "export the depth with 16 bits, or leave it out")
        }
        return (header, position + 1)
    }

    /// The next number of the header, past white space and comments.
    private static func number(_ bytes: [UInt8], _ position: inout Int) -> Int? {
        let end = min(bytes.count, headerLimit)
        while position < end {
            if bytes[position] == UInt8(ascii: "#") {
                while position < end, bytes[position] != UInt8(ascii: "\n") { position += 1 }
            } else if !bytes[position].isASCIISpace {
                break
            } else {
                position += 1
            }
        }
        let digits = bytes[min(position, end)..<end].prefix(while: \.isASCIIDigit)
        position += digits.count
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
