import ScanModel

/// The scene that `synthesize` renders: a closed room, a table in its middle, and a box on the table, turned about y.
///
/// Metres, y up. All surfaces are faces of boxes: the room's seen from inside, the others' from outside. They are
/// numbered 6 · box + face, where a box's faces are −x, +x, −y, +y, −z, +z in its own axes and box 0 is the room.
package struct SyntheticRoom: Sendable {
    /// 4 × 2.5 × 3 m; its −y face is the floor.
    package let walls = OrientedBox(
        center: Vector3(-0.1, -0.15, 0.1), worldFromBox: .identity, halfSize: Vector3(2, 1.25, 1.5))
    /// The top of the table, then its four legs.
    package let table: [OrientedBox]
    /// The object on the table: 32 × 24 × 22 cm, turned by the angle of the 3-4-5 triangle (36.87°), whose sine and
    /// cosine are short numbers.
    package let object: OrientedBox

    package static let floorHeight = -1.4
    package static let tableHeight = -0.68

    package init() {
        let top = OrientedBox(
            center: Vector3(0, Self.tableHeight - 0.02, 0), worldFromBox: .identity, halfSize: Vector3(0.5, 0.02, 0.35))
        let legs = [(-0.45, -0.3), (0.45, -0.3), (-0.45, 0.3), (0.45, 0.3)].map { x, z in
            OrientedBox(
                center: Vector3(x, Self.floorHeight + 0.34, z), worldFromBox: .identity,
                halfSize: Vector3(0.03, 0.34, 0.03))
        }
        table = [top] + legs
        let turned = Matrix3(rows: Vector3(0.8, 0, 0.6), Vector3(0, 1, 0), Vector3(-0.6, 0, 0.8))
        object = OrientedBox(
            center: Vector3(0.05, Self.tableHeight + 0.12, -0.03), worldFromBox: turned,
            halfSize: Vector3(0.16, 0.12, 0.11))
    }

    /// All boxes by their numbers: the room, the table's top and legs, the object.
    package var boxes: [OrientedBox] { [walls] + table + [object] }

    /// The bounding box that a person would have drawn around the object: 2 cm wider on all sides and at the top. It
    /// ends 1 cm above the table, so that it holds points of the object alone.
    /// - Parameter isClamped: the box reaches down through the table, and a floor cuts it off at the same height.
    package func boundingBox(isClamped: Bool) -> OrientedBox {
        let floor = Self.tableHeight + 0.01
        let top = object.center.y + object.halfSize.y + 0.02
        let bottom = isClamped ? floor - 0.1 : floor
        return OrientedBox(
            center: Vector3(object.center.x, (top + bottom) / 2, object.center.z), worldFromBox: object.worldFromBox,
            halfSize: Vector3(object.halfSize.x + 0.02, (top - bottom) / 2, object.halfSize.z + 0.02),
            floor: isClamped ? floor : nil)
    }

    /// The inverse distances from a point inside a box about the origin to its faces: for each axis the upper and the
    /// lower, the lower ones negative.
    package struct Nearness {
        let upper: Vector3
        let lower: Vector3

        package init(_ o: Vector3, in h: Vector3) {
            upper = Vector3(1 / (h.x - o.x), 1 / (h.y - o.y), 1 / (h.z - o.z))
            lower = Vector3(1 / (-h.x - o.x), 1 / (-h.y - o.y), 1 / (-h.z - o.z))
        }
    }

    /// Where a ray from inside a box leaves it, and through which face.
    @inline(__always)
    package static func leave(
        _ near: Nearness, _ dx: Double, _ dy: Double, _ dz: Double
    ) -> (depth: Double, face: Int) {
        // The first plane hit is the one with the largest 1 / depth = d / (±h − o): of the two of an axis, the one
        // behind is negative. So one division is enough.
        let x = max(dx * near.lower.x, dx * near.upper.x)
        let y = max(dy * near.lower.y, dy * near.upper.y)
        let z = max(dz * near.lower.z, dz * near.upper.z)
        let nearest = max(x, y, z)
        let face = x == nearest ? (dx < 0 ? 0 : 1) : y == nearest ? (dy < 0 ? 2 : 3) : (dz < 0 ? 4 : 5)
        return (1 / nearest, face)
    }

    /// Where a ray from outside enters a box about the origin, and through which face; infinity if it misses.
    @inline(__always)
    package static func enter(
        _ ox: Double, _ oy: Double, _ oz: Double, _ dx: Double, _ dy: Double, _ dz: Double,
        _ hx: Double, _ hy: Double, _ hz: Double
    ) -> (depth: Double, face: Int) {
        // By the sign bit: for a component of −0, 1 / d is −∞.
        let (nx, ny, nz) = (dx.sign == .minus, dy.sign == .minus, dz.sign == .minus)
        let (ix, iy, iz) = (1 / dx, 1 / dy, 1 / dz)
        let (sx, sy, sz) = (nx ? -hx : hx, ny ? -hy : hy, nz ? -hz : hz)
        // Between the two planes of each axis the ray is from (−s − o) / d to (s − o) / d; in the box where all overlap.
        let (x, y, z) = ((-sx - ox) * ix, (-sy - oy) * iy, (-sz - oz) * iz)
        let near = max(x, y, z)
        let far = min((sx - ox) * ix, (sy - oy) * iy, (sz - oz) * iz)
        guard near > 0, near <= far else { return (.infinity, 0) }
        if near == x { return (near, nx ? 1 : 0) }
        if near == y { return (near, ny ? 3 : 2) }
        return (near, nz ? 5 : 4)
    }
}
