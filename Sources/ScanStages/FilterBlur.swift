import ScanFormats
import ScanModel
import ScanPipeline

/// Drops blurred frames.
public struct FilterBlur: FrameStage, CaptureStage {
    /// Which brightness the score is taken of.
    public enum Gray: String, CaseIterable, Sendable { case bt601, luma }

    enum Rule: Sendable {
        case atLeast(Double)
        case keep(Double)
        case window(Int)
    }

    public static let card = StageCard(
        name: "filter-blur",
        summary: "Drop frames whose picture is not sharp enough.",
        details: """
            The score is the variance of the 4-neighbour Laplacian of the full-size 8-bit grey picture (reflect-101
            border): the `sharpness` that instant-ngp's datasets publish. Higher is sharper; what is sharp depends on the
            scene, so compare frames of one capture.

            Exactly one rule is given. `at-least` keeps frames with that score. `keep` keeps the ceil(keep · n) frames with
            the best scores, ties going to the lower frame. `window` keeps the sharpest of each n consecutive frames, the
            last short window keeping one too; no hole is longer than two windows, where a global `keep: 0.2` left 75
            frames in a row without a picture on a real capture.

            `gray: bt601` computes grey from red, green and blue, which gives instant-ngp's number; `luma` takes the
            picture's own brightness plane, expanded to full range, which is cheaper for video and differs by up to 0.3 %
            on JPEG.

            The receipt holds every score that was taken, and the longest run of frames dropped here; a run longer than one
            second is warned about.
            """,
        example: "- filter-blur: {window: 5}")

    let rule: Rule
    let gray: Gray

    public init(_ options: inout OptionReader) {
        let score = options.number("at-least", "Lowest score that is kept.", in: 0...Double.greatestFiniteMagnitude)
        let share = options.number("keep", "Share of the frames to keep, the sharpest ones.", in: 0.0001...1)
        let window = options.integer("window", "Keep the sharpest of each so many consecutive frames.", in: 1...1_000_000)
        gray = options.choice("gray", "The brightness that is scored.", default: .bt601)
        options.exactlyOne(of: ["at-least", "keep", "window"])
        rule = score.map(Rule.atLeast) ?? share.map(Rule.keep) ?? .window(window ?? 1)
    }

    public var uses: Uses {
        let picture: [[Channel]] = gray == .luma ? [[.luma, .color]] : [[.color]]
        if case .atLeast = rule {
            return Uses(frame: .init(anyOf: picture, makes: [.sharpness], drops: true))
        }
        return Uses(frame: .init(anyOf: picture, makes: [.sharpness]), finish: .init(drops: true))
    }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        let score = try self.score(&frame, context)
        frame.sharpness = score
        if case .atLeast(let limit) = rule, score < limit {
            frame.facts.drop = Drop(
                stage: context.label, reason: "sharpness \(Self.text(score)) is under \(Self.text(limit))")
        }
    }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        let reached = capture.frames.filter { $0.sharpness != nil && ($0.drop == nil || $0.drop?.stage == context.label) }
        context.record(
            "scores",
            .array(reached.map { .object(["frame": .of($0.index), "score": .number($0.sharpness ?? 0)]) }))
        switch rule {
        case .atLeast: break
        case .keep(let share): keep(share, &capture, context)
        case .window(let length): thin(length, &capture, context)
        }
        reportHoles(capture, context)
    }

    private func score(_ frame: inout Frame, _ context: StageContext) throws(Problem) -> Double {
        if gray == .luma {
            if let luma = frame.luma { return Sharpness.score(luma) }
            if let luma = try frame.loadOwnLuma(context) { return Sharpness.score(luma) }
        }
        return Sharpness.score(try frame.loadRGB(context))
    }

    private func keep(_ share: Double, _ capture: inout Capture, _ context: StageContext) {
        let kept = capture.keptFrames
        let count = Int((share * Double(kept.count)).rounded(.up))
        let ranked = kept.sorted { ($1.sharpness ?? 0, $0.index) < ($0.sharpness ?? 0, $1.index) }
        for frame in ranked.dropFirst(count) {
            capture.drop(
                frame.index, stage: context.label,
                reason: "sharpness \(Self.text(frame.sharpness ?? 0)) is not among the best \(count) of \(kept.count)")
        }
    }

    private func thin(_ length: Int, _ capture: inout Capture, _ context: StageContext) {
        let kept = capture.keptFrames
        for start in stride(from: 0, to: kept.count, by: length) {
            let window = kept[start..<min(start + length, kept.count)]
            guard let best = window.max(by: { ($0.sharpness ?? 0, $1.index) < ($1.sharpness ?? 0, $0.index) }) else { continue }
            for frame in window where frame.index != best.index {
                capture.drop(
                    frame.index, stage: context.label,
                    reason: "sharpness \(Self.text(frame.sharpness ?? 0)) is under frame \(best.index)'s in its window")
            }
        }
    }

    /// The longest run of consecutive source frames that this stage dropped, and the time without a frame around it.
    private func reportHoles(_ capture: Capture, _ context: StageContext) {
        var longest = 0
        var longestStart = 0
        var run = 0
        for frame in capture.frames {
            run = frame.drop?.stage == context.label ? run + 1 : 0
            if run > longest { (longest, longestStart) = (run, frame.index - run + 1) }
        }
        context.record("longest-dropped-run", .of(longest))
        let before = max(0, longestStart - 1)
        let after = min(capture.frames.count - 1, longestStart + longest)
        if longest > 0, let start = capture.frames[before].timestamp, let end = capture.frames[after].timestamp {
            let seconds = Double(end - start) / 1e9
            if seconds > 1 {
                let advice = if case .window = rule { "a smaller `window` leaves shorter ones" } else { "`window` leaves shorter ones" }
                context.warn(
                    "frames \(longestStart) to \(longestStart + longest - 1) were all dropped, which leaves a hole of "
                        + "\(Self.text(seconds)) s; \(advice)")
            }
        }
    }

    private static func text(_ value: Double) -> String { String((value * 100).rounded() / 100) }
}
