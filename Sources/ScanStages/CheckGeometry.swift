import ScanFormats
import ScanModel
import ScanPipeline

/// Checks that poses, intrinsics and depth fit together.
public struct CheckGeometry: FoldStage {
    public static let card = StageCard(
        name: "check-geometry",
        summary: "Check that poses, intrinsics and depth fit together, and name the wrong convention if they do not.",
        details: """
            The depth of a frame is projected into a later one and compared with the depth there: as declared, and under
            the usual mistakes (OpenCV's axes, inverted poses, transposed rotations, a flipped z, intrinsics of another
            size, millimetres for metres, ray length for depth, swapped cx and cy). Up to 32 pairs are used, each with
            the first later frame that is at least 8 % of the median depth away and sees at least half of it.

            **pass**: the median relative error is at most 2 %, every mistake would make it at least four times worse,
            and no pair's own median is above 10 %, as it is where tracking was lost for a while: such pairs are named.
            **fail**: with one of the mistakes the error would be at most half as large, and at most 2 %; that mistake
            is named. A path that fits only as if the camera stood still fails too: its positions are in another unit
            than the depth, or wrong. **warning**: anything in between. Ray length, swapped cx and cy, and transposed
            rotations of a format with OpenCV's axes may come close and still pass: on many captures they differ too
            little to show. **undecided**: fewer than 8 pairs, as with a camera that hardly moves; but three or more
            with a median error above 2 %, or a median depth that no scan has, still cause a warning. Depth that is
            plausible only in another unit (a median of 0.2 to 10 m) fails even without pairs. A capture also fails if
            multiplying depth by one number (0.1 to 1000, more than 10 % away from 1) at least halves the error and
            brings it within 2 %: depth and positions are then in different units. That number, to a few per cent, is
            `depth-scale` in the receipt, also where all is well; of a world whose unit is unknown, it tells the unit.
            Placeholder intrinsics, pictures turned against their intrinsics and a clock that stands still are named as
            such. `if-wrong: fail` fails the capture; `warn` reports it in the summary and goes on. All figures go into
            the receipt.

            **Drift**: poses may fit from frame to frame and still wander off, so that a wall that is seen again later
            comes out double. Of up to 128 frames, each is compared with the earliest one whose place it sees again
            after the camera has looked elsewhere: the earlier frame's points are aligned with the surfaces of the later
            one (point-to-plane ICP). `seen-again` in the receipt counts such frames; `drift` is the offset and the turn
            that only a tenth of these frames, at least two, exceed: the very largest may come from things that were
            moved. Only directions that the surfaces determine well count. A warning says that the path drifts if this
            is more than 4 % of the distance, or surfaces that are seen again are on average more than 1 % of it apart,
            and `correct-drift` would bring them at least twice as close. The sensor's own errors are up to 2 or 3 %; if
            they exceed 4 %, the warning says that no change of the poses makes up for them.

            **Gravity**: where the capture has a gravity sensor and says which way is up, the sensor's direction is
            compared with the world's down as the poses show it; the median angle is in the receipt, under whichever
            quarter turn between the sensor and the camera fits best.

            **What it cannot see**: what happens between the pairs (`measure-motion` finds jumps of the path), drift
            where no place is seen again, or of more than half of the distance, focal lengths up to about 10 % too short
            or 20 % too long (50 % in a short arc of views), a world and depth scaled together, shifts of half a pixel,
            poses that belong to the next frame (`read` compares times for that), and which way is up (only gravity
            tells). Focal lengths that are far too short may be taken for ray length.
            """,
        example: "- check-geometry: {if-wrong: fail}", revision: 14)

    /// What its warnings begin with.
    package static let warningStart = "the geometry is "

    let consequence: Consequence
    /// What the stages above make up for already.
    private let scales: (depth: Double, positions: Double)
    private let isRayLength: Bool
    private let isDriftCorrected: Bool

    public init(_ options: inout OptionReader) {
        consequence = options.choice(
            "if-wrong", "What to do when another convention fits better or the data is unusable.", default: .warn)
        scales = (
            options.value(of: "scale", above: Decompress.self)?.double ?? 1,
            options.value(of: "scale", above: Read.self)?.double ?? 1
        )
        isDriftCorrected = options.isBelow(CorrectDrift.self)
        isRayLength = options.value(of: "ray-length", above: Decompress.self)?.bool ?? false
    }

    public var uses: Uses {
        Uses(fold: .init(needs: [.frames, .depth, .pose, .intrinsics], wants: [.timestamp, .motion]))
    }

    /// A frame's depth stays valid, whatever a later stage finds wrong with its picture.
    public var bindsFrames: Bool { false }

