/// The path of a camera through a recording: where it stood, how fast it moved and turned, and where it jumped.
///
/// Every recorded frame with a pose is a station, whether a stage has dropped it or not, so that thinning the frames
/// does not change how fast the camera was.
public struct Trajectory: Sendable {
    /// Metres per second above which a hand-held camera is usually too fast: what is red on pictures of its path, and the
    /// default of `measure-motion`, by which the report goes.
    public static let tooFast = 1.0

    /// From one station to the next.
    public struct Step: Hashable, Sendable {
        /// The frames at its ends.
        public var from: Int
        public var to: Int
        /// Between the camera's centres; in the world's unit where that is not known to be a metre.
        public var metres: Double
        /// The angle of the rotation between both poses, at most 180.
        public var degrees: Double
        /// Nil if a frame has no timestamp, or the later frame's is not later.
        public var seconds: Double?
        /// Why no hand moves a camera that fast; nil if one may.
        public fileprivate(set) var jump: Jump?

        /// Whether the camera went that way, as far as its poses are worth anything.
        package var isMovement: Bool { jump == nil || jump == .inARow }
        /// Whether it is movement, and timed.
        package var tellsSpeed: Bool { seconds != nil && isMovement }

        /// Metres per second.
        public var speed: Double? { seconds.map { metres / $0 } }
        /// Degrees per second.
        public var turning: Double? { seconds.map { degrees / $0 } }
    }

    /// What a step is that no hand makes.
    public enum Jump: Hashable, Sendable {
        /// Tracking was lost, and recovered elsewhere.
        case away
        /// It undoes the jump before it: the pose of the one frame between the two is wrong, and without that frame there
        /// is no jump.
        case back
        /// One of at least ``leastInARow``: tracking does not recover elsewhere with every frame, so the camera was swung,
        /// or its poses are worthless. Its speed counts.
        case inARow
    }

    /// The limits above which a step is a jump. Steps shorter than both lengths never are: a jittery clock makes them
    /// fast.
    public struct JumpLimits: Hashable, Sendable {
        /// Metres per second.
        public var speed = 3.0
        /// Degrees per second.
        public var turning = 360.0
        static let metres = 0.05
        static let degrees = 10.0

        public init(speed: Double = 3, turning: Double = 360) {
            self.speed = speed
            self.turning = turning
        }

        func isExceeded(by step: Step) -> Bool {
            guard let speed = step.speed, let turning = step.turning else { return false }
            return speed > self.speed && step.metres > Self.metres
                || turning > self.turning && step.degrees > Self.degrees
        }

        /// Whether of two jumps in a row the second undoes the first.
        /// - Parameter whole: from where the one begins to where the other ends.
        func areThereAndBack(_ there: Step, _ back: Step, whole: Step) -> Bool {
            !isExceeded(by: whole) && 2 * share(of: whole) <= min(share(of: there), share(of: back))
        }

        /// How fast a step is, relative to the limits.
        private func share(of step: Step) -> Double {
            max((step.speed ?? 0) / speed, (step.turning ?? 0) / turning)
        }
    }

    /// How fast the camera was when a frame was taken.
    public struct Rate: Hashable, Sendable {
        /// Metres per second.
        public var speed: Double
        /// Degrees per second.
        public var turning: Double

        public init(speed: Double, turning: Double) {
            self.speed = speed
            self.turning = turning
        }
    }

    /// The same with its directions, in the camera's own axes (x right, y up, z back).
    public struct Velocity: Hashable, Sendable {
        /// Metres per second.
        public var linear: Vector3
        /// Radians per second, right-handed about this axis.
        public var angular: Vector3

        public init(linear: Vector3, angular: Vector3) {
            self.linear = linear
            self.angular = angular
        }
    }

    private struct Station: Sendable {
        var frame: Int
        var timestamp: Int64?
        var pose: Pose
    }

    private var stations: [Station] = []
    /// Step n leads from station n to station n + 1.
    public private(set) var steps: [Step] = []
    /// The station of each frame, by the frame's number; −1 for none.
    private var places: [Int] = []

