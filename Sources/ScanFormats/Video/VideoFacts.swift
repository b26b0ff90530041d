import ScanModel

/// A video as a file, or as a stored (not compressed) entry of an archive.
public struct VideoInput: Hashable, Sendable {
    public var path: String
    /// The bytes of `path` that are the video; nil for all of them.
    public var range: Range<Int64>?
    /// What problems call it: its path in the capture.
    public var name: String
    /// Whether frames hidden by the file's edit list count. Players and ffmpeg normally leave them out.
    public var ignoresEditList: Bool
    /// Whether a file that was cut off is read as far as its frames are whole.
    public var keepsWhole: Bool

    public init(
        path: String, range: Range<Int64>? = nil, name: String, ignoresEditList: Bool = false, keepsWhole: Bool = false
    ) {
        self.path = path
        self.range = range
        self.name = name
        self.ignoresEditList = ignoresEditList
        self.keepsWhole = keepsWhole
    }

    /// How ffmpeg is told the file. The prefix keeps names with a colon, a leading dash or a percent sign from being
    /// read as something else.
    var address: String {
        guard let range else { return "file:\(path)" }
        return "subfile,,start,\(range.lowerBound),end,\(range.upperBound),,:file:\(path)"
    }

    /// How long it is; nil where that cannot be told.
    var byteCount: Int64? { (try? FileSource(path: path, name: name, range: range))?.byteCount }

    /// Reads all of it.
    /// - Throws: a problem of fault `environment` when the machine cannot read it.
    func requireReadable() throws(Problem) { try FileSource.requireReadable(path, range, name: name) }

    /// Whether the machine can read all of it.
    var isReadable: Bool {
        do throws(Problem) { try requireReadable() } catch { return error.fault != .environment }
        return true
    }

    /// Options for ffmpeg and ffprobe that stand before the input.
    var options: [String] { Self.safety + (ignoresEditList && isMOV ? ["-ignore_editlist", "1"] : []) }

    /// A file that only pretends to be a video cannot make ffmpeg and ffprobe open other files or addresses (play
    /// lists), or ask for a picture that does not fit in memory.
    private static let safety = [
        "-protocol_whitelist", "file,subfile", "-format_whitelist", "mov,matroska,avi,h264,hevc",
        "-max_pixels", String(largestPicture),
    ]

    /// In pixels: 8192 × 8192.
    static let largestPicture = 1 << 26

    /// Whether the file begins with a box of mp4 or QuickTime. The readers of other formats do not know the option, and
    /// ffmpeg would reject an intact video because of it.
    private var isMOV: Bool {
        let kind = try? FileSource(path: path, name: name, range: range).bytes(at: 4, count: 4)
        return ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"].contains { kind == Array($0.utf8) }
    }
}

/// Colour as a video declares it, in ffmpeg's names ("tv", "bt709", …); "unknown" where it declares nothing.
public struct VideoColor: Hashable, Sendable {
    public var range = "unknown"
    public var matrix = "unknown"
    public var primaries = "unknown"
    public var transfer = "unknown"

    public init() {}
}

