import ScanFormats
import ScanModel
import ScanPipeline

/// A video of the result, encoded from the frames' pictures as they come; see ``PictureOutput`` for pictures as files.
struct VideoOutput {
    /// Relative to the result.
    private let path: String
    private let container: VideoSettings.Container
    private var encoder: VideoEncoder?

    init(path: String, container: VideoSettings.Container = .mp4) {
        self.path = path
        self.container = container
    }

    /// Adds a picture, of the first one's size.
    /// - Parameter time: when it is shown, nanoseconds; later than the one before.
    mutating func append(_ picture: RGBImage, at time: Int64, _ context: StageContext) throws(Problem) {
        if encoder == nil { encoder = try start(picture, context) }
        try encoder?.append(picture.pixels, at: time)
    }

    /// Closes the video and lists it with the result's files.
    func finish(_ context: StageContext) throws(Problem) {
        try encoder?.finish()
        try context.output.adopt(path)
    }

    private func start(_ picture: RGBImage, _ context: StageContext) throws(Problem) -> VideoEncoder {
        // For the encoder's rate control alone: a time-lapse may have a frame in an hour.
        let rate = min(max(context.capture.frameRate ?? 30, 1), 1000)
        var settings = VideoSettings(
            width: picture.width, height: picture.height, layout: .rgb24, nominalRate: rate)
        settings.container = container
        return try VideoEncoder(
            path: try context.output.externalPath(for: path), name: path, settings: settings,
            with: try FFmpeg.find(for: context.capture))
    }
}
