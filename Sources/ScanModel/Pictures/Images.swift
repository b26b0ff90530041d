/// A colour picture: 8-bit red, green, blue, interleaved, row-major, top-left pixel first.
public struct RGBImage: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// `width * height * 3` bytes.
    public var pixels: [UInt8]

    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 3)
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// The picture times a mask of its size: 255 leaves a pixel as it is, 0 makes it black.
    public func masked(by mask: LumaImage) -> RGBImage {
        precondition(mask.size == size)
        var masked = self
        for (place, value) in mask.pixels.enumerated() where value < 255 {
            for sample in 3 * place..<3 * place + 3 {
                masked.pixels[sample] = UInt8((Int(pixels[sample]) * Int(value) + 127) / 255)
            }
        }
        return masked
    }
}

/// A colour picture as most videos record it: luma for every pixel, and chroma for every block of 2 × 2 pixels.
/// Converts to 8-bit red, green and blue of the same size.
public struct YUVImage: PixelSized, Hashable, Sendable {
    /// Both are even.
    public var width: Int
    public var height: Int
    /// The luma plane, row-major, top-left pixel first, then the planes of U and V, each of half the width and height:
    /// `width * height * 3 / 2` bytes.
    public var planes: [UInt8]
    public var encoding: YUVEncoding

    public init(width: Int, height: Int, planes: [UInt8], encoding: YUVEncoding) {
        precondition(width.isMultiple(of: 2) && height.isMultiple(of: 2) && planes.count == width * height * 3 / 2)
        self.width = width
        self.height = height
        self.planes = planes
        self.encoding = encoding
    }
}

/// Which colours the numbers of a ``YUVImage`` stand for.
public struct YUVEncoding: Hashable, Sendable {
    /// How much of red, green and blue is in luma, named by the standard that says so.
    public enum Matrix: CaseIterable, Sendable { case bt601, bt709, bt2020, fcc, smpte240m }

    public var matrix: Matrix
    /// Whether luma runs from 0 to 255 and not from 16 to 235.
    public var isFullRange: Bool

    public init(matrix: Matrix, isFullRange: Bool) {
        self.matrix = matrix
        self.isFullRange = isFullRange
    }
}

/// A grey picture or a mask: 8 bits per pixel, row-major, top-left pixel first.
public struct LumaImage: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// `width * height` bytes.
    public var pixels: [UInt8]

    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height)
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// 255 where there was 0, and the other way round.
    public var inverted: LumaImage { LumaImage(width: width, height: height, pixels: pixels.map { 255 - $0 }) }
}