/// What a video says about itself, taken without decoding it, but for the first frames of one that was cut.
public struct VideoFacts: PixelSized, Hashable, Sendable {
    /// The track that is read, among all streams of the file, and how many tracks of pictures there are.
    public var stream = 0
    public var trackCount = 1
    /// Pixels as recorded, before any rotation for display, unless ``isUpright``.
    public var width = 0
    public var height = 0
    /// By how many degrees, clockwise, a player turns the picture: 0, 90, 180 or 270.
    public var rotation = 0
    /// Whether a player shows the turned picture as in a mirror, left for right. Frames never are: poses and points that
    /// were made from them would be those of a mirrored world.
    public var isMirrored = false
    /// How many times as wide as high a recorded pixel is, before any rotation; 1 where they are square.
    public var pixelAspect = 1.0
    /// Whether every second row of a frame was taken later than the others.
    public var isInterlaced = false
    /// Whether frames are turned by ``rotation`` when they are decoded, so that they are upright as a player shows them.
    public private(set) var isUpright = false
    /// In ffmpeg's names, as in "h264" and "yuv420p".
    public var codec = ""
    public var pixelFormat = ""
    public var color = VideoColor()
    /// Frames to be decoded: the stream's packets, without those that an edit list hides unless they count, and without
    /// ``orphanCount``.
    public var frameCount = 0
    /// Frames at the beginning that no decoder hands out, because what they build on was cut away.
    public var orphanCount = 0
    /// When each frame is shown, in nanoseconds after the first, ascending, one a frame. Decoding times stand in where
    /// the file has no presentation times; nil where it has neither (a bare H.264 stream).
    public var times: [Int64]?
    /// When the first frame is shown, by the file's own clock; seconds.
    public var start = 0.0
    /// Whether frames are decoded in another order than they are shown, and no edit list makes up for it: that alone
    /// makes the file's clock begin late.
    public var hasReorderingDelay = false
    /// Frames a second, as the container declares it.
    public var averageRate: Double?
    /// What ffprobe calls its own version, as in "5.1.9-0+deb12u1".
    public var probeVersion: String?
    /// What ffprobe found wrong, without giving up.
    public var complaints: [String] = []
    /// The problem of a file that was cut off and is read as far as it goes.
    public var cut: Problem?
    /// How many frames its index lists, of which ``frameCount`` may be whole; without those that an edit list hides, and
    /// without ``orphanCount``. Nil where it has no index.
    public var listedCount: Int?

    /// How ffmpeg is told which track to read.
    var track: String { "0:\(stream)" }

    /// Whether luma runs from 0 to 255 rather than from 16 to 235.
    public var isFullRange: Bool { color.range == "pc" || pixelFormat.hasPrefix("yuvj") }

    /// Whether a number has more than 8 bits: only then does ffmpeg's name of the format tell the order of its bytes.
    var hasWideSamples: Bool { pixelFormat.hasSuffix("le") || pixelFormat.hasSuffix("be") }

    /// What to add to the flags of ffmpeg's scaler: unless told to round, it cuts more than 8 bits off.
    var roundingFlags: String { hasWideSamples ? "+accurate_rnd+full_chroma_int" : "" }

    /// Filters that keep ffmpeg from strewing noise where more than 8 bits become 8: a blurred picture would seem sharp.
    var plainScaling: [String] { hasWideSamples ? ["scale=sws_dither=none"] : [] }

    public init() {}

    /// The same video with its frames decoded as upright as a player shows them.
    public var upright: VideoFacts {
        var facts = self
        facts.isUpright = true
        if !isUpright, rotation % 180 != 0 { (facts.width, facts.height) = (height, width) }
        return facts
    }

    /// ffmpeg's filters that turn a frame as it is to be decoded; they move values and change none.
    var turningFilters: [String] {
        if !isUpright { return [] }
        return switch rotation {
        case 90: ["transpose=clock"]
        case 180: ["hflip", "vflip"]
        case 270: ["transpose=cclock"]
        default: []
        }
    }

    /// The frames that are shown at another time than they were taken, by more than half a frame.
    /// - Parameter timestamps: of the frames in their order, nanoseconds on any clock; nil where one has none. The first
    ///   frame that has both times sets the clocks.
    /// - Returns: each with how much later it is shown, nanoseconds; none where nothing can be compared.
    public func framesOffTime(from timestamps: [Int64?]) -> [(frame: Int, late: Double)] {
        guard let times, let median = Self.medianStep(times),
            let anchor = timestamps.prefix(times.count).firstIndex(where: { $0 != nil }), let start = timestamps[anchor]
        else { return [] }
        return zip(times, timestamps).enumerated().compactMap { frame, pair in
            guard let stamp = pair.1 else { return nil }
            // No timestamp can make this overflow.
            let late = Double(pair.0 - times[anchor]) - Double(stamp.subtractingReportingOverflow(start).partialValue)
            return abs(late) > Double(median) / 2 ? (frame, late) : nil
        }
    }

