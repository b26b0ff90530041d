import ScanModel
import ScanPipeline

/// Thins the frames out evenly.
public struct SelectEvery: CaptureStage {
    private enum Rule: Sendable {
        case step(Int, from: Int)
        case count(Int)
    }

    public static let card = StageCard(
        name: "select-every",
        summary: "Keep every n-th frame, or a number of frames spread evenly over time.",
        details: """
            Give exactly one of `step` and `count`. `step` counts source frames, from `offset`. `count` keeps that many
            of the remaining frames: the ones nearest to evenly spaced moments from the first to the last; trainers want
            150 to 300 views, not 3,600. A capture with fewer frames keeps them all.
            """,
        example: "- select-every: {count: 200}", revision: 2)

    private let rule: Rule

    public init(_ options: inout OptionReader) {
        options.exactlyOne(of: ["step", "count"])
        let step = options.integer(
            "step", "Keep source frames offset, offset + step, offset + 2 · step, …", in: 1...1_000_000)
        let offset = options.integer(
            "offset", "The first source frame that `step` keeps.", default: 0, in: 0...1_000_000_000)
        let count = options.integer("count", "How many frames to keep, spread evenly over time.", in: 1...1_000_000_000)
        if count != nil && offset != 0 { options.refuse("offset", beside: "count", "with `step`, not with `count`") }
        rule = count.map(Rule.count) ?? .step(step ?? 1, from: offset)
        // Other rules of `filter-blur` leave most frames.
        let picksSharpest = ["window", "seconds", "count"].contains { rule in
            options.value(of: rule, above: FilterBlur.self)?.double.map { rule != "window" || $0 > 1 } ?? false
        }
        let chooser: String? =
            picksSharpest
            ? FilterBlur.card.name : options.isBelow(SelectKeyframes.self) ? SelectKeyframes.card.name : nil
        if step ?? 1 > 1, let chooser {
            options.warn(
                "step",
                "`step` counts source frames, and the `\(chooser)` above has left only some of them: few frames are "
                    + "kept by both, and those are not evenly spread",
                fix: "spread a number of them over time with  count: …")
        }
    }

    public var uses: Uses {
        let wants: [Channel] = if case .count = rule { [.timestamp] } else { [] }
        return Uses(finish: .init(needs: [.frames], wants: wants, drops: true))
    }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        switch rule {
        case .step(let step, let offset):
            for frame in capture.keptFrames where frame.index < offset || (frame.index - offset) % step != 0 {
                capture.drop(frame.index, stage: context.label, reason: "not one of every \(step) from \(offset)")
            }
        case .count(let count):
            let kept = capture.keptFrames
            let chosen = Set(Self.spread(count, over: Self.moments(of: kept)))
            let reason = "not one of \(count) spread over \(Self.times(of: kept) == nil ? "the frames" : "time")"
            for (position, frame) in kept.enumerated() where !chosen.contains(position) {
                capture.drop(frame.index, stage: context.label, reason: reason)
            }
        }
    }

    /// The times of frames; nil if one has none, or if the clock stands still or goes back and so says nothing.
    private static func times(of frames: [FrameFacts]) -> [Int64]? {
        let times = frames.compactMap(\.timestamp)
        guard times.count == frames.count, let first = times.first, let last = times.last, first < last else {
            return nil
        }
        return times
    }

    /// Where frames lie along the recording: their times or, if these say nothing, their numbers.
    static func moments(of frames: [FrameFacts]) -> [Int64] { times(of: frames) ?? frames.map { Int64($0.index) } }

    /// The positions of the moments nearest to `count` evenly spaced ones from the first to the last; no moment is taken
    /// twice, and as many are taken as there can be.
    package static func spread(_ count: Int, over moments: [Int64]) -> [Int] {
        guard count < moments.count, let first = moments.first, let last = moments.last else {
            return Array(moments.indices)
        }
        let others = nextOthers(in: moments)
        var chosen: [Int] = []
        var next = 0
        for number in 0..<count {
            let share = count == 1 ? 0.5 : Double(number) / Double(count - 1)
            let target = Double(first) + share * (Double(last) - Double(first))
            // The ones still to come need a moment each.
            let end = moments.count - (count - number - 1)
            var best = next
            var position = next
            while position < end {
                let distance = abs(Double(moments[position]) - target)
                if distance < abs(Double(moments[best]) - target) { best = position }
                if Double(moments[position]) > target { break }
                // Of equal moments the first is as near as any.
                position = others[position]
            }
            chosen.append(best)
            next = best + 1
        }
        return chosen
    }

    /// For each position the next one that has another moment. Where a clock stands still, that is far away.
    private static func nextOthers(in moments: [Int64]) -> [Int] {
        var others = moments.indices.map { $0 + 1 }
        for position in moments.indices.dropLast().reversed() where moments[position] == moments[position + 1] {
            others[position] = others[position + 1]
        }
        return others
    }
}