    public func begin(_ context: StageContext) -> GeometryCheck {
        let capture = context.capture
        let file = PoseInFile(of: capture, colorFromCamera: capture.depthCamera?.colorFromDepth ?? .identity)
        return GeometryCheck(frames: capture.keptFrames.map(\.index), file: file)
    }

    public func fold(_ frame: inout Frame, into check: inout GeometryCheck, in context: StageContext) {
        guard let depth = frame.depth, let camera = frame.intrinsics, let pose = frame.pose else { return }
        check.add(index: frame.index, depth: depth, view: context.capture.depthView(camera: camera, pose: pose))
    }

    public func end(_ check: consuming GeometryCheck, _ capture: inout Capture, in context: StageContext)
        throws(Problem)
    {
        var verdict = check.verdict(
            isMetric: capture.isMetric, poses: capture.soundPoses, up: capture.worldUp?.normalized)
        let isUnusable = Self.take(Self.defects(of: capture), into: &verdict)
        let isOfUnits = verdict.cause.map { $0.depthFactor != 1 } ?? !isUnusable
        if !capture.isMetric, verdict.outcome == .fail, isOfUnits {
            verdict.outcome = .undecided
            verdict.reason = "the world's unit is unknown"
            if let factor = verdict.depthScale {
                verdict.reason += "; the depth shows it:  \(wayToScale(by: factor))"
            }
        }
        if !isUnusable, let cause = verdict.cause, CaptureCorrections.made(cause, in: capture) {
            let (with, without) = (verdict.errorText(.declared), verdict.errorText(cause))
            verdict.reason = "depth fits \(without) without it, and \(with) with it"
        }
        let remedy: String? =
            switch verdict.outcome {
            case .warning where verdict.isDrifting: isDriftCorrected ? Self.remedyForMore : Self.remedyForDrift
            case .pass, .undecided, .warning: nil
            case .fail: isUnusable ? nil : remedy(for: verdict, of: capture)
            }
        record(verdict, remedy, capture, context)
        GravityCheck.record(capture, context)
        try report(verdict, remedy, isUnusable: isUnusable, of: capture, context)
    }

    /// - Parameters:
    ///   - remedy: what makes up for it, if anything does.
    ///   - isUnusable: whether the verdict is of data that no convention makes usable.
    private func report(
        _ verdict: GeometryVerdict, _ remedy: String?, isUnusable: Bool, of capture: Capture, _ context: StageContext
    ) throws(Problem) {
        let end = remedy.map { "; \($0)" } ?? ""
        switch verdict.outcome {
        case .pass, .undecided: break
        case .warning: context.warn("\(Self.warningStart)in doubt: \(verdict.reason)\(end)")
        case .fail:
            let named = isUnusable ? nil : verdict.cause
            let what = named.map { CaptureCorrections.meaning(of: $0, in: capture) } ?? verdict.reason
            let detail = named == nil ? "" : ": \(verdict.reason)"
            guard consequence == .fail else {
                return context.warnSpoiling("\(Self.warningStart)wrong: \(what)\(detail)\(end)")
            }
            // Where options make up for it, the capture stays as it is, and without them it fails again.
            throw Problem(
                .input, "the geometry is wrong: \(what)", notes: named == nil ? [] : [verdict.reason],
                fix: "\(remedy ?? "correct the capture where it was made"), or go on with  "
                    + ShellWord.setting(context.label, "if-wrong=warn")
            ).ofPipeline(remedy != nil)
        }
    }

    private static let remedyForDrift =
        "put `\(CorrectDrift.card.name)` below `\(Decompress.card.name)`, above all that uses poses"
    private static let remedyForMore =
        "a second `\(CorrectDrift.card.name)` below the first, or a smaller `min-apart`, may take out the rest; otherwise "
        + "keep a part that does not drift with `\(SelectTime.card.name)`"

    /// What to set so that the capture is read as what it is; nil where no option makes up for it.
    private func remedy(for verdict: GeometryVerdict, of capture: Capture) -> String? {
        if let way = CaptureCorrections.wayBack(of: capture), verdict.cause?.isOfPoses ?? (verdict.depthScale == nil) {
            return way
        }
        if let remedy = verdict.cause.flatMap({ CaptureCorrections.remedy(for: $0, of: capture) }) { return remedy }
        let depth = "--set \(Decompress.card.name)."
        switch verdict.cause {
        case .rayDepth: return "take it for that with  \(depth)ray-length=true"
        case let cause? where cause.depthFactor != 1:
            return "multiply it with  \(depth)scale=\(Self.number(cause.depthFactor * scales.depth))"
        case nil:
            guard let factor = verdict.likelyDepthScale else {
                return
                    "say the unit of the positions, such as  --set \(Drop.reader).scale=0.001  for millimetres, or "
                    + "correct the capture where it was made"
            }
            if isRayLength {
                return "take `ray-length: true` out of `\(Decompress.card.name)`, if depth is no length of rays"
            }
            return
                "if depth is wrong, multiply it with  \(depth)scale=\(Self.number(factor * scales.depth)) , and otherwise "
                + "the positions with  \(wayToScale(by: factor))"
        default: return nil
        }
    }

