import ScanModel

/// Single pictures of a capture, for viewing: any frame's, at a small size, without a pass over the others.
public struct CapturePictures: Sendable {
    /// The frames that have a picture, as far as the capture's files tell.
    public let frames: [Int]
    private let capture: Capture
    /// Clockwise, so that up is up where the capture says which way that is.
    private let quarterTurns: Int

    /// Opens a capture as far as that is possible: a damaged one still has pictures.
    /// - Parameter patience: seconds after which a program that decodes a video's pictures is ended if it neither reads
    ///   nor writes. With a few pictures of many captures, a long one adds up.
    /// - Throws: when it is not a capture, cannot be opened, or has no pictures; with the fault `environment` when only
    ///   this machine cannot show them.
    public init(at path: String, patience: Int = RunResources.usualPatience) throws(Problem) {
        let tree = try CaptureFormats.tree(at: path)
        let (opened, problems) = try CaptureFormats.listingOnce(tree) { (tree) throws(Problem) in
            let (format, _) = try CaptureFormats.format(of: tree)
            return CaptureOpening.open(tree, as: format, patience: patience)
        }
        guard let opened else { throw problems.last ?? Problem(.input, "the capture cannot be opened") }
        if let obstacle = opened.absences[.color]?.obstacle { throw obstacle }
        guard opened.channels.contains(.color) else { throw Problem(.input, "the capture has no pictures") }
        capture = opened
        let bare = opened.sparse[.color].map { Set($0.without).union($0.lost.keys) } ?? []
        frames = opened.keptFrames.map(\.index).filter { !bare.contains($0) }
        quarterTurns =
            opened.worldUp.map { QuarterTurn.upright(opened.keptFrames.compactMap(\.pose), up: $0) } ?? 0
    }

    /// A frame's picture, upright, and made smaller to lie within `size`; never made larger.
    public func picture(of frame: Int, within size: PixelSize) throws(Problem) -> RGBImage {
        try recorded(frame, within: QuarterTurn.size(size, turns: quarterTurns)).turned(quarterTurns: quarterTurns)
    }

    private func recorded(_ frame: Int, within size: PixelSize) throws(Problem) -> RGBImage {
        if let video = (capture.source as? TreeSource)?.video {
            let location = try capture.source.place(video.file)
            let input = capture.videoInput(video.file, at: location)
            let facts = video.facts
            let fitting = facts.size.fitting(into: size)
            guard let place = capture.video?.place(of: frame) else {
                throw Problem(.input, "the video lacks the frame's picture").at(file: video.file).inFrame(frame)
            }
            let ffmpeg = try FFmpeg.find(for: capture)
            return try VideoStill.decode(input, facts: facts, frame: place, size: fitting, with: ffmpeg)
        }
        var light = Frame(capture.frames[frame])
        light.facts.drop = nil
        try capture.source.prepare(&light, for: [.color])
        let image: RGBImage
        switch light.picture {
        case .pixels(let pixels)?: image = pixels
        case .planes(let planes)?: image = RGBImage(planes)
        case .file(let file)?:
            do throws(Problem) {
                let bytes = try capture.source.bytes(of: file, limit: PictureLimits.fileBytes)
                let limits = PictureLimits(pixels: capture.maxPicturePixels)
                image =
                    PNG.isPNG(bytes)
                    ? try RGBImage.decode(bytes, limits: limits)
                    : try JPEG.decodeRGB(bytes, noSmallerThan: size, limits: limits)
            } catch { throw capture.source.placed(error, in: file).inFrame(frame) }
        case nil: throw Problem(.input, "the frame has no picture").inFrame(frame)
        }
        return image.downscaled(to: image.size.fitting(into: size))
    }
}
