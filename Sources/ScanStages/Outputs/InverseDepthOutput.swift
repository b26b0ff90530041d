import ScanFormats
import ScanModel
import ScanPipeline

/// Writes depth for Gaussian Splatting's own trainer: see ``InverseDepth``.
struct InverseDepthOutput: Sendable {
    let isOn: Bool

    init(_ options: inout OptionReader) {
        isOn = options.flag(
            "inverse-depth", "Write what `train.py -d inverse-depths` reads, for Gaussian Splatting with depth.",
            default: false)
    }

    var needs: [Channel] { isOn ? [.depth] : [] }
    /// The way to do without what is needed.
    var instead: [Uses.Instead] { isOn ? [.option("inverse-depth", set: "false", not: "true")] : [] }

    /// The trainer learns all pixels of a picture or none. Filling the holes of one that is mostly holes would invent it.
    private static let leastKnown = 0.5

    /// Writes a frame's depth as the colour camera sees it.
    /// - Parameter mask: 0 where the picture was cut out and made black. There is nothing to be seen at any depth there, which
    ///   the trainer's renderer gives as an inverse depth of 0.
    /// - Returns: whether there is enough of it to learn from.
    func write(
        _ frame: inout Frame, to path: String, cutBy mask: LumaImage?, _ context: StageContext
    ) throws(Problem) -> Bool {
        let recorded = frame.alignedDepthOrNone(context)
        let isEnough = Double(recorded.validCount) >= Self.leastKnown * Double(recorded.metres.count)
        if !isEnough { context.count(Self.unused, 1) }
        var map = recorded.fillingHoles()
        if let mask = mask?.nearest(to: map.size) {
            for index in map.metres.indices where mask.pixels[index] == 0 { map.metres[index] = 0 }
        }
        try context.output.write(try PNG.encodeGray16(InverseDepth.picture(map)), for: &frame, to: path)
        return isEnough
    }

    private static let unused = "inverse-depths-unused"

    /// Warns where nothing is left to learn from.
    func end(of count: Int, _ context: StageContext) {
        guard count > 0, context.counted(Self.unused) == count else { return }
        context.warn(
            "`train.py -d` passes over all of the depth: no picture has depth for half of its pixels; stages that "
                + "mask less leave more"
        )
    }
}
