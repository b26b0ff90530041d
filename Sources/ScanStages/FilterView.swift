import ScanModel
import ScanPipeline

/// Drops the frames that do not show the box.
public struct FilterView: CaptureStage {
    public static let card = StageCard(
        name: "filter-view",
        summary: "Drop the frames whose pictures hardly show the box.",
        details: """
            Nothing is learned of an object from pictures that do not show it: masks of its box ignore them as a whole,
            and trainers cannot evaluate them where they are held out. `at-least` is the share of a picture's area that
            the box has to cover, whatever stands in front of it. It is counted on a grid, of at most
            \(BoxMask.sharePoints) points along the picture's longer side; a floor cuts the box off. Frames without a
            pose or intrinsics are dropped too.

            It looks at no pixel, so the stages below have less to do. A box that `fit-box` or a file gives is known
            only below `fit-box` or `cull-by-box`. If no picture shows enough of the box, the capture fails: the box or
            the poses are wrong, or the object is too small in its pictures for `at-least`. Where under half of the
            pictures show enough of it, and nine in ten would show its middle if the poses had one of the usual
            mistakes, that mistake is named.
            """,
        example: "- filter-view")

    private static let range = 0.0001...1.0

    let share: Double
    let missing: Missing

    public init(_ options: inout OptionReader) {
        share = options.number(
            "at-least", "Which share of a picture's area the box has to cover.", default: 0.001, in: Self.range)
        missing = options.choice(
            "if-missing", "What to do with a capture without a box, poses or intrinsics.", default: .fail)
    }

    private static let needs: [Channel] = [.box, .pose, .intrinsics]

    public var uses: Uses {
        let isNeeded = missing == .fail
        return Uses(
            finish: .init(
                needs: [.frames] + (isNeeded ? Self.needs : []), wants: isNeeded ? [] : Self.needs, drops: true),
            instead: Dictionary(
                uniqueKeysWithValues: Self.needs.map { ([$0], [.option("if-missing", set: "pass", not: "fail")]) }))
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        let lacking = Self.needs.first { !context.available.contains($0) }
        guard lacking == nil, let box = capture.box else {
            let lack = "the capture has no \((lacking ?? .box).name)"
            if missing == .pass { return context.note("\(lack), so no frame was dropped by what it shows") }
            // A stage above was to make it.
            throw Problem(
                .input, capture.absences[lacking ?? .box]?.reason ?? lack,
                fix: "keep all frames with  " + ShellWord.setting(context.label, "if-missing=pass")
            ).ofPipeline()
        }
        var largest = 0.0
        var drops: [(frame: Int, reason: String)] = []
        let frames = capture.keptFrames
        for frame in frames {
            guard let pose = frame.pose, let camera = frame.intrinsics, camera.defect == nil else {
                drops.append((frame.index, frame.pose == nil ? "it has no pose" : "it has no intrinsics"))
                continue
            }
            let covered = BoxMask.share(of: box, camera: camera, pose: pose)
            largest = max(largest, covered)
            if covered >= share { continue }
            let text = "\(covered.text(under: share)) of its picture, under \(OptionText.number(share))"
            drops.append((frame.index, "the box covers \(text)"))
        }
        let doubt = drops.count * 2 > frames.count ? PoseDoubt(of: frames, in: capture, showing: box) : nil
        if drops.count == frames.count { throw nothingSeen(of: box, largest, doubt, context.label) }
        if let doubt { context.warn("\(doubt.text); \(doubt.remedy)") }
        for drop in drops { capture.drop(drop.frame, stage: context.label, reason: drop.reason) }
    }

    /// - Parameter largest: the largest share that it covers of any picture.
    private func nothingSeen(of box: OrientedBox, _ largest: Double, _ doubt: PoseDoubt?, _ label: String) -> Problem {
        var fix = "look at the box and the poses with  scanmill inspect"
        if largest >= Self.range.lowerBound {
            let lower = max(share / 10, Self.range.lowerBound)
            fix +=
                " , or give a small object a lower share with  "
                + ShellWord.setting(label, "at-least=\(OptionText.number(lower))")
        }
        return Problem(
            .input, "the box covers less than \(OptionText.number(share)) of every picture",
            notes: [doubt?.text, "at most, it covers \(largest.text(under: share))", box.place].compactMap(\.self),
            fix: doubt.map { $0.remedy + ($0.remedy.endsInCommand ? " , or " : ", or ") + fix } ?? fix
        ).ofPipeline(doubt != nil)
    }
}

/// What speaks for poses that are not what the format says: with one of the usual mistakes made good, the pictures show the
/// box.
private struct PoseDoubt {
    let text: String
    let remedy: String

    /// - Returns: nil unless nine in ten frames with poses and intrinsics would show the box's middle.
    init?(of frames: [FrameFacts], in capture: Capture, showing box: OrientedBox) {
        let file = PoseInFile(of: capture)
        let views = frames.compactMap(\.view)
        func count(_ hypothesis: GeometryHypothesis) -> Int {
            views.count { CameraView(camera: $0.camera, pose: hypothesis.pose($0.pose, file)).shows(box.center) }
        }
        // A box that is merely small in its pictures is in their middle all the same.
        if count(.declared) * 2 >= views.count { return nil }
        let counts = GeometryHypothesis.allCases.filter { CaptureCorrections.remedy(for: $0, of: capture) != nil }
            .map { (mistake: $0, seen: count($0)) }
        guard let best = counts.max(by: { $0.seen < $1.seen }), best.seen > 2, best.seen * 10 >= views.count * 9,
            let remedy = CaptureCorrections.remedy(for: best.mistake, of: capture)
        else { return nil }
        let meaning = CaptureCorrections.meaning(of: best.mistake, in: capture)
        text =
            "it seems that \(meaning): corrected, \(best.seen) of \(frames.count) pictures show the middle of the box"
        self.remedy = remedy
    }
}