    /// Which of a video's frames belongs to which frame that was taken.
    public struct Pairing: Hashable, Sendable {
        /// For each frame that was taken, the number of the video's frame, ascending; nil for those the video lacks.
        public var places: [Int?]
        /// Whether no other pairing fits nearly as well.
        public var isSure: Bool
    }

    /// Where the video lacks frames that were taken: which of its frames is shown at the time of each.
    ///
    /// A recorder whose encoder is not ready leaves a picture out, but writes its camera all the same. How many of the
    /// first frames it left out is unknown, so each number of them is tried, and the one under which times agree best
    /// is taken. Of those that agree equally well, within what containers round times to, it is the one by which the
    /// file's own clock begins late, else the smallest.
    /// - Parameter timestamps: of the frames in their order, nanoseconds on any clock, more than the video has frames.
    /// - Returns: nil where a frame of the video is not within half a frame of any timestamp, or where the video lacks
    ///   half of the frames or more.
    public func pairing(with timestamps: [Int64]) -> Pairing? {
        guard let times, let step = Self.medianStep(times), times.count < timestamps.count,
            2 * times.count > timestamps.count
        else { return nil }
        let tolerance = step / 2
        // The partners of all that fit would take much memory: those of the chosen one are found again.
        var fitting: [(first: Int64, place: Int, gap: Double)] = []
        for first in timestamps.prefix(min(timestamps.count - times.count, Self.mostLost) + 1) {
            guard let fit = Self.fit(times, to: timestamps, from: first, within: tolerance) else { continue }
            fitting.append((first, fit.partners[0], fit.gap))
        }
        guard let least = fitting.map(\.gap).min() else { return nil }
        let best = fitting.filter { $0.gap <= least + Self.rounding }
        // The number of frames by which a file's clock begins late is the number left out at first.
        let late = hasReorderingDelay ? 0 : start * 1e9 / Double(2 * tolerance)
        let chosen = best.first { abs(Double($0.place) - late) < 0.25 } ?? best[0]
        guard let fit = Self.fit(times, to: timestamps, from: chosen.first, within: tolerance) else { return nil }
        var places = [Int?](repeating: nil, count: timestamps.count)
        for (frame, place) in fit.partners.enumerated() { places[place] = frame }
        return Pairing(places: places, isSure: best.count == 1)
    }

    /// Which timestamp each time belongs to, if the video began at `first`, and the mean gap between them.
    /// - Returns: nil where a time has none, or they are not in order.
    private static func fit(
        _ times: [Int64], to timestamps: [Int64], from first: Int64, within tolerance: Int64
    ) -> (partners: [Int], gap: Double)? {
        let shifted = timestamps.map { $0.subtractingReportingOverflow(first).partialValue }
        let partners = TimeMatch(times, with: shifted, within: tolerance).partners.compactMap(\.self)
        guard partners.count == times.count, zip(partners, partners.dropFirst()).allSatisfy({ $0 < $1 }) else {
            return nil
        }
        let gaps = zip(times, partners).map { Double($0) - Double(shifted[$1]) }
        // The first frame's own rounding is part of every gap.
        let offset = gaps.reduce(0, +) / Double(gaps.count)
        return (partners, gaps.reduce(0) { $0 + abs($1 - offset) } / Double(gaps.count))
    }

    /// How many of the first frames a video may lack.
    private static let mostLost = 100

    /// Nanoseconds, for the mean gap: QuickTime counts in 1/600 s.
    private static let rounding = 5e5

    /// Nil for fewer than two.
    private static func medianStep(_ times: [Int64]) -> Int64? { zip(times.dropFirst(), times).map { $0 - $1 }.middle }
}
