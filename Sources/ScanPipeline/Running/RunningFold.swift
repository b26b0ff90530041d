import ScanModel

/// A fold stage with what it has gathered so far.
protocol RunningFold: Sendable {
    func take(_ frame: inout Frame, _ context: StageContext) throws(Problem)
    func end(_ capture: inout Capture, _ context: StageContext) throws(Problem)
}

/// Not a mutex: the line hands frames to an ordered step one at a time, and its lock orders memory between workers.
final class FoldBox<S: FoldStage>: RunningFold, @unchecked Sendable {
    private let stage: S
    private let label: String
    private var state: S.Fold?

    init(stage: S, label: String, fold: S.Fold) {
        self.stage = stage
        self.label = label
        state = fold
    }

    func take(_ frame: inout Frame, _ context: StageContext) throws(Problem) {
        // Out of the box while it is changed, so that what it holds is never copied.
        guard !frame.facts.isDropped, var fold = state.take() else { return }
        defer { state = fold }
        do throws(Problem) { try stage.fold(&frame, into: &fold, in: context) } catch {
            throw error.inFrame(frame.facts.index).inStage(label)
        }
        if stage.bindsFrames { frame.isTaken = true }
    }

    func end(_ capture: inout Capture, _ context: StageContext) throws(Problem) {
        guard let fold = state.take() else { return }
        try stage.end(fold, &capture, in: context)
    }
}
