import ScanModel
import ScanPipeline

/// Drops blurred frames.
public struct FilterBlur: FrameStage, NeighbourStage {
    enum Rule: Sendable {
        case atLeast(Double)
        case keep(Double)
        case window(Int)
        case seconds(Double)
        case count(Int)
    }

    public static let card = StageCard(
        name: "filter-blur",
        summary: "Drop frames whose picture is not sharp enough.",
        details: """
            \(BlurScore.meaning)

            Give exactly one rule; of equal scores, the earlier frame's wins.

            - `window` keeps the sharpest of every n consecutive frames; a shorter last window keeps one too.
            - `seconds` keeps the sharpest of the frames less than that many seconds from the first of them, whatever the
              rate; pictures taken one by one and frames without a timestamp all stay.
            - `count` splits the frames into that many stretches of equally many frames and keeps the sharpest of each.
            - `keep` keeps the ceil(keep · n) frames with the best scores, wherever they are.
            - `at-least` keeps frames with at least that score.

            With the first three rules no gap is longer than two windows or stretches, whereas `keep: 0.2` dropped 75
            frames in a row of a real capture. For a video, `window` and `seconds` decide while it is decoded, as long
            as they compare only a few frames, so that stages below need not decode it again.

            \(BlurScore.grays)

            The receipt holds the scores of the remaining frames and of those dropped here, and the longest run of
            frames dropped here. A gap of more than a second without a frame causes a warning, unless the recording
            paused there.
            """,
        example: "- filter-blur: {window: 5}", revision: 6)

    /// The longest time without a frame, in seconds, that causes no warning.
    package static let longestGap = 1.0
    /// What a warning about a longer one says before its length, which ends in " s".
    package static let gapWords = "which leaves a gap of"

    let rule: Rule
    let score: BlurScore

    public init(_ options: inout OptionReader) {
        options.exactlyOne(of: ["at-least", "keep", "window", "seconds", "count"])
        let limit = options.number("at-least", "Lowest score that is kept.", in: 0...Double.greatestFiniteMagnitude)
        let share = options.number("keep", "Share of the frames to keep, the sharpest ones.", in: 0.0001...1)
        let window = options.integer("window", "Keep the sharpest of every n consecutive frames.", in: 1...1_000_000)
        let seconds = options.number(
            "seconds", "Keep the sharpest of the frames within this time.", in: 0.001...86_400,
            usual: 0...60, unit: "s")
        let count = options.integer("count", "Keep this many frames, spread evenly.", in: 1...1_000_000)
        score = BlurScore(&options)
        rule =
            limit.map(Rule.atLeast) ?? share.map(Rule.keep) ?? seconds.map(Rule.seconds) ?? count.map(Rule.count)
            ?? .window(window ?? 1)
    }

