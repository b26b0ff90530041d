import Glibc
import ScanModel
import Synchronization

/// Writes an H.264 video in an mp4 file, frame by frame, each at its own time.
///
/// The bytes depend on the frames, the settings and ffmpeg's version alone: one thread, nothing that names the
/// encoder's host or the date, no choice of algorithms by processor. There are no frames that refer to later ones, so
/// frames are stored in the order in which they are shown. Memory does not grow with the length of the video.
///
/// An encoder that is let go of before ``finish()`` stops ffmpeg and removes the unfinished file.
public final class VideoEncoder: Sendable {
    private let path: String
    private let name: String
    private let ffmpeg: FFmpeg
    private let settings: VideoSettings
    private let state: Mutex<EncoderState>

    /// Starts ffmpeg; it replaces a file that is there.
    /// - Parameters:
    ///   - path: the file to write.
    ///   - name: what problems call it, relative to the output folder.
    /// - Throws: a problem with fault `usage` for impossible settings, such as an odd width; with fault
    ///   `environment` when ffmpeg cannot be started.
    public init(path: String, name: String, settings: VideoSettings, with ffmpeg: FFmpeg) throws(Problem) {
        try settings.check()
        let stream = MatroskaVideo(
            width: settings.width, height: settings.height, layout: settings.layout,
            nominalFrameDuration: Int64((1e9 / settings.nominalRate).rounded()), rotation: settings.rotation)
        let log = FFmpegLog(replacing: "file:\(path)", with: name)
        var tool = try ffmpeg.start(settings.arguments(output: "file:\(path)"), log: log)
        // Should this fail, the first frame fails as well.
        _ = stream.header.withUnsafeBytes { tool.write($0) }
        self.path = path
        self.name = name
        self.ffmpeg = ffmpeg
        self.settings = settings
        state = Mutex(EncoderState(stream: stream, tool: tool, longestStep: settings.container.longestStep))
    }

    deinit {
        let isFinished = state.withLock { state in
            if !state.isFinished { state.tool.stop() }
            return state.isFinished
        }
        if !isFinished { unlink(path) }
    }

    /// Encodes one frame.
    /// - Parameters:
    ///   - pixels: in the layout and size of the settings.
    ///   - time: when it is shown, in nanoseconds on any clock; written relative to the first frame's, rounded to
    ///     microseconds. Times ascend.
    /// - Throws: a problem with fault `input` when the time does not ascend, or a step is too long for an mp4;
    ///   with fault `environment` when ffmpeg fails, for example on a full disk.
    public func append(_ pixels: [UInt8], at time: Int64) throws(Problem) {
        do throws(Problem) {
            try state.withLock { (state) throws(Problem) in try state.append(pixels, at: time) }
        } catch { throw error.at(file: name) }
    }

    /// Ends the video and reads it back, without decoding: count, times and rotation must be what was given.
    /// - Returns: what the file says about itself.
    /// - Throws: a problem with fault `environment` when ffmpeg failed; with fault `tool` when the file differs.
    @discardableResult
    public func finish() throws(Problem) -> VideoFacts {
        let times: [Int64]
        do throws(Problem) {
            times = try state.withLock { (state) throws(Problem) in try state.finish() }
        } catch { throw error.at(file: name) }
        let facts = try VideoProbe.probe(VideoInput(path: path, name: name), with: ffmpeg)
        let wanted = (settings.width, settings.height, settings.rotation)
        guard facts.times == times.map({ $0 * 1000 }), (facts.width, facts.height, facts.rotation) == wanted else {
            throw Problem(
                .tool, "the written video differs from what was given to ffmpeg",
                notes: [
                    "given \(times.count.counted("frame")) of \(wanted.0) × \(wanted.1), rotation \(wanted.2)",
                    "written \(facts.frameCount.counted("frame")) of \(facts.width) × \(facts.height), rotation \(facts.rotation)",
                    facts.times == times.map { $0 * 1000 } ? "the frames' times are right" : "the frames' times differ",
                ], fix: "report it, with the output of: ffmpeg -version"
            ).at(file: name)
        }
        state.withLock { $0.isFinished = true }
        return facts
    }
}

