import ScanModel
import ScanPipeline

/// Drops frames that were taken while the camera moved too fast.
public struct FilterMotion: CaptureStage {
    public static let card = StageCard(
        name: "filter-motion",
        summary: "Drop frames taken while moving too fast, with too much predicted blur, or after a jump.",
        details: """
            Give at least one rule; a frame that any of them names is dropped. `speed` and `turning` are defined as in
            `measure-motion`: they are those of the step that leads to the frame from the previous *recorded* frame,
            whether or not that one was dropped; a jump by itself gives no speed, but three or more in a row do. `blur`
            uses what `predict-blur` above has predicted; frames without a prediction stay. `after-jump` drops the frame
            that a jump leads to and those within that many seconds after it, while tracking settles. With 0 only the
            frame that the jump leads to is dropped. That is right for a single wrong pose too: the jump back from it
            does not count. To `after-jump`, three or more jumps in a row are fast movement and not jumps.

            Speeds and jumps in metres are ignored where the world's unit is unknown.
            """,
        example: "- filter-motion: {speed: 0.8, turning: 90, after-jump: 0.5}", revision: 6)

    let speed: Double?
    let turning: Double?
    let blur: Double?
    let afterJump: Double?
    let jumps: Trajectory.JumpLimits

    public init(_ options: inout OptionReader) {
        speed = options.number("speed", "Highest speed that is kept.", in: 0...1e6, usual: 0...20, unit: "m/s")
        turning = options.number(
            "turning", "Highest turning rate that is kept.", in: 0...1e6, usual: 1...2000, unit: "°/s")
        blur = options.number("blur", "Most predicted blur that is kept.", in: 0...1e6, unit: "pixels")
        afterJump = options.number(
            "after-jump", "How long to drop frames after a jump.", in: 0...86_400, usual: 0...60, unit: "s")
        jumps = Trajectory.JumpLimits(&options)
        for name in ["jump-speed", "jump-turning"] {
            options.warn(name, unless: goesByPoses, "with `speed`, `turning` or `after-jump`")
        }
        if !["speed", "turning", "blur", "after-jump"].contains(where: options.isGiven) {
            options.fail(
                nil, "one of `speed`, `turning`, `blur`, `after-jump` is needed",
                "give those you mean; `scanmill stages filter-motion` explains them")
        }
    }

    private var goesByPoses: Bool { speed != nil || turning != nil || afterJump != nil }

    public var uses: Uses {
        Uses(
            finish: .init(
                needs: [.frames] + (goesByPoses ? [.pose, .timestamp] : []) + (blur != nil ? [.predictedBlur] : []),
                drops: true))
    }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        let trajectory = Trajectory(capture.frames, jumps: jumps.applied(to: capture))
        if !capture.isMetric, speed != nil {
            context.warn("the world's unit is unknown, so no frame was dropped by its speed")
        }
        var jump: Trajectory.Step?
        // Several in a row are movement, which `speed` and `turning` judge.
        var pending = trajectory.steps.filter { $0.jump == .away }[...]
        for facts in capture.frames {
            if let next = pending.first, next.to == facts.index { jump = pending.removeFirst() }
            if facts.isDropped { continue }
            let cause =
                jump.flatMap { reason(of: facts, after: $0, in: capture.frames) }
                ?? trajectory.rate(at: facts.index).flatMap { reason(of: $0, isMetric: capture.isMetric) }
                ?? reason(of: facts.predictedBlur)
            if let cause { capture.drop(facts.index, stage: context.label, reason: cause) }
        }
    }

    private func reason(of facts: FrameFacts, after jump: Trajectory.Step, in frames: [FrameFacts]) -> String? {
        guard let afterJump, let start = frames[jump.to].timestamp, let time = facts.timestamp else { return nil }
        let seconds = Timestamp.seconds(from: start, to: time)
        // A clock that went back has restarted: nothing tells how long ago the jump was.
        guard seconds >= 0, seconds <= afterJump else { return nil }
        let way = "\(jump.metres.shortText(decimals: 2)) m and \(jump.degrees.shortText(decimals: 2))°"
        return "it is \(seconds.shortText(decimals: 2)) s after a jump of \(way) to frame \(jump.to)"
    }

    private func reason(of rate: Trajectory.Rate, isMetric: Bool) -> String? {
        if let speed, isMetric, rate.speed > speed {
            return "the camera moved at \(rate.speed.text(over: speed)) m/s, over \(speed.shortText)"
        }
        if let turning, rate.turning > turning {
            return "the camera turned by \(rate.turning.text(over: turning))°/s, over \(turning.shortText)"
        }
        return nil
    }

    private func reason(of predicted: Double?) -> String? {
        guard let blur, let predicted, predicted > blur else { return nil }
        return "its predicted blur is \(predicted.text(over: blur)) px, over \(blur.shortText)"
    }
}
