internal import CScanMill
import ScanModel
import Synchronization

/// How the pixels of a decoded frame lie in memory: 8 bits a value, row-major, top-left pixel first, without padding.
public enum VideoLayout: Hashable, Sendable {
    /// Red, green, blue, interleaved. Of a video of 8 bits they are the values that OpenCV decodes, which is what
    /// published blur scores rest on; of one of more, within one of the true ones, where OpenCV's are one or two less.
    case rgb24
    /// Luma alone, expanded to 0...255 where the video keeps it in 16...235. Cheaper than red, green and blue.
    case luma
    /// The luma plane and two chroma planes of half the width and height (rounded up), with the values as recorded:
    /// for encoding again without a loss of colour, and for colours that are made here (``YUVImage``).
    case yuv420p

    /// The size of a frame in bytes. The caller has checked that `width * height` is reasonable.
    public func byteCount(width: Int, height: Int) -> Int {
        switch self {
        case .rgb24: width * height * 3
        case .luma: width * height
        case .yuv420p: width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2)
        }
    }

    /// What ffmpeg is told to make of a video's frames.
    fileprivate func options(for facts: VideoFacts) -> [String] {
        // If left both ranges to choose from, ffmpeg would take the smaller one for any video of 10 bits.
        let kind = facts.isFullRange ? "yuvj" : "yuv"
        let filters =
            switch self {
            case .rgb24 where facts.hasWideSamples: ["scale=flags=bicubic\(facts.roundingFlags)", "format=rgb24"]
            case .rgb24: ["format=rgb24"]
            case .luma:
                facts.plainScaling + ["format=\(kind)420p|\(kind)422p|\(kind)444p", "extractplanes=y"]
            case .yuv420p: ["format=\(kind)420p"]
            }
        return ["-vf", (filters + facts.turningFilters).joined(separator: ",")]
    }
}

/// Decodes a video frame by frame, in order, exactly the frames that were recorded and as they were recorded: nothing
/// is rotated, unless its facts are ``VideoFacts/upright``, and no copy fills the gap of a dropped frame. Memory does not
/// grow with the length of the video.
///
/// ffmpeg works ahead in a process of its own, which is ended when the decoder is let go of. The decoder may be used
/// from any thread; calls wait for each other.
public final class VideoDecoder: Sendable {
    public let facts: VideoFacts
    public let layout: VideoLayout
    /// The size of every frame in bytes.
    public let frameByteCount: Int

    private let stream: Mutex<FrameStream>

    /// With more, ffmpeg itself warns that they do not help, and with far more it fails.
    private static let mostThreads = 16

    /// Starts decoding.
    /// - Parameters:
    ///   - facts: from ``VideoProbe``, for the picture size and the number of frames to expect.
    ///   - threads: how many threads ffmpeg decodes with; 0 leaves it to ffmpeg. The frames of a sound video do not depend
    ///     on it; what is guessed of damaged ones is always the same only with 1, since it depends on what other
    ///     threads have decoded by then.
    /// - Throws: a problem with fault `environment` when ffmpeg cannot be started. What is wrong with the video comes
    ///   from ``nextFrame(into:)``.
    public init(
        _ input: VideoInput, facts: VideoFacts, layout: VideoLayout, threads: Int = 0, with ffmpeg: FFmpeg
    ) throws(Problem) {
        self.facts = facts
        self.layout = layout
        frameByteCount = layout.byteCount(width: facts.width, height: facts.height)
        // `direct` saves ffmpeg's copy of every frame into a buffer of its own, from which it writes in small pieces.
        let arguments =
            ["-nostdin", "-noautorotate"] + FFmpegLog.arguments(for: .warning) + input.options
            + [
                "-threads", String(min(max(0, threads), Self.mostThreads)), "-i", input.address, "-map", facts.track,
                "-fps_mode", "passthrough",
            ]
            // A finer clock than the video's own, so that two frames within one of its ticks raise no complaint.
            + layout.options(for: facts) + [
                "-enc_time_base", "1/1000000", "-f", "rawvideo", "-avioflags", "direct", "pipe:1",
            ]
        let log = FFmpegLog(replacing: input.address, with: input.name)
        let tool: RunningTool
        do throws(Problem) {
            tool = try ffmpeg.start(arguments, log: log)
        } catch {
            throw error.at(file: input.name)
        }
        stream = Mutex(
            FrameStream(tool: tool, input: input, expected: facts.frameCount, isCut: facts.cut != nil))
    }

    /// Decodes the next frame into `pixels`. An array of a frame's size is overwritten; any other is replaced.
    /// - Returns: false after the last frame; a replaced array is then empty, as after a problem.
    /// - Throws: a problem with fault `input` when ffmpeg gives up, or when the video ends before or after the number
    ///   of frames that its index lists, since all later frames would then be taken for others; with fault
    ///   `environment` when ffmpeg was killed. The same problem is thrown again by later calls.
    public func nextFrame(into pixels: inout [UInt8]) throws(Problem) -> Bool {
        if pixels.count == frameByteCount { return try pixels.withUnsafeMutableBytes { next(into: $0) }.get() }
        var result = Result<Bool, Problem>.success(false)
        // Filling it with zeros first would add a hundredth of the decoding time.
        pixels = [UInt8](unsafeUninitializedCapacity: frameByteCount) { buffer, filled in
            result = next(into: UnsafeMutableRawBufferPointer(buffer))
            if case .success(true) = result { filled = frameByteCount }
        }
        return try result.get()
    }

