import ScanFormats
import ScanModel
import ScanPipeline

/// What stages need of a frame's picture, whether it is a file or was decoded from a video.
extension Frame {
    /// The decoded picture. It stays in the frame until no later stage needs it, so that several stages decode it once.
    mutating func loadRGB(_ context: StageContext) throws(Problem) -> RGBImage {
        switch picture {
        case .pixels(let image)?: return image
        case .file(let path)?:
            if let decodedPicture { return decodedPicture }
            let bytes = try pictureBytes(path, context)
            let image: RGBImage
            do throws(Problem) {
                image = try RGBImage.decode(bytes, limits: context.capture.pictureLimits)
            } catch { throw error.at(file: path) }
            try check(image.width, image.height, path, context)
            // Beside the file, not in its place: a writer that copies pictures still has to find it.
            decodedPicture = image
            return image
        case nil: throw Problem(.input, "the frame has no picture")
        }
    }

    /// The brightness plane that the picture itself holds: JPEG's own; nil where there is none (PNG).
    mutating func loadOwnLuma(_ context: StageContext) throws(Problem) -> LumaImage? {
        guard case .file(let path)? = picture else { return nil }
        let bytes = try pictureBytes(path, context)
        if PNG.isPNG(bytes) { return nil }
        let image: LumaImage
        do throws(Problem) {
            image = try JPEG.decodeLuma(bytes, limits: context.capture.pictureLimits)
        } catch { throw error.at(file: path) }
        try check(image.width, image.height, path, context)
        return image
    }

    /// The sharpness of a JPEG that no stage has decoded, without keeping its pixels for the stages below; nil where there
    /// is none.
    func sharpnessOfFile(ownLuma: Bool, _ context: StageContext) throws(Problem) -> Double? {
        guard case .file(let path)? = picture, decodedPicture == nil else { return nil }
        let bytes = try pictureBytes(path, context)
        if PNG.isPNG(bytes) { return nil }
        let (score, size): (Double, PixelSize)
        do throws(Problem) {
            (score, size) = try JPEG.sharpness(bytes, ownLuma: ownLuma, limits: context.capture.pictureLimits)
        } catch { throw error.at(file: path) }
        try check(size.width, size.height, path, context)
        return score
    }

    private func pictureBytes(_ path: String, _ context: StageContext) throws(Problem) -> [UInt8] {
        try context.capture.source.bytes(of: path, limit: PictureLimits.fileBytes)
    }

    private func check(_ width: Int, _ height: Int, _ path: String, _ context: StageContext) throws(Problem) {
        guard let size = context.capture.colorSize, size != PixelSize(width, height) else { return }
        throw Problem(
            .input, "the picture is \(width)×\(height), and the capture's pictures are \(size)",
            notes: size == PixelSize(height, width) ? ["it looks turned by a quarter"] : []
        ).at(file: path)
    }
}

extension Capture {
    fileprivate var pictureLimits: PictureLimits {
        PictureLimits(pixels: maxPicturePixels)
    }
}
