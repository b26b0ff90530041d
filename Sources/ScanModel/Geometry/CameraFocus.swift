import Glibc

/// The point that cameras look at: the one nearest to their optical axes.
public enum CameraFocus: Hashable, Sendable {
    case point(Vector3)
    /// There are fewer than two cameras, or all axes have nearly the same direction: the distance of the point is then
    /// anybody's guess.
    case parallel
    /// Most cameras have the point behind them: they look outwards.
    case outward

    /// Axes count as parallel when their root mean square angle to their common direction is smaller; degrees.
    private static let leastSpread = 5.0

    /// As a share of the cameras' mean distance: axes that pass the point within it are as good as through it.
    private static let tremor = 0.01

    private typealias Axis = (origin: Vector3, direction: Vector3)
    private typealias WeightedAxis = (axis: Axis, weight: Double)

    /// Finds the point. A point p is rᵢ = |(I − dᵢdᵢᵀ)(p − cᵢ)| away from the axis of a camera at cᵢ that looks along
    /// dᵢ. The weighted sum of squares is least where Σwᵢ(I − dᵢdᵢᵀ) p = Σwᵢ(I − dᵢdᵢᵀ) cᵢ (J. Traa, "Least-Squares
    /// Intersection of Lines", 2013; multinerf and nerfstudio's `focus` centre their poses this way, without weights).
    /// A few frames that look elsewhere would pull that point with them, so it is only where the search begins: the
    /// axes are weighted by 1/√(rᵢ² + ε²) until the point settles, which minimizes Σ√(rᵢ² + ε²), nearly the sum of the
    /// distances themselves (iteratively reweighted least squares, after E. Weiszfeld, "Sur le point pour lequel la
    /// somme des distances de n points donnés est minimum", 1937). ε is a hundredth of the cameras' mean distance from
    /// the point. Cameras that have the point behind them do not count.
    /// - Parameter poses: without defects; the cameras look down their −Z.
    public init(of poses: [Pose]) {
        let axes: [Axis] = poses.map { ($0.position, -$0.rotation.columns.2.normalized) }
        guard axes.count > 1, !Self.areParallel(axes) else {
            self = .parallel
            return
        }
        var point = Self.nearest(to: axes.map { ($0, 1) })
        var ahead: [Axis] = []
        for _ in 0..<200 {
            let reach = axes.reduce(0) { $0 + (point - $1.origin).length } / Double(axes.count)
            ahead = axes.filter { $0.direction.dot(point - $0.origin) > 0 }
            guard 2 * ahead.count > axes.count else { break }
            guard !Self.areParallel(ahead) else {
                self = .parallel
                return
            }
            let next = Self.nearest(
                to: ahead.map { axis in
                    let across = axis.direction.cross(point - axis.origin).length
                    let least = Self.tremor * reach
                    return (axis, 1 / (across * across + least * least).squareRoot())
                })
            let step = (next - point).length
            point = next
            if step <= 1e-9 * reach { break }
        }
        self = 2 * ahead.count > axes.count && point.isFinite ? .point(point) : .outward
    }

    /// I − ddᵀ, which takes a vector to its part across the direction d.
    private static func across(_ d: Vector3) -> Matrix3 {
        Matrix3(columns: Vector3(1, 0, 0) - d * d.x, Vector3(0, 1, 0) - d * d.y, Vector3(0, 0, 1) - d * d.z)
    }

    /// Σwᵢ(I − dᵢdᵢᵀ).
    private static func sum(_ terms: [WeightedAxis]) -> Matrix3 {
        terms.reduce(into: Matrix3(columns: .zero, .zero, .zero)) { sum, term in
            let (a, b, c) = across(term.axis.direction).columns
            sum.columns.0 = sum.columns.0 + a * term.weight
            sum.columns.1 = sum.columns.1 + b * term.weight
            sum.columns.2 = sum.columns.2 + c * term.weight
        }
    }

    /// Whether all axes run along one direction, either way. The smallest eigenvalue of Σ(I − dᵢdᵢᵀ)/n is the mean
    /// squared sine of the angle to it; where that is small, the trace of the inverse is its reciprocal.
    private static func areParallel(_ axes: [Axis]) -> Bool {
        let inverse = sum(axes.map { ($0, 1 / Double(axes.count)) }).inverse
        let trace = inverse.columns.0.x + inverse.columns.1.y + inverse.columns.2.z
        let least = sin(leastSpread * .pi / 180)
        return !(inverse.isFinite && trace > 0 && 1 / trace >= least * least)
    }

    /// Where the weighted sum of the squared distances is least. The axes are not parallel.
    private static func nearest(to terms: [WeightedAxis]) -> Vector3 {
        // Relative to the first origin: far from the world's origin, digits would be lost.
        let start = terms.first?.axis.origin ?? .zero
        let side = terms.reduce(Vector3.zero) { side, term in
            side + across(term.axis.direction) * (term.axis.origin - start) * term.weight
        }
        return start + sum(terms).inverse * side
    }
}
