import ScanModel

/// The video of a capture, as the readers of several formats need it.
extension Capture {
    /// Looks at the video that holds the pictures: its size, its number of frames.
    /// - Parameters:
    ///   - isUpright: whether its frames are used as a player shows them. Cameras are those of the recorded ones.
    ///   - ignoresEditList: as ``RecordedVideo/ignoresEditList``.
    /// - Returns: what it says about itself; nil without ffmpeg, when only the stages that need pictures fail.
    mutating func readVideo(
        _ file: String, in tree: any CaptureTree, isUpright: Bool = false, ignoresEditList: Bool = false,
        _ rules: ReadRules
    ) throws(Problem) -> VideoFacts? {
        list(file, in: tree, [.color, .luma, .video])
        video = RecordedVideo(file, ignoresEditList: ignoresEditList)
        channels.insert(.video)
        guard var facts = try probe(file, in: tree, rules) else { return nil }
        if isUpright { facts = facts.upright }
        colorSize = facts.size
        if facts.trackCount > 1 {
            warnings.append(
                "\(file) holds \(facts.trackCount) tracks of pictures; the one of \(facts.width)×\(facts.height) is used"
            )
        }
        if facts.orphanCount > 0 {
            let (build, are) = facts.orphanCount == 1 ? ("it depends", "it is") : ("they depend", "they are")
            warnings.append(
                "\(file) begins with \(facts.orphanCount.counted("frame")) that cannot be shown, because what \(build) on was "
                    + "cut off; \(are) left out")
        }
        if facts.rotation != 0 && !isUpright {
            warnings.append(
                "\(file) carries a rotation flag of \(facts.rotation)°; its frames are used as recorded, which is what the intrinsics are for"
            )
        }
        if facts.isMirrored {
            warnings.append(
                "\(file) is to be shown mirrored, left for right; its frames are used as the camera saw them")
        }
        // Scaling to whole pixels leaves a trace, which nobody sees.
        if abs(facts.pixelAspect - 1) > 0.01 {
            warnings.append(
                "\(file) was recorded with pixels \(facts.pixelAspect.shortText(decimals: 3)) times as wide as high; its "
                    + "frames are used as if they were square")
        }
        if let kind = ["arib-std-b67": "HLG", "smpte2084": "PQ"][facts.color.transfer] {
            warnings.append(
                "\(file) is HDR (\(kind)): its colours are used as recorded, and look pale when shown as SDR; "
                    + "record without HDR, or convert the video with tone mapping first")
        } else if facts.color.primaries == "bt2020" {
            warnings.append(
                "\(file) has the wide gamut of BT.2020: its colours are used as recorded, and look pale when shown as "
                    + "BT.709; convert the video first")
        }
        if facts.isInterlaced {
            warnings.append(
                "\(file) is interlaced: moving edges look like combs; deinterlace it first, with  "
                    + "ffmpeg -i OLD -vf bwdif=send_frame NEW.mp4")
        }
        channels.formUnion([.color, .luma])
        return facts
    }

    /// The capture's video, as it is to be read.
    public func videoInput(_ file: String, at location: FileLocation) -> VideoInput {
        VideoInput(
            path: location.path, range: location.range, name: file, ignoresEditList: video?.ignoresEditList == true,
            keepsWhole: video?.cut != nil)
    }

    /// Probes a video.
    /// - Returns: nil without ffmpeg: only the stages that need pictures fail then.
    private mutating func probe(_ file: String, in tree: any CaptureTree, _ rules: ReadRules) throws(Problem)
        -> VideoFacts?
    {
        let ffmpeg: FFmpeg
        do throws(Problem) { ffmpeg = try FFmpeg.find(patience: rules.resources.patience) } catch {
            let absence = Absence(error.summary, obstacle: error.at(file: file))
            (absences[.color], absences[.luma]) = (absence, absence)
            missingPrograms.insert("ffmpeg")
            return nil
        }
        let location = try tree.place(file)
        var input = videoInput(file, at: location)
        // How much of one that was cut off is whole counts also where it is refused: the fix names it.
        input.keepsWhole = true
        let facts = try VideoProbe.probe(input, with: ffmpeg, rules)
        if let cut = facts.cut { try takeCut(facts, cut.at(file: file), rules) }
        try rules.check(facts.size, of: "video", in: file)
        return facts
    }

