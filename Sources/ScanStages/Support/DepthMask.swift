import ScanModel
import ScanPipeline

/// What all stages share that zero depth pixels: they count what was valid before and after.
enum DepthMask {
    static func apply(
        to frame: inout Frame, in context: StageContext,
        _ change: (inout DepthMap) throws(Problem) -> DepthMap.MaskCount
    ) throws(Problem) {
        var depth = try frame.requiredDepth
        // Out of the frame while it is changed: two owners would make a copy of the pixels.
        frame.depth = nil
        let count = try change(&depth)
        context.count("pixels-in", count.before)
        context.count("pixels-out", count.after)
        frame.depth = depth
    }
}
