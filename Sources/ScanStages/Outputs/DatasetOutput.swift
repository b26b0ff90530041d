import ScanModel
import ScanPipeline

/// The pictures of a training dataset, and what goes with them: the options that the writers of such datasets have in
/// common, and what these options need.
struct DatasetOutput: Sendable {
    let pictures: PictureOutput
    let depth: DepthOutput
    let masks: MaskOutput
    let split: SplitOutput

    init(_ options: inout OptionReader) {
        pictures = .forTraining(&options)
        depth = DepthOutput(&options)
        masks = MaskOutput(&options)
        split = SplitOutput(&options)
    }

    var needs: [Channel] {
        // Depth masks need depth too.
        [.color, .pose, .intrinsics] + masks.needs + depth.needs.filter { !masks.needs.contains($0) }
    }
    var wants: [Channel] { [.downscaled] + masks.wants + split.wants }
    /// What the result uses each of its frames for; nil if it says nothing about any.
    /// - Parameters:
    ///   - recorded: the capture's own, for the remaining frames in their order.
    ///   - isNerfstudio: whether nerfstudio reads it.
    func splits(
        of recorded: [DatasetSplit?], isNerfstudio: Bool = true, _ context: StageContext
    ) -> [DatasetSplit]? {
        let splits = split.splits(of: recorded, context)
        if isNerfstudio, masks.isOn(context), splits?.count(where: { !$0.isDisjoint(with: .heldOut) }) == 1 {
            context.warn(
                "one frame alone is held out, and it has a mask: nerfstudio's nerfacto fails when it evaluates; hold out more, "
                    + "or write no masks")
        }
        return splits
    }

    /// The way to do without what is needed.
    var instead: [[Channel]: [Uses.Instead]] {
        [[.box]: masks.instead(of: .box), [.depth]: depth.instead + masks.instead(of: .depth)]
    }
}
