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

    /// Warns if a mask has removed all of the depth, or nearly all: everything below it then works on nothing.
    /// - Parameters:
    ///   - reason: why all of it may be gone.
    ///   - rest: what is true of the pixels that are gone where a few are left; nil for the same reason.
    ///   - share: how much has to be left.
    static func warnOfLoss(_ context: StageContext, _ reason: String, rest: String? = nil, below share: Double = 0.05) {
        let (count, left) = (context.counted("pixels-in"), context.counted("pixels-out"))
        guard count > 0, Double(left) < share * Double(count) || left == 0 else { return }
        if left > 0 {
            let percent = (100 * Double(left) / Double(count)).shortText(digits: 2)
            return context.warn("only \(percent) % of \(count) depth pixels are left: \(rest ?? reason)")
        }
        let loss = count == 1 ? "the only depth pixel is lost" : "none of \(count) depth pixels is left"
        context.warn("\(loss): \(reason)")
    }
}
