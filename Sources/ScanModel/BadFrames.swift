extension Capture {
    /// The frames that count as bad, in order, and why. A kept frame that lacks a used channel is bad too, unless there
    /// are only a few such frames: as few as streams may differ in length.
    /// - Parameter used: the channels that are read; nil for all.
    public func badFrames(using used: Set<Channel>? = nil) -> [(index: Int, reason: String)] {
        var reasons: [Int: String] = [:]
        for (channel, indices) in gaps.sorted(by: { $0.key.name < $1.key.name }) {
            // A frame that was left out lacks nothing that is used.
            let lacking = indices.filter { frames[$0].drop?.isBad != false }
            guard used?.contains(channel) != false, lacking.count > Self.gapsOfAnySoundCapture else { continue }
            for index in lacking { reasons[index] = reasons[index] ?? "it has no \(channel.plainName)" }
        }
        // A run drops these frames itself if it uses the channel.
        if used == nil { for lost in sparse.values.map(\.lost) { reasons.merge(lost) { first, _ in first } } }
        for facts in frames { if let drop = facts.drop, drop.isBad { reasons[facts.index] = drop.reason } }
        return reasons.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Why the capture fails for its bad frames; nil while they are few enough.
    /// - Parameters:
    ///   - used: the channels that are read; nil for all.
    ///   - stage: the stage that read the capture, as a pipeline labels it.
    public func excessOfBadFrames(using used: Set<Channel>? = nil, readBy stage: String = Drop.reader) -> Problem? {
        let bad = badFrames(using: used)
        let count = frames.count - leftOutCount
        // Shares are compared, not counts: 0.29 · 100 comes out below 29, so a limit of 0.29 would refuse 29 bad frames
        // of 100.
        let share = Double(bad.count) / Double(count)
        guard share > badFrameLimit else { return nil }
        // Rounded up, so that the proposed limit allows this very share.
        let enough = min(1, (share * 100).rounded(.up) / 100)
        // With no frame left, or none to train on, a higher limit is no help.
        let trained = frames.filter { $0.split?.contains(.training) != false }
        let allowing =
            (trained.isEmpty ? frames : trained).allSatisfy(\.isDropped)
            ? "" : ", or allow more with  " + ShellWord.setting(stage, "bad-frame-limit=\(enough.shortText)")
        return Problem(
            .input, "\(bad.count.counted(of: count, "frame", "is", "are")) bad (\((share * 100).shortText) %)",
            notes: ["the limit is \((badFrameLimit * 100).shortText) %"]
                + bad.prefix(Self.namedBadFrames).map { "frame \($0.index): \($0.reason)" }
                + (bad.count > Self.namedBadFrames ? ["and \(bad.count - Self.namedBadFrames) more"] : []),
            fix: "\(commonFix ?? "copy or record the capture again")\(allowing)")
    }

    /// How many frames were left out because their app kept none of the data that is used.
    private var leftOutCount: Int {
        let bare = Set(sparse.values.flatMap(\.without))
        return bare.count { frames[$0].drop.map { $0.stage == Drop.reader && !$0.isBad } ?? false }
    }

    /// The fix for the frames that were dropped as bad, if it is the same for all.
    private var commonFix: String? {
        let fixes = Set(frames.compactMap(\.drop).filter(\.isBad).map(\.fix))
        return fixes.count == 1 ? fixes.first ?? nil : nil
    }

    /// So many frames may lack something that an app writes apart from them, and the capture is sound.
    package static let gapsOfAnySoundCapture = 3
    private static let namedBadFrames = 3
}

extension Problem {
    /// Why a capture fails whose pipeline allows no bad frame.
    /// - Parameter stage: the stage that read the capture, as a pipeline labels it.
    public static func badFrame(_ index: Int, _ reason: String, readBy stage: String = Drop.reader) -> Problem {
        let setting = ShellWord.setting(stage, "on-bad-frame=drop")
        return Problem(.input, reason, fix: "drop bad frames with  \(setting)").inFrame(index)
    }
}
