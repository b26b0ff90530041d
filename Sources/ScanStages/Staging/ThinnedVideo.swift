import ScanFormats
import ScanModel
import ScanPipeline

/// Some frames of the capture's own video as a new video, encoded as they come from a stage above that decodes them to
/// choose among them. Otherwise ``StagingVideo`` decodes the video once more. The bytes are the same.
struct ThinnedVideo {
    private let path: String
    private let original: StagingVideo
    private var encoder: VideoEncoder?
    /// Whether every frame so far came with its pixels.
    private var isComplete = true

    /// - Parameter context: that of `begin`, which has the list of frames.
    /// - Returns: nil if all frames may remain, since the video is then copied, or if a video may not be able to hold
    ///   the timestamps of those that remain.
    init?(path: String, _ context: StageContext) {
        guard context.leavesFramesOut, let original = StagingVideo(context.withoutFrames) else { return nil }
        let clock = VideoClock(showing: context.capture.keptFrames.map { $0.timestamp ?? 0 })
        // Whichever frames remain, no two of them are farther apart than the first and the last.
        guard clock.pauses.count == 0, clock.repeats.count == 0,
            VideoSettings.Container.mp4.holds(step: max(clock.shown, 1000))
        else { return nil }
        self.path = path
        self.original = original
    }

    /// - Parameters:
    ///   - planes: nil if another stage has changed them, or if nothing has decoded the frame.
    ///   - time: its timestamp, nanoseconds.
    mutating func append(_ planes: YUVImage?, at time: Int64) throws(Problem) {
        guard isComplete else { return }
        guard let planes else {
            // Releasing the encoder removes what it has written.
            (encoder, isComplete) = (nil, false)
            return
        }
        if encoder == nil { encoder = try original.encoder(to: path) }
        try encoder?.append(planes.planes, at: time)
    }

    /// - Returns: whether the video is written.
    func finish() throws(Problem) -> Bool {
        guard let encoder else { return false }
        try encoder.finish()
        try original.context.output.adopt(path)
        return true
    }
}
