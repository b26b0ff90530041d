/// Width and height of a picture or a map, pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int
    public var description: String { "\(width)×\(height)" }

    public init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    /// Whether one size can be the other one resized: their aspect ratios differ by less than 1 %.
    public func hasShape(of other: PixelSize) -> Bool {
        let shapes = (Double(width) / Double(height), Double(other.width) / Double(other.height))
        return abs(shapes.0 / shapes.1 - 1) < 0.01
    }
}

/// What is laid out in rows of pixels.
public protocol PixelSized {
    var width: Int { get }
    var height: Int { get }
}

extension PixelSized {
    public var size: PixelSize { PixelSize(width, height) }
}
