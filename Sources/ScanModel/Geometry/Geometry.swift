import Glibc

/// Three numbers along x, y and z of right-handed axes. Unit and axes are up to the user: metres of a position, radians
/// per second, microtesla.
public struct Vector3: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var z: Double

    public static let zero = Vector3(0, 0, 0)

    public init(_ x: Double, _ y: Double, _ z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    public static func + (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x + b.x, a.y + b.y, a.z + b.z) }
    public static func - (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x - b.x, a.y - b.y, a.z - b.z) }
    public static prefix func - (a: Vector3) -> Vector3 { Vector3(-a.x, -a.y, -a.z) }
    public static func * (a: Vector3, s: Double) -> Vector3 { Vector3(a.x * s, a.y * s, a.z * s) }
    public static func / (a: Vector3, s: Double) -> Vector3 { Vector3(a.x / s, a.y / s, a.z / s) }

    public func dot(_ b: Vector3) -> Double { x * b.x + y * b.y + z * b.z }
    public func cross(_ b: Vector3) -> Vector3 {
        Vector3(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x)
    }
    public var length: Double { dot(self).squareRoot() }
    /// Radians, 0 to π. From the tangent, which unlike the cosine tells small angles apart.
    public func angle(to b: Vector3) -> Double { atan2(cross(b).length, dot(b)) }
    /// Of length 1; not finite for a vector of length 0.
    public var normalized: Vector3 { self / length }
    public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
    public var components: [Double] { [x, y, z] }

    /// A direction this close to an axis counts as that axis. Files hold rounded rotations, and what is computed from
    /// them is off by as much as their last digits; nothing that is scanned is upright to a micrometre in a metre.
    public static let axisTolerance = 1e-6

    /// The axis of the world, either way, from which this direction of length 1 differs by rounding alone; otherwise the
    /// direction.
    public var snappedToAxis: Vector3 {
        let axes = [1.0, -1].flatMap { [Vector3($0, 0, 0), Vector3(0, $0, 0), Vector3(0, 0, $0)] }
        return axes.first { (self - $0).length < Self.axisTolerance } ?? self
    }
}

/// A 3×3 matrix, kept as its columns. `m * v` is the usual product with a column vector.
public struct Matrix3: Hashable, Sendable {
    public var columns: (Vector3, Vector3, Vector3)

