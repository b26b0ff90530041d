/// Depth along the optical axis (z-depth, not ray length), in metres; 0 means "no value". Row-major, top-left first.
/// Values are finite and never negative: whoever makes a map sees to that.
public struct DepthMap: PixelSized, Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// `width * height` values.
    public var metres: [Float]

    public init(width: Int, height: Int, metres: [Float]) {
        precondition(metres.count == width * height)
        self.width = width
        self.height = height
        self.metres = metres
    }
}
