import ScanFormats
import ScanModel
import ScanPipeline

/// Turns frames by quarters.
public struct Turn: CaptureStage, DemandingStage {
    public enum Turns: String, CaseIterable, Sendable {
        case auto
        case none = "0"
        case right = "1"
        case half = "2"
        case left = "3"
    }

    public static let card = StageCard(
        name: "turn",
        summary:
            "Turn pictures, masks, depth, confidence, intrinsics and poses together by quarter turns, so that up is up.",
        details: """
            Phones record in landscape however they are held. `quarter-turns: 1` turns clockwise once: W×H becomes H×W,
            cx' = H − cy, cy' = cx (from the corner), fx and fy change places, and the camera turns about its optical
            axis. Boxes, the world and the files of the capture stay as they are. Points stay as well with
            `unproject: {pixel-centre: half}`; those of `integer`, half a depth pixel off, move with the turn.

            `auto` takes the quarter turn that brings the world's up nearest to the pictures' up, the same for all
            frames: the mean over the frames decides. It needs a world whose up is known.

            Turned pictures are decoded, and writers encode them again, PNGs as PNGs; a video is no longer copied as a
            file, even if `auto` finds nothing to turn. Motion files stay as recorded, in the device's axes.
            """,
        example: "- turn: {quarter-turns: auto}", revision: 4)

    let turns: Turns

    public init(_ options: inout OptionReader) {
        turns = options.choice(
            "quarter-turns", "How many times 90° clockwise; `auto` brings up to the top.", default: .auto)
    }

    public var uses: Uses {
        if turns == .none { return Uses() }
        let facts: [Channel] = turns == .auto ? [.pose] : []
        let optional = PixelChannels.all + [.pose, .intrinsics, .video].filter { !facts.contains($0) }
        return Uses(
            finish: .init(
                needs: [.frames] + facts, wants: optional, changes: optional + facts,
                // The camera of a lens that distorts is not turned.
                removes: [.video, .lens]))
    }

    public func check(_ capture: Capture, _ label: String) throws(Problem) {
        if turns == .auto { _ = try Self.up(of: capture, label) }
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        if turns == .none { return context.record("quarter-turns", .of(0)) }
        capture.channels.remove(.lens)
        capture.undistortions = [:]
        let quarters = try quarterTurns(capture, context.label)
        context.record("quarter-turns", .of(quarters))
        if quarters == 0 { return }
        try PictureOutput.warnOfTransparency(of: capture.keptFrames, context)
        for index in capture.frames.indices {
            capture.frames[index].pose = capture.frames[index].pose?.turned(quarterTurns: quarters)
            capture.frames[index].intrinsics = capture.frames[index].intrinsics?.turned(quarterTurns: quarters)
        }
        capture.quarterTurns += quarters
        capture.source = ChangedSource(of: capture, QuarterTurns(count: quarters))
        capture.colorSize = capture.colorSize.map { QuarterTurn.size($0, turns: quarters) }
        capture.depthSize = capture.depthSize.map { QuarterTurn.size($0, turns: quarters) }
        if let camera = capture.depthCamera {
            // Both cameras turn: colour' ← colour ← depth ← depth'.
            let turn = Pose.identity.turned(quarterTurns: quarters)
            capture.depthCamera = DepthCamera(
                intrinsics: camera.intrinsics.turned(quarterTurns: quarters),
                colorFromDepth: turn.inverse * camera.colorFromDepth * turn)
        }
        capture.metadata = capture.metadata.map { ScanMetadata.ofOtherCameras($0, quarterTurns: quarters) }
        capture.channels.remove(.video)
    }

    /// - Parameter label: the stage's, for the message.
    private func quarterTurns(_ capture: Capture, _ label: String) throws(Problem) -> Int {
        if let fixed = Int(turns.rawValue) { return fixed }
        return QuarterTurn.upright(capture.keptFrames.compactMap(\.pose), up: try Self.up(of: capture, label))
    }

    private static func up(of capture: Capture, _ label: String) throws(Problem) -> Vector3 {
        let setting = ShellWord.setting(label, "quarter-turns=1")
        return try capture.requiredUp(fix: "say how to turn it, such as  \(setting)")
    }
}

/// All frames turned clockwise by so many quarters.
private struct QuarterTurns: PixelChange {
    let count: Int

    func changes(_ frame: Int) -> Bool { true }

    func picture(_ picture: RGBImage, of frame: Int) -> RGBImage { picture.turned(quarterTurns: count) }
    func luma(_ luma: LumaImage, of frame: Int) -> LumaImage { luma.turned(quarterTurns: count) }
    func mask(_ mask: LumaImage, of frame: Int) -> LumaImage { mask.turned(quarterTurns: count) }
    func depth(_ depth: RecordedDepth, of frame: Int) -> RecordedDepth { depth.turned(quarterTurns: count) }
    func confidence(_ map: ConfidenceMap, of frame: Int) -> ConfidenceMap { map.turned(quarterTurns: count) }
}
