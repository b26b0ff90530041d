import ScanFormats
import ScanModel
import ScanPipeline

/// What stages need of a frame's picture, whether it is a file or was decoded from a video.
extension Frame {
    /// The decoded picture. It stays in the frame until no later stage needs it, so that several stages decode it once.
    mutating func loadRGB(_ context: StageContext) throws(Problem) -> RGBImage {
        switch picture {
        case .pixels(let image)?: return image
        case .planes(let planes)?:
            let image = RGBImage(planes)
            picture = .pixels(image)
            return image
        case .file(let path)?:
            if let decodedPicture { return decodedPicture }
            return try decode(try pictureBytes(path, context), of: path, context)
        case nil: throw Problem(.input, "the frame has no picture")
        }
    }

    /// The sharpness of a picture whose colours nobody has asked for yet, without storing them (except for a PNG's);
    /// nil if they are there already.
    /// - Parameter ownLuma: whether to score a JPEG's own brightness plane.
    mutating func sharpnessAsRecorded(ownLuma: Bool, _ context: StageContext) throws(Problem) -> Double? {
        if case .planes(let planes)? = picture { return Sharpness.score(planes) }
        guard case .file(let path)? = picture, ownLuma || decodedPicture == nil else { return nil }
        let bytes = try pictureBytes(path, context)
        if PNG.isPNG(bytes) {
            if let decodedPicture { return Sharpness.score(decodedPicture) }
            return Sharpness.score(try decode(bytes, of: path, context))
        }
        let (score, size): (Double, PixelSize)
        do throws(Problem) {
            (score, size) = try JPEG.sharpness(bytes, ownLuma: ownLuma, limits: context.capture.pictureLimits)
        } catch { throw context.capture.source.placed(error, in: path) }
        try check(size, path, context)
        return score
    }

    /// Decodes the picture's file, and keeps it beside the file, not in its place: a writer that copies pictures still has
    /// to find it.
    private mutating func decode(
        _ bytes: [UInt8], of path: String, _ context: StageContext
    ) throws(Problem) -> RGBImage {
        let image: RGBImage
        do throws(Problem) {
            image = try RGBImage.decode(bytes, limits: context.capture.pictureLimits)
        } catch { throw context.capture.source.placed(error, in: path) }
        try check(image.size, path, context)
        decodedPicture = image
        return image
    }

    private func pictureBytes(_ path: String, _ context: StageContext) throws(Problem) -> [UInt8] {
        try context.capture.source.bytes(of: path, limit: PictureLimits.fileBytes)
    }

    private func check(_ size: PixelSize, _ path: String, _ context: StageContext) throws(Problem) {
        do throws(Problem) { try Self.check(size, against: context.capture.colorSize) } catch {
            throw context.capture.source.placed(error, in: path)
        }
    }

    /// - Throws: where a picture does not have the size that all others have.
    static func check(_ size: PixelSize, against usual: PixelSize?) throws(Problem) {
        guard let usual, size != usual else { return }
        throw Problem(
            .input, "the picture is \(size), and the capture's pictures are \(usual)",
            notes: usual == QuarterTurn.size(size, turns: 1) ? ["it looks turned by 90°"] : [])
    }
}

extension Capture {
    var pictureLimits: PictureLimits { PictureLimits(pixels: maxPicturePixels) }
}
