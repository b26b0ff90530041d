import ScanModel
import ScanPipeline

/// Makes smaller copies of each picture for the writers below.
public struct Downscale: FrameStage {
    public static let card = StageCard(
        name: "downscale",
        summary:
            "Make smaller copies of pictures, depth and masks, which the dataset writers below put beside the large ones.",
        details: """
            `write-transforms` and `write-colmap` then write `images_2`, `images_4`, … as nerfstudio and the Gaussian
            splatting trainers look for them, `masks_2` and `depths_2` where they write masks and depth, and
            `write-transforms` a `transforms_2.json` whose intrinsics are scaled, for trainers that do not scale them.

            Each pixel is the exact mean over its area; widths and heights are rounded down. Depth takes the nearest
            pixel, but stays as it is where its map is no larger than the smaller picture; masks are made anew for each
            size, and recorded ones take the nearest pixel. K' = diag(w'/w, h'/h, 1) · K. Every picture is decoded once,
            whatever the factors. A second `downscale` adds its factors. `resize` makes the pictures themselves smaller.
            """,
        example: "- downscale: {factors: [2, 4, 8]}")

    let factors: [Int]

    public init(_ options: inout OptionReader) {
        factors = options.integers("factors", "How many times smaller.", default: [2, 4, 8], in: 2...64)
        if factors.isEmpty { options.fail("factors", "`factors` is empty", "for example  factors: [2]") }
        if Set(factors).count < factors.count {
            options.fail("factors", "`factors` holds a number twice", "keep one of them")
        }
    }

    public var uses: Uses { Uses(frame: .init(needs: [.color], wants: [.downscaled], makes: [.downscaled])) }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        let picture = try frame.loadRGB(context)
        let more = factors.filter { factor in !frame.downscaled.contains { $0.factor == factor } }
        frame.downscaled += zip(more, picture.downscaled(by: more)).map { DownscaledPicture(factor: $0, picture: $1) }
    }
}
