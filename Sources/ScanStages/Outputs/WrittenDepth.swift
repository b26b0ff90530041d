import ScanFormats
import ScanModel
import ScanPipeline

/// A frame's depth for formats whose readers assume the colour camera's view.
extension Frame {
    /// The frame's depth as the colour camera sees it, which is what trainers take depth pictures for; nil without depth.
    func alignedDepth(_ context: StageContext) -> DepthMap? { depth.map { aligned($0, context) } }

    /// The same for trainers, which want a map for each picture: one without depth where the frame has none.
    func alignedDepthOrNone(_ context: StageContext) -> DepthMap {
        alignedDepth(context) ?? DepthMap(emptyOf: context.capture.depthSize ?? PixelSize(1, 1))
    }

    /// A depth map of the frame's sensor as the colour camera sees it: the same map if both share one camera.
    func aligned(_ map: DepthMap, _ context: StageContext) -> DepthMap {
        guard let depthCamera = context.capture.depthCamera, let camera = facts.intrinsics else { return map }
        return DepthRegistration.align(map, of: depthCamera, with: camera)
    }

    /// The frame's depth for a format that assumes the pictures' own view: as the stages above have left it, or as
    /// recorded if none of them unpacks it. Nil without depth.
    func writtenDepth(_ context: StageContext) throws(Problem) -> DepthMap? {
        if context.reads.contains(.depth) && context.available.contains(.depth) { return alignedDepth(context) }
        guard let recordedDepth else { return nil }
        return aligned(try DepthCodec.decode(recordedDepth).map, context)
    }
}

/// A frame's depth as a format's file holds it.
struct EncodedDepth: Sendable {
    let bytes: [UInt8]
    /// Of the map in it.
    let size: PixelSize
}

extension StageContext {
    /// Depth in whole millimetres, 0 for "no value" and beyond 65.535 m, which is counted.
    func millimetres(of map: DepthMap, rounding: DepthCodec.Rounding = .nearest) -> Gray16Image {
        let (image, overflow) = DepthCodec.millimetres(map, rounding: rounding)
        countTooFar(overflow)
        return image
    }

    /// Counts depth that a format of whole numbers has no value for, and that became 0.
    func countTooFar(_ pixels: Int) { if pixels > 0 { count("depth-pixels-too-far", pixels) } }
}