    /// Goes on with the whole frames of a video that was cut off, if there are enough of them. Its file must not be
    /// copied as a result.
    private mutating func takeCut(_ facts: VideoFacts, _ cut: Problem, _ rules: ReadRules) throws(Problem) {
        // Not every file lists its frames, but most captures list theirs.
        let count = max(facts.listedCount ?? facts.frameCount, frames.count)
        if let refusal = rules.refusal(of: cut.mendable(cutAfter: facts.frameCount, of: count)) { throw refusal }
        video?.cut = cut
        channels.remove(.video)
        if !forgiven.contains(cut) { forgiven.append(cut) }
    }

    /// For formats whose cameras do not say which picture size they are for: when the video could not be probed, that
    /// is unknown, and a guess may be off by a factor.
    mutating func withholdCamerasOfUnknownSize() {
        guard colorSize == nil, let pictures = absences[.color], let obstacle = pictures.obstacle else { return }
        absences[.intrinsics, default: pictures].obstacle = obstacle
        channels.remove(.intrinsics)
        for index in frames.indices { frames[index].intrinsics = nil }
    }

    /// The video with the frames that its edit list hides from players, if only with them it has as many as it should.
    mutating func wholeVideo(
        _ facts: VideoFacts, of file: String, expecting count: Int, in tree: any CaptureTree, _ rules: ReadRules
    ) throws(Problem) -> VideoFacts {
        if facts.frameCount >= count || video?.ignoresEditList == true { return facts }
        video?.ignoresEditList = true
        guard let whole = try probe(file, in: tree, rules), whole.frameCount == count else {
            video?.ignoresEditList = false
            return facts
        }
        warnings.append(
            "\(file) hides \(count - facts.frameCount) of its frames from players; all are used, because only then "
                + "are there as many as it should have"
        )
        return whole
    }

    /// Assigns the pictures of a video to the frames of a list: in order, or by time where the video lacks some. Warns
    /// of what does not fit.
    /// - Parameters:
    ///   - listed: what the list was made from, as messages call it: "camera lines".
    ///   - each: what messages call one of them.
    mutating func pair(
        _ facts: VideoFacts, of file: String, with listed: String, each: String, _ rules: ReadRules
    ) throws(Problem) {
        video?.comparesTimes = true
        if try pairByTime(facts, of: file, with: listed, rules) { return }
        let count = frames.count
        try reconcile(listed, with: (Self.videoStream, facts.frameCount), rules)
        let wrong = facts.framesOffTime(from: frames.map { $0.isDropped ? nil : $0.timestamp }).map {
            (frame: $0.frame, off: $0.late / 1e6)
        }
        guard let first = wrong.first else {
            return noteShortfall(of: file, frames: facts.frameCount, lines: count, called: listed)
        }
        // Times that do not fit tell more.
        let shown = wrong.map { "\($0.frame) (\($0.off.rounded(decimals: 1)) ms)" }.listed(most: 20)
        warnings.append(
            wrong.count == 1
                ? "1 frame of \(file) is shown at another time than its \(each) says: \(shown); its pose may belong to another picture"
                : "\(wrong.count) frames of \(file) are shown at another time than their \(each) says, from frame \(first.frame) on: \(shown); "
                    + "their poses may belong to other pictures")
        findings["frames-off-time"] = .array(
            wrong.map { .object(["frame": .of($0.frame), "off-ms": .number($0.off)]) })
    }

    /// Assigns the pictures of a video that lacks some to the frames whose times match, unless they belong to the first
    /// frames, and drops the frames that are left over.
    /// - Parameter listed: what the list was made from, as messages call it: "camera lines".
    /// - Returns: false where the pictures belong to the frames in their order, or nothing tells.
    mutating func pairByTime(
        _ facts: VideoFacts, of file: String, with listed: String, _ rules: ReadRules
    ) throws(Problem) -> Bool {
        // In a file that was cut off, it is certainly the end that is missing.
        guard facts.frameCount < frames.count, video?.cut == nil, let timestamps = timestampsOrLikely else {
            return false
        }
        let counts = [(listed, frames.count), (Self.videoStream, facts.frameCount)]
        _ = try rules.reconcile(counts)
        guard let pairing = facts.pairing(with: timestamps) else { return false }
        let places = pairing.places
        if places.prefix(facts.frameCount).allSatisfy({ $0 != nil }) { return false }
        forgiven += rules.forgiven(counts)
        video?.places = places
        let lost = places.indices.filter { places[$0] == nil }
        for index in lost { drop(index, whileReading: "the video has no frame of its time") }
        let numbers = lost.map(String.init).listed(most: 20)
        let pictures = lost.count == 1 ? "the picture of one" : "the pictures of \(lost.count)"
        let doubt =
            pairing.isSure
            ? "" : ", which do not show whether the first or the last ones are missing: poses may be off by some frames"
        warnings.append(
            "\(file) lacks \(pictures) of the \(frames.count) \(listed): \(numbers); the others were paired by their times\(doubt)"
        )
        return true
    }

