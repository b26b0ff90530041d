import ScanFormats
import ScanModel
import ScanPipeline

/// A video of the result, encoded from the frames' pictures as they come; see ``PictureOutput`` for pictures as files.
struct VideoOutput {
    /// Relative to the result.
    private let path: String
    private let container: VideoSettings.Container
    private let isEven: Bool
    /// From the first picture on.
    private var video: (encoder: VideoEncoder, clock: VideoClock)?

    /// - Parameter isEven: whether the frames are shown one after the other at a whole rate, whatever was dropped between
    ///   them. This is for readers that count frames and leave the decoding to programs that may do it at a constant rate,
    ///   filling every pause with copies. Otherwise the frames are shown as their timestamps say.
    init(path: String, container: VideoSettings.Container = .mp4, isEven: Bool = false) {
        self.path = path
        self.container = container
        self.isEven = isEven
    }

    /// Adds a picture, which has the first one's size.
    /// - Parameter time: its timestamp, nanoseconds.
    mutating func append(_ picture: RGBImage, at time: Int64, _ context: StageContext) throws(Problem) {
        if video == nil { video = try start(picture, context) }
        guard let shown = video?.clock.shown(at: time) else { return }
        try video?.encoder.append(picture.pixels, at: shown)
    }

    /// Closes the video and lists it with the result's files.
    func finish(_ context: StageContext) throws(Problem) {
        try video?.encoder.finish()
        try context.output.adopt(path)
        if let clock = video?.clock {
            let isOne = clock.repeats.count == 1
            warn(
                of: clock.repeats,
                "by \(isOne ? "its timestamp it" : "their timestamps they") would be shown no later", context)
            warn(
                of: clock.pauses, "by their timestamps more than 35 minutes would lie between, too many for an mp4",
                context)
        }
    }

    private func warn(of changes: VideoClock.Changes, _ reason: String, _ context: StageContext) {
        guard let first = changes.first else { return }
        let which =
            changes.count == 1
            ? "frame \(first) of the result"
            : "\(changes.count.counted("frame")), the first of them frame \(first) of the result,"
        context.warn(
            "\(path) shows \(which) one usual step after the frame before, because \(reason): matching by time instead "
                + "of by number pairs the wrong frames")
    }

    private func start(
        _ picture: RGBImage, _ context: StageContext
    ) throws(Problem) -> (encoder: VideoEncoder, clock: VideoClock) {
        // A time-lapse may have one frame per hour, which no encoder takes as a rate.
        let nominal = min(max(context.capture.frameRate ?? 30, 1), 1000)
        // Of other rates programs make the nearest usual one, and some frame is left out or repeated in the end.
        let rate = isEven ? nominal.rounded() : nominal
        var settings = VideoSettings(width: picture.width, height: picture.height, layout: .rgb24, nominalRate: rate)
        settings.container = container
        return (try context.videoEncoder(path, settings), VideoClock(rate: rate, isEven: isEven, in: container))
    }
}

extension Capture {
    /// To be asked when the capture has been opened, by stages that encode its pictures in the size that they have.
    /// - Throws: what the encoder would throw at the first of them, if no video has that size.
    func requireVideoSize() throws(Problem) {
        guard channels.contains(.color), let size = colorSize else { return }
        try VideoSettings(width: size.width, height: size.height, layout: .rgb24, nominalRate: 30).check()
    }
}

extension StageContext {
    /// An encoder of one of the result's videos, which is listed with its files by ``OutputFolder/adopt(_:)`` once finished.
    func videoEncoder(_ path: String, _ settings: VideoSettings) throws(Problem) -> VideoEncoder {
        try VideoEncoder(
            path: try output.externalPath(for: path), name: path, settings: settings,
            with: try FFmpeg.find(for: capture))
    }
}

extension OptionReader {
    /// Warns a stage that encodes pictures as a video where the `resize` above gives them a size that no video has. The
    /// side that follows from another shows only with the pictures.
    mutating func warnOfOddVideo() {
        for side in ["width", "height", "longest"] {
            guard let length = value(of: side, above: Resize.self)?.integer, !length.isMultiple(of: 2) else { continue }
            warn(
                nil,
                "`\(side)` of the `\(Resize.card.name)` above is \(length), and a video has an even width and height: "
                    + "pictures of that size fail",
                fix: "make it even")
        }
    }
}