    /// - Parameter frames: in the order of their numbers. A step passes over frames that are missing, as over those
    ///   without a pose.
    public init(_ frames: [FrameFacts], jumps: JumpLimits = JumpLimits()) {
        places = Array(repeating: -1, count: (frames.lazy.map(\.index).max() ?? -1) + 1)
        for facts in frames {
            guard let pose = facts.pose, pose.defect == nil else { continue }
            places[facts.index] = stations.count
            stations.append(Station(frame: facts.index, timestamp: facts.timestamp, pose: pose))
        }
        for (before, after) in zip(stations, stations.dropFirst()) {
            var step = Self.step(before, after)
            if jumps.isExceeded(by: step) { step.jump = .away }
            steps.append(step)
        }
        tellJumpsApart(jumps)
    }

    private static func step(_ before: Station, _ after: Station) -> Step {
        var step = Step(
            from: before.frame, to: after.frame, metres: (after.pose.position - before.pose.position).length,
            degrees: rotation(before, after).length * 180 / .pi)
        if let start = before.timestamp, let end = after.timestamp, end > start {
            step.seconds = Timestamp.seconds(from: start, to: end)
        }
        return step
    }

    /// So many jumps in a row, or more, count as movement. A single wrong pose makes two: there and back.
    static let leastInARow = 3

    private mutating func tellJumpsApart(_ limits: JumpLimits) {
        var start = 0
        while start < steps.count {
            let end = steps[start...].firstIndex { $0.jump == nil } ?? steps.count
            if end - start >= Self.leastInARow {
                for index in start..<end { steps[index].jump = .inARow }
            } else if end - start == 2 {
                let whole = Self.step(stations[start], stations[end])
                if limits.areThereAndBack(steps[start], steps[end - 1], whole: whole) { steps[end - 1].jump = .back }
            }
            start = end + 1
        }
    }

    public var stationCount: Int { stations.count }
    /// The sum of all steps that the camera went, metres: jumps count only in a row.
    public var length: Double { steps.reduce(0) { $1.isMovement ? $0 + $1.metres : $0 } }
    public var jumps: [Step] { steps.filter { $0.jump != nil } }

    /// How fast the camera was at a frame: from the step that leads to it from the recorded frame before, or, if that
    /// step tells no speed, from the step after it.
    public func rate(at frame: Int) -> Rate? {
        guard let step = usableSteps(at: frame).first, let speed = step.speed, let turning = step.turning else {
            return nil
        }
        return Rate(speed: speed, turning: turning)
    }

    /// The same with directions: the central difference between the recorded frames before and after, or only one of
    /// the two steps if the other tells no speed.
    public func velocity(at frame: Int) -> Velocity? {
        let around = usableSteps(at: frame)
        let seconds = around.compactMap(\.seconds).reduce(0, +)
        guard seconds > 0, let station = place(of: frame) else { return nil }
        var way = Vector3.zero
        var turn = Vector3.zero
        for step in around {
            guard let a = place(of: step.from), let b = place(of: step.to) else { continue }
            way = way + stations[b].pose.position - stations[a].pose.position
            // A rotation leaves its own axis where it is, so the vector is the same in the axes of both ends.
            turn = turn + Self.rotation(stations[a], stations[b])
        }
        return Velocity(
            linear: stations[station].pose.rotation.transposed * way / seconds, angular: turn / seconds)
    }

    /// The steps to and from a frame that tell a speed, in this order.
    private func usableSteps(at frame: Int) -> [Step] {
        guard let station = place(of: frame) else { return [] }
        return [station - 1, station].filter(steps.indices.contains).map { steps[$0] }.filter(\.tellsSpeed)
    }

    private func place(of frame: Int) -> Int? {
        guard places.indices.contains(frame), places[frame] >= 0 else { return nil }
        return places[frame]
    }

    /// How the camera turned, as a rotation vector in its own axes, radians.
    private static func rotation(_ before: Station, _ after: Station) -> Vector3 {
        Quaternion(before.pose.rotation.transposed * after.pose.rotation).rotationVector
    }
}
