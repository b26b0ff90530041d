import ScanModel
import ScanPipeline

/// What the copy of a capture has lost.
struct CopyLoss: Sendable {
    /// What is wrong.
    var message: String
    /// What more is to be said about it.
    var text: String
    var fix: String
    /// The frames that it cost, where only what was whole of a damaged file was kept.
    var frames: CaptureFacts.FrameAccount.Loss?

    /// Of a file that is missing, or cannot be used.
    init(_ loss: Receipt.Loss) {
        fix = loss.fix
        let contrast = loss.reason.firstRange(of: ", though ")
        message = contrast.map { String(loss.reason[..<$0.lowerBound]) } ?? loss.reason
        text = contrast.map { FindingRules.sentences([String(loss.reason[$0.upperBound...])]) } ?? ""
    }

    /// Of a file of which only what was whole was kept, as a warning says it.
    /// - Returns: nil for a warning about something else.
    init?(_ warning: String, of frames: CaptureFacts.FrameAccount) {
        let lost = frames.losses.first {
            $0.stage == Drop.reader && !$0.example.isEmpty && warning.hasPrefix($0.example)
        }
        guard let lost, frames.source > 0 else { return nil }
        message = warning
        let all = Wording.count(frames.source, "frame")
        text = "\(Wording.grouped(lost.count)) of \(all) \(lost.count.isOrAre) lost."
        fix = RunMessages.wayAfterSalvage
        self.frames = lost
    }
}

extension CaptureFacts {
    /// Takes what the copy has lost, where the warnings and the account of frames are taken already.
    mutating func takeLosses(of receipt: JSONValue) {
        for loss in (receipt[Receipt.lostKey]?.array ?? []).compactMap(Receipt.Loss.init) {
            copyLosses[loss.text] = CopyLoss(loss)
        }
        guard let frames else { return }
        for warning in warnings {
            if let loss = CopyLoss(warning, of: frames) { copyLosses[warning] = loss }
        }
    }
}
