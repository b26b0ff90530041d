import ScanModel

/// A scan as ScanNet's recorder leaves it: `<id>.txt`, `<id>.depth`, `<id>.h264`, `<id>.imu`, without poses.
///
/// The depth sensor has intrinsics of its own, which the description gives; depth is not registered to the pictures.
/// Depth and video match frame by frame; only the depth file has times.
///
/// Source: ScanNet, ScannerApp/Scanner and Converter/main.cpp.
public enum ScanNetRawCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "scannet-raw",
        summary: "ScanNet recorder's files: description, compressed depth, H.264 video, motion samples; no poses.",
        reads: [.color, .luma, .video, .intrinsics, .timestamp, .recordedDepth, .motion],
        passesOver: ["`<id>.camera` (gains and exposure)", "`<id>.jpg`, a thumbnail"],
        writer: "write-scannet: {layout: raw}",
        writingLoses: [
            "poses", "confidence", "the bounding box", "depth finer than the sensor's steps, about z² / 300 m",
            "depth nearer than 0.26 m or farther than 9.57 m", "the original pictures: they become a video",
            "intrinsics that change from frame to frame: all frames get the same", "which way is up",
        ], origin: .form(of: "ScanNet"), revision: 5)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let stem = stem(of: tree) else { return nil }
        return Recognition(
            format: name, reason: "\(stem).txt describes a depth camera, and the recorder's streams stand beside it")
    }

    public static func remains(of tree: any CaptureTree) -> Recognition? {
        let names = Set(tree.entries(in: "").map(\.name))
        let stems = names.filter { $0.hasSuffix(".depth") }.map { String($0.dropLast(6)) }.sorted()
        guard let stem = stems.first(where: { names.contains("\($0).h264") }) else { return nil }
        let lack = names.contains("\(stem).txt") ? "does not describe them" : "is missing"
        return Recognition(
            format: name, reason: "\(stem).depth and \(stem).h264 stand side by side, and \(stem).txt \(lack)")
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        guard let stem = stem(of: tree) else {
            throw Problem(
                .input, "there is no description <id>.txt with streams beside it",
                notes: remains(of: tree).map { [$0.reason] } ?? [], fix: "copy the file <id>.txt again")
        }
        var reader = ScanNetRawReader(tree: tree, stem: stem, rules: rules)
        return try reader.read()
    }

    private static func stem(of tree: any CaptureTree) -> String? {
        let stems = names(in: tree)
        return stems.first { $0 == tree.name } ?? stems.first
    }

    public static func names(in tree: any CaptureTree) -> [String] {
        likelyNames(in: tree).filter { stem in
            guard let bytes = try? tree.bytes(of: "\(stem).txt", limit: ScanNetText.sizeLimit) else { return false }
            let text = ScanNetText(bytes, file: "\(stem).txt")
            return text.text("depthWidth") != nil || text.text("fx_depth") != nil
        }
    }

    public static func likelyNames(in tree: any CaptureTree) -> [String] {
        let names = Set(tree.entries(in: "").map(\.name))
        return names.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted().filter { stem in
            names.contains("\(stem).depth") || names.contains("\(stem).h264")
        }
    }
}

private struct ScanNetRawReader {
    let tree: any CaptureTree
    let stem: String
    let rules: ReadRules
    private var capture: Capture
    private var source: TreeSource

    init(tree: any CaptureTree, stem: String, rules: ReadRules) {
        self.tree = tree
        self.stem = stem
        self.rules = rules
        capture = Capture(of: tree, as: ScanNetRawCapture.self, rules)
        source = TreeSource(tree, rules)
    }

    mutating func read() throws(Problem) -> Capture {
        let file = "\(stem).txt"
        let text = ScanNetText(try tree.bytes(of: file, limit: ScanNetText.sizeLimit), file: file)
        capture.device = text.text("deviceName")
        capture.metadata = .object(text.values)
        // The recorder's own, for a scan without times.
        capture.frameRate = 30
        capture.list(file, in: tree, [])
        capture.lacks(
            [.pose], "the recorder does not know where its camera is",
            advice: "write the pictures with the ready-made decode-images.yaml; for what needs poses, reconstruct "
                + "them from these, for example with COLMAP, and convert that model")
        capture.lacks([.recordedConfidence, .box], "the recorder has none")
        let depth = try readDepth(text)
        let video = try readVideo(text)
        try number(depth, video, text)
        try readCameras(text)
        if let size = capture.depthSize {
            try capture.requireOneOrientation(
                ofDepth: size, in: file, rules, fix: "correct depthWidth and depthHeight in \(file)")
        }
        try readMotion(text)
        capture.noteAxisAlignment(in: tree)
        capture.source = source
        return capture
    }

