/// Tells how far a path drifts: whether frames that see a place again find its surfaces where earlier ones saw them.
///
/// Poses that drift fit from frame to frame, and make every wall double all the same. Of up to 128 frames, evenly spread,
/// thinned points are kept. Each of these frames is compared with the earliest one whose place it sees again after the
/// camera had turned or gone away from it, and with which it can be aligned; the motion that lays the earlier frame's
/// points on the surfaces of the later one (``DepthAlignment``) is what the poses are off by, one against the other.
public struct PathDrift: Sendable {
    /// A frame that sees again what an earlier one saw.
    public struct Revisit: Hashable, Sendable {
        /// The earlier and the later one.
        public let frames: ClosedRange<Int>
        /// How far apart the two have the place, as far as its surfaces tell: along a single wall it may be more. Metres.
        public let offset: Double
        /// How far they are turned against each other, as far as its surfaces tell: radians.
        public let angle: Double
        /// How far apart they have its surfaces, root mean square along their normals, metres.
        public let apart: Double
        /// The earlier one's, metres.
        public let medianDepth: Double

        /// The two among the ``PathDrift/keyframes``.
        let numbers: ClosedRange<Int>
        /// Takes points from the earlier camera to the later one, as the surfaces have it.
        let targetFromSource: Pose
        /// See ``DepthAlignment``.
        let information: SymmetricMatrix
        let centre: Vector3
        let radius: Double
        let residual: Double

        /// The offset as a share of the distance.
        public var share: Double { offset / medianDepth }

        /// How far off the place is, as in "what frame 3 saw is 0.14 m and 2.3° off where frame 57 sees it again".
        package func text(isMetric: Bool) -> String {
            let degrees = (angle * 180 / .pi).shortText(decimals: 1)
            let turn = degrees == "0" ? "" : " and \(degrees)°"
            return
                "what frame \(frames.lowerBound) saw is \(offset.shortText(digits: 2)) \(isMetric ? "m" : "units")\(turn) off "
                + "where frame \(frames.upperBound) sees it again"
        }
    }

    /// A frame that later ones are compared with.
    struct Keyframe: Sendable {
        var index: Int
        /// Of the depth camera.
        var pose: Pose
        /// In the camera's axes.
        var points: [DepthAlignment.SurfacePoint]
        /// Metres.
        var medianDepth: Double
        /// Whether a later frame has looked elsewhere.
        var isLeft = false
    }

    public private(set) var revisits: [Revisit] = []
    private(set) var keyframes: [Keyframe] = []
    private var due: DueFrames

    private static let maxFrames = 128
    /// Points per row of a thinned map.
    private static let columns = 32
    /// One point in so many tells how much of a place is seen.
    private static let thinning = 4
    /// A camera that is turned further away, or sees less of a place, has left it.
    private static let left = (cosine: 0.5, seen: 0.25)
    /// A place is seen again by a camera that is turned no further away, has moved no further, relative to the median
    /// depth, and sees at least so much of it.
    private static let again = (cosine: 0.866, distance: 0.5, seen: 0.5)
    /// Once aligned, so many of the points lie on surfaces, and half of these this close, relative to the median depth:
    /// otherwise they were not found again, as where people have moved things.
    private static let aligned = (points: 0.3, residual: 0.01)

    /// - Parameter frames: the numbers of those that are left of the source's, ascending.
    public init(frames: some Collection<Int>) { due = DueFrames(Self.maxFrames, of: frames) }

    /// Adds the next frame.
    /// - Parameters:
    ///   - depth: in metres, 0 for "no value".
    ///   - view: the depth map's own camera, for the pictures' size where depth is aligned with them, and `worldFromCamera`.
    public mutating func add(index: Int, depth: DepthMap, view: CameraView) {
        guard due.takes(index) else { return }
        let camera = view.camera.counted(from: .corner).resized(to: depth.size)
        let points = Self.points(of: depth, camera)
        guard let medianDepth = points.map({ -$0.position.z }).middle else { return }
        var isFound = false
        for number in keyframes.indices {
            let before = keyframes[number]
            let cosine = before.pose.rotation.columns.2.dot(view.pose.rotation.columns.2)
            let targetFromSource = view.pose.inverse * before.pose
            let seen =
                cosine < Self.left.cosine ? 0 : Self.share(of: before.points, seenBy: camera, targetFromSource)
            if seen < Self.left.seen { keyframes[number].isLeft = true }
            guard !isFound, before.isLeft, cosine >= Self.again.cosine, seen >= Self.again.seen,
                (view.pose.position - before.pose.position).length <= Self.again.distance * before.medianDepth,
                let alignment = DepthAlignment(
                    of: before.points, medianDepth: before.medianDepth, targetFromSource: targetFromSource,
                    target: depth, camera: camera),
                Double(alignment.count) >= Self.aligned.points * Double(before.points.count),
                alignment.residual <= Self.aligned.residual * before.medianDepth
            else { continue }
            isFound = true
            revisits.append(
                Revisit(
                    frames: before.index...index, offset: alignment.offset, angle: alignment.angle,
                    apart: alignment.apart, medianDepth: before.medianDepth, numbers: number...keyframes.count,
                    targetFromSource: alignment.motion * targetFromSource, information: alignment.information,
                    centre: alignment.centre, radius: alignment.radius, residual: alignment.residual))
        }
        keyframes.append(Keyframe(index: index, pose: view.pose, points: points, medianDepth: medianDepth))
    }

    /// Points of the map's surfaces, in the camera's axes.
    private static func points(of depth: DepthMap, _ camera: CameraIntrinsics) -> [DepthAlignment.SurfacePoint] {
        let cloud = Unprojection(
            camera: camera, pose: .identity, width: depth.width, height: depth.height, centre: .half
        ).points(of: depth, every: max(1, depth.width / columns), withNormals: true)
        guard let normals = cloud.normals else { return [] }
        return (0..<cloud.count).compactMap { number in
            func vector(_ numbers: [Float]) -> Vector3 {
                Vector3(Double(numbers[3 * number]), Double(numbers[3 * number + 1]), Double(numbers[3 * number + 2]))
            }
            // At edges the surface is not known.
            let normal = vector(normals)
            return normal == .zero ? nil : .init(position: vector(cloud.positions), normal: normal)
        }
    }

    private static func share(
        of points: [DepthAlignment.SurfacePoint], seenBy camera: CameraIntrinsics, _ targetFromSource: Pose
    ) -> Double {
        let view = CameraView(camera: camera, pose: targetFromSource.inverse)
        var (count, seen) = (0, 0)
        for number in stride(from: 0, to: points.count, by: thinning) {
            count += 1
            guard let (u, v, _) = view.project(points[number].position) else { continue }
            if u >= 0, v >= 0, u < Double(camera.width), v < Double(camera.height) { seen += 1 }
        }
        return Double(seen) / Double(max(1, count))
    }

    /// What tells how far the path drifts: the offset, relative to the distance, that a tenth of the revisits exceed, and
    /// two at least, as these may come from things that were moved. Nil for fewer than three.
    public var typicalWorst: Revisit? {
        let worst = revisits.sorted { $0.share > $1.share }
        return worst.count <= Self.leastWorse ? nil : worst[max(Self.leastWorse, worst.count / 10)]
    }

    private static let leastWorse = 2

    /// How far apart surfaces are that are seen again, relative to their distance, averaged over the revisits.
    public var surfacesApart: Double {
        revisits.isEmpty ? 0 : revisits.reduce(0) { $0 + $1.apart / $1.medianDepth } / Double(revisits.count)
    }
}
