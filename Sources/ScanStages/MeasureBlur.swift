import ScanModel
import ScanPipeline

/// Scores pictures, and keeps them all.
public struct MeasureBlur: FrameStage, CaptureStage {
    public static let card = StageCard(
        name: "measure-blur",
        summary: "Score how sharp each frame's picture is, and drop none.",
        details: """
            \(BlurScore.meaning)

            \(BlurScore.grays)

            The receipt holds the score of each remaining frame (`scores`). `select-keyframes` takes the sharpest
            picture of each neighbourhood by it, and `predict-blur` compares it with what the camera's motion predicts.
            `filter-blur` computes its own scores, so it does not need this stage.
            """,
        example: "- measure-blur: {gray: luma}", revision: 2)

    let score: BlurScore

    public init(_ options: inout OptionReader) { score = BlurScore(&options) }

    public var uses: Uses {
        Uses(
            frame: .init(anyOf: score.pictures, makes: [.sharpness]), finish: .init(needs: [.frames, .sharpness]),
            isMeasurement: true)
    }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        _ = try score.take(of: &frame, context)
    }

    public func finish(_ capture: inout Capture, in context: StageContext) { BlurScore.record(capture, context) }
}
