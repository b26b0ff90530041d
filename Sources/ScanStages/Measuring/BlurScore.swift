import ScanFormats
import ScanModel
import ScanPipeline

/// How sharp a picture is: what `filter-blur` decides by and `measure-blur` records.
public struct BlurScore: Sendable {
    /// Which brightness is scored.
    public enum Gray: String, CaseIterable, Sendable { case bt601, luma }

    static let meaning = """
        The score is the variance of the 4-neighbour Laplacian of the full-size 8-bit grey picture (reflect-101
        border): the `sharpness` that instant-ngp's datasets publish. Higher is sharper; what is sharp depends on the
        scene, so compare frames of one capture.
        """

    static let grays = """
        `gray: bt601` computes grey from red, green and blue, which gives instant-ngp's number; `luma` takes the
        picture's own brightness plane, expanded to full range, which is cheaper for video and differs by up to about 1
        % on JPEG. Below `turn`, `resize` and `undistort`, JPEG and PNG files have been decoded already, and luma is
        computed from their colours; a video's own plane is changed with its pictures.
        """

    let gray: Gray

    init(_ options: inout OptionReader) {
        gray = options.choice("gray", "The brightness that is scored.", default: .bt601)
        if options.value(of: "one-camera", above: Undistort.self) == .bool(true) {
            let straightener = Undistort.card.name
            options.warn(
                nil, "the `\(straightener)` above softens some pictures more than others, so that their scores mislead",
                fix: "move it above `\(straightener)`")
        }
    }

    /// For a frame that no stage has scored.
    static let usual = BlurScore(gray: .bt601)

    private init(gray: Gray) { self.gray = gray }

    /// What a frame must have: one channel of each group.
    var pictures: [[Channel]] { gray == .luma ? [[.luma, .color]] : [[.color]] }

    /// Scores a frame's picture, and leaves the score in its facts.
    func take(of frame: inout Frame, _ context: StageContext) throws(Problem) -> Double {
        let score = try score(&frame, context)
        frame.sharpness = score
        return score
    }

    func score(_ frame: inout Frame, _ context: StageContext) throws(Problem) -> Double {
        if gray == .luma, let luma = frame.luma { return Sharpness.score(luma) }
        // Where a stage below wants the colours too, they are decoded once for both.
        if gray == .luma || !context.wanted.contains(.color),
            let score = try frame.sharpnessAsRecorded(ownLuma: gray == .luma, context)
        {
            return score
        }
        return Sharpness.score(try frame.loadRGB(context))
    }

    /// Puts the scores of the remaining frames, and of those that this stage dropped, into the receipt.
    static func record(_ capture: Capture, _ context: StageContext) {
        let reached = capture.frames.filter {
            $0.sharpness != nil && ($0.drop == nil || $0.drop?.stage == context.label)
        }
        context.record(
            "scores",
            .array(reached.map { .object(["frame": .of($0.index), "score": .number($0.sharpness ?? 0)]) }))
    }
}
