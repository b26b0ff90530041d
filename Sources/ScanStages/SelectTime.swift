import ScanModel
import ScanPipeline

/// Keeps a part of the recording.
public struct SelectTime: CaptureStage {
    public static let card = StageCard(
        name: "select-time",
        summary: "Keep only a part of the recording: cut off its start, its end, or both.",
        details: """
            Recordings often begin while the phone is still being raised, and end while it is lowered: `{from: 1, to: -2}`
            cuts off the first second and the last two. Seconds count from the source's first frame, negative ones back
            from its last, whether or not those two are kept; both bounds belong to the part. `inspect` shows how long a
            capture is. A capture that is too short to have anything between the bounds fails. Frames without a time are
            dropped; where no frame has one, as in pictures that were taken one by one, use `select-frames`.
            """,
        example: "- select-time: {from: 1, to: -2}")

    let from: Double
    let to: Double?

    public init(_ options: inout OptionReader) {
        let day = -86_400.0...86_400
        from = options.number(
            "from", "Where the part begins: after the first frame, or if it is negative, before the last.", default: 0,
            in: day, unit: "s")
        to = options.number(
            "to",
            "Where the part ends: after the first frame, or if it is negative, before the last. The last frame "
                + "without it.", in: day, unit: "s")
        if !options.isGiven("from"), !options.isGiven("to") {
            options.fail(nil, "select-time has nothing to do", "give it `from` or `to`")
        }
        if let to, (from < 0) == (to < 0), from > to {
            let (start, end) = (OptionText.number(from), OptionText.number(to))
            options.fail("from", "`from: \(start)` is after `to: \(end)`, which leaves nothing")
        }
    }

    public var uses: Uses { Uses(finish: .init(needs: [.frames, .timestamp], drops: true)) }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        let times = capture.frames.compactMap(\.timestamp)
        guard let first = times.first, let last = times.last else { return }
        for frame in capture.keptFrames {
            guard let time = frame.timestamp else {
                capture.drop(frame.index, stage: context.label, reason: "no time")
                continue
            }
            let (since, left) = (Timestamp.seconds(from: first, to: time), Timestamp.seconds(from: time, to: last))
            // As a bound counts it: negative from the end.
            func seconds(as bound: Double) -> Double { bound < 0 ? -left : since }
            if seconds(as: from) < from {
                capture.drop(frame.index, stage: context.label, reason: "before \(Self.moment(from))")
            } else if let to, seconds(as: to) > to {
                capture.drop(frame.index, stage: context.label, reason: "after \(Self.moment(to))")
            }
        }
        if capture.keptFrames.isEmpty {
            let length = Timestamp.seconds(from: first, to: last).fixedText(decimals: 2)
            throw Problem(
                .input, "no frame is left between the bounds of \(context.label): the recording is \(length) s long",
                fix: "choose `from` and `to` that leave a part of it, or run this capture without \(context.label)"
            ).ofPipeline()
        }
    }

    private static func moment(_ seconds: Double) -> String {
        seconds < 0 ? "the last \((-seconds).shortText) s" : "\(seconds.shortText) s"
    }
}
