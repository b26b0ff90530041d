import ScanModel
import ScanPipeline

/// Removes depth that is too near or too far.
public struct MaskRange: FrameStage, CaptureStage {
    public static let card = StageCard(
        name: "mask-range",
        summary: "Zero depth pixels that are nearer or farther than two bounds.",
        details: """
            Both bounds belong to the range. MultiScan's server keeps up to 10 m; a phone's LiDAR is good to about 5 m.
            There is a warning when no depth is left in the whole capture.
            """,
        example: "- mask-range: {near: 0.1, far: 5}")

    let near: Double
    let far: Double

    public init(_ options: inout OptionReader) {
        near = options.number("near", "Nearest depth that is kept.", default: 0.1, in: 0...1000, unit: "m")
        far = options.number("far", "Farthest depth that is kept.", default: 10, in: 0...1000, unit: "m")
        options.require("near", below: "far", orEqual: true)
    }

    public var uses: Uses { Uses(frame: .init(changes: [.depth])) }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        // In single precision, so that a depth recorded as 700 mm is inside `near: 0.7`.
        let (near, far) = (Float(near), Float(far))
        try DepthMask.apply(to: &frame, in: context) { $0.mask(near: near, far: far) }
    }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        context.warnUnlessMetric(
            capture, "\(OptionText.number(near)) to \(OptionText.number(far)) m may be anything")
        DepthMask.warnOfLoss(
            context,
            "the range is \(OptionText.number(near)) to \(OptionText.number(far)) m; see with  scanmill inspect  how far "
                + "depth reaches")
    }
}
