import ScanModel

/// How frames leave a run that are not what they should be, whether a stage finds that out or the stream they lie in.
struct DropRule: Sendable {
    let onBadFrame: BadFrameRule
    let output: OutputFolder

    /// Drops a frame, and takes back the files that were written for it.
    /// - Parameters:
    ///   - problem: what is wrong with it: in one line its reason, and whole where the frame cannot be dropped.
    ///   - isBad: whether its own data is at fault, which not every capture may have.
    /// - Throws: the problem, when the machine is at fault, the capture's rule does not allow bad frames, or a stage has
    ///   gathered the frame already.
    func drop(
        _ frame: inout Frame, for problem: Problem, by stage: String, isBad: Bool
    ) throws(Problem) {
        let placed = problem.inFrame(frame.facts.index).inStage(stage)
        if problem.fault != .input || isBad && onBadFrame == .fail { throw placed }
        if frame.isTaken {
            throw placed.noting(
                "an earlier stage has already taken this frame, so it cannot be dropped any more: leave it out above that "
                    + "stage, with `select-frames`")
        }
        frame.files.forEach(output.discard)
        frame.facts.drop = Drop(
            stage: stage, reason: problem.oneLine, isBad: isBad, fix: isBad ? problem.fix : nil)
    }
}
