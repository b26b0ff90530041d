/// One colour: 8-bit red, green, blue.
public struct RGBColor: Hashable, Sendable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8

    public static let black = RGBColor(0, 0, 0)
    public static let white = RGBColor(255, 255, 255)

    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }
}

extension RGBImage {
    /// One colour everywhere.
    public init(width: Int, height: Int, color: RGBColor) {
        self = .filled(width: width, height: height) { _ in color }
    }

    /// - Parameter color: the colour of each pixel by its index, row-major from the top-left.
    static func filled(width: Int, height: Int, _ color: (Int) -> RGBColor) -> RGBImage {
        let pixels = [UInt8](unsafeUninitializedCapacity: width * height * 3) { buffer, count in
            for i in 0..<(width * height) {
                let color = color(i)
                (buffer[3 * i], buffer[3 * i + 1], buffer[3 * i + 2]) = (color.red, color.green, color.blue)
            }
            count = width * height * 3
        }
        return RGBImage(width: width, height: height, pixels: pixels)
    }

    public subscript(x: Int, y: Int) -> RGBColor {
        get {
            let i = 3 * (y * width + x)
            return RGBColor(pixels[i], pixels[i + 1], pixels[i + 2])
        }
        set {
            let i = 3 * (y * width + x)
            (pixels[i], pixels[i + 1], pixels[i + 2]) = (newValue.red, newValue.green, newValue.blue)
        }
    }

    /// This picture with another one below it, aligned left; black beside that one.
    public func stacked(on other: RGBImage) -> RGBImage {
        var both = RGBImage(width: width, height: height + other.height, color: .black)
        both.paste(self, atX: 0, y: 0)
        both.paste(other, atX: 0, y: height)
        return both
    }

    /// Puts another picture over this one, its top-left pixel at (x, y); what does not fit is cut off.
    public mutating func paste(_ other: RGBImage, atX x: Int, y: Int) {
        let columns = (0..<other.width).clamped(to: -x..<width - x)
        for row in (0..<other.height).clamped(to: -y..<height - y) {
            let from = 3 * (row * other.width + columns.lowerBound)
            let to = 3 * ((y + row) * width + x + columns.lowerBound)
            for i in 0..<(3 * columns.count) { pixels[to + i] = other.pixels[from + i] }
        }
    }

    /// Fills a rectangle, clipped to the picture.
    public mutating func fill(x: Int, y: Int, width: Int, height: Int, _ color: RGBColor) {
        for row in (y..<y + height).clamped(to: 0..<self.height) {
            for column in (x..<x + width).clamped(to: 0..<self.width) { self[column, row] = color }
        }
    }
}