    public var uses: Uses {
        // Other rules compare frames with each other.
        let judgesAlone = if case .atLeast = rule { true } else { false }
        return Uses(
            frame: .init(anyOf: score.pictures, makes: [.sharpness], drops: judgesAlone),
            finish: .init(needs: [.frames, .sharpness], wants: [.timestamp], drops: !judgesAlone))
    }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        let sharpness = try score.take(of: &frame, context)
        if case .atLeast(let limit) = rule, sharpness < limit {
            let reason = "sharpness \(sharpness.text(under: limit)) is under \(limit.shortText(decimals: 6))"
            frame.facts.drop = Drop(stage: context.label, reason: reason)
        }
    }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        switch rule {
        case .keep(let share): keep(share, &capture, context)
        case .count(let count): thin(to: count, &capture, context)
        case .seconds where capture.frames.allSatisfy({ $0.timestamp == nil }):
            context.note(
                "no frame has a time, so `seconds` dropped none: thin them by `window` or `count` instead, such as  "
                    + ShellWord.setting(context.label, "window=5")
                    + " , or give the frame rate, such as  --set read.rate=30"
            )
        case .atLeast, .window, .seconds: break
        }
        BlurScore.record(capture, context)
        reportGaps(capture, context)
    }

    public func mostNeighbours(among frames: [FrameFacts]) -> Int? {
        switch rule {
        case .window(let length): return min(length, max(1, frames.count))
        case .seconds:
            // From each frame on, how many come in time: two positions that only move forward.
            var most = 1
            var end = 0
            for start in frames.indices {
                end = max(end, start)
                while end + 1 < frames.count, isNeighbour(frames[end + 1], of: frames[start]) { end += 1 }
                most = max(most, end - start + 1)
            }
            return most
        case .atLeast, .keep, .count: return nil
        }
    }

    public func isNeighbour(_ frame: FrameFacts, of first: FrameFacts) -> Bool {
        guard case .seconds(let seconds) = rule else { return true }
        guard let start = first.timestamp, let time = frame.timestamp else { return false }
        return abs(Timestamp.seconds(from: start, to: time)) < seconds
    }

    /// Keeps the sharpest of each of `count` stretches, whose lengths differ by at most one frame.
    private func thin(to count: Int, _ capture: inout Capture, _ context: StageContext) {
        let kept = capture.keptFrames
        if kept.count <= count { return }
        for stretch in 0..<count {
            let frames = Array(kept[stretch * kept.count / count..<(stretch + 1) * kept.count / count])
            for drop in drops(among: frames) { capture.drop(drop.frame, stage: context.label, reason: drop.reason) }
        }
    }

    public func drops(among frames: [FrameFacts]) -> [(frame: Int, reason: String)] {
        guard let best = frames.max(by: { ($0.sharpness ?? 0, $1.index) < ($1.sharpness ?? 0, $0.index) }) else {
            return []
        }
        let group = if case .window = rule { "window" } else { "stretch" }
        return frames.filter { $0.index != best.index }.map {
            ($0.index, Self.reason($0, "not above frame \(best.index)'s in its \(group)"))
        }
    }

    private func keep(_ share: Double, _ capture: inout Capture, _ context: StageContext) {
        let kept = capture.keptFrames
        // 0.07 · 100 is a little more than 7 in double precision.
        let count = Int((share * Double(kept.count) - 1e-9).rounded(.up))
        let ranked = kept.sorted { ($1.sharpness ?? 0, $0.index) < ($0.sharpness ?? 0, $1.index) }
        for frame in ranked.dropFirst(count) {
            let reason = Self.reason(frame, "not among the best \(count) of \(kept.count)")
            capture.drop(frame.index, stage: context.label, reason: reason)
        }
    }

    /// - Parameter standing: how the frame's sharpness compares, as the end of a sentence.
    private static func reason(_ frame: FrameFacts, _ standing: String) -> String {
        "sharpness \((frame.sharpness ?? 0).shortText(decimals: 2)) is \(standing)"
    }

    /// A run of frames dropped here, with none left in between; frames that other stages dropped do not end it.
    private struct FrameGap {
        var first: Int
        var last: Int
        var count: Int

        /// From the frame left before it to the one after it; at an end of the capture, to the last one dropped.
        /// - Parameter stage: the one that dropped the frames.
        /// - Returns: its length, and the longest step in it between frames that reached the stage: no rule makes the
        ///   gap shorter than that.
        func seconds(in frames: [FrameFacts], of stage: String) -> (whole: Double, pause: Double)? {
            let before = frames[..<first].last { !$0.isDropped } ?? frames[first]
            let after = frames[(last + 1)...].first { !$0.isDropped } ?? frames[last]
            guard let start = before.timestamp, let end = after.timestamp else { return nil }
            let times = frames[before.index...after.index].filter { !$0.isDropped || $0.drop?.stage == stage }
                .compactMap(\.timestamp)
            let steps = zip(times, times.dropFirst()).map { Timestamp.seconds(from: $0, to: $1) }
            return (Timestamp.seconds(from: start, to: end), steps.max() ?? 0)
        }
    }

    private func reportGaps(_ capture: Capture, _ context: StageContext) {
        let gaps = capture.frames.split { !$0.isDropped }.compactMap { dropped -> FrameGap? in
            let here = dropped.filter { $0.drop?.stage == context.label }
            guard let first = here.first, let last = here.last else { return nil }
            return FrameGap(first: first.index, last: last.index, count: here.count)
        }
        context.record("longest-dropped-run", .of(gaps.map(\.count).max() ?? 0))
        let timed = gaps.compactMap { gap in
            gap.seconds(in: capture.frames, of: context.label).map { (gap: gap, seconds: $0.whole, pause: $0.pause) }
        }
        // A pause that is a gap already was there before any frame was dropped.
        let made = timed.filter { $0.seconds - ($0.pause > Self.longestGap ? $0.pause : 0) > Self.longestGap }
        guard let (gap, seconds, _) = made.max(by: { $0.seconds < $1.seconds }) else { return }
        let advice =
            switch rule {
            case .window: "a smaller `window`, or `seconds`, leaves shorter ones"
            case .seconds: "a smaller `seconds` leaves shorter ones"
            case .count: "a larger `count` leaves shorter ones"
            case .atLeast, .keep: "`window` leaves shorter ones"
            }
        let what =
            gap.count == 1
            ? "frame \(gap.first) was dropped" : "frames \(gap.first) to \(gap.last) were all dropped"
        context.warn("\(what), \(Self.gapWords) \(seconds.shortText(decimals: 2)) s; \(advice)")
    }
}
