import ScanModel

/// A turn of the world that a writer makes, as nerfstudio's `applied_transform` says it.
package struct WorldTurn: Hashable, Sendable {
    package let rotation: Matrix3

    package static let none = WorldTurn(rotation: .identity)
    /// (x, y, z) → (x, −z, y): a quarter turn about x, right-handed. ARKit's y-up worlds become z-up.
    package static let yUpToZUp = WorldTurn(
        rotation: Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0)))

    /// (x, y, z) → (x, z, −y), the way back.
    package static let zUpToYUp = WorldTurn(rotation: yUpToZUp.rotation.transposed)

    /// For formats whose worlds have y up: turns a world with z up, and leaves one alone of which up is not known.
    static func yUp(_ capture: Capture) -> WorldTurn { capture.worldUp == Vector3(0, 0, 1) ? .zUpToYUp : .none }

    /// Three rows of four.
    package var rows: [[Double]] {
        let r = rotation.rows
        return [r.0, r.1, r.2].map { $0.components + [0] }
    }

    package func apply(_ pose: Pose) -> Pose {
        Pose(rotation: rotation * pose.rotation, position: rotation * pose.position)
    }

    /// A floor is a height along y, and only worlds that are not turned have one: elsewhere the box ends on it. That of a
    /// tilted box is lost.
    package func apply(_ box: OrientedBox) -> OrientedBox {
        if self == .none { return box }
        let box = box.endingOnItsFloor ?? box
        return OrientedBox(
            center: rotation * box.center, worldFromBox: rotation * box.worldFromBox, halfSize: box.halfSize)
    }

    /// Exact for quarter turns: coordinates only change places and signs.
    package func apply(_ cloud: PointCloud) -> PointCloud {
        if self == .none { return cloud }
        let (a, b, c) = rotation.rows
        let rows = [a, b, c].map { (Float($0.x), Float($0.y), Float($0.z)) }
        var turned = cloud
        turned.positions.withUnsafeMutableBufferPointer { p in
            for i in stride(from: 0, to: p.count, by: 3) {
                let (x, y, z) = (p[i], p[i + 1], p[i + 2])
                p[i] = rows[0].0 * x + rows[0].1 * y + rows[0].2 * z
                p[i + 1] = rows[1].0 * x + rows[1].1 * y + rows[1].2 * z
                p[i + 2] = rows[2].0 * x + rows[2].1 * y + rows[2].2 * z
            }
        }
        return turned
    }
}