    /// When each frame was taken. Frames whose line is damaged get evenly spaced times between their neighbours', so
    /// that their pictures are not given to other frames.
    /// - Returns: nil where half of the frames or more have no timestamp.
    private var timestampsOrLikely: [Int64]? {
        let known = frames.indices.filter { frames[$0].timestamp != nil }
        guard 2 * known.count > frames.count, known.count > 1, let first = known.first, let last = known.last else {
            return nil
        }
        func time(_ index: Int) -> Int64 { frames[index].timestamp ?? 0 }
        var times = frames.map { $0.timestamp ?? 0 }
        func fill(_ indices: Range<Int>, by a: Int, _ b: Int) {
            let step = time(b).subtractingReportingOverflow(time(a)).partialValue / Int64(b - a)
            for index in indices {
                let way = step.multipliedReportingOverflow(by: Int64(index - a)).partialValue
                times[index] = time(a).addingReportingOverflow(way).partialValue
            }
        }
        for (a, b) in zip(known, known.dropFirst()) { fill(a + 1..<b, by: a, b) }
        // Before the first and after the last, as far apart as the nearest two that are known.
        fill(0..<first, by: first, known[1])
        fill(last + 1..<frames.count, by: known[known.count - 2], last)
        return times
    }

    /// Says what different numbers of pictures and camera lines may mean: they are paired from the start.
    /// - Parameters:
    ///   - name: of the video, folder or stream.
    ///   - pairs: what is mismatched if it is not the end that is missing.
    mutating func noteShortfall(
        of name: String, frames: Int, lines: Int, called listed: String = "camera lines",
        pairing pairs: String = "pictures and poses"
    ) {
        if frames == lines || (name == video?.file && video?.cut != nil) { return }
        let others = "there \(lines.isOrAre) \(lines.counted(plural: listed))"
        warnings.append("\(name) has \(frames.counted("frame")), and \(others): \(Self.doubtOfTheEnd(pairs))")
    }

    /// What is said wherever frames are paired from the start and one stream has fewer.
    static func doubtOfTheEnd(_ pairs: String) -> String {
        "the end was taken to be missing; if it is not, \(pairs) do not belong together"
    }

    /// What messages call the pictures' video.
    static let videoStream = "video"

    /// Matches the list with another stream's frames: the list becomes as long as the longer one, and frames that are
    /// only in one of them are dropped.
    /// - Parameters:
    ///   - listed: what the list was made from, as messages call it: "camera lines".
    ///   - other: the other stream, in the singular: "video", "depth file"; and how many frames it has.
    mutating func reconcile(
        _ listed: String, with other: (stream: String, frames: Int), _ rules: ReadRules
    ) throws(Problem) {
        let count = frames.count
        let counts = [(listed, count), other]
        let cut = other.stream == Self.videoStream && other.frames < count ? video?.cut : nil
        let isCompared = cut == nil || rules.mismatch == .fail
        let shortest = isCompared ? try rules.reconcile(counts, noting: &forgiven) : other.frames
        if let cut, let refusal = rules.refusal(of: cut.mendable(cutAfter: shortest, of: count)) { throw refusal }
        while frames.count < other.frames { frames.append(FrameFacts(index: frames.count)) }
        let reason =
            if let cut { cut.saying("the video is cut off before it").oneLine } else if count < other.frames {
                "there \(count.isOrAre) only \(count.counted(plural: listed))"
            } else { "the \(other.stream) has only \(other.frames.counted("frame"))" }
        for index in shortest..<frames.count { drop(index, whileReading: reason) }
    }
}

extension Problem {
    /// The same problem at the same place, in other words.
    fileprivate func saying(_ summary: String) -> Problem {
        var copy = self
        copy.summary = summary
        return copy
    }
}
