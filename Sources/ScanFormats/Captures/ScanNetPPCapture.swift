import ScanModel

/// A scene's iPhone recording in ScanNet++: `rgb.mkv`, which the first release called `rgb.mp4`, `depth.bin` and
/// `pose_intrinsic_imu.json`; or the scene's folder, in which these lie in `iphone/`. Pictures and depth that the toolkit
/// has extracted stand in for the first two.
///
/// Frames are matched by number. `pose` is ARKit's own, with OpenGL's axes and y up; the toolkit does not say so.
///
/// Source: the ScanNet++ toolkit, iphone/prepare_iphone_data.py and common/scene_release.py, whose first version
/// has the first release's names.
public enum ScanNetPPCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "scannetpp",
        summary: "ScanNet++ iPhone recording: rgb.mkv or rgb.mp4, depth.bin and pose_intrinsic_imu.json.",
        reads: [.color, .luma, .video, .pose, .intrinsics, .timestamp, .recordedDepth],
        passesOver: [
            "rgb_mask.mkv, the anonymised pixels", "aligned_pose and colmap/, which are in the mesh's coordinates",
            "imu", "exif.json", "nerfstudio/",
        ],
        writer: "write-capture: {format: scannetpp}",
        writingLoses: ["confidence", "motion", "the bounding box"], revision: 11)

    static let posesFile = "pose_intrinsic_imu.json"
    /// What the second and the first release call the video.
    private static let videoFiles = ["rgb.mkv", "rgb.mp4"]
    /// What the phone records, for a video that cannot be probed.
    static let usualSize = PixelSize(1920, 1440)
    static let posesLimit = 1 << 29

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let top = top(of: tree), let bytes = tree.beginning(of: top + posesFile) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("\"frame_"), text.contains("\"intrinsic\"") || text.contains("\"pose\"") else { return nil }
        return Recognition(
            format: name, reason: "\(top)\(posesFile) has poses of numbered frames",
            folder: top.isEmpty ? nil : "iphone")
    }

    public static func remains(of tree: any CaptureTree) -> Recognition? {
        guard let top = top(of: tree) else { return nil }
        let reason =
            tree.byteCount(of: top + posesFile) == nil
            ? "\(video(in: top, of: tree)) and depth.bin stand side by side, and \(posesFile) is missing"
            : "\(top)\(posesFile) has the name of ScanNet++'s poses, and holds none"
        return Recognition(format: name, reason: reason, folder: top.isEmpty ? nil : "iphone")
    }

    /// `036bce3393/iphone` is called `036bce3393`, whichever of the two is given.
    public static func id(of name: String, in scene: String) -> String? { name == "iphone" ? scene : nil }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        let top = top(of: tree) ?? ""
        try tree.require(top + posesFile, "the poses are missing", fix: "download \(posesFile) too")
        var reader = ScanNetPPReader(tree: tree, top: top, rules: rules)
        return try reader.read()
    }

    /// The prefix of each path; nil where there is neither the pose file nor both video and depth. `rgb.mp4` beside
    /// `depth.bin` may be anyone's, outside of the dataset's own folder.
    private static func top(of tree: any CaptureTree) -> String? {
        let tops = ["", "iphone/"]
        return tops.first { tree.byteCount(of: $0 + posesFile) != nil }
            ?? tops.first { top in
                let video = top.isEmpty ? videoFiles[0] : video(in: top, of: tree)
                return [video, "\(top)depth.bin"].allSatisfy { tree.byteCount(of: $0) != nil }
            }
    }

    /// The video's path; where there is none, that of the second release.
    fileprivate static func video(in top: String, of tree: any CaptureTree) -> String {
        let paths = videoFiles.map { top + $0 }
        return paths.first { tree.byteCount(of: $0) != nil } ?? paths[0]
    }
}

private struct ScanNetPPReader {
    let tree: any CaptureTree
    let top: String
    let rules: ReadRules
    private let videoFile: String
    private var capture: Capture
    private var source: TreeSource

    init(tree: any CaptureTree, top: String, rules: ReadRules) {
        self.tree = tree
        self.top = top
        self.rules = rules
        videoFile = ScanNetPPCapture.video(in: top, of: tree)
        capture = Capture(of: tree, as: ScanNetPPCapture.self, rules)
        source = TreeSource(tree, rules)
    }

