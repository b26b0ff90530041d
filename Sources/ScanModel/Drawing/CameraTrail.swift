/// The cameras of a capture as they are drawn: where they stood in turn, each with a number from 0 to 1 for its colour,
/// and what 0 and 1 stand for.
public struct CameraTrail: Hashable, Sendable {
    public enum Measure: String, Hashable, Sendable, CaseIterable {
        /// From the first frame to the last.
        case time
        /// How fast the camera moves; 1 stands for the speed that a twentieth of the frames exceed, or for that which is
        /// too fast where nearly all are slower: red means the same in the pictures of all captures.
        case speed
        /// The frames' numbers: replaces both when there are no times.
        case number
    }

    public struct Station: Hashable, Sendable {
        public var pose: Pose
        public var intrinsics: CameraIntrinsics?
        public var shade: Double
    }

    public private(set) var stations: [Station] = []
    /// What shade 0 and shade 1 stand for: seconds, units of the world per second, or frames.
    public private(set) var limits: ClosedRange<Double>
    /// What the shades show, which may differ from what was asked for.
    public private(set) var measure: Measure

    /// - Parameters:
    ///   - frames: all recorded frames, in order; those without a pose are skipped, and dropped ones are no stations.
    ///     Without ascending times, the frames' numbers are used.
    ///   - tooFast: of speeds, the least that shade 1 stands for; 0 where the world's unit is unknown.
    public init(_ frames: [FrameFacts], by wanted: Measure, tooFast: Double = 0) {
        let placed = frames.filter { !$0.isDropped && $0.pose != nil }
        let seconds = Self.seconds(placed)
        measure = seconds == nil ? .number : wanted
        let values: [Double]
        switch measure {
        case .time: values = seconds ?? []
        case .speed: values = Self.speeds(placed, of: frames)
        case .number: values = placed.map { Double($0.index) }
        }
        let isSpeed = measure == .speed && !values.isEmpty
        let low = isSpeed ? 0 : values.first ?? 0
        let high = isSpeed ? max(values.sorted()[values.count * 95 / 100], tooFast) : values.last ?? 0
        limits = low...max(low, high)
        stations = zip(placed, values).compactMap { facts, value in
            guard let pose = facts.pose else { return nil }
            let shade = high > low ? min(max((value - low) / (high - low), 0), 1) : 0
            return Station(pose: pose, intrinsics: facts.intrinsics, shade: shade)
        }
    }

    /// Seconds after the first frame; nil unless every frame has a time that is no earlier than the one before.
    private static func seconds(_ frames: [FrameFacts]) -> [Double]? {
        let times = frames.compactMap(\.timestamp)
        guard let first = times.first, times.count == frames.count,
            zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        return times.map { Timestamp.seconds(from: first, to: $0) }
    }

    /// Metres per second over the step to each place from the recorded one before, so that leaving frames out does not
    /// change the speed; the first place has that of the second. A step without time has that of the step before.
    private static func speeds(_ placed: [FrameFacts], of recorded: [FrameFacts]) -> [Double] {
        let steps = Dictionary(Trajectory(recorded).steps.map { ($0.to, $0.speed) }, uniquingKeysWith: { $1 })
        let speeds = placed.map { steps[$0.index] ?? nil }
        var last = speeds.firstNonNil(\.self) ?? 0
        return speeds.map { speed in
            last = speed ?? last
            return last
        }
    }

    /// At most `count` stations, spread evenly, the first and the last among them.
    func spread(_ count: Int) -> [Station] { stations.thinned(to: count) }
}
