import ScanModel
import ScanPipeline

/// Keeps a part of the recording.
public struct SelectTime: CaptureStage, DemandingStage {
    public static let card = StageCard(
        name: "select-time",
        summary: "Keep only a part of the recording: cut off its start, its end, or both.",
        details: """
            Recordings often begin while the phone is still being raised, and end while it is lowered: `{from: 1, to: -2}`
            cuts off the first second and the last two. Seconds count from the source's first frame that has a time,
            negative ones back from its last, whether or not those two are kept; both bounds belong to the part.
            `inspect` shows how long a capture is. A capture that is too short to have anything between the bounds
            fails. Frames without a time, such as those whose camera line cannot be read, are dropped; where no frame
            has one, as in pictures that were taken one by one, use `select-frames`.
            """,
        example: "- select-time: {from: 1, to: -2}")

    let from: Double
    let to: Double?

    public init(_ options: inout OptionReader) {
        let day = -86_400.0...86_400
        from = options.number(
            "from", "Where the part begins: seconds after the first frame, or before the last if negative.", default: 0,
            in: day, unit: "s")
        to = options.number(
            "to",
            "Where the part ends: seconds after the first frame, or before the last if negative; to the end by "
                + "default.", in: day, unit: "s")
        if !options.isGiven("from"), !options.isGiven("to") {
            options.fail(nil, "select-time has nothing to do", "give it `from` or `to`")
        }
        if let to, (from < 0) == (to < 0), from > to {
            let (start, end) = (OptionText.number(from), OptionText.number(to))
            options.refuse(
                "from", above: "to", blaming: "from",
                "`from: \(start)` is after `to: \(end)`, which leaves nothing")
        }
    }

    public var uses: Uses { Uses(finish: .init(needs: [.frames, .timestamp], drops: true)) }

    /// The first and the last frame's time.
    private typealias Span = (first: Int64, last: Int64)

    private static func span(of capture: Capture) -> Span? {
        let times = capture.frames.compactMap(\.timestamp)
        return times.first.flatMap { first in times.last.map { (first, $0) } }
    }

    public func check(_ capture: Capture, _ label: String) throws(Problem) {
        // A time may become known later.
        let times = capture.frames.compactMap(\.timestamp)
        guard times.count == capture.frames.count, let span = Self.span(of: capture) else { return }
        if times.allSatisfy({ reason(toDrop: $0, span) != nil }) { throw Self.nothingLeft(of: span, label) }
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        guard let span = Self.span(of: capture) else { return }
        let frames = capture.keptFrames
        for frame in frames {
            let reason = if let time = frame.timestamp { reason(toDrop: time, span) } else { "no time" }
            if let reason { capture.drop(frame.index, stage: context.label, reason: reason) }
        }
        if !capture.keptFrames.isEmpty { return }
        let inPart = capture.frames.filter { $0.timestamp.map { reason(toDrop: $0, span) == nil } ?? false }
        throw inPart.isEmpty
            ? Self.nothingLeft(of: span, context.label)
            : Self.nothingLeft(of: frames.count, without: inPart.compactMap(\.drop), context.label)
    }

    /// Why the frame of a time is not in the part; nil for one that is.
    private func reason(toDrop time: Int64, _ span: Span) -> String? {
        let since = Timestamp.seconds(from: span.first, to: time)
        let left = Timestamp.seconds(from: time, to: span.last)
        // As a bound counts it: negative from the end.
        func seconds(as bound: Double) -> Double { bound < 0 ? -left : since }
        if seconds(as: from) < from { return "before \(Self.moment(from))" }
        return to.flatMap { to in seconds(as: to) > to ? "after \(Self.moment(to))" : nil }
    }

    private static func nothingLeft(of span: Span, _ label: String) -> Problem {
        let length = Timestamp.seconds(from: span.first, to: span.last).fixedText(decimals: 2)
        return Problem(
            .input, "no frame is left between the bounds of \(label): the recording is \(length) s long",
            fix: "choose `from` and `to` that leave a part of it, or run this capture without \(label)"
        ).ofPipeline()
    }

    /// - Parameters:
    ///   - count: of the frames that the stages above have left, none of which is in the part.
    ///   - drops: of those in it.
    private static func nothingLeft(of count: Int, without drops: [Drop], _ label: String) -> Problem {
        let none =
            count == 1
            ? "the only frame that the stages above left does not lie"
            : "none of the \(count) frames that the stages above left lies"
        // The reader stays above all others.
        let move =
            drops.contains { $0.stage != Drop.reader }
            ? "put `\(label)` above the stages that drop frames, or " : ""
        return Problem(.input, "\(none) between the bounds of \(label)", fix: "\(move)choose other bounds").ofPipeline()
    }

    private static func moment(_ seconds: Double) -> String {
        seconds < 0 ? "the last \((-seconds).shortText) s" : "\(seconds.shortText) s"
    }
}
