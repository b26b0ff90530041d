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
}