    // MARK: - Streams

    private mutating func readDepth(_ text: ScanNetText) throws(Problem) -> ShiftFrames? {
        let file = "\(stem).depth"
        guard tree.byteCount(of: file) != nil else {
            lacks(.recordedDepth, file, try announced("numDepthFrames", text), of: "depth frame")
            return nil
        }
        capture.list(file, in: tree, [], alsoHolding: [.recordedDepth])
        let size = try text.size("depthWidth", "depthHeight") ?? PixelSize(640, 480)
        try rules.check(size, of: "depth map", in: text.file)
        let frames = try ShiftFrames(
            try FileSource(try tree.place(file), name: file), size: size,
            announced: try announced("numDepthFrames", text), rules: rules)
        capture.depthSize = size
        capture.channels.insert(.recordedDepth)
        source.depth = .shifts(frames)
        return frames
    }

    private mutating func readVideo(_ text: ScanNetText) throws(Problem) -> VideoFacts? {
        let file = "\(stem).h264"
        guard tree.byteCount(of: file) != nil else {
            lacks(.color, file, try announced("numColorFrames", text), of: "picture")
            return nil
        }
        return try capture.readVideo(file, in: tree, rules)
    }

    /// How many frames of a stream the description announces.
    private func announced(_ key: String, _ text: ScanNetText) throws(Problem) -> Int? {
        try text.whole(key, in: 0...Int(Int32.max))
    }

    /// Says why a stream is missing. One that the description announces has been lost on the way.
    /// - Parameter kind: what the description counts, in the singular.
    private mutating func lacks(_ channel: Channel, _ file: String, _ count: Int?, of kind: String) {
        var absence = Absence(of: file, in: tree)
        if let count, count > 0 {
            absence.reason += ", though \(stem).txt lists \(count.counted(kind))"
            if tree.entry(file) == nil { absence.remedy = "copy \(file) too" }
        }
        capture.absences[channel] = absence
    }

    /// Pairs frames by their number in both streams. What only one of them has is dropped, and so are frames that the
    /// description announces and a stream that ends early lacks.
    private mutating func number(
        _ depth: ShiftFrames?, _ video: VideoFacts?, _ text: ScanNetText
    ) throws(Problem) {
        let counts = [("depth stream", depth?.spans.count), (Capture.videoStream, video?.frameCount)]
            .compactMap { stream, frames in frames.map { (stream: stream, frames: $0) } }
        let longest = counts.map(\.frames).max() ?? 0
        if longest == 0 {
            throw depth?.truncation ?? Problem(.input, "the scan has no frames", fix: "record it again")
        }
        capture.frames = (0..<longest).map { FrameFacts(index: $0) }
        let whole = depth?.spans.count ?? 0
        if let depth, let truncation = depth.truncation {
            let count = max(longest, depth.announced ?? 0)
            try rules.check(frames: count, of: "depth frames", in: text.file)
            try capture.keepFrames(before: truncation, whole: whole, of: count, rules)
        }
        // A stream that was cut off is not a mismatch in length.
        if depth?.truncation == nil || whole == longest { try reconcile(counts, longest: longest) }
        if let video {
            source.video = VideoStream(file: "\(stem).h264", facts: video)
            // Where there is depth, its own file tells how many frames there are.
            if depth == nil { try compare(video, text) }
        }
        if let depth {
            // A picture's own time where the file has it.
            let times = depth.colorTimes.isEmpty ? depth.depthTimes : depth.colorTimes
            for (index, time) in times.enumerated() { capture.frames[index].timestamp = time }
            capture.estimateFrameRate()
        }
        if capture.frames.contains(where: { !$0.isDropped && $0.timestamp == nil }) {
            capture.absences[.timestamp] = "\(stem).depth, which holds the times, is missing or cut off"
        } else {
            capture.channels.insert(.timestamp)
        }
    }

