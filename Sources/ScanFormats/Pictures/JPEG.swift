internal import CScanMill
import ScanModel

/// JPEG pictures, decoded to the same pixels as by OpenCV, since both leave libjpeg's defaults as they are. A picture
/// is not turned by its EXIF orientation: intrinsics and poses are for the pixels as stored.
///
/// What cannot be decoded in full is a problem with fault `input`, whose place has no file; callers add it.
public enum JPEG {
    /// How the colour planes are subsampled.
    public enum Subsampling: Hashable, Sendable, CaseIterable {
        /// As large as the picture.
        case s444
        /// Half the width and height.
        case s420
    }

    /// Reads the header, for which the file's beginning up to its first scan is enough.
    /// - Throws: also when the picture is larger than `limits` allow.
    public static func header(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> PictureHeader {
        var found = sm_picture_header()
        if let message = messageOf({ sm_jpeg_header(bytes, bytes.count, &found, $0) }) { throw damaged(bytes, message) }
        let header = PictureHeader(found)
        try limits.check(header)
        return header
    }

    /// Decodes to red, green, blue; grey pictures too. CMYK pictures are refused.
    public static func decodeRGB(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> RGBImage {
        let header = try colorHeader(bytes, limits)
        let pixels = try decode(bytes, header.width * header.height * 3) {
            sm_jpeg_decode(bytes, bytes.count, 3, 8, $0, $1, $2)
        }
        return RGBImage(width: header.width, height: header.height, pixels: pixels)
    }

    /// Decodes at the smallest of libjpeg's sizes (eighths of the picture) that is no smaller than `size` on either side,
    /// or the whole picture where it is smaller itself. For looking at, not for measuring.
    public static func decodeRGB(
        _ bytes: [UInt8], noSmallerThan size: PixelSize, limits: PictureLimits = .standard
    ) throws(Problem) -> RGBImage {
        let header = try colorHeader(bytes, limits)
        func part(_ side: Int, _ eighths: Int) -> Int { (side * eighths + 7) / 8 }
        let eighths = (1...8).first {
            part(header.width, $0) >= size.width && part(header.height, $0) >= size.height
        }
        guard let eighths, eighths < 8 else { return try decodeRGB(bytes, limits: limits) }
        let (width, height) = (part(header.width, eighths), part(header.height, eighths))
        let pixels = try decode(bytes, width * height * 3) {
            sm_jpeg_decode(bytes, bytes.count, 3, Int32(eighths), $0, $1, $2)
        }
        return RGBImage(width: width, height: height, pixels: pixels)
    }

    /// Decodes the brightness plane (Y of YCbCr) as it is stored. It differs a little from the grey that
    /// ``LumaImage/init(grayOf:)`` makes of the colour picture.
    public static func decodeLuma(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> LumaImage {
        let header = try colorHeader(bytes, limits)
        let pixels = try decode(bytes, header.width * header.height) {
            sm_jpeg_decode(bytes, bytes.count, 1, 8, $0, $1, $2)
        }
        return LumaImage(width: header.width, height: header.height, pixels: pixels)
    }

    /// - Parameter quality: libjpeg's, 1 to 100.
    /// - Throws: `usage` for another quality, `input` for a picture without pixels or more than 65,500 a side.
    public static func encode(
        _ image: RGBImage, quality: Int = 95, subsampling: Subsampling = .s420
    ) throws(Problem) -> [UInt8] {
        guard (1...100).contains(quality) else { throw Problem(.usage, "there is no JPEG quality \(quality)") }
        guard image.width > 0, image.height > 0, image.width <= 65500, image.height <= 65500 else {
            throw Problem(.input, "a picture of \(image.width) × \(image.height) pixels cannot be a JPEG")
        }
        precondition(image.pixels.count == image.width * image.height * 3)
        return try encoded("JPEG") { file, size, message in
            sm_jpeg_encode(
                image.pixels, UInt32(image.width), UInt32(image.height), Int32(quality), subsampling == .s420 ? 1 : 0,
                file, size, message)
        }
    }

    /// - Parameter decoder: a function of CScanMill that fills so many bytes, or leaves a message.
    private static func decode(
        _ bytes: [UInt8], _ pixelBytes: Int,
        _ decoder: (UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<CChar>) -> Int32
    ) throws(Problem) -> [UInt8] {
        var message: String?
        let pixels = [UInt8](unsafeUninitializedCapacity: pixelBytes) { buffer, count in
            message = messageOf { decoder(buffer.baseAddress, pixelBytes, $0) }
            count = pixelBytes
        }
        if let message { throw damaged(bytes, message) }
        return pixels
    }

    /// The header of a picture in grey or in colour.
    static func colorHeader(_ bytes: [UInt8], _ limits: PictureLimits) throws(Problem) -> PictureHeader {
        let header = try header(bytes, limits: limits)
        if header.channels == 1 || header.channels == 3 { return header }
        let isCMYK = header.channels == 4
        let kind = isCMYK ? "CMYK picture" : "picture of \(header.channels) components"
        throw Problem(
            .input, "a \(kind), which is not read; convert it to RGB",
            notes: isCMYK ? ["CMYK pictures come from print programs, not from cameras"] : [],
            fix: "convert the pictures to RGB")
    }

    static func damaged(_ bytes: [UInt8], _ message: String) -> Problem {
        if let foreign = ForeignPicture.problem(bytes) ?? unusual(bytes) { return foreign }
        let isTruncated = bytes.starts(with: start) && cutDefect(bytes) != nil
        return Problem(
            .input, bytes.isEmpty ? "JPEG is empty" : isTruncated ? "JPEG truncated" : "JPEG damaged",
            notes: ["libjpeg says: \(message)"], fix: PictureDamage.wayToMend + " from the device")
    }
}

extension JPEG {
    /// What is wrong with a picture of a kind that libjpeg does not decode; nil for any other.
    private static func unusual(_ bytes: [UInt8]) -> Problem? {
        // The frame header's marker (ITU-T T.81, table B.1); the three left out are those of other tables.
        let header = JPEGSegments(bytes).first {
            (0xC0...0xCF).contains($0.marker) && ![0xC4, 0xC8, 0xCC].contains($0.marker)
        }
        guard let header, bytes.starts(with: start), header.start < bytes.count else { return nil }
        let isLossless = header.marker == 0xC3
        let bits = bytes[header.start]
        guard isLossless || bits == 12 else { return nil }
        return Problem(
            .input, "a \(isLossless ? "lossless" : "12-bit") JPEG, which is not read; convert it to an ordinary one",
            fix: "convert the pictures to JPEGs of 8 bits, or to PNGs")
    }

    /// How much of a file's end ``cutDefect(_:_:at:)`` wants to see.
    public static let tailBytes = 64 << 10

    static let start: [UInt8] = [0xff, 0xd8, 0xff]

    /// Says from a file's first bytes and its last ones why it cannot be a whole JPEG, or nil if it may be one. Meant
    /// for checking many files fast; only decoding can tell for certain.
    ///
    /// A good file may go on after its end marker: zeros, a phone's notes, a second picture, a whole video. So a
    /// missing end marker only counts when nothing can follow it, that is when
    /// - `tail` is shorter than ``tailBytes``, and therefore holds every place where an end marker can be, or
    /// - `tail` looks like a scan that was cut off: coded data alone, in which every FF is followed by 00 or a restart
    ///   marker, or nothing but zeros, as an unfinished download has.
    ///
    /// What comes before the picture's own data does not count: a thumbnail there has an end marker of its own.
    ///
    /// - Parameters:
    ///   - head: the file's first three bytes or more.
    ///   - tail: the file's last ``tailBytes`` bytes, or the whole of a shorter file.
    ///   - offset: where in the file `tail` begins.
    public static func cutDefect(_ head: [UInt8], _ tail: [UInt8], at offset: Int) -> String? {
        guard head.starts(with: start) else {
            return head.isEmpty ? "it is empty" : "it does not start as a JPEG"
        }
        let tail = tail.dropFirst(max(0, endOfNotes(in: head) - offset))
        var marked = 0
        var isForeign = false
        for (first, second) in zip(tail, tail.dropFirst()) where first == 0xff {
            switch second {
            case 0xd9: return nil
            case 0x00, 0xd0...0xd7: marked += 1
            case 0xff: break
            default: isForeign = true
            }
        }
        if tail.count < tailBytes { return "it has no end marker" }
        if tail.allSatisfy({ $0 == 0 }) { return "it ends in \(tail.count) zeros" }
        return marked > 0 && !isForeign ? "it has no end marker in its last \(tail.count) bytes" : nil
    }

    /// The same for a file that is in memory as a whole.
    public static func cutDefect(_ file: [UInt8]) -> String? {
        let start = max(0, file.count - tailBytes)
        // `suffix` as an array would go over every byte of the file.
        return cutDefect(file, Array(file[start...]), at: start)
    }

    /// The byte before which there are only tables and notes: that of the marker SOS, with which the picture's own data
    /// begins (ITU-T T.81, B.1), or as far as `head` tells; it may be beyond the end of a file that was cut off.
    private static func endOfNotes(in head: [UInt8]) -> Int {
        var segments = JPEGSegments(head)
        while segments.next() != nil {}
        return segments.place
    }
}
