extension Capture {
    /// Why the capture fails for its bad frames; nil while they are few enough.
    /// - Parameter stage: the stage that read the capture, as a pipeline labels it.
    public func excessOfBadFrames(readBy stage: String = "read") -> Problem? {
        let bad = frames.filter { $0.drop?.isBad == true }
        guard Double(bad.count) > badFrameLimit * Double(frames.count) else { return nil }
        let share = Double(bad.count) / Double(frames.count)
        // Rounded up, so that the share itself is allowed by what is proposed.
        let enough = min(1, (share * 100).rounded(.up) / 100)
        // With no frame left a higher limit is no help.
        let allowing =
            bad.count == frames.count
            ? "" : ", or allow more with  --set \(stage).bad-frame-limit=\(Self.short(enough))"
        return Problem(
            .input, "\(bad.count) of \(frames.count) frames are bad (\(Self.short(share * 100)) %)",
            notes: ["the limit is \(Self.short(badFrameLimit * 100)) %"]
                + bad.prefix(3).map { "frame \($0.index): \($0.drop?.reason ?? "")" },
            fix: "record the capture again\(allowing)")
    }

    /// At most three decimals.
    private static func short(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return Int(exactly: rounded).map { String($0) } ?? rounded.description
    }
}
