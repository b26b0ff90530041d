import Glibc
import ScanModel

/// Reads what a video says about itself, with ffprobe.
public enum VideoProbe {
    /// - Parameter rules: say how many frames a video may have; nil for any number.
    /// - Throws: a problem with fault `input` when the file is missing, no video, empty, cut off or longer than the rules
    ///   allow, with ffprobe's own words in the notes; with fault `environment` when it may not be read or ffprobe does
    ///   not work.
    public static func probe(
        _ input: VideoInput, with ffmpeg: FFmpeg, _ rules: ReadRules? = nil
    ) throws(Problem) -> VideoFacts {
        do throws(Problem) {
            try checkFile(input)
            var (reader, log) = try read(input, with: ffmpeg, rules)
            // ffprobe does not list frames after the end of an edit list at all. Whether the missing ones are those is
            // asked only after a complaint, because the file has to be read once more for it.
            if reader.lacksListed, !log.lines.isEmpty, !input.ignoresEditList {
                var unedited = input
                unedited.ignoresEditList = true
                if try !read(unedited, with: ffmpeg, rules).reader.lacksListed { reader.countMissingAsHidden() }
            }
            return try reader.facts(complaints: log, of: input)
        } catch {
            throw error.at(file: input.name)
        }
    }

    /// Runs ffprobe over the whole file.
    private static func read(
        _ input: VideoInput, with ffmpeg: FFmpeg, _ rules: ReadRules?
    ) throws(Problem) -> (reader: ProbeReader, log: FFmpegLog) {
        let log = FFmpegLog(replacing: input.address, with: input.name)
        let entries =
            "stream=index,codec_name,pix_fmt,width,height,time_base,avg_frame_rate,nb_frames,color_range,color_space,"
            + "color_primaries,color_transfer,sample_aspect_ratio,field_order:stream_disposition=default"
            + ":stream_side_data=rotation,displaymatrix:stream_tags=rotate:packet=stream_index,pts,dts,flags"
            + ":program_version=version"
        let arguments =
            FFmpegLog.arguments(for: .error) + input.options
            + ["-select_streams", "V", "-show_entries", entries, "-of", "compact", "-i", input.address]
        var tool = try ffmpeg.startProbe(arguments, log: log)
        var output = ProbeOutput()
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = chunk.withUnsafeMutableBytes { tool.read(into: $0) }
            rest += chunk[..<count]
            let whole = count < chunk.count ? rest.endIndex : rest.lastIndex(of: UInt8(ascii: "\n")) ?? 0
            output.take(rest[..<whole])
            rest.removeFirst(whole)
            // A small file can list millions.
            try rules?.check(frames: output.frameCount, of: "frames in the video")
            if count < chunk.count { break }
        }
        var reader = output.chosen
        reader.leaveOutHidden()
        let ending = tool.finish()
        try ending.checkMachine(behind: tool, reading: input, isShort: reader.mayEndEarly(tool.log))
        if case .exited(let status) = ending, status != 0 {
            throw Problem(
                .input, "the video cannot be read", notes: tool.log.notes(from: "ffprobe"),
                fix: "copy the file again; if it is complete, it is no video, or its recording was never finished")
        }
        if let packets = reader.beginning {
            reader.leaveOutOrphans(
                besides: try timesDecoded(of: packets, in: reader.stream, of: input, with: ffmpeg))
        }
        return (reader, tool.log)
    }

    /// Decodes the first packets of a track.
    /// - Returns: when the frames that come of them are shown, in the order in which they are; nil for those without a time.
    private static func timesDecoded(
        of packets: Int, in stream: Int, of input: VideoInput, with ffmpeg: FFmpeg
    ) throws(Problem) -> [Int64?] {
        let arguments =
            FFmpegLog.arguments(for: .error) + input.options
            + ["-select_streams", String(stream), "-read_intervals", "%+#\(packets)", "-show_entries", "frame=pts"]
            + ["-of", "compact", "-i", input.address]
        var tool = try ffmpeg.startProbe(arguments, log: FFmpegLog(replacing: input.address, with: input.name))
        let output = tool.readAll()
        try tool.finish().checkMachine(behind: tool, reading: input)
        return ProbeReader.frameTimes(output)
    }

    /// Reports what ffprobe would report less clearly, and keeps it from waiting for a FIFO.
    private static func checkFile(_ input: VideoInput) throws(Problem) {
        var facts = stat()
        guard stat(input.path, &facts) == 0 else {
            let error = errno
            if error == ENOENT || error == ENOTDIR {
                throw Problem(.input, "the video is missing", fix: "copy it into the capture's folder")
            }
            throw Problem.system("cannot look at the video", path: input.name, code: error)
        }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw Problem(.input, "the video is not a regular file", fix: "put the video itself there")
        }
        guard access(input.path, R_OK) == 0 else {
            throw Problem(.environment, "the video may not be read", fix: "give this user permission to read it")
        }
        guard facts.st_size > 0, input.range?.isEmpty != true else {
            throw Problem(.input, "the video is empty", fix: "copy it again")
        }
    }
}

