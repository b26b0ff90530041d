import ScanModel

/// One frame of a video, without decoding all that come before it: ffmpeg goes to a key frame before it and on from there.
public enum VideoStill {
    /// - Parameters:
    ///   - frame: its number, from 0.
    ///   - size: the size that it is downscaled to.
    /// - Throws: a problem with fault `input` when the frame cannot be decoded; with fault `environment` when ffmpeg
    ///   cannot be started.
    public static func decode(
        _ input: VideoInput, facts: VideoFacts, frame: Int, size: PixelSize, with ffmpeg: FFmpeg
    ) throws(Problem) -> RGBImage {
        let arguments =
            ["-nostdin", "-noautorotate"] + FFmpegLog.arguments(for: .warning) + input.options
            + ["-threads", "1"] + seeking(frame, facts) + [
                "-i", input.address, "-map", facts.track, "-frames:v", "1", "-fps_mode", "passthrough",
            ]
            + [
                "-vf",
                ([selecting(frame, facts)] + facts.turningFilters + [
                    "scale=\(size.width):\(size.height):flags=area\(facts.roundingFlags)"
                ]).joined(separator: ","),
                "-pix_fmt", "rgb24", "-f", "rawvideo", "pipe:1",
            ]
        let log = FFmpegLog(replacing: input.address, with: input.name)
        do throws(Problem) {
            var tool = try ffmpeg.start(arguments, log: log)
            let pixels = tool.readAll()
            let ending = tool.finish()
            let isWhole = pixels.count == size.width * size.height * 3
            try ending.checkMachine(behind: tool, reading: input, isShort: !isWhole)
            guard isWhole else {
                throw Problem(.input, "the frame cannot be decoded", notes: tool.log.notes(from: "ffmpeg"))
            }
            return RGBImage(width: size.width, height: size.height, pixels: pixels)
        } catch { throw error.at(file: input.name).inFrame(frame) }
    }

    /// Selects the frame from those that are decoded: the first from half a frame before its time on, so that rounding
    /// does not select the next one. A video without times, a bare stream, is decoded from its start and counted.
    private static func selecting(_ frame: Int, _ facts: VideoFacts) -> String {
        guard let start = begin(of: frame, facts) else { return "select=eq(n\\,\(frame))" }
        return "select=gte(t\\,\(start.fixedText(decimals: 9)))"
    }

    /// Seeks by the file's own clock, since sound may begin before the pictures do.
    ///
    /// Containers are sought by the times at which frames are decoded, and what is shown before a key frame may have to
    /// be decoded after it, or with what comes before it (an open group of pictures). No codec shows a frame more than
    /// sixteen later than it is decoded (ITU-T H.264, A.3.1, and H.265, A.4.2): seeking that many frames back ends at a
    /// key frame from which all following frames can be decoded.
    private static func seeking(_ frame: Int, _ facts: VideoFacts) -> [String] {
        guard frame > 17, let start = begin(of: frame - 17, facts) else { return ["-copyts"] }
        // ffmpeg's accurate seek leaves out everything before the sum of that time and the file's own start.
        return ["-copyts", "-noaccurate_seek", "-seek_timestamp", "1", "-ss", start.fixedText(decimals: 9)]
    }

    /// Half a frame before a frame's time, in seconds by the file's own clock; nil where it cannot be told.
    private static func begin(of frame: Int, _ facts: VideoFacts) -> Double? {
        guard let times = facts.times else { return nil }
        if frame == 0 { return facts.start - 1 }
        if frame < times.count { return facts.start + (Double(times[frame]) + Double(times[frame - 1])) / 2e9 }
        guard let rate = facts.averageRate, rate > 0 else { return nil }
        return facts.start + (Double(frame) - 0.5) / rate
    }
}
