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
            the poses are wrong, or the object is too small in its pictures for `at-least`.
            """,
        example: "- filter-view")

    let share: Double
    let missing: Missing

    public init(_ options: inout OptionReader) {
        share = options.number(
            "at-least", "Which share of a picture's area the box has to cover.", default: 0.001, in: 0.0001...1)
        missing = options.choice(
            "if-missing", "What to do with a capture without a box, poses or intrinsics.", default: .fail)
    }

    private static let needs: [Channel] = [.box, .pose, .intrinsics]

    public var uses: Uses {
        let isNeeded = missing == .fail
        return Uses(
            finish: .init(
                needs: [.frames] + (isNeeded ? Self.needs : []), wants: isNeeded ? [] : Self.needs, drops: true),
            instead: [[.box]: [.option("if-missing", set: "pass", not: "fail")]])
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
        let least = OptionText.number(share)
        var most = 0.0
        var drops: [(frame: Int, reason: String)] = []
        let frames = capture.keptFrames
        for frame in frames {
            guard let pose = frame.pose, let camera = frame.intrinsics, camera.defect == nil else {
                drops.append((frame.index, frame.pose == nil ? "it has no pose" : "it has no intrinsics"))
                continue
            }
            let covered = BoxMask.share(of: box, camera: camera, pose: pose)
            most = max(most, covered)
            if covered >= share { continue }
            let reason = "the box covers \(covered.text(under: share)) of its picture, under \(least)"
            drops.append((frame.index, reason))
        }
        if drops.count == frames.count {
            throw Problem(
                .input, "the box covers \(least) of no picture",
                notes: ["at most, it covers \(most.text(under: share))", box.place],
                fix:
                    "look at the box and the poses with  scanmill inspect , or give a small object a lower share with  "
                    + ShellWord.setting(context.label, "at-least=\(OptionText.number(max(share / 10, 0.0001)))"))
        }
        for drop in drops { capture.drop(drop.frame, stage: context.label, reason: drop.reason) }
    }
}