extension VideoEncoder {
    /// Writes some frames of a video as a new one, with the same picture size, rotation and colour. The values of
    /// luma and chroma go from the decoder to the encoder unchanged.
    /// - Parameters:
    ///   - frames: the numbers of the frames to keep, ascending.
    ///   - times: when each kept frame is shown, in nanoseconds on any clock; nil for the recorded times.
    ///   - settings: ``VideoSettings/init(like:)``, with another quality if need be.
    /// - Returns: what the new file says about itself, and in its complaints what was wrong with the old one.
    /// - Throws: as ``VideoDecoder`` and ``VideoEncoder``; then no file is left.
    public static func reencode(
        _ input: VideoInput, facts: VideoFacts, keeping frames: [Int], times: [Int64]? = nil, path: String,
        name: String, settings: VideoSettings, with ffmpeg: FFmpeg
    ) throws(Problem) -> VideoFacts {
        guard let recorded = facts.times ?? times else {
            throw Problem(
                .input, "the video says nothing about the times of its frames",
                fix: "give the times from the capture's camera lines"
            ).at(file: input.name)
        }
        let times = times ?? frames.filter(recorded.indices.contains).map { recorded[$0] }
        guard times.count == frames.count, !frames.isEmpty, settings.layout == .yuv420p else {
            let kept = frames.count.counted("frame")
            throw Problem(.tool, "\(kept) cannot be written with \(times.count.counted("time"))").at(file: name)
        }
        // Encoding takes most of the time, and with one thread what is guessed of damaged frames is the same each time.
        let decoder = try VideoDecoder(input, facts: facts, layout: .yuv420p, threads: 1, with: ffmpeg)
        let encoder = try VideoEncoder(path: path, name: name, settings: settings, with: ffmpeg)
        var pixels: [UInt8] = []
        var position = 0
        for (frame, time) in zip(frames, times) {
            while position < frame, try decoder.skipFrame() { position += 1 }
            guard position == frame, try decoder.nextFrame(into: &pixels) else {
                throw Problem(
                    .tool, "there is no frame \(frame) to keep after frame \(position - 1) of \(facts.frameCount)"
                ).at(file: input.name)
            }
            position += 1
            try encoder.append(pixels, at: time)
        }
        // To the end, although no more frames are kept: only the count shows that none was lost on the way.
        try decoder.finish()
        var written = try encoder.finish()
        written.complaints = decoder.complaints
        return written
    }
}

extension VideoEncoder {
    /// Writes the frames of a video as a new mp4, as they were encoded and at their times, and nothing else. Frames
    /// that an edit list hid, but that count, are shown in it.
    /// - Parameters:
    ///   - facts: of the video, with which those of the new one are compared.
    ///   - count: how many of its first frames are to be in it; nil for all.
    ///   - name: what problems call the new file.
    /// - Throws: a problem with fault `environment` when ffmpeg fails; with fault `tool` when the file differs, as it does
    ///   where frames refer to later ones that are left out.
    public static func rewrap(
        _ input: VideoInput, facts: VideoFacts, first count: Int? = nil, to path: String, name: String,
        with ffmpeg: FFmpeg
    ) throws(Problem) {
        let arguments =
            ["-nostdin"] + FFmpegLog.arguments(for: .error) + input.options
            + ["-i", input.address, "-map", facts.track, "-map_metadata", "-1", "-c", "copy", "-fflags", "+bitexact"]
            + (count.map { ["-frames:v", String($0)] } ?? []) + ["-f", "mp4", "-y", "file:\(path)"]
        var tool = try ffmpeg.start(arguments, log: FFmpegLog(replacing: "file:\(path)", with: name))
        do throws(Problem) { try tool.finish(writing: path).checkWriting(by: tool) } catch {
            throw error.at(file: name)
        }
        let written = try VideoProbe.probe(VideoInput(path: path, name: name), with: ffmpeg)
        let wanted = count ?? facts.frameCount
        let isAsWanted = count == nil || written.times == facts.times.map { Array($0.prefix(wanted)) }
        guard written.frameCount == wanted, isAsWanted, written.rotation == facts.rotation else {
            throw Problem(
                .tool, "the written video differs from \(input.name)",
                notes: [
                    "\(input.name) has \(facts.frameCount.counted("frame")), \(wanted) of them wanted, rotation \(facts.rotation)",
                    "written \(written.frameCount.counted("frame")), rotation \(written.rotation)",
                ], fix: "report it, with the output of: ffmpeg -version"
            ).at(file: name)
        }
    }
}

