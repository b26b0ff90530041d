import ScanModel

/// One frame of a video, without decoding those before it: ffmpeg goes to the last key frame before it and on from there.
public enum VideoStill {
    /// - Parameters:
    ///   - frame: its number, from 0.
    ///   - size: what it is made smaller to.
    /// - Throws: a problem with fault `input` when the frame cannot be decoded; with fault `environment` when ffmpeg
    ///   cannot be started.
    public static func decode(
        _ input: VideoInput, facts: VideoFacts, frame: Int, size: PixelSize, with ffmpeg: FFmpeg
    ) throws(Problem) -> RGBImage {
        let arguments =
            ["-nostdin", "-noautorotate"] + FFmpegLog.arguments(for: .warning) + input.options
            + ["-threads", "1"] + seeking(frame, facts) + ["-i", input.address, "-map", "0:V:0", "-frames:v", "1"]
            + [
                "-vf", "\(selecting(frame, facts))scale=\(size.width):\(size.height):flags=area", "-pix_fmt", "rgb24",
                "-f", "rawvideo", "pipe:1",
            ]
        let log = FFmpegLog(replacing: input.address, with: input.name)
        do throws(Problem) {
            var tool = try ffmpeg.start(arguments, log: log)
            let pixels = tool.readAll()
            let ending = tool.finish()
            try ending.checkMachine(behind: tool, reading: input)
            guard pixels.count == size.width * size.height * 3 else {
                throw Problem(.input, "the frame cannot be decoded", notes: tool.log.notes(from: "ffmpeg"))
            }
            return RGBImage(width: size.width, height: size.height, pixels: pixels)
        } catch { throw error.at(file: input.name).inFrame(frame) }
    }

    /// A video without times, a bare stream, cannot be sought in: ffmpeg would hand out its first frame. It is decoded from
    /// its beginning.
    private static func selecting(_ frame: Int, _ facts: VideoFacts) -> String {
        frame > 0 && facts.times == nil ? "select=eq(n\\,\(frame))," : ""
    }

    /// Half a frame before the time at which the frame is shown, so that rounding does not take the next one; by the file's
    /// own clock, for sound may begin before the pictures do.
    private static func seeking(_ frame: Int, _ facts: VideoFacts) -> [String] {
        guard frame > 0, let times = facts.times else { return [] }
        if frame < times.count {
            let middle = (Double(times[frame]) + Double(times[frame - 1])) / 2e9
            return ["-seek_timestamp", "1", "-ss", (facts.start + middle).fixedText(decimals: 9)]
        }
        guard let rate = facts.averageRate, rate > 0 else { return [] }
        return ["-seek_timestamp", "1", "-ss", (facts.start + (Double(frame) - 0.5) / rate).fixedText(decimals: 9)]
    }
}
