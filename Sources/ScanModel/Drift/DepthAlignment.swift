/// The small motion that lays the surfaces of one frame on those in another's depth map.
///
/// Found by iterative closest points with distances between planes (Y. Chen and G. Medioni, "Object modelling by
/// registration of multiple range images", 1992), where a point's partner is what the depth map has at the place on
/// which it falls (G. Blais and M. Levine, "Registering multiview range data to create 3D computer objects", 1995).
/// Along directions that the surfaces tell little of, as along a single wall, the motion means little: ``information`` says
/// which these are, and ``offset`` and ``angle`` leave them out.
struct DepthAlignment {
    struct SurfacePoint: Sendable {
        var position: Vector3
        /// Of length 1.
        var normal: Vector3
    }

    /// A point and how far it is from the surface there, along the normal.
    private struct Contact {
        var point: Vector3
        var normal: Vector3
        var distance: Double
    }

    /// In the target camera's axes: what moves the points from where the poses have them to where they belong.
    private(set) var motion = Pose.identity
    /// How far it moves them, on average, as far as the surfaces tell: metres.
    private(set) var offset = 0.0
    /// How far it turns them, as far as the surfaces tell: radians.
    private(set) var angle = 0.0
    /// How far apart the surfaces are without it, root mean square along their normals, metres.
    private(set) var apart = 0.0
    /// What the surfaces tell of it: the mean square of the distances from them that a motion of (ρω, t) would make is
    /// (ρω, t)ᵀ · `information` · (ρω, t), for a rotation vector ω about ``centre``, a shift t and ρ = ``radius``.
    private(set) var information = SymmetricMatrix(size: 6)
    /// The mean of the points that lie on surfaces, in the target camera, before the last step.
    private(set) var centre = Vector3.zero
    /// How far these points are from their mean, root mean square, metres.
    private(set) var radius = 0.0
    /// The median distance of points from the surfaces, metres; before the last step, which changes it little.
    private(set) var residual = Double.infinity
    /// How many of the points lie on surfaces.
    private(set) var count = 0

    private static let iterations = 12
    /// So many points fix a motion.
    private static let leastPoints = 100
    /// How far points may lie from a surface that they are compared with, relative to the median depth: much at first,
    /// less and less as they are moved.
    private static let reach = (first: 0.15, last: 0.03, shrinks: 0.75)
    /// Residuals below this share of the median depth all count the same, however small most of them are.
    private static let leastScale = 0.002
    /// What the surfaces tell of a direction, where half of the motion along it counts. They tell some tenths of what they
    /// fix; with a hundredth, sensor noise makes decimetres.
    private static let telling = 0.03
    /// Keeps steps small along what the surfaces hardly tell.
    private static let damping = 1e-3
    /// A motion smaller than this share of the median depth ends the search.
    private static let tolerance = 1e-4

    /// - Parameters:
    ///   - points: in the source camera, metres, y up and z towards the viewer, with the directions in which the surface
    ///     faces.
    ///   - medianDepth: theirs.
    ///   - targetFromSource: as the poses have it.
    ///   - target: the depth map on whose surfaces they should lie, and its camera, of the map's size, counted from the
    ///     corner.
    /// - Returns: nil where too few of them lie near a surface.
    init?(
        of points: [SurfacePoint], medianDepth: Double, targetFromSource: Pose, target: DepthMap,
        camera: CameraIntrinsics
    ) {
        let view = CameraView(camera: camera, pose: .identity)
        var contacts: [Contact] = []
        contacts.reserveCapacity(points.count)
        var reach = Self.reach.first
        for _ in 0..<Self.iterations {
            contacts.removeAll(keepingCapacity: true)
            let now = motion * targetFromSource
            for point in points {
                let moved = now.apply(point.position)
                guard let (u, v, _) = view.project(moved), let depth = target.depth(u, v) else { continue }
                let there = camera.point(u: u, v: v, depth: depth)
                let normal = now.rotation * point.normal
                let distance = normal.dot(moved - there)
                if abs(distance) < reach * medianDepth {
                    contacts.append(Contact(point: moved, normal: normal, distance: distance))
                }
            }
            count = contacts.count
            guard count >= Self.leastPoints, let median = contacts.map({ abs($0.distance) }).middle else { return nil }
            residual = median
            guard let step = step(contacts, scale: max(median, Self.leastScale * medianDepth)) else { return nil }
            motion = step.motion * motion
            reach = max(Self.reach.last, reach * Self.reach.shrinks)
            if step.size < Self.tolerance * medianDepth { break }
        }
        let shift = centre - motion.inverse.apply(centre)
        let x = (motion.rotation.rotationVector * radius).components + shift.components
        let pull = information * x
        apart = SymmetricMatrix.dot(x, pull).squareRoot()
        guard let told = information.adding(toDiagonal: Self.telling).solve(pull) else { return nil }
        let (turn, way) = (Vector3(told[0], told[1], told[2]) / radius, Vector3(told[3], told[4], told[5]))
        angle = turn.length
        offset = contacts.reduce(0) { $0 + (way + turn.cross($1.point - centre)).length } / Double(count)
    }

