/// A picture of 16-bit numbers, such as depth in millimetres; row-major, top-left pixel first.
public struct Gray16Image: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// `width * height` values.
    public var pixels: [UInt16]

    public init(width: Int, height: Int, pixels: [UInt16]) {
        precondition(pixels.count == width * height)
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}
