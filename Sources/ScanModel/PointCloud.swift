/// Points in the world, metres, with a colour each or with none at all.
public struct PointCloud: Hashable, Sendable {
    /// x, y, z of each point in turn: `count * 3` values.
    public var positions: [Float]
    /// red, green, blue of each point in turn: `count * 3` bytes; nil where the source has no pictures.
    public var colors: [UInt8]?

    public var count: Int { positions.count / 3 }

    public init(positions: [Float] = [], colors: [UInt8]? = nil) {
        precondition(positions.count % 3 == 0)
        precondition(colors == nil || colors?.count == positions.count)
        self.positions = positions
        self.colors = colors
    }
}
