/// Poses, ties between pairs of them that were measured, and the changes of the poses with which they fit these best.
///
/// The least-squares problem of F. Lu and E. Milios, "Globally consistent range scan alignment for environment mapping"
/// (1997), with the distances between surfaces as the measure of how far a tie is off, as S. Choi, Q.-Y. Zhou and
/// V. Koltun, "Robust reconstruction of indoor scenes" (2015) have it.
struct PoseGraph {
    /// What was measured between two cameras.
    struct Tie {
        /// Numbers of the two poses.
        var source: Int
        var target: Int
        /// Takes points from the one camera to the other.
        var targetFromSource: Pose
        /// Where in the target camera it was measured.
        var centre: Vector3
        /// By how much a turn counts against a shift, metres.
        var radius: Double
        /// How sure it is: that it is off by (ρω, t), for a rotation vector ω about the centre, a shift t and the radius ρ,
        /// costs (ρω, t)ᵀ · `information` · (ρω, t).
        var information: SymmetricMatrix
    }

    /// `worldFromCamera`, each. The first one stays.
    private(set) var poses: [Pose]
    let ties: [Tie]
    /// Rotations are about this point, so that numbers stay small far from the world's origin.
    private let origin: Vector3

    private static let iterations = 20
    /// All ties count in full at first, since what they tell of is large until it is mended.
    private static let trustingIterations = 3
    /// How far a tie is off, in standard deviations, where it counts for half: what fits with none of the others, as where
    /// tracking jumped or something was moved, should not bend the whole path.
    private static let doubt = 5.0
    /// Smaller steps, radians and metres, end the search.
    private static let tolerance = 1e-6

    init(poses: [Pose], ties: [Tie]) {
        (self.poses, self.ties) = (poses, ties)
        origin = poses.reduce(Vector3.zero) { $0 + $1.position } / Double(max(1, poses.count))
    }

    /// What it costs how far the poses are from a tie.
    func cost(of tie: Tie) -> Double {
        let misfit = misfit(of: tie)
        return SymmetricMatrix.dot(misfit, tie.information * misfit)
    }

    /// How far the poses are from a tie: (ρω, t).
    private func misfit(of tie: Tie) -> [Double] {
        let motion = tie.targetFromSource * poses[tie.source].inverse * poses[tie.target]
        let turn = motion.rotation.rotationVector * tie.radius
        return turn.components + (motion.apply(tie.centre) - tie.centre).components
    }

    /// Moves the poses, all but the first, to where they fit the ties best.
    /// - Returns: whether that could be told.
    mutating func relax() -> Bool {
        for iteration in 0..<Self.iterations {
            guard let steps = steps(isTrusting: iteration < Self.trustingIterations) else { return false }
            var largest = 0.0
            for (number, pose) in poses.enumerated().dropFirst() {
                let step = steps[(6 * (number - 1))..<(6 * number)].map(\.self)
                let rotation = Quaternion(rotationVector: Vector3(step[0], step[1], step[2])).matrix
                let shift = origin + Vector3(step[3], step[4], step[5]) - rotation * origin
                poses[number] = Pose(rotation: rotation, position: shift) * pose
                largest = step.reduce(largest) { max($0, abs($1)) }
            }
            if !largest.isFinite { return false }
            if largest < Self.tolerance, iteration >= Self.trustingIterations { break }
        }
        return true
    }

    /// Rotation vectors about the origin, and shifts, of all poses but the first: six numbers each.
    private func steps(isTrusting: Bool) -> [Double]? {
        let size = 6 * (poses.count - 1)
        var (matrix, right) = (SymmetricMatrix(size: size), [Double](repeating: 0, count: size))
        for tie in ties {
            let misfit = misfit(of: tie)
            let pull = tie.information * misfit
            var weight = 1.0
            if !isTrusting { weight /= 1 + SymmetricMatrix.dot(misfit, pull) / (Self.doubt * Self.doubt) }
            // The misfit grows by effect · (step of the target − step of the source).
            let effect = effect(on: tie)
            let weighed = effect.map { tie.information * $0 }
            for row in 0..<6 {
                let slope = weight * SymmetricMatrix.dot(effect[row], pull)
                if tie.target > 0 { right[6 * (tie.target - 1) + row] -= slope }
                if tie.source > 0 { right[6 * (tie.source - 1) + row] += slope }
                for column in 0..<6 {
                    let entry = weight * SymmetricMatrix.dot(effect[row], weighed[column])
                    for (a, b, sign) in [
                        (tie.target, tie.target, 1.0), (tie.source, tie.source, 1), (tie.target, tie.source, -1),
                    ] where a > 0 && b > 0 && (a != b || column <= row) {
                        matrix[6 * (a - 1) + row, 6 * (b - 1) + column] += sign * entry
                    }
                }
            }
        }
        return matrix.solve(right)
    }

    /// What each of a pose's six numbers does to the misfit of a tie, if it is the tie's target.
    private func effect(on tie: Tie) -> [[Double]] {
        let pose = poses[tie.target]
        let cameraFromWorld = pose.rotation.transposed
        let place = pose.apply(tie.centre) - origin
        let axes = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)]
        let turns = axes.map { axis in
            (cameraFromWorld * axis * tie.radius).components + (cameraFromWorld * axis.cross(place)).components
        }
        return turns + axes.map { [0, 0, 0] + (cameraFromWorld * $0).components }
    }
}
