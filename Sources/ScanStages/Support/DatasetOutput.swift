import ScanModel
import ScanPipeline

/// The pictures of a dataset for trainers, and what stands beside them: the options that the writers of such datasets have
/// in common, and what these ask for.
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
        // Masks of depth need it too.
        [.color, .pose, .intrinsics] + masks.needs + depth.needs.filter { !masks.needs.contains($0) }
    }
    var wants: [Channel] { [.downscaled] + masks.wants + split.wants }
    /// The way to do without what is needed.
    var instead: [[Channel]: [Uses.Instead]] {
        [[.box]: masks.instead(of: .box), [.depth]: depth.instead + masks.instead(of: .depth)]
    }
}