/// Reads ffprobe's compact form: one line for each packet or stream, `packet|stream_index=0|pts=0|dts=-512|flags=K_`.
private struct ProbeOutput {
    private var tracks: [Int: ProbeReader] = [:]
    private var version: String?

    /// Of the longest track.
    var frameCount: Int { tracks.values.reduce(0) { max($0, $1.frameCount) } }

    /// - Parameter output: whole lines of it.
    mutating func take(_ output: ArraySlice<UInt8>) {
        for line in output.split(separator: UInt8(ascii: "\n")) {
            let fields = String(decoding: line, as: UTF8.self).split(separator: "|")
            switch fields.first {
            case "packet": tracks[Self.stream(of: fields), default: ProbeReader()].addPacket(fields.dropFirst())
            case "stream": tracks[Self.stream(of: fields), default: ProbeReader()].addStream(fields.dropFirst())
            case "program_version": version = fields.last.map { String(ProbeReader.pair($0).value) }
            default: continue
            }
        }
    }

    /// The track to read: the first of those that the file says are to be shown, else the first.
    var chosen: ProbeReader {
        let found = tracks.sorted { $0.key < $1.key }.map(\.value).filter(\.hasStream)
        var reader = found.first(where: \.isToBeShown) ?? found.first ?? ProbeReader()
        reader.note(trackCount: found.count, version)
        return reader
    }

    private static func stream(of fields: [Substring]) -> Int {
        let index = fields.lazy.map(ProbeReader.pair).first { $0.key == "index" || $0.key == "stream_index" }
        return index.flatMap { Int($0.value) } ?? 0
    }
}

/// What ffprobe says of one track.
private struct ProbeReader {
    private var facts = VideoFacts()
    private(set) var hasStream = false
    /// Whether the file says that this is a track to be shown, and not one beside it, such as depth.
    private(set) var isToBeShown = false
    private var timeBase: (numerator: Int64, denominator: Int64) = (0, 1)
    private var presentationTimes: [Int64] = []
    private var decodingTimes: [Int64] = []
    /// Frames that an edit list hides.
    private var hiddenCount = 0
    /// The time of the key frame with which the file begins; nil where it begins in another way, or without times.
    private var keyTime: Int64?
    /// The frames that follow it in the file, and are shown before it or have no time.
    private var leading: [(pts: Int64?, dts: Int64?)] = []

    var frameCount: Int { facts.frameCount }
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

    /// More than any encoder puts between a key frame and one that is shown before it.
    private static let mostLeading = 64

    /// Leaves out the frames that come before the first key frame and that no decoder hands out.
    /// - Parameter decoded: when the first frames that one does hand out are shown; nil for those without a time.
    mutating func leaveOutOrphans(besides decoded: [Int64?]) {
        guard let keyTime, let shown = decoded.firstIndex(of: keyTime) else { return }
        // The nearer to the key frame, the less a frame needs what came before that.
        let orphans = leading.sorted { ($0.pts ?? .min) < ($1.pts ?? .min) }.dropLast(shown)
        for orphan in orphans {
            if let place = presentationTimes.firstIndex(where: { $0 == orphan.pts }) {
                presentationTimes.remove(at: place)
            }
            if let place = decodingTimes.firstIndex(where: { $0 == orphan.dts }) { decodingTimes.remove(at: place) }
        }
        facts.orphanCount = orphans.count
        facts.frameCount -= orphans.count
        facts.listedCount = facts.listedCount.map { max(0, $0 - orphans.count) }
    }

    /// - Parameter output: ffprobe's, one line for each frame: `frame|pts=512`.
    static func frameTimes(_ output: [UInt8]) -> [Int64?] {
        output.split(separator: UInt8(ascii: "\n")).compactMap { line -> Int64?? in
            let fields = String(decoding: line, as: UTF8.self).split(separator: "|")
            guard fields.first == "frame" else { return nil }
            return .some(fields.lazy.map(pair).first { $0.key == "pts" }.flatMap { Int64($0.value) })
        }
    }

