import ScanModel

/// A video that no app has recorded poses for, as every phone takes them: frames to score, choose and write as pictures.
///
/// Frames are turned as a player shows them: phones record them sideways, and say in the file how they were held.
public enum VideoFileCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "video",
        summary: """
            A video by itself (.mp4, .mov, .m4v, .mkv, .webm, .avi): its pictures, turned as a player shows them, and when \
            each is shown; no poses, no depth. Name the file itself as INPUT, or have folders searched for such files \
            with `--format video`.
            """,
        reads: [.color, .luma, .video, .timestamp], passesOver: ["sound", "further tracks of pictures"],
        revision: 2)

    /// Of files, in small letters.
    static let endings: Set = ["avi", "m4v", "mkv", "mov", "mp4", "webm"]

    static func isNamed(_ file: String) -> Bool {
        guard let dot = file.lastIndex(of: ".") else { return false }
        return endings.contains(file[dot...].dropFirst().lowercased())
    }

    /// By the file's name: what is damaged, or no video, fails by name. A video in a folder may be a part of anything.
    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let single = tree as? OneFile, isNamed(single.file) else { return nil }
        return Recognition(format: name, reason: "\(single.file) is named as videos are")
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        guard let file = (tree as? OneFile)?.file else {
            throw Problem(.input, "this is not a video file", fix: "name the video file itself as the capture")
        }
        var capture = Capture(of: tree, as: Self.self, rules)
        capture.isMetric = false
        let facts = try capture.readVideo(file, in: tree, isUpright: true, rules) ?? VideoFacts()
        // Without ffmpeg, nothing tells what frames there are.
        if let obstacle = capture.absences[.color]?.obstacle { throw obstacle }
        // Frames and their times are the video's own, whatever a pipeline uses.
        capture.list(file, in: tree, [])
        let count = frameCount(of: facts)
        try rules.check(frames: count, of: "frames in the video", in: file)
        capture.frames = (0..<count).map(FrameFacts.init(index:))
        if capture.frames.count > facts.frameCount {
            try capture.reconcile("frames in its index", with: (Capture.videoStream, facts.frameCount), rules)
        }
        if let times = facts.times {
            for (index, time) in times.enumerated() { capture.frames[index].timestamp = time }
            capture.channels.insert(.timestamp)
            capture.estimateFrameRate()
        }
        if facts.rotation != 0 {
            capture.findings["turned-degrees"] = .of(facts.rotation)
        }
        // Copied as a file, it would be shown another way round than its frames are used.
        if facts.rotation != 0 || facts.isMirrored { capture.channels.remove(.video) }
        capture.lacks([.timestamp], "the video does not say when its frames are shown")
        let lack = "a video by itself has none"
        capture.lacks([.pose, .intrinsics, .recordedDepth], lack, advice: wayToPoses)
        capture.lacks([.recordedConfidence, .box, .motion], lack)
        var source = TreeSource(tree, rules)
        source.video = VideoStream(file: file, facts: facts)
        capture.source = source
        return capture
    }

    /// Those of a file that was cut off count too, if its index lists them.
    private static func frameCount(of facts: VideoFacts) -> Int {
        facts.cut == nil ? facts.frameCount : max(facts.frameCount, facts.listedCount ?? 0)
    }

    private static let wayToPoses =
        "name the capture that the video is a part of, if an app has recorded poses with it; else write its pictures with "
        + "the ready-made video-frames.yaml, reconstruct poses from them, for example with COLMAP, and convert that "
        + "model"

    /// What to do about a folder with videos that is no capture; nil where there are none.
    static func wayToName(in tree: any CaptureTree) -> String? {
        tree.files(in: "").first(where: isNamed).map { "name a video itself, such as \($0), which is a capture alone" }
    }
}