/// The part of an encoder that changes.
private struct EncoderState: ~Copyable, Sendable {
    let stream: MatroskaVideo
    /// Between two frames, microseconds; nil where the file can hold any step.
    let longestStep: Int64?
    var tool: RunningTool
    /// Whether the file is whole and has been read back.
    var isFinished = false
    private var origin: Int64?
    /// Microseconds after the first, of the frames given so far.
    private var times: [Int64] = []

    init(stream: MatroskaVideo, tool: consuming RunningTool, longestStep: Int64?) {
        self.stream = stream
        self.tool = tool
        self.longestStep = longestStep
    }

    mutating func append(_ pixels: [UInt8], at time: Int64) throws(Problem) {
        let byteCount = stream.layout.byteCount(width: stream.width, height: stream.height)
        guard pixels.count == byteCount else {
            throw Problem(.tool, "a frame of \(pixels.count) bytes was given to a video of \(byteCount) bytes a frame")
        }
        let (elapsed, overflow) = time.subtractingReportingOverflow(origin ?? time)
        let microseconds = elapsed / 1000 + (elapsed % 1000 >= 500 ? 1 : 0)
        guard !overflow, microseconds > times.last ?? -1 else {
            throw Problem(
                .input, "the times of the frames do not ascend",
                notes: ["\(time) ns comes \(elapsed) ns after the first frame, no later than the frame before it"],
                fix: "repair the timestamps, or drop the frame"
            ).inFrame(times.count)
        }
        if let longestStep, microseconds - (times.last ?? 0) > longestStep {
            throw Problem(
                .input, "more than 35 minutes lie between two frames, which an mp4 cannot hold",
                notes: ["the frame comes \((microseconds - (times.last ?? 0)) / 1_000_000) s after the one before it"],
                fix: "repair the timestamps, leave out the frames on one side of the gap, or write pictures"
            ).inFrame(times.count)
        }
        origin = origin ?? time
        let header = stream.frameHeader(microseconds: microseconds)
        let isTaken = header.withUnsafeBytes { tool.write($0) } && pixels.withUnsafeBytes { tool.write($0) }
        guard isTaken else {
            try checkEnd()
            throw Problem(.environment, "ffmpeg stopped reading before the end of the video")
        }
        times.append(microseconds)
    }

    mutating func finish() throws(Problem) -> [Int64] {
        guard !times.isEmpty else { throw Problem(.input, "a video without frames cannot be written") }
        try checkEnd()
        return times
    }

    private mutating func checkEnd() throws(Problem) {
        try tool.finish().checkWriting(by: tool, failsByErrors: true)
    }
}

extension VideoEncoder {
    /// Takes the H.264 stream out of an mp4 file, as recorders without a container write it: start codes, and the
    /// parameters before each key frame. Nothing is encoded again; the frames' times are lost.
    /// - Parameters:
    ///   - rate: frames per second, which the stream declares: a program that decodes it at a constant rate takes every
    ///     frame once only if the declared one is near what it takes for the stream's.
    ///   - name: what problems call the new file.
    public static func writeElementaryStream(
        of mp4: String, rate: Int, to path: String, name: String, with ffmpeg: FFmpeg
    ) throws(Problem) {
        // H.264 counts two ticks to a frame.
        let filters = "h264_mp4toannexb,h264_metadata=tick_rate=\(2 * rate)"
        let arguments =
            ["-nostdin"] + FFmpegLog.arguments(for: .error) + ["-i", "file:\(mp4)", "-map", "0:v:0"]
            + ["-c", "copy", "-bsf:v", filters, "-fflags", "+bitexact", "-f", "h264", "-y", "file:\(path)"]
        var tool = try ffmpeg.start(arguments, log: FFmpegLog(replacing: "file:\(path)", with: name))
        do throws(Problem) { try tool.finish(writing: path).checkWriting(by: tool) } catch {
            throw error.at(file: name)
        }
    }
}

extension Ending {
    /// - Parameter failsByErrors: whether an error that ffmpeg reports is a failure too, however it ends.
    /// - Throws: a problem with fault `environment` when ffmpeg did not write a whole video.
    fileprivate func checkWriting(by tool: borrowing RunningTool, failsByErrors: Bool = false) throws(Problem) {
        try checkMachine(behind: tool)
        if self == .exited(0) && (!failsByErrors || tool.log.errorCount == 0) { return }
        throw Problem(
            .environment, "ffmpeg could not write the video", notes: tool.log.notes(from: "ffmpeg"),
            fix: "make room on the disk and see that the folder may be written to")
    }
}