    /// Drops the frames that only the longer stream has.
    private mutating func reconcile(_ counts: [(stream: String, frames: Int)], longest: Int) throws(Problem) {
        let shortest = try rules.reconcile(counts, noting: &capture.forgiven)
        guard shortest < longest, let shorter = counts.first(where: { $0.frames == shortest }) else { return }
        if rules.mismatch == .auto {
            let name = shorter.stream == Capture.videoStream ? "\(stem).h264" : "\(stem).depth"
            capture.noteShortfall(
                of: name, frames: shortest, lines: longest, called: "frames", pairing: "depth and pictures")
        }
        let reason = "the \(shorter.stream) has only \(shortest.counted("frame"))"
        for index in shortest..<longest { capture.drop(index, whileReading: reason) }
    }

    /// Adds and drops the frames that a video lacks of those that the description announces.
    private mutating func compare(_ video: VideoFacts, _ text: ScanNetText) throws(Problem) {
        guard let announced = try announced("numColorFrames", text), announced > video.frameCount else { return }
        try rules.check(frames: announced, of: "pictures", in: text.file)
        capture.frames = (0..<announced).map { FrameFacts(index: $0) }
        let listed = "listed pictures"
        try capture.reconcile(listed, with: (Capture.videoStream, video.frameCount), rules)
        if rules.mismatch == .auto {
            capture.noteShortfall(
                of: "\(stem).h264", frames: video.frameCount, lines: announced, called: listed,
                pairing: "pictures and their numbers")
        }
    }

    // MARK: - Cameras

    private mutating func readCameras(_ text: ScanNetText) throws(Problem) {
        guard let color = try camera("color", "colorWidth", "colorHeight", text) else {
            capture.absences[.intrinsics] = "\(text.file) has no focal lengths of the colour camera"
            return
        }
        var cameras = ScanNetCameras(color: try fitted(color))
        capture.giveAllFrames(cameras.color)
        guard let size = capture.depthSize, let depth = try camera("depth", "depthWidth", "depthHeight", text) else {
            return
        }
        cameras.depth = depth
        if let matrix = try text.numbers("colorToDepthExtrinsics", count: 16) {
            cameras.rig.rigFromDepth = try ScanNetCameras.extrinsic(matrix, of: "depth", in: text.file).inverse
        }
        capture.depthCamera = cameras.depthCamera(size)
    }

    /// Nil where the description has none.
    private func camera(
        _ name: String, _ width: String, _ height: String, _ text: ScanNetText
    ) throws(Problem) -> CameraIntrinsics? {
        guard let size = try text.size(width, height), let fx = try text.number("fx_\(name)") else { return nil }
        let camera = CameraIntrinsics(
            fx: fx, fy: try text.required("fy_\(name)"), cx: try text.required("mx_\(name)"),
            cy: try text.required("my_\(name)"), width: size.width, height: size.height, pixelOrigin: .centre)
        if let defect = camera.defect { throw Problem(.input, "the \(name) camera: \(defect)").at(file: text.file) }
        return camera
    }

    /// The description's camera, for the video's size.
    private mutating func fitted(_ camera: CameraIntrinsics) throws(Problem) -> CameraIntrinsics {
        guard let size = capture.colorSize, size != camera.size else { return camera }
        guard camera.size.hasShape(of: size) else {
            throw Problem(
                .input, "the video is \(size), and the description says \(camera.size)",
                fix: "correct colorWidth and colorHeight in \(stem).txt, or copy both files again"
            ).at(file: capture.video?.file)
        }
        capture.warnings.append(
            "the video is \(size), and the description says \(camera.size); the intrinsics were scaled")
        return camera.resized(to: size)
    }

    // MARK: - Motion

    private mutating func readMotion(_ text: ScanNetText) throws(Problem) {
        let file = "\(stem).imu"
        guard let size = tree.byteCount(of: file) else {
            capture.absences[.motion] = Absence(of: file, in: tree)
            return
        }
        let count = Int(size) / ScanNetMotion.recordByteCount
        let partial = Int(size) % ScanNetMotion.recordByteCount
        if partial > 0 {
            capture.warnings.append("the last record of \(file) has \(partial) of 128 bytes and is left out")
        }
        // Nothing else depends on it.
        if let announced = try? announced("numIMUmeasurements", text), announced > count {
            capture.warnings.append(
                "\(file) has \(count) of the \(announced.counted("motion sample")) that \(text.file) lists: if it was whole once, copy "
                    + "it again")
        }
        let motion = ScanNetMotion(
            try FileSource(try tree.place(file), name: file), offset: 0, count: count, time: .secondsFirst, stem: stem)
        capture.list(file, in: tree, [.motion])
        capture.attach(motion, absence: "\(file) holds no whole record")
        source.motion = motion
    }
}
