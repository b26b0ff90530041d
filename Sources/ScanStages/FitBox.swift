import ScanModel
import ScanPipeline

/// Makes a box around the cloud.
public struct FitBox: CaptureStage, DemandingStage {
    public static let card = StageCard(
        name: "fit-box",
        summary: "Fit an upright box to the cloud, and make it the capture's bounding box.",
        details: """
            For captures without a box. The box leaves out the outermost thousandth of the points at either end of each
            axis; if `find-floor` has found a floor, the box stands on it. It is the capture's box from then on, for
            masks too. One that was recorded is replaced, with a warning.

            The cloud must hold only what the box is to hold: cut the room away with `crop` first. A warning says when
            most cameras are aimed at one place outside the box: then something else is in it.

            Nothing is taken away. `cull-by-box` below does that, for clouds and meshes: it removes what is outside;
            with `margin: 0.02` the object's own outermost points stay.

            A capture that does not say which way is up fails, and so does one with fewer than 10 points. Where stages
            above have left no point at all, `if-empty: warn` goes on without a box.
            """,
        example: "- fit-box", revision: 2)

    let consequence: Consequence

    public init(_ options: inout OptionReader) {
        consequence = options.choice(
            "if-empty", "What to do when there is no point to fit a box to.", default: .fail)
    }

    public var uses: Uses {
        // It only may make a box: around no point there is none, and a pipeline for captures that were recorded with one is
        // not to be advised to make another.
        Uses(
            finish: .init(needs: [.frames, .cloud], wants: [.floor, .pose], mayMake: [.box]),
            instead: [[.cloud]: [.cloudFromDepth]])
    }

    public func check(_ capture: Capture, _ label: String) throws(Problem) { _ = try FittedBox.up(of: capture) }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        guard let cloud = capture.cloud, cloud.count > 0 else { return try goOnWithoutBox(&capture, context) }
        let fitted = try FittedBox(around: cloud, of: capture)
        if capture.channels.contains(.box) {
            context.warn("the capture's own box was replaced by one around the cloud")
        }
        if let doubt = fitted.doubt { context.warn(doubt) }
        context.record("box-center", .of(fitted.box.center.components))
        context.record("box-size", .of((fitted.box.halfSize * 2).components))
        context.recordUnlessMetric(capture)
        capture.box = fitted.box
        capture.channels.insert(.box)
    }

    /// Around no point there is no box.
    private func goOnWithoutBox(_ capture: inout Capture, _ context: StageContext) throws(Problem) {
        let summary = "the stages above left no point of the capture"
        guard consequence == .warn else {
            throw Problem(
                .input, summary,
                fix: "loosen the masks and crops above \(context.label), or go on without a box with  "
                    + ShellWord.setting(context.label, "if-empty=warn")
            ).ofPipeline()
        }
        // The stage that emptied the cloud may have said so, and those below need not.
        if capture.absences[.cloud] == nil {
            context.warn("\(summary), so there is no box")
            capture.absences[.cloud] = "the stages above \(context.label) left nothing of it"
        }
        // Stages below are to use the box around the cloud, and not the capture's own by chance.
        capture.box = nil
        capture.channels.remove(.box)
        capture.absences[.box] = "\(context.label) had no point to fit a box to"
    }
}
