import ScanFormats
import ScanModel
import ScanPipeline

/// The pictures of a staging capture, as they are written frame by frame.
struct StagingPictures {
    /// What becomes of the capture's pictures.
    enum Form: Sendable {
        case none
        /// One file a frame, `color/000000.jpg`, …
        case files
        /// A new `<id>.mp4`, encoded from the frames' pictures.
        case encoded
        /// `<id>.mp4` from the capture's own video, which is not decoded unless frames are missing.
        case video
    }

    /// A frame's picture, ready to be written when all frames before it have been.
    enum Part: Sendable {
        case file(PreparedPicture)
        case pixels(RGBImage)
        /// Of the capture's own video, where a stage above has decoded it.
        case planes(YUVImage)
    }

    private let form: Form
    private let videoPath: String
    private var encoder: VideoOutput
    private var thinned: ThinnedVideo?

    /// - Parameter context: that of `begin`, which has the list of frames.
    init(as form: Form, _ context: StageContext) {
        self.form = form
        videoPath = "\(context.capture.id).mp4"
        encoder = VideoOutput(path: videoPath)
        thinned = form == .video ? ThinnedVideo(path: videoPath, context) : nil
    }

    static func part(
        of frame: inout Frame, for form: Form, as output: PictureOutput, _ context: StageContext
    ) throws(Problem) -> Part? {
        switch form {
        case .none: return nil
        case .files: return .file(try output.prepare(&frame, context))
        case .encoded: return .pixels(try frame.loadRGB(context))
        case .video:
            guard case .planes(let planes)? = frame.picture else { return nil }
            return .planes(planes)
        }
    }

    /// - Parameters:
    ///   - time: the frame's timestamp, nanoseconds.
    ///   - content: the frames before this one.
    mutating func append(
        _ part: Part?, at time: Int64, to content: inout StagingContent, _ context: StageContext
    ) throws(Problem) {
        switch part {
        case .file(let picture)?:
            try picture.write(to: "color/\(FrameName.padded(content.frames.count))", context)
            let encoding = picture.isPNG ? "png" : "jpeg"
            content.color = ColorStorage(encoding: encoding, fileExtension: picture.fileExtension)
        case .pixels(let pixels)?: try encoder.append(pixels, at: time, context)
        case .planes(let planes)?: try thinned?.append(planes, at: time)
        case nil: try thinned?.append(nil, at: time)
        }
    }

    /// Finishes the video, if there is one.
    func finish(_ content: inout StagingContent, _ capture: Capture, _ context: StageContext) throws(Problem) {
        switch form {
        case .none, .files: break
        case .encoded:
            try encoder.finish(context)
            content.color = .h264
        case .video:
            if try thinned?.finish() == true {
                content.color = .h264
            } else {
                try writeOwnVideo(&content, capture, context)
            }
        }
    }

    private func writeOwnVideo(
        _ content: inout StagingContent, _ capture: Capture, _ context: StageContext
    ) throws(Problem) {
        guard let video = StagingVideo(context) else { throw Problem(.tool, "the capture's video has no name") }
        content.isVideoCopied = try video.write(
            content.frames, times: content.timestamps, of: capture.frames.count, to: videoPath)
        let isKnown = !content.isVideoCopied || StagingContent.hasRecordedMetadata(capture)
        content.color = isKnown ? .h264 : ColorStorage(encoding: video.codec, fileExtension: "mp4")
    }
}