    /// The motion that best takes the points to their planes, as far as it is small: least squares of
    /// distance + (ω × (p − c) + t) · n, for the rotation vector ω about the centre c and the shift t. Outliers weigh less
    /// (Cauchy's weights).
    private mutating func step(
        _ contacts: [Contact], scale: Double
    ) -> (motion: Pose, size: Double)? {
        let mean = contacts.reduce(Vector3.zero) { $0 + $1.point } / Double(contacts.count)
        centre = mean
        radius = (contacts.reduce(0) { $0 + ($1.point - mean).dot($1.point - mean) } / Double(contacts.count))
            .squareRoot()
        var (matrix, right, weights) = (SymmetricMatrix(size: 6), [Double](repeating: 0, count: 6), 0.0)
        for contact in contacts {
            // In units of the radius, a turn moves points as much as a shift does.
            let lever = (contact.point - centre).cross(contact.normal) / radius
            let row = lever.components + contact.normal.components
            let outlying = contact.distance / (2 * scale)
            let weight = 1 / (1 + outlying * outlying)
            matrix.add(row, weight: weight)
            for index in 0..<6 { right[index] -= weight * row[index] * contact.distance }
            weights += weight
        }
        information = matrix * (1 / weights)
        guard radius > 0, let x = matrix.adding(toDiagonal: Self.damping * weights).solve(right) else { return nil }
        let (turn, shift) = (Vector3(x[0], x[1], x[2]) / radius, Vector3(x[3], x[4], x[5]))
        let rotation = Quaternion(rotationVector: turn).matrix
        let size = (turn * radius).length + shift.length
        guard size.isFinite else { return nil }
        return (Pose(rotation: rotation, position: centre + shift - rotation * centre), size)
    }
}

extension DepthMap {
    /// The depth at a place, counted from the corner, between the centres of four pixels: exact on a plane, on which the
    /// inverse of depth is linear. Nil at the border, and where the four do not lie on one surface.
    fileprivate func depth(_ u: Double, _ v: Double) -> Double? {
        let (x, y) = (u - 0.5, v - 0.5)
        guard x >= 0, y >= 0, x < Double(width - 1), y < Double(height - 1) else { return nil }
        let (column, row) = (Int(x), Int(y))
        let first = row * width + column
        let (a, b) = (Double(metres[first]), Double(metres[first + 1]))
        let (c, d) = (Double(metres[first + width]), Double(metres[first + width + 1]))
        let nearest = min(a, b, c, d)
        guard nearest > 0, max(a, b, c, d) <= (1 + Self.jump) * nearest else { return nil }
        let (s, t) = (x - Double(column), y - Double(row))
        return 1 / ((1 - t) * ((1 - s) / a + s / b) + t * ((1 - s) / c + s / d))
    }

    /// How much farther a neighbour on the same surface may be, relatively.
    private static let jump = 0.05
}
