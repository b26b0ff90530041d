import ScanModel
import ScanPipeline

/// Measures how the camera was moved.
public struct MeasureMotion: CaptureStage {
    public static let card = StageCard(
        name: "measure-motion",
        summary: "Measure how fast the camera moved and turned, where it jumped, and where tracking was lost.",
        details: """
            A frame's speed and turning rate are those of the step that leads to it from the previous *recorded* frame,
            even if an earlier stage has dropped that one: thinning the frames does not change how fast the camera was.
            The first frame, and a frame that an isolated jump leads to, take those of the following step. The figures
            cover the remaining frames; `path-length-m` and `seconds` cover the whole recording, the former without
            isolated jumps, and `p90` is exceeded by a tenth of the frames.

            **Bands**: a frame is too fast above `too-fast` or `too-fast-turning`, and too slow below both `too-slow`
            and `too-slow-turning`, as when the camera is laid down. **Jumps** are steps that no hand makes: tracking
            was lost and recovered elsewhere, and what comes before and after may not fit together. A jump `back` to
            where the path was before the previous jump shows that the pose of the frame between them is wrong. Three or
            more in a row mean that the camera was swung, or that the poses are worthless: their speeds and lengths
            count like any other. **Lost tracking** counts the frames that were recorded without a pose.

            Where the capture has a rotation-rate sensor, `imu-turning-deg-per-s` is the turning rate from its samples:
            the length of their mean vector over the step that leads to the frame, where this tells a speed.
            `imu-correlation` is the rank correlation of both turning rates; it is near 1 where sensor and poses belong
            together and share a clock.

            `track` is the camera's path seen from above: at most 256 frames as `[frame, a, b, speed]`, with speed null
            where unknown. Plotted with a to the right and b up, it is not mirrored. In a world whose y is up, a is x
            and b is −z; with z up, a is x and b is y. Where the format does not say which way is up, the mean of the
            cameras' own up directions is used. `box-outline` is the footprint of the box in the same axes.

            Where the world's unit is unknown, `is-metric` is false: lengths and speeds are in that unit, whatever their names
            say, and no frame is called too fast or too slow for its speed.

            A capture without poses or times is not measured, or only in part, and the receipt says so under
            `not-measured`.
            """,
        example: "- measure-motion: {too-fast: 0.5}", revision: 6)

    let tooFast: Trajectory.Rate
    let tooSlow: Trajectory.Rate
    let jumps: Trajectory.JumpLimits

    public init(_ options: inout OptionReader) {
        tooFast = Trajectory.Rate(
            speed: options.number(
                "too-fast", "Speed above which a frame is too fast.", default: Trajectory.tooFast, in: 0...1e6,
                usual: 0...20, unit: "m/s"),
            turning: options.number(
                "too-fast-turning", "Turning rate above which a frame is too fast.", default: 90, in: 0...1e6,
                unit: "°/s"))
        tooSlow = Trajectory.Rate(
            speed: options.number(
                "too-slow", "Speed below which a frame that hardly turns is too slow.", default: 0.02, in: 0...1e6,
                unit: "m/s"),
            turning: options.number(
                "too-slow-turning", "Turning rate below which a frame that hardly moves is too slow.", default: 2,
                in: 0...1e6, unit: "°/s"))
        jumps = Trajectory.JumpLimits(&options)
    }

    public var uses: Uses {
        Uses(finish: .init(needs: [.frames], wants: [.pose, .timestamp, .box, .motion]))
    }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        let trajectory = Trajectory(capture.frames, jumps: jumps.applied(to: capture))
        guard trajectory.stationCount > 0 else { return context.recordUnmeasured("the frames have no poses") }
        context.record("path-length-m", Measurement.number(trajectory.length, digits: 6))
        context.recordUnlessMetric(capture)
        let times = capture.frames.compactMap(\.timestamp)
        if let first = times.min(), let last = times.max() {
            context.record("seconds", Measurement.number(Timestamp.seconds(from: first, to: last), digits: 6))
        }
        let rates = capture.keptFrames.compactMap { facts in
            trajectory.rate(at: facts.index).map { (facts: facts, rate: $0) }
        }
        if rates.isEmpty {
            let reason =
                trajectory.jumps.isEmpty
                ? "fewer than two frames have poses and times in order" : "there are only jumps between the frames"
            context.recordUnmeasured("speeds, because \(reason)")
        } else {
            record(rates.map(\.rate), isMetric: capture.isMetric, context)
        }
        if !rates.isEmpty || !trajectory.jumps.isEmpty { recordJumps(of: trajectory, context) }
        context.record("lost-tracking", .of(capture.frames.count { $0.isUntracked }))
        IMUTurning.record(capture, trajectory, context)
        TopView(of: capture).record(capture, trajectory, context)
    }

    private func record(_ rates: [Trajectory.Rate], isMetric: Bool, _ context: StageContext) {
        if let speeds = Distribution(rates.map(\.speed)), let turning = Distribution(rates.map(\.turning)) {
            context.record("speed-m-per-s", Measurement.object(speeds))
            context.record("turning-deg-per-s", Measurement.object(turning))
        }
        if !isMetric {
            context.warn("the world's unit is unknown, so only turning tells what is too fast or too slow")
        }
        let fast = rates.count { isMetric && $0.speed > tooFast.speed || $0.turning > tooFast.turning }
        let slow = rates.count { (!isMetric || $0.speed < tooSlow.speed) && $0.turning < tooSlow.turning }
        context.record("too-fast", .of(fast))
        context.record("too-slow", .of(slow))
        context.record(
            "limits",
            .object([
                "too-fast": .number(tooFast.speed), "too-slow": .number(tooSlow.speed),
                "too-fast-turning": .number(tooFast.turning), "too-slow-turning": .number(tooSlow.turning),
            ]))
    }

    private func recordJumps(of trajectory: Trajectory, _ context: StageContext) {
        let jumps = trajectory.jumps
        context.record(
            "jumps",
            .array(
                jumps.prefix(50).map { step in
                    var jump: JSONObject = [
                        "frame": .of(step.to), "metres": Measurement.number(step.metres, digits: 4),
                        "degrees": Measurement.number(step.degrees, digits: 4),
                    ]
                    if step.jump == .back { jump["back"] = .bool(true) }
                    return .object(jump)
                }))
        context.record("jump-count", .of(jumps.count))
    }
}

extension FrameFacts {
    /// Recorded, but the recorder did not know where its camera was. Frames whose data is bad, and those that only a
    /// longer stream has, are something else.
    fileprivate var isUntracked: Bool {
        pose == nil && drop?.isBad != true && (timestamp != nil || intrinsics != nil || pictureFile != nil)
    }
}
