import ScanModel
import ScanPipeline

/// A turn of the world that a writer makes, as nerfstudio's `applied_transform` says it.
package struct WorldTurn: Hashable, Sendable {
    package let rotation: Matrix3

    /// Which way is up in a file.
    public enum Up: String, CaseIterable, Sendable {
        case recorded, y, z

        /// - Throws: where the capture does not say which way is up, and the file is to have another than recorded.
        func turn(of capture: Capture, _ label: String) throws(Problem) -> WorldTurn {
            if self == .recorded { return .none }
            _ = try capture.requiredUp(fix: "write it as recorded with  " + ShellWord.setting(label, "up=recorded"))
            return self == .y ? .yUp(capture) : .zUp(capture)
        }
    }

    package static let none = WorldTurn(rotation: .identity)
    /// (x, y, z) → (x, −z, y): a quarter turn about x, right-handed. ARKit's y-up worlds become z-up.
    package static let yUpToZUp = WorldTurn(rotation: .yUpToZUp)

    /// (x, y, z) → (x, z, −y), the way back.
    package static let zUpToYUp = WorldTurn(rotation: yUpToZUp.rotation.transposed)

    /// For formats whose worlds have y up. A world whose up is unknown is not turned.
    static func yUp(_ capture: Capture) -> WorldTurn { turn(of: capture, to: Vector3(0, 1, 0)) }

    /// For formats whose worlds have z up. A world whose up is unknown is not turned.
    static func zUp(_ capture: Capture) -> WorldTurn { turn(of: capture, to: Vector3(0, 0, 1)) }

    private static func turn(of capture: Capture, to axis: Vector3) -> WorldTurn {
        guard let up = capture.worldUp?.normalized else { return .none }
        return bringing(up, to: axis)
    }

    /// The smallest turn that brings one direction to another: R = cos α · I + [v]ₓ + v vᵀ / (1 + cos α) with
    /// v = from × to (O. Rodrigues, 1840). Between axes it is exact; directions that differ from an axis by rounding alone
    /// count as that axis.
    /// - Parameters:
    ///   - from: of length 1.
    ///   - to: of length 1.
    package static func bringing(_ from: Vector3, to: Vector3) -> WorldTurn {
        let (from, to) = (from.snappedToAxis, to.snappedToAxis)
        if from == to { return .none }
        let cosine = from.dot(to)
        guard cosine > -1 + 1e-9 else {
            // Any perpendicular axis will do for half a turn; x is perpendicular to y and z.
            return WorldTurn(rotation: Matrix3(rows: Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, -1)))
        }
        let v = from.cross(to)
        let k = v / (1 + cosine)
        return WorldTurn(
            rotation: Matrix3(
                rows: Vector3(cosine + k.x * v.x, -v.z + k.x * v.y, v.y + k.x * v.z),
                Vector3(v.z + k.y * v.x, cosine + k.y * v.y, -v.x + k.y * v.z),
                Vector3(-v.y + k.z * v.x, v.x + k.z * v.y, cosine + k.z * v.z)))
    }

    /// Three rows of four.
    package var rows: [[Double]] {
        let r = rotation.rows
        return [r.0, r.1, r.2].map { $0.components + [0] }
    }

    package func apply(_ pose: Pose) -> Pose {
        Pose(rotation: rotation * pose.rotation, position: rotation * pose.position)
    }

    /// A floor is a height along y, which only worlds that are not turned have: in others the box is made to end on it, and
    /// its bottom face stays where it is when the box grows. The floor of a tilted box is lost.
    package func apply(_ box: OrientedBox) -> OrientedBox {
        if self == .none { return box }
        var turned = box.cutByItsFloor
        turned.floor = nil
        turned.center = rotation * turned.center
        turned.worldFromBox = rotation * turned.worldFromBox
        return turned
    }

    /// Exact for quarter turns: coordinates only change places and signs.
    package func apply(_ cloud: PointCloud) -> PointCloud {
        if self == .none { return cloud }
        let (a, b, c) = rotation.rows
        let rows = [a, b, c].map { (Float($0.x), Float($0.y), Float($0.z)) }
        func turn(_ vectors: inout [Float]) {
            vectors.withUnsafeMutableBufferPointer { p in
                for i in stride(from: 0, to: p.count, by: 3) {
                    let (x, y, z) = (p[i], p[i + 1], p[i + 2])
                    p[i] = rows[0].0 * x + rows[0].1 * y + rows[0].2 * z
                    p[i + 1] = rows[1].0 * x + rows[1].1 * y + rows[1].2 * z
                    p[i + 2] = rows[2].0 * x + rows[2].1 * y + rows[2].2 * z
                }
            }
        }
        var turned = cloud
        turn(&turned.positions)
        if var normals = cloud.normals {
            turn(&normals)
            turned.normals = normals
        }
        return turned
    }
}

extension StageContext {
    /// Puts a turn of the world into the receipt, where there is one.
    func record(_ turn: WorldTurn) {
        if turn != .none { record("applied-transform", .array(turn.rows.map { .of($0) })) }
    }
}
