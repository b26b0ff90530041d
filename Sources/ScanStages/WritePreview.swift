import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a small video of the capture.
public struct WritePreview: ParcelStage {
    public static let card = StageCard(
        name: "write-preview",
        summary: "Write <id>_preview.mp4: a small video of the remaining frames, to look at.",
        details: """
            H.264 in an mp4 file that browsers play while it still loads. The name, the width of 320 pixels and the 25
            frames per second are MultiScan's. Frames are shown at their timestamps, `speed` times as fast: each takes
            the nearest of the `rate` slots in a second, and of several that fall into one slot the first is shown.
            Where frames are missing, the one before is held, but for no more than a second of the recording. Without
            timestamps, frames follow each other at the capture's nominal rate (30 per second if unknown); a frame whose
            time does not advance is left out.

            Pictures are shrunk to at most `width`, with even sides as H.264 wants them, and turned in steps of 90°
            where the capture says which way is up (`upright`). A picture that will not decode is passed over, and so is
            one whose size differs from the first.

            Frames go to ffmpeg through a pipe, one at a time: nothing is on disk but the video, and memory does not
            grow with its length. ffmpeg runs with one thread and bit-exact, so that a rerun gives the same bytes.
            """,
        example: "- write-preview: {speed: 4}")

    let width: Int
    let speed: Double
    let rate: Int
    let isUpright: Bool
    let rateFactor: Double

    public init(_ options: inout OptionReader) {
        width = options.integer(
            "width", "Width of the video; smaller pictures keep their own.", default: 320, in: 16...4096,
            unit: "pixels")
        speed = options.number("speed", "How many times as fast as recorded.", default: 1, in: 0.01...1000)
        rate = options.integer("rate", "The most frames per second.", default: 25, in: 1...240)
        isUpright = ShownPictures.upright(&options)
        rateFactor = options.number(
            "rate-factor", "x264's constant rate factor: lower is better and larger.", default: 23, in: 0...51)
    }

    public var uses: Uses {
        Uses(
            frame: .init(needs: [.frames, .color], wants: [.pose, .timestamp]), fold: .init(wants: [.color]),
            claims: ["{id}_preview.mp4"])
    }

    /// A frame that only a preview shows can still be dropped.
    public var bindsFrames: Bool { false }

    public func toolVersions(for capture: Capture) throws(Problem) -> [String: String] {
        try FFmpeg.toolVersions(for: capture)
    }

    private func choice(_ context: StageContext) throws(Problem) -> ShownFrames {
        try context.once {
            var clock = clock(context)
            let shown = context.capture.keptFrames.filter { frame in
                guard let place = clock.place(of: frame) else { return false }
                _ = clock.take(place)
                return true
            }
            return ShownFrames(
                pictures: ShownPictures(width: width, isUpright: isUpright, multiple: 2, context),
                frames: Set(shown.map(\.index)))
        }
    }

    private func clock(_ context: StageContext) -> PreviewClock {
        let kept = context.capture.keptFrames
        let nominal = context.capture.frameRate.flatMap { $0 > 0 ? $0 : nil } ?? 30
        return PreviewClock(
            speed: speed, rate: rate, nominal: nominal, hasTimes: kept.allSatisfy { $0.timestamp != nil })
    }

    // MARK: - Each frame, in parallel

    /// The part of a frame that is ready when its turn comes.
    public enum Parcel: Sendable {
        /// Its picture; nil if that was passed over.
        case ready(RGBImage?)
        /// Nothing, since other frames were to be shown. It may step in for one of them that has no picture after all.
        case spare
    }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Parcel {
        let choice = try choice(context)
        guard choice.frames.contains(frame.index) else { return .spare }
        return .ready(try choice.pictures.small(&frame, context))
    }

    // MARK: - In frame order

    public struct Fold {
        fileprivate let pictures: ShownPictures
        fileprivate var clock: PreviewClock
        fileprivate var encoder: VideoEncoder?
        /// Of the video, once its first frame is there.
        fileprivate var size: PixelSize?
        fileprivate var count = 0
    }

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        Fold(pictures: try choice(context).pictures, clock: clock(context))
    }

    public func fold(
        _ parcel: Parcel, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        guard let place = fold.clock.place(of: frame.facts) else { return }
        let ready =
            switch parcel {
            case .ready(let picture): picture
            case .spare: try fold.pictures.small(&frame, context)
            }
        guard let picture = ready else { return }
        let size = picture.size
        if fold.encoder == nil {
            fold.encoder = try start(size, context)
            fold.size = size
        }
        guard size == fold.size else { return context.count("pictures-of-another-size", 1) }
        try fold.encoder?.append(picture.pixels, at: fold.clock.take(place))
        fold.count += 1
    }

    private func start(_ size: PixelSize, _ context: StageContext) throws(Problem) -> VideoEncoder {
        var settings = VideoSettings(width: size.width, height: size.height, layout: .rgb24, nominalRate: Double(rate))
        settings.rateFactor = rateFactor
        settings.startsAtOnce = true
        return try context.videoEncoder(Self.path(context), settings)
    }

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        guard let encoder = fold.encoder else {
            return context.warn("there is no preview: no picture could be shown")
        }
        try encoder.finish()
        try context.output.adopt(Self.path(context))
        context.count("frames", fold.count)
        context.record("seconds", .number(fold.clock.seconds.rounded(decimals: 3)))
        context.record("quarter-turns", .of(fold.pictures.quarterTurns))
    }

    private static func path(_ context: StageContext) -> String { "\(context.capture.id)_preview.mp4" }
}