    mutating func addPacket(_ fields: ArraySlice<Substring>) {
        var (pts, dts): (Int64?, Int64?)
        var isKey = false
        for (key, value) in fields.lazy.map(Self.pair) {
            switch key {
            case "pts": pts = Int64(value)
            case "dts": dts = Int64(value)
            case "flags" where value.contains("D"):
                hiddenCount += 1
                return
            case "flags": isKey = value.contains("K")
            default: continue
            }
        }
        facts.frameCount += 1
        if facts.frameCount == 1 {
            // What an edit list hides before it, decoders have.
            keyTime = isKey && hiddenCount == 0 ? pts : nil
        } else if let keyTime, leading.count == facts.frameCount - 2, leading.count <= Self.mostLeading,
            pts ?? .min < keyTime
        {
            leading.append((pts, dts))
        }
        if let pts { presentationTimes.append(pts) }
        if let dts { decodingTimes.append(dts) }
    }

    mutating func addStream(_ fields: ArraySlice<Substring>) {
        hasStream = true
        var turns: (matrix: Double?, tag: Double?)
        for (key, value) in fields.lazy.map(Self.pair) {
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
    var lacksListed: Bool { facts.listedCount.map { facts.frameCount < $0 } == true }

    /// Takes the listed frames that did not come for hidden by the edit list.
    mutating func countMissingAsHidden() { facts.listedCount = facts.frameCount }

    func facts(complaints log: FFmpegLog, of input: VideoInput) throws(Problem) -> VideoFacts {
        guard hasStream else {
            throw Problem(.input, "the file holds no video", fix: "put the colour video of the capture there")
        }
        guard facts.frameCount > 0 else {
            throw Problem(
                .input, "the video holds no frames", notes: log.notes(from: "ffprobe"), fix: "copy the file again")
        }
        var result = facts
        // The place of the cut is the file's end.
        result.cut = cut(log).map { cut in input.byteCount.map { cut.at(byte: $0, of: $0) } ?? cut }
        let sorted = try times()
        result.times = sorted
        result.start = start
        // Decoding begins at 0 unless an edit list has moved it.
        result.hasReorderingDelay =
            presentationTimes != presentationTimes.sorted() && decodingTimes.min().map { $0 == 0 } ?? true
        if let cut = result.cut {
            let whole = wholeCount
            guard input.keepsWhole, whole > 0 else {
                var cut = cut
                cut.fix = ReadRules.wayToMend(cutAfter: whole, of: facts.listedCount ?? facts.frameCount)
                throw cut
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
            "\(facts.frameCount) of the \($0.counted("frame")) that it lists "
                + "\(facts.frameCount == 1 ? "begins" : "begin") in the file"
        }
        return Problem(
            .input, "the video is cut off",
            notes: (listed.map { [$0] } ?? []) + log.notes(from: "ffprobe"), fix: "copy the file again")
    }

    /// How many frames of a file that was cut off are whole and have no missing one before them. The last packet is the
    /// one that was cut; in Matroska, whose reader withholds that one, it is the one before. Nothing from it on is shown
    /// before it is decoded. Matroska's first frames may lack the time of their decoding.
    private var wholeCount: Int {
        let count = facts.frameCount
        guard presentationTimes.count == count, let last = decodingTimes.last else {
            return max(0, count - 1)
        }
        return presentationTimes.dropLast().count { $0 < last }
    }

    /// When each frame is shown, by the file's own clock, in units of the time base.
    private var recordedTimes: [Int64] {
        presentationTimes.count == facts.frameCount ? presentationTimes : decodingTimes
    }

    private var start: Double {
        Double(recordedTimes.min() ?? 0) * Double(timeBase.numerator) / Double(timeBase.denominator)
    }

    private func times() throws(Problem) -> [Int64]? {
        let recorded = recordedTimes
        guard recorded.count == facts.frameCount else { return nil }
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

    /// Splits `key=value`; newer versions put the section before the key, as in `side_datum/matrix:rotation`.
    static func pair(_ field: Substring) -> (key: Substring, value: Substring) {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let key = parts[0].split(whereSeparator: { $0 == ":" || $0 == "/" }).last ?? parts[0]
        return (key, parts.count == 2 ? parts[1] : "")
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
