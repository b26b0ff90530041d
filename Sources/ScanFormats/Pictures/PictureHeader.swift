internal import CScanMill
import ScanModel

/// What a picture file says about itself before its pixels.
public struct PictureHeader: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// 1 grey, 2 grey and alpha, 3 colour (a palette too), 4 colour and alpha, or CMYK in a JPEG.
    public var channels: Int
    /// Bits of one channel.
    public var bitDepth: Int

    public init(width: Int, height: Int, channels: Int, bitDepth: Int) {
        self.width = width
        self.height = height
        self.channels = channels
        self.bitDepth = bitDepth
    }

    init(_ header: sm_picture_header) {
        self.init(
            width: Int(header.width), height: Int(header.height), channels: Int(header.channels),
            bitDepth: Int(header.bits))
    }
}

/// The largest picture that is decoded. A header of a few bytes can announce gigabytes; it is checked before any memory
/// is allocated.
public struct PictureLimits: Hashable, Sendable {
    public var side: Int
    public var pixels: Int

    /// 32,768 pixels a side, and as many in all as a capture's pictures may have.
    public static let standard = PictureLimits(side: 1 << 15, pixels: Capture.usualMaxPicturePixels)

    /// No phone's picture file is larger; a file that is, is not a picture.
    public static let fileBytes = 256 << 20

    public init(side: Int = standard.side, pixels: Int) {
        self.side = side
        self.pixels = pixels
    }

    func check(_ header: PictureHeader) throws(Problem) {
        let (width, height) = (header.width, header.height)
        // Within the sides' limit the product cannot overflow.
        guard width > 0, height > 0, width <= side, height <= side else {
            throw Problem(
                .input, "a picture of \(width) × \(height) pixels",
                notes: ["the limits are \(side) pixels a side and \(pixels) pixels in all"])
        }
        guard width <= pixels / height else {
            // A frame that is dropped for this keeps only the summary.
            throw Problem(
                .input, "a picture of \(width) × \(height) pixels, where `max-picture-pixels` of read allows \(pixels)",
                fix: ReadRules.wayToAllowPicture(of: header.size))
        }
    }
}

extension RGBImage {
    /// Decodes a JPEG or a PNG, whichever the bytes are.
    public static func decode(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(Problem) -> RGBImage {
        if PNG.isPNG(bytes) { return try PNG.decodeRGB(bytes, limits: limits) }
        return try JPEG.decodeRGB(bytes, limits: limits)
    }

    /// The bytes of a picture file.
    public func encoded(as encoding: PictureEncoding) throws(Problem) -> [UInt8] {
        switch encoding {
        case .jpeg(let quality): try JPEG.encode(self, quality: quality, subsampling: .s444)
        case .png: try PNG.encodeRGB(self)
        }
    }
}
