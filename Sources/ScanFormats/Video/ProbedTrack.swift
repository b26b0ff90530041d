import ScanModel

/// What ffprobe says of one track.
struct ProbedTrack {
    private struct Packet {
        var pts: Int64?
        var dts: Int64?
    }

    private var facts = VideoFacts()
    private(set) var hasStream = false
    /// Whether the file says that this is a track to be shown, and not one beside it, such as depth.
    private(set) var isToBeShown = false
    private var timeBase: (numerator: Int64, denominator: Int64) = (0, 1)
    /// In the file's order, without those that an edit list hides.
    private var packets: [Packet] = []
    /// Frames that an edit list hides.
    private var hiddenCount = 0
    /// Whether the first packet is a key frame, and nothing is hidden before it: that, decoders have.
    private var beginsWithKey = false

    var frameCount: Int { packets.count }
    var stream: Int { facts.stream }

    mutating func note(trackCount: Int, _ version: String?) {
        facts.trackCount = trackCount
        facts.probeVersion = version
    }

    /// Once all is read: the index lists hidden frames too.
    mutating func leaveOutHidden() { facts.listedCount = facts.listedCount.map { max(0, $0 - hiddenCount) } }

    /// How many packets are to be decoded to see whether the file was cut at its first key frame; nil where it cannot have
    /// been. Frames that are shown before that one may build on what came before it.
    var beginning: Int? { (1...Self.mostLeading).contains(leading.count) ? leading.count + 32 : nil }

    /// The frames that follow the key frame with which the file begins, and are shown before it or have no time.
    private var leading: ArraySlice<Packet> {
        guard beginsWithKey, let key = packets.first?.pts else { return [] }
        return packets.dropFirst().prefix(Self.mostLeading + 1).prefix { $0.pts ?? .min < key }
    }

    /// More than any encoder puts between a key frame and one that is shown before it.
    private static let mostLeading = 64

    /// Those that packets have, in the file's order.
    private var presentationTimes: [Int64] { packets.compactMap(\.pts) }
    private var decodingTimes: [Int64] { packets.compactMap(\.dts) }

    /// Leaves out the frames that come before the first key frame and that no decoder hands out.
    /// - Parameter decoded: when the first frames that one does hand out are shown; nil for those without a time.
    mutating func leaveOutOrphans(besides decoded: [Int64?]) {
        guard let key = packets.first?.pts, let shown = decoded.firstIndex(of: key) else { return }
        let leading = leading
        // The nearer to the key frame, the less a frame needs what came before that.
        let orphans = leading.indices.sorted { leading[$0].pts ?? .min < leading[$1].pts ?? .min }.dropLast(shown)
        packets.removeSubranges(RangeSet(orphans, within: packets))
        facts.orphanCount = orphans.count
        facts.listedCount = facts.listedCount.map { max(0, $0 - orphans.count) }
    }

    mutating func addPacket(_ fields: ArraySlice<Substring>) {
        var packet = Packet()
        var isKey = false
        for (key, value) in fields.lazy.map(ProbeOutput.pair) {
            switch key {
            case "pts": packet.pts = Int64(value)
            case "dts": packet.dts = Int64(value)
            case "flags" where value.contains("D"):
                hiddenCount += 1
                return
            case "flags": isKey = value.contains("K")
            default: continue
            }
        }
        if packets.isEmpty { beginsWithKey = isKey && hiddenCount == 0 }
        packets.append(packet)
    }

    mutating func addStream(_ fields: ArraySlice<Substring>) {
        hasStream = true
        var turns: (matrix: Double?, tag: Double?)
        for (key, value) in fields.lazy.map(ProbeOutput.pair) {
            switch key {
            case "index": facts.stream = Int(value) ?? 0
            case "default": isToBeShown = value == "1"
            case "field_order": facts.isInterlaced = ["tt", "bb", "tb", "bt"].contains(value)
            case "codec_name": facts.codec = String(value)
            case "pix_fmt": facts.pixelFormat = String(value)
            case "width": facts.width = Int(value) ?? 0
            case "height": facts.height = Int(value) ?? 0
            case "nb_frames": facts.listedCount = Int(value)
            case "color_range": facts.color.range = String(value)
            case "color_space": facts.color.matrix = String(value)
            case "color_primaries": facts.color.primaries = String(value)
            case "color_transfer": facts.color.transfer = String(value)
            case "time_base": timeBase = Self.ratio(value) ?? timeBase
            case "avg_frame_rate":
                facts.averageRate = Self.ratio(value).map { Double($0.numerator) / Double($0.denominator) }
            case "sample_aspect_ratio":
                facts.pixelAspect = Self.ratio(value, ":").map { Double($0.numerator) / Double($0.denominator) } ?? 1
            case "displaymatrix": facts.isMirrored = Self.isMirroring(value)
            // The display matrix rotates counter-clockwise, the tag of older versions clockwise.
            case "rotation": turns.matrix = Double(value).map { -$0 }
            case "rotate": turns.tag = Double(value)
            default: continue
            }
        }
        var turn = turns.matrix ?? turns.tag ?? 0
        // ffprobe's angle is that of the picture's upper edge, which points the other way in a mirrored picture.
        if facts.isMirrored { turn = 180 - turn }
        let quarters = (turn / 90).rounded().truncatingRemainder(dividingBy: 4)
        facts.rotation = quarters.isFinite ? (Int(quarters) + 4) % 4 * 90 : 0
    }

    /// Whether the file may have more than was read of it. Without an index nothing tells.
    func mayEndEarly(_ log: FFmpegLog) -> Bool { facts.listedCount == nil || lacksListed || !log.lines.isEmpty }

