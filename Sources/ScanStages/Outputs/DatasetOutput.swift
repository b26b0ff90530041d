import ScanFormats
import ScanModel
import ScanPipeline

/// The pictures of a training dataset, and what goes with them: the options that the writers of such datasets have in
/// common, what these options need, and the files.
struct DatasetOutput: Sendable {
    private let dialect: TransformsJSON.Dialect
    private let pictures: PictureOutput
    private let depth: DepthOutput
    private let masks: MaskOutput
    private let split: SplitOutput

    /// - Parameter dialect: whose loader reads the dataset; nerfstudio's reads COLMAP models too.
    init(_ options: inout OptionReader, for dialect: TransformsJSON.Dialect = .nerfstudio) {
        self.dialect = dialect
        pictures = .forTraining(&options)
        depth = DepthOutput(&options, for: dialect)
        masks = MaskOutput(&options)
        split = SplitOutput(&options)
    }

    var needs: [Channel] {
        // Depth masks need depth too.
        [.color, .pose, .intrinsics] + masks.needs + depth.needs.filter { !masks.needs.contains($0) }
    }
    var wants: [Channel] { [.downscaled] + masks.wants + split.wants }

    /// The way to do without what is needed.
    var instead: [Set<Channel>: [Uses.Instead]] {
        [[.box]: masks.instead(of: .box), [.depth]: depth.instead + masks.instead(of: .depth)]
    }

    var writesDepth: Bool { depth.isOn }
    var cutOut: PictureOutput.CutOut? { masks.cutOut }

    /// - Throws: if nothing is left of the box for masks, or a stage above that was to make one could not.
    func begin(_ context: StageContext) throws(Problem) { try masks.begin(context) }

    /// What was written of a frame: paths in the dataset's folder.
    struct Written {
        var picture: String
        var depth: String?
        var mask: String?
        /// The mask by which the picture was cut out.
        var cut: LumaImage?
    }

    /// Writes a frame's picture, the depth and the mask that go with it, and smaller copies of all three.
    func write(_ frame: inout Frame, in folder: String, _ context: StageContext) throws(Problem) -> Written {
        let name = FrameName.padded(frame.index)
        let stem = "\(folder)/images/\(name)"
        let picture: String
        var cut: LumaImage?
        if let cutOut = masks.cutOut, masks.isOn(context) {
            let masks = try masks.masks(of: frame, context)
            picture = try PictureOutput.write(&frame, cutOut, by: masks, to: stem, context)
            cut = masks[0].image
        } else {
            picture = try pictures.writeWithDownscaled(&frame, to: stem, context)
        }
        let depthPath = depth.isOn ? "depths/\(name).png" : nil
        if let depthPath {
            try depth.write(&frame, to: "\(folder)/\(depthPath)", context)
        }
        let mask = dialect == .nerfstudio ? "masks/\(name).png" : "images/dynamic_mask_\(name).png"
        let maskPath = masks.isOn(context) && masks.cutOut == nil ? mask : nil
        if let maskPath {
            // instant-ngp's masks say what to ignore.
            try masks.write(&frame, to: "\(folder)/\(maskPath)", saysIgnore: dialect == .instantNGP, context)
        }
        return Written(
            picture: String(picture.dropFirst(folder.count + 1)), depth: depthPath, mask: maskPath, cut: cut)
    }

    /// Warns where no mask leaves anything to learn from.
    func end(of count: Int, _ context: StageContext) { masks.end(of: count, context) }

    /// What the result uses each of its frames for; nil if it says nothing about any.
    /// - Parameter recorded: the capture's own, for the remaining frames in their order.
    func splits(of recorded: [DatasetSplit?], _ context: StageContext) -> [DatasetSplit]? {
        let splits = split.splits(of: recorded, context)
        if dialect == .nerfstudio, masks.isOn(context), masks.cutOut == nil, splits?.count(where: \.isHeldOut) == 1 {
            context.warn(
                "only one frame is held out, and it has a mask: nerfstudio's nerfacto fails when it evaluates; hold "
                    + "out more, or write no masks")
        }
        return splits
    }
}
