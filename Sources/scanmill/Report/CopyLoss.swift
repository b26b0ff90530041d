import ScanModel

/// What the copy of a capture has lost, as a warning of its result says it.
struct CopyLoss: Sendable {
    /// What is wrong.
    var message: String
    /// What more is to be said about it.
    var text: String
    var fix: String
    /// The frames that it cost, where only what was whole of a damaged file was kept.
    var frames: CaptureFacts.FrameAccount.Loss?

    /// - Returns: nil for a warning about something else.
    init?(_ warning: String, of frames: CaptureFacts.FrameAccount?) {
        let lost = frames?.losses.first {
            $0.stage == Drop.reader && !$0.example.isEmpty && warning.hasPrefix($0.example)
        }
        if let lost, let source = frames?.source, source > 0 {
            message = warning
            text = "\(Wording.grouped(lost.count)) of \(Wording.count(source, "frame")) \(lost.count.isOrAre) lost."
            fix = RunMessages.wayAfterSalvage
            self.frames = lost
            return
        }
        // A file that is missing is named by what the reader found instead, and behind a colon by what to copy.
        // Most warnings are of something else, and matching takes its time.
        guard [": copy ", ": put "].contains(where: { warning.firstRange(of: $0) != nil }) else { return nil }
        let way = #/(.*): (copy .* (?:too|again)(?:[;,] .*)?|put the file .* in its place)/#
        guard let parts = warning.wholeMatch(of: way) else { return nil }
        fix = String(parts.2)
        let reason = String(parts.1)
        let contrast = reason.firstRange(of: ", though ")
        message = contrast.map { String(reason[..<$0.lowerBound]) } ?? reason
        text = contrast.map { FindingRules.sentences([String(reason[$0.upperBound...])]) } ?? ""
    }
}

extension CaptureFacts {
    /// What its result says that the copy has lost.
    var copyLosses: [CopyLoss] { warnings.compactMap { CopyLoss($0, of: frames) } }
}
