import ScanModel
import ScanPipeline

/// Removes depth that differs from the frame before: flying pixels, things that move.
public struct MaskJumps: FrameStage, CaptureStage {
    public static let card = StageCard(
        name: "mask-jumps",
        summary: "Zero depth pixels that differ too much from the same pixel of the previous source frame.",
        details: """
            The reference is the previous *source* frame as decompressed: unmasked, and used even if an earlier stage
            has dropped that frame. A pixel without depth there counts as different. Between frames that are further
            apart in time than `within`, depth changes because the camera moves: in a recorded room 5 % of the pixels
            differ by 5 cm at 30 Hz, 16 % at 15 Hz, and half of them at 5 Hz. Such a frame is left as it is, and so are
            the first one, and one whose predecessor cannot be decoded or has no depth at all; they are counted as
            `frames-without-previous`. Where frames have no times (ScanNet's export, 7-Scenes, datasets), a frame is
            left as it is if the camera has moved by more than 3 cm or turned by more than 2° since the one before, as a
            hand does in a twentieth of a second; without poses either, all are compared. There is a warning when more
            than a third of the depth is lost.

            This is MultiScan's temporal filter (its `delta_thresh`), which compares whatever the time, as a large `within`
            does. It is computed in floating point: on unsigned millimetres the original wraps around and zeroes pixels
            that differ by −1 mm.
            """,
        example: "- mask-jumps: {max: 0.05}", revision: 6)

    let limit: Double
    /// Seconds.
    let longestStep: Double

    public init(_ options: inout OptionReader) {
        limit = options.number(
            "max", "Largest difference that is kept.", default: 0.05, in: 0...1000, usual: 0...5, unit: "m")
        longestStep = options.number(
            "within", "Longest time since the previous frame at which depth is compared.", default: 0.05, in: 0...1e6,
            usual: 0...1, unit: "s")
    }

    public var uses: Uses { Uses(frame: .init(wants: [.timestamp, .pose, .previousDepth], changes: [.depth])) }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        let previous = isBehindAGap(frame) ? nil : frame.previousDepth
        let limit = Float(limit)
        try DepthMask.apply(to: &frame, in: context) { depth in
            // A picture without depth that was written and read again is one of zeros.
            guard let previous, previous.size == depth.size, previous.metres.contains(where: { $0 > 0 }) else {
                context.count("frames-without-previous", 1)
                let count = depth.validCount
                return DepthMap.MaskCount(before: count, after: count)
            }
            return depth.mask(jumpsFrom: previous, over: limit)
        }
    }

    /// Whether the camera has moved on since the previous frame, or has had the time to.
    private func isBehindAGap(_ frame: Frame) -> Bool {
        guard let before = frame.previousFacts else { return false }
        if let time = frame.timestamp, let timeBefore = before.timestamp {
            return abs(Double(time) - Double(timeBefore)) > longestStep * 1e9
        }
        guard let pose = frame.pose, let poseBefore = before.pose else { return false }
        let turn = Quaternion(poseBefore.rotation.transposed * pose.rotation).rotationVector
        return (pose.position - poseBefore.position).length > 0.03 || turn.length > 2 * .pi / 180
    }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        context.warnUnlessMetric(capture, "\(OptionText.number(limit)) m may be anything")
        let kept = capture.keptFrames.count
        if kept > 1, context.counted("frames-without-previous") >= kept {
            context.note(
                "no depth was compared with that of the frame before: the frames are further apart than `within`, "
                    + "\(OptionText.number(longestStep)) s, or the camera moved on between them, or they have no depth")
        }
        let differ =
            "from the frame before by more than \(OptionText.number(limit)) m, as happens when the camera moves on "
            + "between two frames; raise `max`, or leave this stage out"
        DepthMask.warnOfLoss(
            context, "every pixel differs \(differ)", rest: "the others differ \(differ)", below: 2.0 / 3)
    }
}
