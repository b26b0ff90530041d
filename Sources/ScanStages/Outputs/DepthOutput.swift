import ScanFormats
import ScanModel
import ScanPipeline

/// Writes depth beside the pictures of a dataset, for trainers: 16-bit PNGs in millimetres.
struct DepthOutput: Sendable {
    let isOn: Bool

    init(_ options: inout OptionReader) {
        isOn = options.flag("depth", "Write depth as 16-bit PNGs in millimetres.", default: false)
    }

    var needs: [Channel] { isOn ? [.depth] : [] }
    /// The way to do without what is needed.
    var instead: [Uses.Instead] { isOn ? [.option("depth", set: "false", not: "true")] : [] }

    /// Writes a frame's depth as the colour camera sees it, and that of the picture's smaller copies.
    /// - Parameters:
    ///   - path: for the depth of the picture itself.
    ///   - fillsPicture: whether a map is enlarged to its picture's size.
    func write(
        _ frame: inout Frame, to path: String, fillsPicture: Bool = false, _ context: StageContext
    ) throws(Problem) {
        let camera = try frame.facts.requiredIntrinsics
        let recorded = frame.alignedDepthOrNone(context)
        if recorded.validCount == 0 { context.count("frames-without-depth", 1) }
        let map = fillsPicture ? recorded.nearest(to: camera.size) : recorded
        let picture = try PNG.encodeGray16(context.millimetres(of: map))
        try context.output.write(picture, for: &frame, to: path)
        for factor in frame.downscaled.map(\.factor) {
            let size = camera.size.downscaled(by: factor)
            // nerfstudio enlarges a map to its picture: reducing one that is smaller already would only lose values.
            let isSmall = !fillsPicture && map.width <= size.width && map.height <= size.height
            let bytes =
                isSmall
                ? picture
                : try PNG.encodeGray16(DepthCodec.millimetres(recorded.nearest(to: size)).image)
            try context.output.write(bytes, for: &frame, to: DownscaledPicture.path(of: path, factor: factor))
        }
    }
}
