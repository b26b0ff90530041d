import ScanModel
import Synchronization

/// How frames that are not what they should be leave a run, whether a stage finds that out or the stream they lie in.
struct DropRule: Sendable {
    let onBadFrame: BadFrameRule
    let output: OutputFolder
    let spoilt: SpoiltFrames

    /// Drops a frame, and takes back the files that were written for it. A frame that a stage has already gathered is
    /// noted as spoilt: the run has to begin again without it.
    /// - Parameters:
    ///   - problem: what is wrong with it: in one line the drop's reason, thrown whole where it cannot be dropped.
    ///   - isBad: whether its own data is at fault, which not every capture's rule allows.
    /// - Throws: the problem, when the machine is at fault or the capture's rule does not allow bad frames.
    func drop(
        _ frame: inout Frame, for problem: Problem, by stage: String, isBad: Bool
    ) throws(Problem) {
        if problem.fault != .input || isBad && onBadFrame == .fail {
            throw problem.inFrame(frame.facts.index).inStage(stage)
        }
        let drop = Drop(stage: stage, reason: problem.oneLine, isBad: isBad, fix: isBad ? problem.fix : nil)
        if frame.isTaken { spoilt.note(frame.facts.index, drop) }
        frame.files.forEach(output.discard)
        frame.facts.drop = drop
    }
}

/// Frames that turned out to be bad after something of them had become part of the result: what a fold has gathered
/// cannot be taken out again.
final class SpoiltFrames: Sendable {
    private let drops = Mutex<[Int: Drop]>([:])

    /// By the frames' indices.
    var all: [Int: Drop] { drops.withLock { $0 } }

    func note(_ index: Int, _ drop: Drop) { drops.withLock { $0[index] = drop } }
}
