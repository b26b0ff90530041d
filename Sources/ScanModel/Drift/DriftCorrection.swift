/// Takes the drift out of a path that sees places again.
///
/// The frames of a ``PathDrift`` are the poses of a ``PoseGraph``: each is tied to the one before as the recorded poses
/// have it, the less firmly the further the camera has gone in between, and to what it sees again as the surfaces have it.
public struct DriftCorrection: Sendable {
    /// How far apart the two frames of a revisit have the surfaces that both see, root mean square along the surfaces'
    /// normals, averaged over the revisits: with the poses as they were, and as they are now. Metres.
    public private(set) var surfacesApart: (before: Double, after: Double)
    /// Of all frames, by index, without the drift. Between two frames whose poses were fitted, each moves by a part of what
    /// lies between their motions, as large as its part of the way; where tracking jumped, all at once.
    public private(set) var poses: [Pose?] = []

    /// The variance of the drift for each metre that a camera goes among surfaces a metre away, or that a turn moves them:
    /// one per cent after one metre, growing with the root of the path, as random errors do.
    private static let variance = 1e-4
    /// The standard deviation of an alignment: this share of the surfaces' distance, or so many times the median distance
    /// of points from them, whichever is more. Many points do not make it smaller: sensors err alike where they see alike.
    private static let alignment = (share: 0.005, residual: 1.5)
    /// Along directions of which surfaces tell less, a tie counts for less than they tell: there, errors that many points
    /// share make much of little.
    private static let telling = 0.05
    /// How much surer the direction of gravity is than the rest: phones feel it.
    private static let upright = 100.0

    /// - Parameters:
    ///   - drift: of all frames.
    ///   - recorded: the frames' poses, by index; nil moves nothing, and stays.
    ///   - up: which way is up in the world, of length 1, if the device felt it: the path is not tilted then.
    /// - Returns: nil where nothing is seen again, or no change of the poses brings surfaces twice as close.
    public init?(of drift: PathDrift, poses recorded: [Pose?], up: Vector3?) {
        let keyframes = drift.keyframes
        guard let medianDepth = keyframes.map(\.medianDepth).middle, !drift.revisits.isEmpty else { return nil }
        let path = RecordedPath(recorded, medianDepth: medianDepth)
        let again = drift.revisits.map { $0.tie($0.information) }
        let ties = drift.revisits.map { revisit in
            let deviation = max(
                Self.alignment.share * revisit.medianDepth, Self.alignment.residual * revisit.residual)
            return revisit.tie(
                revisit.information.weakened(below: Self.telling) * (1 / (deviation * deviation)))
        }
        let steps = keyframes.indices.dropFirst().map { number in
            Self.tie(keyframes[number - 1], keyframes[number], number: number, path, up: up)
        }
        var graph = PoseGraph(poses: keyframes.map(\.pose), ties: steps + ties)
        func apart() -> Double {
            again.reduce(0) { $0 + graph.cost(of: $1).squareRoot() } / Double(again.count)
        }
        let before = apart()
        guard graph.relax() else { return nil }
        surfacesApart = (before, apart())
        if !(surfacesApart.after < before / 2) { return nil }
        var keys = zip(keyframes, graph.poses).map { (index: $0.index, motion: $1 * $0.pose.inverse) }
        // Exactly, without what rounding adds.
        keys[0].motion = .identity
        poses = path.moved(by: keys)
    }

    /// The tie of a frame to the one before.
    private static func tie(
        _ before: PathDrift.Keyframe, _ frame: PathDrift.Keyframe, number: Int, _ path: RecordedPath, up: Vector3?
    ) -> PoseGraph.Tie {
        let targetFromSource = frame.pose.inverse * before.pose
        let distance = frame.medianDepth
        let way = targetFromSource.movement(at: distance)
        // Where tracking jumped, nobody knows how far.
        let excess = path.jump(between: before.index, and: frame.index)?.excess ?? 0
        let certainty = 1 / (variance * distance * max(way, 1e-3 * distance) + excess * excess)
        var information = SymmetricMatrix(diagonal: Array(repeating: certainty, count: 6))
        if let up {
            let up = (frame.pose.rotation.transposed * up).components
            for row in 0..<3 {
                for column in 0...row {
                    let tilt = (row == column ? 1 : 0) - up[row] * up[column]
                    information[row, column] += upright * certainty * tilt
                }
            }
        }
        return PoseGraph.Tie(
            source: number - 1, target: number, targetFromSource: targetFromSource, centre: .zero, radius: distance,
            information: information)
    }
}