    mutating func read() throws(Problem) -> Capture {
        capture.worldUp = Vector3(0, 1, 0)
        let pictures = tree.numbered(in: "\(top)rgb", PictureFolder.extensions)
        // Before the video, of which one that was cut off is measured against them.
        try readPoses()
        let video = try readVideo(hasPictures: !pictures.isEmpty)
        fitCameras()
        let posed = capture.frames.count
        if let video {
            source.video = VideoStream(file: videoFile, facts: video)
            if try !capture.pairByTime(video, of: videoFile, with: "posed frames", rules) {
                try capture.reconcile("posed frames", with: (Capture.videoStream, video.frameCount), rules)
                // One frame more than there are poses is usual, and poses are numbered.
                if video.frameCount < posed {
                    capture.noteShortfall(of: videoFile, frames: video.frameCount, lines: posed, called: "posed frames")
                }
            }
        }
        try attach(pictures)
        try readDepth()
        capture.lacks([.recordedConfidence, .box, .motion], "ScanNet++ has none")
        capture.estimateFrameRate()
        capture.withholdCamerasOfUnknownSize()
        capture.source = source
        return capture
    }

    private mutating func readVideo(hasPictures: Bool) throws(Problem) -> VideoFacts? {
        guard tree.byteCount(of: videoFile) != nil else {
            capture.lacks([.luma, .video], tree.absence(of: videoFile))
            if !hasPictures {
                capture.loses(
                    .color, "\(tree.absence(of: videoFile)), and there are no pictures in \(top)rgb/",
                    fix: "download \(videoFile) too")
            }
            return nil
        }
        return try capture.readVideo(videoFile, in: tree, rules)
    }

    private mutating func readPoses() throws(Problem) {
        let file = top + ScanNetPPCapture.posesFile
        capture.list(file, in: tree, [])
        let found = try ScanNetPPPoses.read(
            try tree.bytes(of: file, limit: ScanNetPPCapture.posesLimit), file: file,
            size: ScanNetPPCapture.usualSize, rules: rules)
        guard let last = found.map(\.index).max() else {
            throw Problem(.input, "there are no frames in the file", fix: "download the scene again").at(file: file)
        }
        capture.frames = (0...last).map { FrameFacts(index: $0) }
        for facts in found { capture.frames[facts.index] = facts }
        let known = Set(found.map(\.index))
        for index in 0...last where !known.contains(index) {
            capture.drop(index, whileReading: "it has no entry in \(file)")
        }
        capture.channels.formUnion([.pose, .intrinsics, .timestamp])
    }

    /// Fits the cameras to the pictures' size, where it is known.
    private mutating func fitCameras() {
        if let size = capture.colorSize { capture.guessCameras(for: size) }
    }

    /// Takes pictures that were extracted from the video, where the video is missing.
    private mutating func attach(_ pictures: [Int: String]) throws(Problem) {
        guard capture.video == nil, !pictures.isEmpty else { return }
        for index in capture.frames.indices {
            if let path = pictures[index] {
                capture.frames[index].pictureFile = path
            } else {
                capture.drop(index, whileReading: "it has no picture in \(top)rgb/")
            }
        }
        capture.channels.insert(.color)
        try capture.checkPictures(in: tree, rules: rules)
        fitCameras()
    }

    private mutating func readDepth() throws(Problem) {
        let file = "\(top)depth.bin"
        guard tree.byteCount(of: file) != nil else {
            let pictures = tree.numbered(in: "\(top)depth", ["png"])
            let depth = FrameFiles(
                paths: capture.frames.indices.map { pictures[$0] },
                absence: "\(tree.absence(of: file)), and there are no pictures in \(top)depth/")
            try capture.takeDepth(depth, .uint16(unitsPerMetre: 1000), to: &source)
            if pictures.isEmpty, let way = tree.wayToReplace(file) { capture.absences[.recordedDepth]?.remedy = way }
            return
        }
        capture.list(file, in: tree, [.recordedDepth])
        let count = capture.frames.count
        do throws(Problem) {
            switch try ScanNetPPDepth.layout(of: file, in: tree, rules: rules) {
            case .packed:
                let size = ScanNetPPDepth.usualSize
                source.depth = .stream(
                    PackedStream(
                        file: file, size: size, content: .depth(.float32Metres), rules: rules,
                        claims: "the poses say \(count)"))
                capture.depthSize = size
                capture.findings["depth"] = .string("one stream of floats")
            case .chunks(let chunks, let size, let truncation):
                try rules.check(size, of: "depth map")
                source.depth = .chunks(ChunkStream(file: file, size: size, count: chunks))
                capture.depthSize = size
                capture.findings["depth"] = .string("a chunk for each frame")
                if let truncation {
                    try capture.keepFrames(before: truncation, whole: chunks, of: count, rules)
                }
                if truncation == nil || chunks > count {
                    try capture.reconcile("frames", with: ("depth file", chunks), rules)
                    if chunks < count, rules.mismatch == .auto {
                        capture.noteShortfall(
                            of: file, frames: chunks, lines: count, called: "frames", pairing: "depth and pictures")
                    }
                }
            }
        } catch { throw error.at(file: file) }
        if let size = capture.depthSize { try capture.requireOneOrientation(ofDepth: size, in: file, rules) }
        capture.channels.insert(.recordedDepth)
    }
}
