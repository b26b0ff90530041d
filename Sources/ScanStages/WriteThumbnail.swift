import ScanFormats
import ScanModel
import ScanPipeline

/// Writes one small picture that stands for the capture.
public struct WriteThumbnail: FoldStage {
    public static let card = StageCard(
        name: "write-thumbnail",
        summary: "Write <id>_thumb.jpg: one small picture that stands for the capture.",
        details: """
            Of the frames that reach this stage it takes the sharpest, if a stage above has scored them (`measure-blur`
            or `filter-blur`), otherwise the one in the middle; of equally sharp ones, the first. The receipt says
            which. The name is MultiScan's.

            The picture is at most `width` pixels wide and keeps its aspect ratio; each new pixel is the mean over its
            area. Where the capture says which way is up it is turned in steps of 90°, as `turn` would turn all
            pictures, so that people see it upright; `upright: false` leaves it as recorded. A picture that will not
            decode is passed over.

            Only this one small picture is held in memory. Picture files are decoded only if they may be chosen; of a
            video every frame is decoded, so write the thumbnail in a pipeline that decodes the video anyway.
            """,
        example: "- write-thumbnail")

    let width: Int
    let isUpright: Bool
    let quality: Int

    public init(_ options: inout OptionReader) {
        width = options.integer(
            "width", "Width of the picture; a smaller one keeps its own.", default: 320, in: 16...8192, unit: "pixels")
        isUpright = ShownPictures.upright(&options)
        quality = ShownPictures.quality(&options)
    }

    public var uses: Uses {
        Uses(
            frame: .init(needs: [.frames, .color], wants: [.pose, .sharpness]),
            fold: .init(wants: [.color, .sharpness]),
            claims: ["{id}_thumb.jpg"])
    }

    /// A frame that only a thumbnail shows can still be dropped.
    public var bindsFrames: Bool { false }

    public struct Fold {
        fileprivate let pictures: ShownPictures
        /// The frame in the middle of those that were left when the pass began.
        fileprivate let middle: Int
        fileprivate var best: (picture: RGBImage, frame: Int, sharpness: Double?)?
    }

    public func begin(_ context: StageContext) -> Fold {
        let kept = context.capture.keptFrames
        return Fold(
            pictures: ShownPictures(width: width, isUpright: isUpright, context),
            middle: kept.isEmpty ? 0 : kept[kept.count / 2].index)
    }

    public func fold(_ frame: inout Frame, into fold: inout Fold, in context: StageContext) throws(Problem) {
        guard isBetter(frame, than: fold), let picture = try fold.pictures.small(&frame, context) else { return }
        fold.best = (picture, frame.index, frame.sharpness)
    }

    /// By the score if there is one. Without any, the first frame serves until the one in the middle comes, or the next
    /// one after it that can be decoded.
    private func isBetter(_ frame: Frame, than fold: Fold) -> Bool {
        guard let best = fold.best else { return true }
        if let score = frame.sharpness { return score > best.sharpness ?? -.infinity }
        return best.sharpness == nil && frame.index >= fold.middle && best.frame < fold.middle
    }

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        guard let best = fold.best else {
            return context.warn("there is no thumbnail: no picture could be decoded")
        }
        try context.output.write(try JPEG.encode(best.picture, quality: quality), to: "\(capture.id)_thumb.jpg")
        context.record("frame", .of(best.frame))
        context.record("quarter-turns", .of(fold.pictures.quarterTurns))
    }
}
