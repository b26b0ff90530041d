internal import CScanMill
import ScanModel

/// PNG pictures. Numbers are taken as they are stored: gamma and colour profiles are ignored, alpha is dropped.
///
/// What cannot be decoded in full is a problem with fault `input`, whose place has no file; callers add it.
public enum PNG {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The last chunk of every PNG, with its length and checksum.
    private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

    /// Whether a file begins as a PNG does, whatever it is called.
    public static func isPNG(_ bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }

    /// Says from a file's last bytes why it cannot be a whole PNG, or nil if it may be one. Bytes after the last chunk
    /// are harmless, as many as `tail` has room for.
    public static func cutDefect(_ tail: [UInt8]) -> String? {
        // One byte first: it tells nearly always, and `tail` may be a whole file.
        let found = tail.indices.dropLast(end.count - 1).reversed().contains {
            tail[$0 + 4] == end[4] && tail[$0...].starts(with: end)
        }
        return found ? nil : "it does not end with its last chunk"
    }

    /// How many bytes a file's signature and its header, the chunk `IHDR`, take.
    package static let headByteCount = 33

    /// What a pixel holds (PNG, third edition, 11.2.1).
    package enum ColorType: UInt8, Sendable {
        case gray = 0, rgb = 2, palette = 3, grayAlpha = 4, rgba = 6

        package var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
        /// Whether red, green and blue have a channel each.
        package var hasColorChannels: Bool { self == .rgb || self == .rgba }
    }

    /// What the pixels of a file hold, from its first ``headByteCount`` bytes; nil if it is not a PNG.
    package static func colorType(_ head: [UInt8]) -> ColorType? {
        isPNG(head) && head.count >= headByteCount ? ColorType(rawValue: head[25]) : nil
    }

