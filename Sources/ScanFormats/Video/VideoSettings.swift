import ScanModel

/// How a video is to be encoded.
public struct VideoSettings: Hashable, Sendable {
    public enum Container: String, Hashable, Sendable {
        case mp4
        case matroska

        /// The unit of its clock, nanoseconds: frames can have no times in between.
        public var tick: Int64 { self == .mp4 ? 1000 : 1_000_000 }

        /// Whether the container can hold a frame so many nanoseconds after the one before.
        public func holds(step: Int64) -> Bool {
            // Rounded to the clock, a step may gain one microsecond.
            step >= tick && step / 1000 < longestStep ?? .max
        }

        /// How long a frame may be shown, microseconds: an mp4 counts it in 31 bits, the greatest value of which
        /// means none to ffmpeg. Nil where there is no bound.
        public var longestStep: Int64? { self == .mp4 ? Int64(Int32.max) - 1 : nil }
    }

    /// Pixels of the frames as given; both even, as 4:2:0 chroma requires.
    public var width: Int
    public var height: Int
    /// How the frames are given: `.rgb24` or `.yuv420p`.
    public var layout: VideoLayout
    /// Frames per second, approximately: for the encoder's rate control. The written times come with the frames.
    public var nominalRate: Double
    /// By how many degrees, clockwise, a player is to turn the picture: 0, 90, 180 or 270.
    public var rotation = 0
    /// The colour of `.yuv420p` frames, which are written as they are. Red, green and blue become BT.601 luma and
    /// chroma of limited range, and are declared so: programs that do not read the declaration assume the same.
    public var color = VideoColor()
    /// x264's constant rate factor: 0 (no loss) to 51; 18 is hard to tell from the original.
    public var rateFactor = 18.0
    public var container = Container.mp4
    /// For mp4 files: whether the index comes before the frames, so that a browser plays the file while it loads.
    public var startsAtOnce = false

    public init(width: Int, height: Int, layout: VideoLayout, nominalRate: Double) {
        self.width = width
        self.height = height
        self.layout = layout
        self.nominalRate = nominalRate
    }

    /// For frames that come from a video and are to look the same: its size, rotation, colour and rate.
    public init(like facts: VideoFacts) {
        let rate = min(max(facts.averageRate ?? 30, 1), 1000)
        self.init(width: facts.width, height: facts.height, layout: .yuv420p, nominalRate: rate)
        rotation = facts.isUpright ? 0 : facts.rotation
        color = facts.color
        color.range = facts.isFullRange ? "pc" : facts.color.range
    }
}

extension VideoSettings {
    /// - Throws: a problem with fault `usage` for settings that no video can have.
    package func check() throws(Problem) {
        let sizes = 2...16_384
        guard sizes.contains(width), sizes.contains(height), width * height <= VideoInput.largestPicture else {
            let change =
                min(width, height) < sizes.lowerBound
                ? "let `resize` above it leave them larger" : "make them smaller above it, with `resize`"
            throw Problem(
                .usage, "a video of \(width) × \(height) pixels cannot be written",
                notes: [
                    "each side is \(sizes.lowerBound) to \(sizes.upperBound) pixels, and their product is at most "
                        + "\(VideoInput.largestPicture)"
                ], fix: "\(change), or write pictures where the format has them")
        }
        guard width.isMultiple(of: 2), height.isMultiple(of: 2) else {
            throw Problem(
                .usage, "a video of \(width) × \(height) pixels cannot be written",
                notes: ["H.264 with 4:2:0 chroma, which every player reads, has an even width and height"],
                fix: "make both even above it with  resize: {width: \(width / 2 * 2), height: \(height / 2 * 2)}  or "
                    + "write pictures where the format has them")
        }
        guard layout != .luma, [0, 90, 180, 270].contains(rotation), (0...51).contains(rateFactor),
            (0.001...1_000_000).contains(nominalRate)
        else {
            throw Problem(
                .usage, "a video cannot be written with these settings",
                notes: ["layout \(layout), rotation \(rotation), rate factor \(rateFactor), rate \(nominalRate)"])
        }
    }

    /// What ffmpeg is told: frames come as Matroska on its standard input.
    func arguments(output: String) -> [String] {
        ["-nostdin"] + FFmpegLog.arguments(for: .error) + ["-noautorotate", "-threads", "1"]
            + ["-f", "matroska", "-i", "pipe:0", "-map", "0:v:0", "-map_metadata", "-1"]
            + ["-fps_mode", "passthrough", "-enc_time_base", "1/1000000", "-video_track_timescale", "1000000"]
            + ["-filter_threads", "1", "-vf", filter]
            + ["-c:v", "libx264", "-preset", "veryfast", "-crf", String(rateFactor), "-bf", "0", "-threads", "1"]
            + ["-x264-params", "cpu-independent=1", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
            + (startsAtOnce && container == .mp4 ? ["-movflags", "+faststart"] : [])
            + ["-f", container.rawValue, "-y", output]
    }

    private var filter: String {
        func declare(_ color: VideoColor) -> String {
            "setparams=range=\(color.range):colorspace=\(color.matrix):color_primaries=\(color.primaries)"
                + ":color_trc=\(color.transfer)"
        }
        guard layout == .rgb24 else { return declare(color.known) }
        var bt601 = VideoColor()
        bt601.range = "tv"
        bt601.matrix = "smpte170m"
        // Exact rounding: without it the result depends on the processor.
        return "scale=out_color_matrix=smpte170m:out_range=tv:flags=bicubic+accurate_rnd+bitexact,format=yuv420p,"
            + declare(bt601)
    }
}

extension VideoColor {
    /// The same, with every name that does not describe the written frames replaced by "unknown": numbers without a
    /// meaning, which ffmpeg calls "reserved", and "gbr", which frames are no longer once they are 4:2:0.
    fileprivate var known: VideoColor {
        func keep(_ name: String, _ names: Set<String>) -> String { names.contains(name) ? name : "unknown" }
        var copy = VideoColor()
        copy.range = keep(range, ["tv", "pc"])
        copy.matrix = keep(
            matrix,
            [
                "bt709", "fcc", "bt470bg", "smpte170m", "smpte240m", "ycgco", "bt2020nc", "bt2020c", "smpte2085",
                "chroma-derived-nc", "chroma-derived-c", "ictcp",
            ])
        copy.primaries = keep(
            primaries,
            [
                "bt709", "bt470m", "bt470bg", "smpte170m", "smpte240m", "film", "bt2020", "smpte428", "smpte431",
                "smpte432", "ebu3213",
            ])
        copy.transfer = keep(
            transfer,
            [
                "bt709", "bt470m", "bt470bg", "smpte170m", "smpte240m", "linear", "log100", "log316", "iec61966-2-4",
                "bt1361e", "iec61966-2-1", "bt2020-10", "bt2020-12", "smpte2084", "smpte428", "arib-std-b67",
            ])
        return copy
    }
}
