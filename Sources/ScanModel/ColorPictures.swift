/// How depth becomes colours that a person can read: the same distance has the same colour in every picture.
///
/// `near` and what is nearer is dark red; then yellow, green and blue; `far` and what is farther is dark blue (Turbo the
/// other way round, so that near things are warm, and without its darkest twentieth). 0, "no value", is black, which no
/// distance looks like.
public struct DepthColors: Hashable, Sendable {
    /// Metres.
    public var near: Double
    public var far: Double

    /// - Parameter far: greater than `near`.
    public init(near: Double, far: Double) {
        precondition(far > near)
        self.near = near
        self.far = far
    }

    public func color(of metres: Double) -> RGBColor {
        guard metres > 0 else { return .black }
        let share = min(max((metres - near) / (far - near), 0), 1)
        return ColorMap.turbo.color(at: 1 - 0.95 * share)
    }

    /// The colours with their metres, for the foot of a ``ContactSheet``.
    public func legend(width: Int, isMetric: Bool) -> RGBImage {
        ContactSheet.legend(
            width: width, from: RGBImage.number(near), to: RGBImage.number(far) + (isMetric ? " m" : "")
        ) { color(of: max(near + $0 * (far - near), 1e-9)) }
    }

    /// A picture of the map's size.
    public func picture(of map: DepthMap) -> RGBImage {
        .filled(width: map.width, height: map.height) { color(of: Double(map.metres[$0])) }
    }
}

extension ConfidenceMap {
    /// Lowest confidence dark violet, highest yellow (Viridis over the recorder's range): on iOS low is dark violet,
    /// medium teal, high yellow.
    public var coloredPicture: RGBImage {
        let span = Double(max(1, range.upperBound - range.lowerBound))
        let colors = (0...255).map { ColorMap.viridis.color(at: Double($0 - range.lowerBound) / span) }
        return .filled(width: width, height: height) { colors[Int(values[$0])] }
    }

    /// The colours, for the foot of a ``ContactSheet``.
    public static func legend(width: Int) -> RGBImage {
        ContactSheet.legend(width: width, from: "low confidence", to: "high") { ColorMap.viridis.color(at: $0) }
    }

    /// The nearest pixels: levels must not be mixed.
    public func nearest(width newWidth: Int, height newHeight: Int) -> ConfidenceMap {
        let picture = LumaImage(width: width, height: height, pixels: values)
        return ConfidenceMap(
            width: newWidth, height: newHeight,
            values: picture.nearest(width: newWidth, height: newHeight).pixels, range: range)
    }
}

extension RGBImage {
    /// One colour everywhere.
    public init(width: Int, height: Int, color: RGBColor) {
        self = .filled(width: width, height: height) { _ in color }
    }

    /// - Parameter color: of each pixel by its number, row-major from the top-left.
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

    /// This picture with another one below it, at the left; black beside that.
    public func stacked(on other: RGBImage) -> RGBImage {
        var both = RGBImage(width: width, height: height + other.height, color: .black)
        both.paste(self, atX: 0, y: 0)
        both.paste(other, atX: 0, y: height)
        return both
    }

    /// Puts another picture over this one, its top-left pixel at (x, y); what does not fit is cut off.
    public mutating func paste(_ other: RGBImage, atX x: Int, y: Int) {
        let columns = max(0, -x)..<max(max(0, -x), min(other.width, width - x))
        for row in max(0, -y)..<max(max(0, -y), min(other.height, height - y)) {
            let from = 3 * (row * other.width + columns.lowerBound)
            let to = 3 * ((y + row) * width + x + columns.lowerBound)
            for i in 0..<(3 * columns.count) { pixels[to + i] = other.pixels[from + i] }
        }
    }

    /// Fills a rectangle; what lies outside of the picture is left out.
    public mutating func fill(x: Int, y: Int, width: Int, height: Int, _ color: RGBColor) {
        for row in max(0, y)..<max(max(0, y), min(self.height, y + height)) {
            for column in max(0, x)..<max(max(0, x), min(self.width, x + width)) { self[column, row] = color }
        }
    }
}
