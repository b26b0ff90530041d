import ScanModel
import ScanPipeline

/// Removes depth that differs from the frame before: flying pixels, things that move.
public struct MaskJumps: FrameStage, CaptureStage {
    public static let card = StageCard(
        name: "mask-jumps",
        summary: "Zero depth pixels that differ too much from the same pixel of the previous source frame.",
        details: """
            The reference is the previous *source* frame as decompressed: unmasked, and used even if an earlier stage
            has dropped that frame. A pixel without depth there counts as different. The first frame, and one whose
            predecessor cannot be decoded or has no depth at all, are left as they are and counted as
            `frames-without-previous`.

            This is MultiScan's temporal filter (its `delta_thresh`), computed in floating point: on unsigned millimetres
            the original wraps around and zeroes pixels that differ by −1 mm.
            """,
        example: "- mask-jumps: {max: 0.05}", revision: 4)

    let limit: Double

    public init(_ options: inout OptionReader) {
        limit = options.number(
            "max", "Largest difference that is kept.", default: 0.05, in: 0...1000, usual: 0...5, unit: "m")
    }

    public var uses: Uses { Uses(frame: .init(wants: [.previousDepth], changes: [.depth])) }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        let previous = frame.previousDepth
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

    public func finish(_ capture: inout Capture, in context: StageContext) {
        let differs = "from the frame before by more than \(limit.shortText) m; raise `max`"
        DepthMask.warnOfLoss(context, "every pixel differs \(differs)", rest: "the others differ \(differs)")
    }
}
