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
            var (track, log) = try read(input, with: ffmpeg, rules)
            // ffprobe does not list frames after the end of an edit list at all. Whether the missing ones are those is
            // asked only after a complaint, because the file has to be read once more for it.
            if track.lacksListed, !log.lines.isEmpty, !input.ignoresEditList {
                var unedited = input
                unedited.ignoresEditList = true
                if try !read(unedited, with: ffmpeg, rules).track.lacksListed { track.countMissingAsHidden() }
            }
            return try track.facts(complaints: log, of: input)
        } catch {
            throw error.at(file: input.name)
        }
    }

    /// Runs ffprobe over the whole file.
    private static func read(
        _ input: VideoInput, with ffmpeg: FFmpeg, _ rules: ReadRules?
    ) throws(Problem) -> (track: ProbedTrack, log: FFmpegLog) {
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
        var track = output.chosen
        track.leaveOutHidden()
        let ending = tool.finish()
        try ending.checkMachine(behind: tool, reading: input, isShort: track.mayEndEarly(tool.log))
        if case .exited(let status) = ending, status != 0 {
            throw Problem(
                .input, "the video cannot be read", notes: tool.log.notes(from: "ffprobe"),
                fix: tool.log.refusesVideo
                    ? wayToConvert(input.name)
                    : "copy the file again; if it is complete, it is no video, or its recording was never finished")
        }
        if let packets = track.beginning {
            track.leaveOutOrphans(
                besides: try timesDecoded(of: packets, in: track.stream, of: input, with: ffmpeg))
        }
        return (track, tool.log)
    }

    /// What to do about a video in a format that is not read, such as an MPEG-TS stream that was given another name.
    private static func wayToConvert(_ name: String) -> String {
        let new = "\(name.nameWithoutExtension)-new.mp4".path(in: name.folderPath)
        return "make an MP4 of it with  \(commandToWrap(name, as: new))  and put that in its place"
    }

    /// The command that puts a video into another kind of file as it is.
    static func commandToWrap(_ old: String, as new: String) -> String {
        "ffmpeg -i \(ShellWord.quoted(path: old)) -c copy \(ShellWord.quoted(path: new))"
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
        return ProbeOutput.frameTimes(output)
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
