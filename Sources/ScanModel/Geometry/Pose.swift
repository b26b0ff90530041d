/// Where a camera stands and looks: the transform `worldFromCamera`.
///
/// Metres, right-handed. The camera looks down its −Z with +Y up and +X right (ARKit, OpenGL); the world is as recorded.
/// `rotation` is kept as recorded too: it may be off a true rotation by single-precision rounding, and writers that
/// need a true one ask for `rotation.nearestRotation`.
public struct Pose: Hashable, Sendable {
    public var rotation: Matrix3
    /// The camera's centre in the world.
    public var position: Vector3

    public static let identity = Pose(rotation: .identity, position: .zero)

    public init(rotation: Matrix3, position: Vector3) {
        self.rotation = rotation
        self.position = position
    }

    /// Sixteen numbers, column-major (Apple's `simd_float4x4`): the translation is elements 12, 13, 14. Divided by the
    /// last element, which is 0.99999982 in some recordings.
    public init(columnMajor m: [Double]) {
        precondition(m.count == 16)
        let w = m[15]
        rotation = Matrix3(
            columns: Vector3(m[0], m[1], m[2]) / w, Vector3(m[4], m[5], m[6]) / w, Vector3(m[8], m[9], m[10]) / w)
        position = Vector3(m[12], m[13], m[14]) / w
    }

    /// Twelve or sixteen numbers, row-major: the translation is elements 3, 7, 11.
    public init(rowMajor m: [Double]) {
        precondition(m.count == 12 || m.count == 16)
        let w = m.count == 16 ? m[15] : 1
        rotation = Matrix3(
            rows: Vector3(m[0], m[1], m[2]) / w, Vector3(m[4], m[5], m[6]) / w, Vector3(m[8], m[9], m[10]) / w)
        position = Vector3(m[3], m[7], m[11]) / w
    }

    /// Why sixteen numbers cannot be a pose's matrix row by row, or nil: the last row is not 0 0 0 1, most often because
    /// it was written column by column. Twelve numbers have no such row.
    public static func layoutDefect(rowMajor m: [Double]) -> String? {
        if m.count != 16 || isLastRow(m[12], m[13], m[14]) { return nil }
        return "the last row of the matrix is not 0 0 0 1 (it is read row by row)"
    }

    /// The same for sixteen numbers column by column.
    public static func layoutDefect(columnMajor m: [Double]) -> String? {
        precondition(m.count == 16)
        if isLastRow(m[3], m[7], m[11]) { return nil }
        return "the last row of the transform is not 0 0 0 1 (it is read column by column)"
    }

    /// Whether the numbers mean 0 0 0, up to the rounding of single-precision recordings.
    private static func isLastRow(_ numbers: Double...) -> Bool { numbers.allSatisfy { abs($0) <= 1e-3 } }

    /// The four rows of the 4×4 matrix.
    public var rowMajorRows: [[Double]] {
        let r = rotation.rows
        return [
            [r.0.x, r.0.y, r.0.z, position.x], [r.1.x, r.1.y, r.1.z, position.y], [r.2.x, r.2.y, r.2.z, position.z],
            [0, 0, 0, 1],
        ]
    }

    /// Sixteen numbers, column-major.
    public var columnMajor: [Double] {
        let (a, b, c) = rotation.columns
        return [a.x, a.y, a.z, 0, b.x, b.y, b.z, 0, c.x, c.y, c.z, 0, position.x, position.y, position.z, 1]
    }

    /// Where a point in the camera's axes lies in the world.
    public func apply(_ pointInCamera: Vector3) -> Vector3 { rotation * pointInCamera + position }

    /// `a * b` applies b first: aFromC = aFromB * bFromC.
    public static func * (a: Pose, b: Pose) -> Pose {
        Pose(rotation: a.rotation * b.rotation, position: a.apply(b.position))
    }

    /// The inverse transform. For a matrix that is only nearly a rotation, it is the true inverse, not the transpose.
    public var inverse: Pose {
        let back = rotation.inverse
        return Pose(rotation: back, position: -(back * position))
    }

    /// The same camera with OpenCV's axes: x right, y down, z into the scene. The conversion is its own inverse, and
    /// the position does not change.
    public var withCVAxes: Pose {
        Pose(
            rotation: Matrix3(columns: rotation.columns.0, -rotation.columns.1, -rotation.columns.2),
            position: position)
    }

    /// Why this cannot be a camera pose, or nil: not finite, mirrored, or far from a rotation.
    /// A single-precision recording is off by some 1e-6; 1e-2 leaves room for hand-made files.
    public var defect: String? {
        if !rotation.isFinite || !position.isFinite { return "the pose is not finite" }
        if position.length > 1e7 { return "the camera is more than 10,000 km from the origin" }
        let d = rotation.determinant
        if abs(d) < 1e-3 { return "the pose is singular (determinant \(d))" }
        if d < 0 { return "the pose is mirrored: its axes are left-handed" }
        let error = rotation.orthonormalityError
        return error > 1e-2 ? "the pose is not a rotation (|RᵀR − I| = \(error))" : nil
    }
}
