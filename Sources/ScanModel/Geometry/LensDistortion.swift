import Glibc

/// How a lens bends what a pinhole would show: where a direction is seen, in the plane at distance 1 in front of the
/// camera (x right, y down; a pixel is u = fx·x + cx, v = fy·y + cy).
///
/// The ``projection`` first puts the direction (x, y, 1) at (a, b) = (x, y)·g. With ρ² = a² + b², (c, d) = (a, b), or
/// (a, b)·q where the lens `isRadialFirst`, and τ² = c² + d², it is seen at
/// - x' = a·q + 2·p1·c·d + p2·(τ² + 2·c²) + s1·τ² + s2·τ⁴,
/// - y' = b·q + p1·(τ² + 2·d²) + 2·p2·c·d + s3·τ² + s4·τ⁴,
/// - q = (1 + k1·ρ² + k2·ρ⁴ + k3·ρ⁶ + k4·ρ⁸ + k5·ρ¹⁰ + k6·ρ¹²) / (1 + d1·ρ² + d2·ρ⁴ + d3·ρ⁶).
///
/// With a perspective projection this is the Brown–Conrady model, with a fisheye the Kannala–Brandt model.
///
/// Sources: OpenCV, reference of calib3d and fisheye, whose perspective k4, k5 and k6 are the divisor here; colmap,
/// sensor/models.h; nerfstudio, cameras/camera_utils.py, whose perspective k4 is the fourth of the numerator.
public struct LensDistortion: Hashable, Sendable {
    /// Where a direction at r = √(x² + y²) from the axis is put, as the factor g.
    public enum Projection: Hashable, Sendable {
        /// g = 1.
        case perspective
        /// g = θ / r, with θ = atan r.
        case fisheye
        /// g = atan(2·r·tan(ω/2)) / (r·ω), of Devernay and Faugeras; ω in radians.
        case fieldOfView(Double)
        /// r = ρ / (1 + k·ρ²), of Fitzgibbon, so that g = 2 / (1 + √(1 − 4·k·r²)).
        case division(Double)
        /// g = 1 / (α·√(β·r² + 1) + 1 − α), of Khomutenko.
        case unified(alpha: Double, beta: Double)
    }

    public var projection: Projection
    /// k1, k2, k3, k4.
    public var radial: SIMD4<Double>
    /// k5, k6.
    public var higherRadial: SIMD2<Double>
    /// d1, d2, d3.
    public var divisor: SIMD3<Double>
    /// p1, p2.
    public var tangential: SIMD2<Double>
    /// s1, s2, s3, s4: a thin prism's.
    public var prism: SIMD4<Double>
    /// Whether the tangential and prism terms are computed from the result of the radial part.
    public var isRadialFirst: Bool

    public init(
        _ projection: Projection = .perspective, radial: SIMD4<Double> = .zero, higherRadial: SIMD2<Double> = .zero,
        divisor: SIMD3<Double> = .zero, tangential: SIMD2<Double> = .zero, prism: SIMD4<Double> = .zero,
        isRadialFirst: Bool = false
    ) {
        self.projection = projection
        self.radial = radial
        self.higherRadial = higherRadial
        self.divisor = divisor
        self.tangential = tangential
        self.prism = prism
        self.isRadialFirst = isRadialFirst
    }

    /// Whether it bends nothing.
    public var isStraight: Bool { projection.isStraight && terms.allSatisfy { $0.value == 0 } }

    /// Where the direction (x, y, 1) is seen.
    public func distorted(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        let r2 = x * x + y * y
        let (q, h) = factors(r2)
        let (c, d) = (x * h, y * h)
        let t2 = c * c + d * d
        let (p1, p2) = (tangential.x, tangential.y)
        let cd = 2 * c * d
        return (
            x * q + p1 * cd + p2 * (t2 + 2 * c * c) + t2 * (prism.x + t2 * prism.y),
            y * q + p1 * (t2 + 2 * d * d) + p2 * cd + t2 * (prism.z + t2 * prism.w)
        )
    }