/// The poses of all frames, and how far the camera goes from each to the next.
private struct RecordedPath {
    private let poses: [Pose?]
    /// How far it moves what it sees, from the pose before: metres; 0 where there is no pose.
    private let steps: [Double]
    /// A longer step is more than a hand makes.
    private let longest: Double

    /// - Parameter medianDepth: how far away things are, for how much a turn moves them: metres.
    init(_ poses: [Pose?], medianDepth: Double) {
        self.poses = poses
        var last: Pose?
        steps = poses.map { pose in
            defer { last = pose ?? last }
            guard let pose, let last else { return 0 }
            return (pose.inverse * last).movement(at: medianDepth)
        }
        let usual = steps.filter { $0 > Self.tremble * medianDepth }.middle ?? 0
        longest = max(5 * usual, Self.leastJump * medianDepth)
    }

    /// A phone that lies still does not move by more, and may lie still most of the time: relative to the distance of
    /// things.
    private static let tremble = 0.002
    /// No jump is shorter.
    private static let leastJump = 0.03

    /// The frame to which tracking jumped behind one frame and up to another, and how much further than a hand goes.
    func jump(between first: Int, and last: Int) -> (frame: Int, excess: Double)? {
        let frame = (first + 1...last).max { steps[$0] < steps[$1] }
        return frame.flatMap { steps[$0] > longest ? ($0, steps[$0] - longest) : nil }
    }

    /// - Parameter keys: frames in order, and what each moves by: points of the world.
    func moved(by keys: [(index: Int, motion: Pose)]) -> [Pose?] {
        var paths = steps
        for index in paths.indices.dropFirst() { paths[index] += paths[index - 1] }
        var next = 0
        var jump: Int?
        return poses.enumerated().map { index, pose in
            while next < keys.count, keys[next].index <= index {
                next += 1
                if next < keys.count { jump = self.jump(between: keys[next - 1].index, and: keys[next].index)?.frame }
            }
            guard let pose, let from = next == 0 ? keys.first : keys[next - 1] else { return pose }
            if next == 0 || next == keys.count { return from.motion * pose }
            let to = keys[next]
            let way = paths[to.index] - paths[from.index]
            let share = jump.map { index < $0 ? 0 : 1 } ?? (way > 0 ? (paths[index] - paths[from.index]) / way : 0)
            // What the later of the two motions adds, done in part and at the camera.
            let more = from.motion.inverse * to.motion
            let turn = Quaternion(rotationVector: more.rotation.rotationVector * share).matrix
            let shift = (more.apply(pose.position) - pose.position) * share
            return from.motion * Pose(rotation: turn * pose.rotation, position: pose.position + shift)
        }
    }
}

extension PathDrift.Revisit {
    /// As the surfaces have it.
    fileprivate func tie(_ information: SymmetricMatrix) -> PoseGraph.Tie {
        PoseGraph.Tie(
            source: numbers.lowerBound, target: numbers.upperBound, targetFromSource: targetFromSource, centre: centre,
            radius: radius, information: information)
    }
}

extension SymmetricMatrix {
    /// A · (A + limit)⁻¹ · A: the same along directions of which it tells much more than the limit, and far less along the
    /// others.
    fileprivate func weakened(below limit: Double) -> SymmetricMatrix {
        let sum = adding(toDiagonal: limit)
        var result = SymmetricMatrix(size: size)
        for column in 0..<size {
            guard let solved = sum.solve((0..<size).map { self[$0, column] }) else { return self }
            for (row, value) in (self * solved).enumerated() { result[row, column] = value }
        }
        return result
    }
}

extension Pose {
    /// How far a camera's motion moves what it sees at a distance, at most: both in metres.
    fileprivate func movement(at distance: Double) -> Double {
        position.length + rotation.rotationVector.length * distance
    }
}