    /// - Parameter factor: of depth; that of positions is one by it.
    private func wayToScale(by factor: Double) -> String {
        "--set \(Drop.reader).scale=\(Self.number(scales.positions / factor))"
    }

    /// With three digits or more.
    private static func number(_ factor: Double) -> String { factor.shortText(decimals: factor < 0.1 ? 5 : 4) }

    private func record(
        _ verdict: GeometryVerdict, _ remedy: String?, _ capture: Capture, _ context: StageContext
    ) {
        context.record("verdict", .string(verdict.outcome.rawValue))
        context.record("reason", .string(verdict.reason))
        if let cause = verdict.cause {
            context.record("fits-better", .string(cause.rawValue))
            context.record("meaning", .string(CaptureCorrections.meaning(of: cause, in: capture)))
        }
        if let remedy { context.record("remedy", .string(remedy)) }
        context.record("pairs", .of(verdict.pairCount))
        var errors = JSONObject()
        for hypothesis in GeometryHypothesis.allCases {
            if let error = verdict.errors[hypothesis] { errors[hypothesis.rawValue] = .number(error) }
        }
        context.record("median-relative-errors", .object(errors))
        if verdict.outcome != .fail, !verdict.misfits.isEmpty {
            context.record(
                "pairs-that-do-not-fit",
                .array(
                    verdict.misfits.map { pair in
                        .object([
                            "from": .of(pair.frames.lowerBound), "to": .of(pair.frames.upperBound),
                            "median-relative-error": .number(pair.error ?? 0),
                        ])
                    }))
        }
        context.recordUnlessMetric(capture)
        context.record("seen-again", .of(verdict.revisitCount))
        if let drift = verdict.drift, verdict.outcome != .fail {
            context.record("drift", drift.record)
            // Where more is in doubt, that has to be seen to first.
            if verdict.isDrifting, verdict.isSoundOtherwise { context.record("drifts", .bool(true)) }
        }
        if let median = verdict.medianDepth { context.record("median-depth", .number(median)) }
        if let factor = verdict.depthScale { context.record("depth-scale", .number(factor.rounded(decimals: 3))) }
    }

    // MARK: - Data that cannot be used

    /// Lets a capture fail whose data cannot be used.
    /// - Returns: whether it does.
    private static func take(_ defects: [String], into verdict: inout GeometryVerdict) -> Bool {
        if defects.isEmpty { return false }
        // The facts alone cannot tell a swapped principal point from turned pictures.
        if verdict.cause == .swappedCentre {
            verdict.reason = ([verdict.reason] + defects).joined(separator: "; ")
            return false
        }
        verdict.outcome = .fail
        verdict.reason = defects.joined(separator: "; ")
        return true
    }

    /// What makes the frames' facts useless whatever the convention, from the facts alone.
    private static func defects(of capture: Capture) -> [String] {
        let frames = capture.keptFrames
        var defects: [String] = []
        let cameras = frames.compactMap(\.intrinsics).map { $0.counted(from: .corner) }
        if let k = cameras.first, cameras.allSatisfy({ !$0.isOfPhone }) {
            let (across, down) = k.fieldsOfView
            let what =
                max(across, down) > CameraIntrinsics.viewsOfPhones.upperBound
                ? "placeholders" : "those of no phone's lens"
            defects.append(
                "the intrinsics are \(what) (fx \(k.fx.shortText), fy \(k.fy.shortText), cx \(k.cx.shortText), cy "
                    + "\(k.cy.shortText) of \(k.width)×\(k.height))")
        } else if let k = cameras.first, cameras.allSatisfy(Self.isTurned) {
            defects.append(
                "the pictures are turned against their intrinsics (cx \(k.cx.shortText), cy \(k.cy.shortText) fit \(k.height)×\(k.width), and they are \(k.width)×\(k.height))"
            )
        }
        let times = frames.compactMap(\.timestamp)
        if times.count > 2, Set(times).count == 1 {
            defects.append("the clock stands still: all frames have one timestamp")
        }
        return defects
    }

    private static func isTurned(_ k: CameraIntrinsics) -> Bool {
        let (w, h) = (Double(k.width), Double(k.height))
        func fits(_ w: Double, _ h: Double) -> Bool { abs(k.cx - w / 2) < 0.05 * w && abs(k.cy - h / 2) < 0.05 * h }
        return abs(w / h - 1) > 0.15 && fits(h, w) && !fits(w, h)
    }
}