    /// The factors for a direction at the squared distance `r2` from the axis: `outward`, g·q, is how much farther out
    /// it is seen than by a pinhole; `sideways` turns (x, y) into (c, d).
    func factors(_ r2: Double) -> (outward: Double, sideways: Double) {
        let g = projection.factor(r2)
        let rho2 = g * g * r2
        let above = rho2 * (radial.x + rho2 * (radial.y + rho2 * (radial.z + rho2 * (radial.w + rho2 * higher(rho2)))))
        let below = rho2 * (divisor.x + rho2 * (divisor.y + rho2 * divisor.z))
        let outward = g * (1 + above) / (1 + below)
        return (outward, isRadialFirst ? outward : g)
    }

    private func higher(_ rho2: Double) -> Double { higherRadial.x + rho2 * higherRadial.y }

    /// Whether the factor for a direction depends on more than its distance from the axis.
    var bendsSideways: Bool { tangential != .zero || prism != .zero }

    /// Why this cannot be a lens's distortion, or nil.
    public var defect: String? {
        numbers.allSatisfy(\.value.isFinite) ? nil : "a number of the lens's distortion is not finite"
    }

    private var numbers: [(name: String, value: Double)] { projection.numbers + terms }

    private var terms: [(name: String, value: Double)] {
        [
            ("k1", radial.x), ("k2", radial.y), ("k3", radial.z), ("k4", radial.w), ("k5", higherRadial.x),
            ("k6", higherRadial.y), ("d1", divisor.x), ("d2", divisor.y), ("d3", divisor.z), ("p1", tangential.x),
            ("p2", tangential.y), ("s1", prism.x), ("s2", prism.y), ("s3", prism.z), ("s4", prism.w),
        ]
    }
}

extension LensDistortion.Projection {
    /// g for a direction at the squared distance `r2` from the axis; NaN where the lens sees no such direction.
    func factor(_ r2: Double) -> Double {
        switch self {
        case .perspective: 1
        case .fisheye: Self.arcTangent(r2)
        case .fieldOfView(let angle):
            // In the limit, an angle of view of 0 is a pinhole's.
            angle == 0 ? 1 : 2 * tan(angle / 2) / angle * Self.arcTangent(4 * tan(angle / 2) * tan(angle / 2) * r2)
        case .division(let k): 2 / (1 + (1 - 4 * k * r2).squareRoot())
        case .unified(let alpha, let beta): 1 / (alpha * (beta * r2 + 1).squareRoot() + 1 - alpha)
        }
    }

    /// Whether it puts every direction where a pinhole does.
    fileprivate var isStraight: Bool {
        switch self {
        case .perspective: true
        case .fisheye: false
        case .fieldOfView(let angle): angle == 0
        case .division(let k): k == 0
        case .unified(let alpha, _): alpha == 0
        }
    }

    /// (atan r) / r, from r².
    private static func arcTangent(_ r2: Double) -> Double {
        let r = r2.squareRoot()
        return r < 1e-9 ? 1 : atan(r) / r
    }

    fileprivate var numbers: [(name: String, value: Double)] {
        switch self {
        case .perspective, .fisheye: []
        case .fieldOfView(let angle): [("ω", angle)]
        case .division(let k): [("k", k)]
        case .unified(let alpha, let beta): [("α", alpha), ("β", beta)]
        }
    }

    fileprivate var name: String? {
        switch self {
        case .perspective: nil
        case .fisheye: "fisheye"
        case .fieldOfView: "field of view"
        case .division: "division"
        case .unified: "unified"
        }
    }
}

extension LensDistortion: CustomStringConvertible {
    /// The projection, unless it is a perspective, and every number that is not 0: "fisheye, k1 -0.12, p2 0.003".
    public var description: String {
        let shown = numbers.filter { $0.value != 0 }.map { "\($0.name) \($0.value)" }
        return ([projection.name].compactMap(\.self) + shown).joined(separator: ", ")
    }
}

/// A pinhole camera, and how its lens distorts.
public struct CalibratedCamera: Hashable, Sendable {
    /// Of the pictures as recorded.
    public var intrinsics: CameraIntrinsics
    public var lens: LensDistortion

    public init(_ intrinsics: CameraIntrinsics, _ lens: LensDistortion = LensDistortion()) {
        self.intrinsics = intrinsics
        self.lens = lens
    }
}