    /// Reads the header, for which the file's beginning up to its first pixels is enough.
    /// - Throws: also when the picture is larger than `limits` allow.
    public static func header(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> PictureHeader {
        var found = sm_picture_header()
        if let message = messageOf({ sm_png_header(bytes, bytes.count, &found, $0) }) { throw damaged(bytes, message) }
        let header = PictureHeader(found)
        try limits.check(header)
        return header
    }

    /// Decodes any PNG to 8-bit red, green, blue. 16 bits become 8 by exact scaling: round(v · 255 / 65535).
    public static func decodeRGB(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> RGBImage {
        let header = try self.header(bytes, limits: limits)
        let pixels: [UInt8] = try decode(bytes, header, channels: 3)
        return RGBImage(width: header.width, height: header.height, pixels: pixels)
    }

    /// Decodes any PNG to 8-bit grey, for masks and confidence. Grey of 1, 2 or 4 bits is spread over 0...255; colour
    /// becomes grey as ``LumaImage/init(grayOf:)`` makes it.
    public static func decodeGray8(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> LumaImage {
        let header = try self.header(bytes, limits: limits)
        if header.channels > 2 { return LumaImage(grayOf: try decodeRGB(bytes, limits: limits)) }
        let pixels: [UInt8] = try decode(bytes, header, channels: 1)
        return LumaImage(width: header.width, height: header.height, pixels: pixels)
    }

    /// Decodes a mask from any PNG: 255 for every number but 0; for colours, if any of the three is not 0.
    package static func decodeMask(
        _ bytes: [UInt8], limits: PictureLimits = .standard
    ) throws(Problem) -> LumaImage {
        let header = try self.header(bytes, limits: limits)
        let channels = header.channels > 2 ? 3 : 1
        func marks(_ samples: [some FixedWidthInteger]) -> LumaImage {
            var mask = LumaImage(
                width: header.width, height: header.height,
                pixels: [UInt8](repeating: 0, count: header.width * header.height))
            for pixel in mask.pixels.indices {
                let isMarked = (0..<channels).contains { samples[channels * pixel + $0] != 0 }
                if isMarked { mask.pixels[pixel] = 255 }
            }
            return mask
        }
        // Small numbers of 16 bits would become 0 with 8.
        if header.bitDepth == 16 { return marks(try decode(bytes, header, channels: channels) as [UInt16]) }
        return marks(try decode(bytes, header, channels: channels) as [UInt8])
    }

    /// Decodes depth: one channel of 16 bits, and nothing else. Depth that was saved as a picture to look at, with 8
    /// bits or colours, has lost its metres and is refused.
    public static func decodeGray16(
        _ bytes: [UInt8], limits: PictureLimits = .standard
    ) throws(Problem) -> Gray16Image {
        let header = try depthHeader(bytes, limits: limits)
        let pixels: [UInt16] = try decode(bytes, header, channels: 1)
        return Gray16Image(width: header.width, height: header.height, pixels: pixels)
    }

    /// The header of a picture that can be depth, as ``decodeGray16(_:limits:)`` takes it.
    static func depthHeader(_ bytes: [UInt8], limits: PictureLimits) throws(Problem) -> PictureHeader {
        let readable = "PNG of 16 bits, for most formats in millimetres"
        if let foreign = ForeignPicture.problem(bytes, readable: readable) { throw foreign }
        if bytes.starts(with: JPEG.start) {
            throw Problem(.input, "a JPEG, which cannot hold depth", fix: "export the depth as \(readable)")
        }
        let header = try self.header(bytes, limits: limits)
        guard header.channels == 1, header.bitDepth == 16 else {
            throw Problem(
                .input, "not a depth picture: it has \(header.channels) × \(header.bitDepth) bits a pixel, not 1 × 16",
                notes: ["a depth picture saved for viewing has lost its metric values"],
                fix: "export the depth with 16 bits, or leave it out")
        }
        return header
    }

    private static func decode<Sample: FixedWidthInteger>(
        _ bytes: [UInt8], _ header: PictureHeader, channels: Int
    ) throws(Problem) -> [Sample] {
        let count = header.width * header.height * channels
        var message: String?
        let pixels = [Sample](unsafeUninitializedCapacity: count) { buffer, initialized in
            message = messageOf { message in
                sm_png_decode(
                    bytes, bytes.count, Int32(channels), Int32(Sample.bitWidth), buffer.baseAddress,
                    count * MemoryLayout<Sample>.size, message)
            }
            initialized = message == nil ? count : 0
        }
        if let message { throw damaged(bytes, message) }
        return pixels
    }

    private static func damaged(_ bytes: [UInt8], _ message: String) -> Problem {
        if let foreign = ForeignPicture.problem(bytes, readable: "PNG") { return foreign }
        return Problem(
            .input, bytes.isEmpty ? "PNG is empty" : "PNG damaged", notes: ["libpng says: \(message)"],
            fix: PictureDamage.wayToMend + " from the device")
    }
}

extension PNG {
    // The levels were measured on the office capture's depth and confidence and on photographs: higher ones make a file
    // a tenth smaller, in three times the time.

    /// - Parameter compressionLevel: libdeflate's, 0 to 12.
    /// - Throws: `usage` for another level, `input` for a picture without pixels.
    public static func encodeRGB(_ image: RGBImage, compressionLevel: Int = 1) throws(Problem) -> [UInt8] {
        try encode(image.pixels, image.width, image.height, channels: 3, compressionLevel, SM_PNG_UP)
    }

    /// A picture whose alpha channel is a mask of its size, 255 = opaque. What is wholly transparent becomes black: some
    /// readers multiply by alpha, some leave it out, and both then see the same.
    public static func encodeRGBA(_ image: RGBImage, alpha mask: LumaImage) throws(Problem) -> [UInt8] {
        precondition(mask.size == image.size)
        var pixels = [UInt8](repeating: 0, count: 4 * mask.pixels.count)
        for (place, alpha) in mask.pixels.enumerated() where alpha > 0 {
            for channel in 0..<3 { pixels[4 * place + channel] = image.pixels[3 * place + channel] }
            pixels[4 * place + 3] = alpha
        }
        return try encode(pixels, image.width, image.height, channels: 4, 1, SM_PNG_UP)
    }

    /// For masks and confidence, whose few values no filter makes simpler.
    public static func encodeGray8(_ image: LumaImage) throws(Problem) -> [UInt8] {
        try encode(image.pixels, image.width, image.height, channels: 1, 3, SM_PNG_NONE)
    }

    /// For depth, whose values come in the steps of its recorded form and repeat; filters hide that.
    public static func encodeGray16(_ image: Gray16Image) throws(Problem) -> [UInt8] {
        try encode(image.pixels, image.width, image.height, channels: 1, 1, SM_PNG_NONE)
    }

    private static func encode<Sample: FixedWidthInteger>(
        _ pixels: [Sample], _ width: Int, _ height: Int, channels: Int, _ level: Int, _ filter: sm_png_filter
    ) throws(Problem) -> [UInt8] {
        guard (0...12).contains(level) else { throw Problem(.usage, "there is no compression level \(level)") }
        guard let width = UInt32(exactly: width), let height = UInt32(exactly: height), width > 0, height > 0 else {
            throw Problem(.input, "a picture of \(width) × \(height) pixels cannot be a PNG")
        }
        precondition(pixels.count == Int(width) * Int(height) * channels)
        return try encoded("PNG") { file, size, message in
            pixels.withUnsafeBytes { pixels in
                sm_png_encode(
                    pixels.baseAddress, width, height, Int32(channels), Int32(Sample.bitWidth), Int32(level),
                    filter, file, size, message)
            }
        }
    }
}