    public static let identity = Matrix3(columns: Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1))
    /// (x, y, z) → (x, −z, y): a quarter turn about x, right-handed.
    public static let yUpToZUp = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))

    public init(columns a: Vector3, _ b: Vector3, _ c: Vector3) { columns = (a, b, c) }

    public init(rows a: Vector3, _ b: Vector3, _ c: Vector3) {
        columns = (Vector3(a.x, b.x, c.x), Vector3(a.y, b.y, c.y), Vector3(a.z, b.z, c.z))
    }

    /// Right-handed rotation about +y: `[[cos, 0, sin], [0, 1, 0], [−sin, 0, cos]]`. Radians.
    public static func rotation(aboutY angle: Double) -> Matrix3 {
        let c = cos(angle)
        let s = sin(angle)
        return Matrix3(rows: Vector3(c, 0, s), Vector3(0, 1, 0), Vector3(-s, 0, c))
    }

    public var rows: (Vector3, Vector3, Vector3) { transposed.columns }

    public var transposed: Matrix3 { Matrix3(rows: columns.0, columns.1, columns.2) }
    public var determinant: Double { columns.0.dot(columns.1.cross(columns.2)) }
    public var isFinite: Bool { columns.0.isFinite && columns.1.isFinite && columns.2.isFinite }
    /// By cofactors; not finite for a singular matrix.
    public var inverse: Matrix3 {
        let (a, b, c) = columns
        let d = determinant
        return Matrix3(rows: b.cross(c) / d, c.cross(a) / d, a.cross(b) / d)
    }

    public static func * (m: Matrix3, v: Vector3) -> Vector3 {
        m.columns.0 * v.x + m.columns.1 * v.y + m.columns.2 * v.z
    }

    public static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
        Matrix3(columns: a * b.columns.0, a * b.columns.1, a * b.columns.2)
    }

    public static func == (a: Matrix3, b: Matrix3) -> Bool { a.columns == b.columns }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(columns.0)
        hasher.combine(columns.1)
        hasher.combine(columns.2)
    }

    /// The largest entry of |RᵀR − I|: 0 for a rotation or a mirror.
    public var orthonormalityError: Double {
        let (a, b, c) = columns
        return [abs(a.dot(a) - 1), abs(b.dot(b) - 1), abs(c.dot(c) - 1), abs(a.dot(b)), abs(a.dot(c)), abs(b.dot(c))]
            .max() ?? 0
    }

    /// The rotation nearest in the Frobenius norm to this matrix, whose determinant is positive, by Newton's iteration
    /// for the polar decomposition (R ← (R + R⁻ᵀ) / 2; N. J. Higham, "Computing the Polar Decomposition", 1986).
    public var nearestRotation: Matrix3 {
        var r = self
        for _ in 0..<20 {
            let (a, b, c) = r.columns
            let d = r.determinant
            // The columns of the inverse transpose are the cross products of the columns, over the determinant.
            let next = Matrix3(
                columns: (a + b.cross(c) / d) / 2, (b + c.cross(a) / d) / 2, (c + a.cross(b) / d) / 2)
            let change = (next.columns.0 - a).length + (next.columns.1 - b).length + (next.columns.2 - c).length
            r = next
            if !(change > 1e-15) { break }
        }
        return r
    }
}

/// A rotation as w + xi + yj + zk, of unit length.
public struct Quaternion: Hashable, Sendable {
    public var w: Double
    public var x: Double
    public var y: Double
    public var z: Double

    public init(w: Double, x: Double, y: Double, z: Double) {
        self.w = w
        self.x = x
        self.y = y
        self.z = z
    }

    /// The quaternion of the rotation `r`, with w ≥ 0 (Shepperd's method: the largest of the four is found first, to
    /// avoid dividing by a small number).
    public init(_ r: Matrix3) {
        let (a, b, c) = r.columns
        let trace = a.x + b.y + c.z
        var q: Quaternion
        if trace > 0 {
            let s = (trace + 1).squareRoot() * 2
            q = Quaternion(w: s / 4, x: (b.z - c.y) / s, y: (c.x - a.z) / s, z: (a.y - b.x) / s)
        } else if a.x > b.y && a.x > c.z {
            let s = (1 + a.x - b.y - c.z).squareRoot() * 2
            q = Quaternion(w: (b.z - c.y) / s, x: s / 4, y: (b.x + a.y) / s, z: (c.x + a.z) / s)
        } else if b.y > c.z {
            let s = (1 + b.y - a.x - c.z).squareRoot() * 2
            q = Quaternion(w: (c.x - a.z) / s, x: (b.x + a.y) / s, y: s / 4, z: (c.y + b.z) / s)
        } else {
            let s = (1 + c.z - a.x - b.y).squareRoot() * 2
            q = Quaternion(w: (a.y - b.x) / s, x: (c.x + a.z) / s, y: (c.y + b.z) / s, z: s / 4)
        }
        if q.w < 0 { q = Quaternion(w: -q.w, x: -q.x, y: -q.y, z: -q.z) }
        self = q
    }

    /// The rotation matrix; the quaternion is normalised first. Not finite for a quaternion of length 0.
    public var matrix: Matrix3 {
        let n = (w * w + x * x + y * y + z * z).squareRoot()
        let (w, x, y, z) = (w / n, x / n, y / n, z / n)
        return Matrix3(
            rows: Vector3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            Vector3(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            Vector3(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
    }
}