    /// Whether the index lists frames that did not come.
    var lacksListed: Bool { facts.listedCount.map { frameCount < $0 } == true }

    /// Takes the listed frames that did not come for hidden by the edit list.
    mutating func countMissingAsHidden() { facts.listedCount = frameCount }

    func facts(complaints log: FFmpegLog, of input: VideoInput) throws(Problem) -> VideoFacts {
        guard hasStream else {
            throw Problem(.input, "the file holds no video", fix: "put the colour video of the capture there")
        }
        guard !packets.isEmpty else {
            throw Problem(
                .input, "the video holds no frames", notes: log.notes(from: "ffprobe"), fix: "copy the file again")
        }
        var result = facts
        result.frameCount = frameCount
        // The place of the cut is the file's end.
        result.cut = cut(log).map { cut in input.byteCount.map { cut.at(byte: $0, of: $0) } ?? cut }
        let sorted = try times()
        result.times = sorted
        result.start = start
        let shown = presentationTimes
        // Decoding begins at 0 unless an edit list has moved it.
        result.hasReorderingDelay = shown != shown.sorted() && decodingTimes.min().map { $0 == 0 } ?? true
        if let cut = result.cut {
            let whole = wholeCount
            guard input.keepsWhole, whole > 0 else {
                throw cut.mendable(cutAfter: whole, of: facts.listedCount ?? frameCount)
            }
            result.frameCount = whole
            result.times = sorted.map { Array($0.prefix(whole)) }
        }
        guard facts.width > 0, facts.height > 0,
            facts.width.multipliedReportingOverflow(by: facts.height).partialValue <= VideoInput.largestPicture,
            max(facts.width, facts.height) <= VideoInput.largestPicture
        else {
            throw Problem(
                .input, "the video has an impossible picture size, \(facts.width) × \(facts.height)",
                notes: ["at most \(VideoInput.largestPicture) pixels are read"] + log.notes(from: "ffprobe"),
                fix: "copy the file again")
        }
        result.complaints = log.lines
        return result
    }

    /// Whether the file ends before its last frames do.
    private func cut(_ log: FFmpegLog) -> Problem? {
        // Without a complaint, an edit list has left them out.
        let isShort = lacksListed && !log.lines.isEmpty
        // The words of ffmpeg's readers of mp4 and QuickTime, and of Matroska, for a frame that begins in the file and
        // ends beyond it.
        let isPartial = log.lines.contains {
            $0.contains("stream \(stream), ") && $0.hasSuffix("partial file")
                || $0.hasPrefix("[matroska") && $0.contains("File ended prematurely")
        }
        guard isShort || isPartial else { return nil }
        // The last of them may be the one that was cut.
        let listed = facts.listedCount.map {
            "\(frameCount) of the \($0.counted("frame")) that it lists "
                + "\(frameCount == 1 ? "begins" : "begin") in the file"
        }
        return Problem(
            .input, "the video is cut off",
            notes: (listed.map { [$0] } ?? []) + log.notes(from: "ffprobe"), fix: "copy the file again")
    }

    /// How many frames of a file that was cut off are whole and have no missing one before them. The last packet is the
    /// one that was cut; in Matroska, whose reader withholds that one, it is the one before. Nothing from it on is shown
    /// before it is decoded. Matroska's first frames may lack the time of their decoding.
    private var wholeCount: Int {
        let shown = presentationTimes
        guard shown.count == frameCount, let last = decodingTimes.last else { return max(0, frameCount - 1) }
        return shown.dropLast().count { $0 < last }
    }

    /// When each frame is shown, by the file's own clock, in units of the time base.
    private var recordedTimes: [Int64] {
        let shown = presentationTimes
        return shown.count == frameCount ? shown : decodingTimes
    }

    private var start: Double {
        Double(recordedTimes.min() ?? 0) * Double(timeBase.numerator) / Double(timeBase.denominator)
    }

    private func times() throws(Problem) -> [Int64]? {
        let recorded = recordedTimes
        guard recorded.count == frameCount else { return nil }
        let sorted = recorded.sorted()
        var result: [Int64] = []
        result.reserveCapacity(sorted.count)
        // 128 bits hold the product of any two times' difference and any time base.
        let (first, numerator) = (Int128(sorted.first ?? 0), Int128(timeBase.numerator) * 1_000_000_000)
        let denominator = Int128(timeBase.denominator)
        for time in sorted {
            let scaled = ((Int128(time) - first) * numerator * 2 + denominator) / (denominator * 2)
            guard let nanoseconds = Int64(exactly: scaled) else {
                throw Problem(.input, "the video has impossible frame times", fix: "copy the file again")
            }
            result.append(nanoseconds)
        }
        return result
    }

    /// Whether a display matrix mirrors: its determinant is negative. It comes row by row, each behind its number, as in
    /// `\n00000000: -65536 0 0\n00000001: 0 65536 0\n…`, where `\n` are two characters.
    private static func isMirroring(_ dump: Substring) -> Bool {
        let numbers = dump.replacing("\\n", with: " ").split(separator: " ").compactMap { Double($0) }
        return numbers.count == 9 && numbers[0] * numbers[4] < numbers[1] * numbers[3]
    }

    private static func ratio(_ text: Substring, _ sign: Character = "/") -> (numerator: Int64, denominator: Int64)? {
        let parts = text.split(separator: sign).compactMap { Int32($0) }
        guard parts.count == 2, parts[0] > 0, parts[1] > 0 else { return nil }
        return (Int64(parts[0]), Int64(parts[1]))
    }
}
