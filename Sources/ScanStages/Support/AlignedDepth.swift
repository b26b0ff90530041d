import ScanFormats
import ScanModel
import ScanPipeline

extension Frame {
    /// The frame's depth as the colour camera sees it, which is what trainers take depth pictures for; nil without depth.
    func alignedDepth(_ context: StageContext) -> DepthMap? {
        guard let depth, let depthCamera = context.capture.depthCamera, let camera = facts.intrinsics else {
            return depth
        }
        return DepthRegistration.align(depth, of: depthCamera, with: camera)
    }

    /// The frame's depth for a format that takes it for the pictures' own view: as the stages above have left it, or as
    /// recorded where none of them unpacks it. Nil without depth.
    func writtenDepth(_ context: StageContext) throws(Problem) -> DepthMap? {
        if context.reads.contains(.depth) && context.available.contains(.depth) { return alignedDepth(context) }
        guard let recordedDepth else { return nil }
        var unpacked = self
        unpacked.depth = try DepthCodec.decode(recordedDepth).map
        return unpacked.alignedDepth(context)
    }
}
