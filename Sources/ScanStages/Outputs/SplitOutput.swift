import ScanModel
import ScanPipeline

/// Which frames of a dataset are for training and which are held out: the options that say so.
struct SplitOutput: Sendable {
    private let testEvery: Int
    private let keepsLists: Bool

    init(_ options: inout OptionReader) {
        testEvery = options.integer(
            "test-every", "Hold out every n-th frame for testing; 0 holds out none.", default: 0, in: 0...1_000_000)
        if testEvery == 1 {
            options.fail(
                "test-every", "`test-every: 1` leaves no frame for training",
                "hold out every 8th frame with  test-every: 8  or none with  test-every: 0")
        }
        keepsLists = options.flag(
            "keep-split", "Keep a dataset's own lists of frames for training and tests, where `test-every` makes none.",
            default: true)
        options.warn("keep-split", unless: testEvery == 0, "with `test-every: 0`")
    }

    var wants: [Channel] { testEvery == 0 && keepsLists ? [.split] : [] }

    /// What the result uses each of its frames for; nil if it says nothing about any.
    /// - Parameter recorded: the capture's own, for the remaining frames in their order.
    func splits(of recorded: [DatasetSplit?], _ context: StageContext) -> [DatasetSplit]? {
        let splits = assigned(recorded, context)
        if let splits, !splits.contains(where: \.isHeldOut) {
            context.warn("none of the frames that are left is held out for tests, and trainers that evaluate need some")
        }
        return splits
    }

    private func assigned(_ recorded: [DatasetSplit?], _ context: StageContext) -> [DatasetSplit]? {
        if testEvery > 0 {
            let splits = recorded.indices.map { $0 % testEvery == 0 ? DatasetSplit.heldOut : .training }
            if !splits.contains(.training) { context.warn("`test-every` leaves no frame for training") }
            return splits
        }
        guard !wants.isEmpty, context.available.contains(.split) else { return nil }
        let splits = recorded.map { $0 ?? [] }
        context.count("frames-for-training", splits.count { $0.contains(.training) })
        context.count("frames-held-out", splits.count(where: \.isHeldOut))
        if !splits.contains(where: { $0.contains(.training) }) {
            context.warn("none of the frames that are left is for training")
        }
        let useless = splits.count(where: \.isEmpty)
        if useless > 0 {
            let count = useless.counted(of: splits.count, "frame", "has", "have")
            context.warn("\(count) no place in the dataset's lists: trainers pass them over")
        }
        return splits
    }
}
