import ScanFormats
import ScanModel
import ScanPipeline

/// Writes depth beside the pictures of a dataset, for trainers: 16-bit PNGs in millimetres.
struct DepthOutput: Sendable {
    private enum Size: String, CaseIterable, Sendable { case map, picture }

    let isOn: Bool
    private let size: Size

    init(_ options: inout OptionReader, for dialect: TransformsJSON.Dialect) {
        isOn = options.flag("depth", "Write depth as 16-bit PNGs in millimetres.", default: false)
        let isNGP = dialect == .instantNGP
        let size = options.choice(
            "depth-size", "Write depth maps at their own size, or enlarged to the pictures' by nearest neighbour.",
            default: isNGP ? Size.picture : .map)
        options.warn("depth-size", unless: isOn, "with `depth: true`")
        if isNGP && size == .map { options.refuse("depth-size", beside: "dialect", "with `dialect: nerfstudio`") }
        // instant-ngp refuses other sizes than the picture's.
        self.size = isNGP ? .picture : size
    }

    var needs: [Channel] { isOn ? [.depth] : [] }
    /// The way to do without what is needed.
    var instead: [Uses.Instead] { isOn ? [.option("depth", set: "false", not: "true")] : [] }

    /// Writes a frame's depth as the colour camera sees it, and that of the picture's smaller copies.
    /// - Parameter path: for the depth of the picture itself.
    func write(_ frame: inout Frame, to path: String, _ context: StageContext) throws(Problem) {
        let camera = try frame.facts.requiredIntrinsics
        let recorded = frame.alignedDepthOrNone(context)
        if recorded.validCount == 0 { context.count("frames-without-depth", 1) }
        let map = size == .picture ? recorded.nearest(to: camera.size) : recorded
        let picture = try PNG.encodeGray16(context.millimetres(of: map))
        try context.output.write(picture, for: &frame, to: path)
        for factor in frame.downscaled.map(\.factor) {
            let small = camera.size.downscaled(by: factor)
            // nerfstudio enlarges a map to its picture: reducing one that is smaller already would only lose values.
            let isSmall = size == .map && map.width <= small.width && map.height <= small.height
            let bytes =
                isSmall
                ? picture
                : try PNG.encodeGray16(DepthCodec.millimetres(recorded.nearest(to: small)).image)
            try context.output.write(bytes, for: &frame, to: DownscaledPicture.path(of: path, factor: factor))
        }
    }
}
