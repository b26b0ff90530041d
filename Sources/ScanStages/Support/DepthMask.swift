import ScanModel
import ScanPipeline

/// What all stages that zero depth pixels share: they count the valid pixels before and after.
enum DepthMask {
    static func apply(
        to frame: inout Frame, in context: StageContext,
        _ change: (inout DepthMap) throws(Problem) -> DepthMap.MaskCount
    ) throws(Problem) {
        var depth = try frame.requiredDepth
        // Taken out of the frame while it is changed: two owners would make a copy of the pixels.
        frame.depth = nil
        let count = try change(&depth)
        context.count("pixels-in", count.before)
        context.count("pixels-out", count.after)
        frame.depth = depth
    }

    /// Warns if a mask has removed all of the depth: everything below it then works on nothing.
    /// - Parameter reason: why that may be.
    static func warnIfEmpty(_ context: StageContext, _ reason: String) {
        let count = context.counted("pixels-in")
        guard count > 0, context.counted("pixels-out") == 0 else { return }
        let loss = count == 1 ? "the only depth pixel is lost" : "none of \(count) depth pixels is left"
        context.warn("\(loss): \(reason)")
    }
}
