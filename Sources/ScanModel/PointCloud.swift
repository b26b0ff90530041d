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

    /// Takes every point to where `targetFromSource` has it.
    public mutating func transform(by targetFromSource: Pose) {
        for i in stride(from: 0, to: positions.count, by: 3) {
            let p = targetFromSource.apply(
                Vector3(Double(positions[i]), Double(positions[i + 1]), Double(positions[i + 2])))
            positions[i] = Float(p.x)
            positions[i + 1] = Float(p.y)
            positions[i + 2] = Float(p.z)
        }
    }

    /// Leaves out the points that `isKept` says no to; the others stay in their order.
    public mutating func keep(_ isKept: (Vector3) -> Bool) {
        var count = 0
        for i in stride(from: 0, to: positions.count, by: 3) {
            let point = Vector3(Double(positions[i]), Double(positions[i + 1]), Double(positions[i + 2]))
            guard isKept(point) else { continue }
            for axis in 0..<3 {
                positions[count + axis] = positions[i + axis]
                if let color = colors?[i + axis] { colors?[count + axis] = color }
            }
            count += 3
        }
        positions.removeSubrange(count...)
        colors?.removeSubrange(count...)
    }
}
