import ScanFormats
import ScanModel
import ScanPipeline

/// The capture's own video on its way into a staging capture.
struct StagingVideo {
    let video: RecordedVideo
    let context: StageContext

    init?(_ context: StageContext) {
        guard let video = context.capture.video else { return nil }
        self.video = video
        self.context = context
    }

    var file: String { video.file }

    /// Copies the video byte for byte if it shows exactly the frames that were written, puts them into a new mp4 if its
    /// edit list hides some of them, and encodes them again if it holds other frames too.
    /// - Parameters:
    ///   - frames: the numbers of the frames in the source, ascending, and when each is shown, nanoseconds.
    ///   - sourceCount: the capture's frames, including dropped ones.
    /// - Returns: whether the frames stay as they were encoded.
    func write(_ frames: [Int], times: [Int64], of sourceCount: Int, to path: String) throws(Problem) -> Bool {
        if frames.count == sourceCount && isMP4 && !video.ignoresEditList {
            if !context.capture.channels.contains(.color) {
                let absence = context.capture.absences[.color]
                let reason = [absence?.reason, absence?.obstacle?.fix].compactMap(\.self).joined(separator: "; ")
                context.warn("\(file) was copied without a look at its frames: \(reason)")
            }
            try context.output.copy(file, of: context.capture, to: path)
            return true
        }
        let (input, facts, ffmpeg) = try probe()
        let shown = frames.compactMap(video.place)
        if shown.count == facts.frameCount && shown.last == facts.frameCount - 1 && isMP4 {
            warnOfTimes(times, facts)
            if hidesFrames(input, facts, ffmpeg) {
                let new = try context.output.externalPath(for: path)
                try VideoEncoder.rewrap(input, facts: facts, to: new, name: path, with: ffmpeg)
                try context.output.adopt(path)
            } else {
                try context.output.copy(file, of: context.capture, to: path)
            }
            return true
        }
        if isMP4, shown == Array(0..<shown.count), try copyBeginning(shown.count, of: input, facts, ffmpeg, to: path) {
            warnOfTimes(times, facts)
            return true
        }
        let written = try VideoEncoder.reencode(
            input, facts: facts, keeping: shown, times: ascending(times),
            path: try context.output.externalPath(for: path),
            name: path, settings: VideoSettings(like: facts), with: ffmpeg)
        for complaint in written.complaints { context.warn("\(file): \(complaint)") }
        try context.output.adopt(path)
        return false
    }

    /// If only the end is left out, as with a recorder that padded it, the other frames stay as they were encoded.
    /// - Returns: false if they cannot.
    private func copyBeginning(
        _ count: Int, of input: VideoInput, _ facts: VideoFacts, _ ffmpeg: FFmpeg, to path: String
    ) throws(Problem) -> Bool {
        let new = try context.output.externalPath(for: path)
        do throws(Problem) {
            try VideoEncoder.rewrap(input, facts: facts, first: count, to: new, name: path, with: ffmpeg)
        } catch {
            if error.fault == .tool { return false }
            throw error
        }
        try context.output.adopt(path)
        return true
    }

    /// The video's codec, for metadata; H.264 if unknown.
    var codec: String { (try? probe())?.facts.codec ?? "h264" }

    private func probe() throws(Problem) -> (input: VideoInput, facts: VideoFacts, ffmpeg: FFmpeg) {
        let ffmpeg = try FFmpeg.find(for: context.capture)
        let input = context.capture.videoInput(file, at: try context.capture.source.place(file))
        return (input, try VideoProbe.probe(input, with: ffmpeg), ffmpeg)
    }

    /// An encoder for frames of the video that are given one by one, with its size, rotation and colour.
    func encoder(to path: String) throws(Problem) -> VideoEncoder {
        try context.videoEncoder(path, VideoSettings(like: try probe().facts))
    }

    /// Some apps write a video as if its frames came at another rate.
    private func warnOfTimes(_ times: [Int64], _ facts: VideoFacts) {
        let count = facts.framesOffTime(from: times).count
        guard count > 0 else { return }
        context.warn(
            "the video was copied as it is, and shows \(count) of its frames at other times than their timestamps "
                + "say: matching by time instead of by number pairs the wrong frames")
    }

    /// Whether readers that follow the edit list, as all readers of a staging capture do, would miss frames.
    private func hidesFrames(_ input: VideoInput, _ facts: VideoFacts, _ ffmpeg: FFmpeg) -> Bool {
        guard input.ignoresEditList else { return false }
        var shown = input
        shown.ignoresEditList = false
        return (try? VideoProbe.probe(shown, with: ffmpeg))?.frameCount != facts.frameCount
    }

    private var isMP4: Bool { file.lowercased().hasSuffix(".mp4") }

    /// The timestamps, if a video can have them; some apps repeat the last line until all streams are equally long. The
    /// video's own times stand in then.
    private func ascending(_ times: [Int64]) -> [Int64]? {
        let clock = VideoClock(showing: times)
        if let pause = clock.pauses.first {
            context.warn(
                "more than 35 minutes lie between the timestamps of two frames (after the first "
                    + "\(pause.counted("frame"))), which a video cannot hold, so it keeps the times that it was "
                    + "recorded with")
            return nil
        }
        if clock.repeats.count == 0 { return times }
        context.warn("timestamps do not ascend, so the video keeps the times that it was recorded with")
        return nil
    }
}
