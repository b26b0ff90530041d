import ScanModel
import ScanPipeline

/// Removes depth that the recorder does not trust enough.
public struct MaskConfidence: FrameStage, CaptureStage {
    public static let card = StageCard(
        name: "mask-confidence",
        summary: "Zero depth pixels whose recorded confidence is too low.",
        details: """
            A level is 0 (low), 1 (medium) or 2 (high), whatever range the recorder uses: a value v of lo…hi passes when
            (v − lo) / (hi − lo) ≥ level / 3. So level 2 means 2 of iOS's 0…2 and 170 of Android's 0…255. Confidence
            itself stays as recorded. Values beyond the range count as the nearest level, with a warning.

            Many apps record none: `if-missing: pass` lets the depth of such a capture through unchanged, with a note.
            If only some frames have none, nothing vouches for their depth: all of it becomes 0, unless `at-least` is 0
            or `if-missing: pass` lets it through. There is a warning when no depth is left in the whole capture.
            """,
        example: "- mask-confidence: {at-least: 2}", revision: 2)

    let level: Int
    let missing: Missing

    public init(_ options: inout OptionReader) {
        level = options.integer(
            "at-least", "Lowest level that is kept: 0 low, 1 medium, 2 high.", default: 2, in: 0...2)
        missing = options.choice("if-missing", "What to do with a capture without confidence.", default: .fail)
    }

    public var uses: Uses {
        let isNeeded = missing == .fail
        return Uses(
            frame: .init(needs: isNeeded ? [.confidence] : [], wants: isNeeded ? [] : [.confidence], changes: [.depth]),
            instead: [[.confidence]: [.option("if-missing", set: "pass", not: "fail")]])
    }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        if missing == .pass, !context.available.contains(.confidence) {
            return context.note("the capture has no confidence, so no depth was masked by it")
        }
        guard let confidence = frame.confidence else {
            context.count("frames-without-confidence", 1)
            if missing == .pass || level == 0 { return }
            return try DepthMask.apply(to: &frame, in: context) { depth in
                let count = depth.validCount
                context.count("pixels-without-confidence", count)
                depth = DepthMap(emptyOf: depth.size)
                return DepthMap.MaskCount(before: count, after: 0)
            }
        }
        if confidence.hasStrays {
            context.count("frames-with-odd-confidence", 1)
            let (low, high) = (confidence.range.lowerBound, confidence.range.upperBound)
            context.warn(
                "confidence has values that its recorder does not write, beyond \(low)…\(high): those above count as high, and the "
                    + "file may be damaged or from another app")
        }
        let threshold = ConfidenceMap.threshold(level: level, in: confidence.range)
        try DepthMask.apply(to: &frame, in: context) { (depth) throws(Problem) in
            guard depth.size == confidence.size else {
                throw Problem(
                    .input, "depth is \(depth.size), confidence \(confidence.size)",
                    fix: "leave \(context.label) out for this capture")
            }
            return depth.mask(confidence: confidence, atLeast: threshold)
        }
    }

    public func finish(_ capture: inout Capture, in context: StageContext) {
        let lower = level == 0 ? "" : ", or lower `at-least`"
        // Of the frames that came here, whatever stages below have dropped by now.
        if context.counted("pixels-without-confidence") == context.counted("pixels-in") {
            return DepthMask.warnOfLoss(
                context, "none of the frames with depth has confidence; with `if-missing: pass` they keep their depth")
        }
        let look = "see with  scanmill inspect  whether it is recorded in another range" + lower
        DepthMask.warnOfLoss(
            context, "no pixel has confidence of level \(level); \(look)",
            rest: "the others have confidence below level \(level); \(look)")
    }
}