    private func next(into buffer: UnsafeMutableRawBufferPointer) -> Result<Bool, Problem> {
        let expands = layout == .luma && !facts.isFullRange
        return stream.withLock { stream in stream.next(into: buffer) }.map { there in
            if there && expands { sm_expand_range(buffer.baseAddress, buffer.count) }
            return there
        }
    }

    /// Passes over the next frame.
    /// - Returns: false after the last frame.
    /// - Throws: as ``nextFrame(into:)``.
    public func skipFrame() throws(Problem) -> Bool {
        try stream.withLock { stream in
            withUnsafeTemporaryAllocation(byteCount: frameByteCount, alignment: 16) { stream.next(into: $0) }
        }.get()
    }

    /// Passes over all frames that are left and checks the end.
    /// - Throws: as ``nextFrame(into:)``.
    public func finish() throws(Problem) {
        while try skipFrame() {}
    }

    /// The number of frames of which ffmpeg had to guess parts. As it works ahead, only ``finish()`` makes the count
    /// complete.
    public var guessedFrames: Int { stream.withLock { $0.log.damagedFrames } }

    /// What ffmpeg found wrong so far without giving up: how many frames it had to guess parts of, then some of its words.
    /// Empty for a sound video; otherwise some of the frames are not what was recorded, and whether that will do is
    /// for the caller to say. As ffmpeg works ahead, only ``finish()`` makes the list complete.
    public var complaints: [String] {
        stream.withLock { stream in
            let damaged = stream.log.damagedFrames
            let count =
                damaged == 0
                ? []
                : [
                    "parts of \(damaged) of \(facts.frameCount.counted("frame")) were missing or damaged, and were "
                        + "guessed; frames up to the next key frame depend on them"
                ]
            // ffmpeg's reader and decoder log at the same time, in any order.
            let words = stream.log.lines.sorted()
            let others = words.count - Self.mostWords
            let more = others > 0 ? ["and \(others.counted("other complaint"))"] : []
            return count + words.prefix(Self.mostWords) + more
        }
    }

    /// Each damaged frame causes several.
    private static let mostWords = 3
}

/// The output of a decoding ffmpeg, cut into frames and counted.
private struct FrameStream: ~Copyable, Sendable {
    private let input: VideoInput
    private let expected: Int
    /// Whether the file was cut off: then more frames may be decoded, with guessed parts.
    private let isCut: Bool
    private var tool: RunningTool
    private var frame = 0
    private var end: Result<Bool, Problem>?

    init(tool: consuming RunningTool, input: VideoInput, expected: Int, isCut: Bool) {
        self.tool = tool
        self.isCut = isCut
        self.input = input
        self.expected = expected
    }

    var log: FFmpegLog { tool.log }

    mutating func next(into buffer: UnsafeMutableRawBufferPointer) -> Result<Bool, Problem> {
        if let end { return end }
        let count = tool.read(into: buffer)
        if count == buffer.count && frame < expected {
            frame += 1
            return .success(true)
        }
        let result: Result<Bool, Problem>
        do throws(Problem) {
            try checkEnd(count, of: buffer.count)
            result = .success(false)
        } catch {
            result = .failure(error.at(file: input.name).inFrame(frame))
        }
        end = result
        return result
    }

    /// - Parameter count: how many bytes came where the next frame would be.
    private mutating func checkEnd(_ count: Int, of frameBytes: Int) throws(Problem) {
        if isCut, frame == expected {
            // To the end, so that the log has all complaints.
            _ = tool.finish()
            return
        }
        if count == frameBytes {
            tool.stop()
            throw Problem(
                .input, "the video holds more frames than its index lists",
                notes: ["the index lists \(expected), and more can be decoded"] + tool.log.notes(from: "ffmpeg"),
                fix: "copy the file again, or rewrite its index with: ffmpeg -i OLD -c copy NEW")
        }
        let ending = tool.finish()
        let progress = frame.counted(of: expected, "frame", "was", "were") + " decoded"
        let isShort = count > 0 || frame < expected
        try ending.checkMachine(behind: tool, reading: input, isShort: isShort, noting: progress)
        switch ending {
        case .exited(let status) where status != 0:
            throw Problem(
                .input, "ffmpeg gave up on the video, with exit status \(status)",
                notes: [progress] + tool.log.notes(from: "ffmpeg"), fix: "copy the file again")
        case .exited where count > 0:
            throw Problem(
                .input, "the video ends inside a frame",
                notes: ["\(count) of \(frameBytes) bytes came", progress] + tool.log.notes(from: "ffmpeg"),
                fix: "copy the file again")
        case .exited where frame < expected:
            throw Problem(
                .input, "the video ends early", notes: [progress] + tool.log.notes(from: "ffmpeg"),
                fix: "copy the file again; if it is complete, some of its frames are damaged beyond decoding, or "
                    + "depend on what was cut off; encode the others again with: ffmpeg -i OLD -crf 16 NEW.mp4")
        default: return
        }
    }
}
