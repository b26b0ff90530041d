extension Capture {
    /// Why the capture fails for its bad frames; nil while they are few enough.
    public var excessOfBadFrames: Problem? {
        let bad = frames.filter { $0.drop?.isBad == true }
        guard Double(bad.count) > badFrameLimit * Double(frames.count) else { return nil }
        let percent = Double(bad.count) / Double(frames.count) * 100
        return Problem(
            .input, "\(bad.count) of \(frames.count) frames are bad (\(Self.short(percent)) %)",
            notes: ["the limit is \(Self.short(badFrameLimit * 100)) %"]
                + bad.prefix(3).map { "frame \($0.index): \($0.drop?.reason ?? "")" },
            fix: "record the capture again, or allow more with  --set read.bad-frame-limit=\(Self.short(percent / 100 + 0.005))")
    }

    /// At most three decimals.
    private static func short(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return Int(exactly: rounded).map { String($0) } ?? rounded.description
    }
}
