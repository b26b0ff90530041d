import Glibc

/// How a lens bends what a pinhole would show: where a direction is seen, in the plane at distance 1 before the camera
/// (x right, y down; a pixel is u = fx·x + cx, v = fy·y + cy).
///
/// With r² = x² + y², `perspective` (Brown, Conrady) is
/// - x' = x·q + 2·p1·x·y + p2·(r² + 2·x²),
/// - y' = y·q + p1·(r² + 2·y²) + 2·p2·x·y,
/// - q = (1 + k1·r² + k2·r⁴ + k3·r⁶ + k4·r⁸) / (1 + d1·r² + d2·r⁴ + d3·r⁶),
///
/// and `fisheye` (Kannala, Brandt), with θ = atan r, is (x', y') = (x, y)·θ·(1 + k1·θ² + k2·θ⁴ + k3·θ⁶ + k4·θ⁸) / r.
///
/// Sources: OpenCV, calib3d's and fisheye's reference, whose k4, k5 and k6 are the divisor here; colmap, sensor/models.h;
/// nerfstudio, cameras/camera_utils.py, whose k4 is the fourth of the numerator.
public struct LensDistortion: Hashable, Sendable {
    public enum Projection: String, Hashable, Sendable { case perspective, fisheye }

    public var projection: Projection
    /// k1, k2, k3, k4.
    public var radial: SIMD4<Double>
    /// d1, d2, d3; of `perspective`.
    public var divisor: SIMD3<Double>
    /// p1, p2; of `perspective`, as 0 of `fisheye`.
    public var tangential: SIMD2<Double>

    public init(
        _ projection: Projection = .perspective, radial: SIMD4<Double> = .zero, divisor: SIMD3<Double> = .zero,
        tangential: SIMD2<Double> = .zero
    ) {
        self.projection = projection
        self.radial = radial
        self.divisor = divisor
        self.tangential = tangential
    }

    /// Whether it bends nothing.
    public var isStraight: Bool { self == LensDistortion() }

    /// Where the direction (x, y, 1) is seen.
    public func distorted(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        let r2 = x * x + y * y
        let q = radialFactor(r2)
        let (p1, p2) = (tangential.x, tangential.y)
        let xy = 2 * x * y
        return (x * q + p1 * xy + p2 * (r2 + 2 * x * x), y * q + p1 * (r2 + 2 * y * y) + p2 * xy)
    }

    /// q of a direction at the squared distance `r2` from the axis: how much farther out it is seen than by a pinhole.
    func radialFactor(_ r2: Double) -> Double {
        switch projection {
        case .perspective:
            return (1 + polynomial(r2)) / (1 + r2 * (divisor.x + r2 * (divisor.y + r2 * divisor.z)))
        case .fisheye:
            let r = r2.squareRoot()
            if r < 1e-9 { return 1 }
            let angle = atan(r)
            return angle / r * (1 + polynomial(angle * angle))
        }
    }

    private func polynomial(_ square: Double) -> Double {
        square * (radial.x + square * (radial.y + square * (radial.z + square * radial.w)))
    }

    /// Why it cannot be a lens's, or nil.
    public var defect: String? {
        numbers.allSatisfy(\.value.isFinite) ? nil : "a number of the lens's distortion is not finite"
    }

    private var numbers: [(name: String, value: Double)] {
        [
            ("k1", radial.x), ("k2", radial.y), ("k3", radial.z), ("k4", radial.w), ("d1", divisor.x),
            ("d2", divisor.y), ("d3", divisor.z), ("p1", tangential.x), ("p2", tangential.y),
        ]
    }
}

extension LensDistortion: CustomStringConvertible {
    /// What is not 0: "k1 -0.12, p2 0.003".
    public var description: String {
        let shown = numbers.filter { $0.value != 0 }.map { "\($0.name) \($0.value)" }
        return ((projection == .fisheye ? ["fisheye"] : []) + shown).joined(separator: ", ")
    }
}

/// A pinhole camera, and what its lens bends.
public struct CalibratedCamera: Hashable, Sendable {
    /// Of the pictures as recorded.
    public var intrinsics: CameraIntrinsics
    public var lens: LensDistortion

    public init(_ intrinsics: CameraIntrinsics, _ lens: LensDistortion = LensDistortion()) {
        self.intrinsics = intrinsics
        self.lens = lens
    }
}
