import ScanModel

/// ScanNet's `.sens`: colour, depth, poses and motion samples of a scan in one file, which is the capture, or lies in a
/// folder with no other of its kind.
///
/// Poses are camera-to-world, row-major, x right, y down, z into the scene; the world is as it was tracked, with no up
/// direction. There is no index, so the frames' headers are walked; payloads are read when a stage asks for them.
///
/// Source: ScanNet, SensReader/c++/src/sensorData.h and SensReader/python/SensorData.py; issue 92 of its repository: no
/// other extrinsics are to be applied.
public enum SensCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "sens",
        summary: "ScanNet .sens file, versions 3 and 4: pictures, depth and poses, and motion samples.",
        reads: [.color, .pose, .intrinsics, .timestamp, .recordedDepth, .motion],
        passesOver: [
            "depth timestamps that differ from the pictures'",
            "`colorToDepthExtrinsics` in the scene's `.txt`: depth is aligned with the pictures already",
        ],
        writer: "write-sens",
        writingLoses: [
            "confidence", "the bounding box", "intrinsics that change from frame to frame: all frames get the same",
            "timestamps finer than a microsecond", "which way is up",
        ], origin: .form(of: "ScanNet"), poseAxes: .openCV, revision: 9)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let file = file(in: tree) else { return nil }
        return Recognition(format: name, reason: "\(file) begins as a .sens file does")
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        guard let file = file(in: tree) else {
            throw Problem(.input, "there is no .sens file, or more than one", fix: "name the one you mean")
        }
        var reader = try SensReader(tree: tree, file: file, rules: rules)
        do throws(Problem) { return try reader.read() } catch { throw error.at(file: file) }
    }

    /// The one file of this kind in a tree, by its name or as the tree's only file. A damaged file of that name counts
    /// too: it fails by name.
    private static func file(in tree: any CaptureTree) -> String? {
        let files = tree.files(in: "")
        let named = files.filter(isNamed)
        // A folder with two of them is not a capture, but holds two.
        if !named.isEmpty { return named.count == 1 ? named[0] : nil }
        guard files.count == 1, let start = tree.beginning(of: files[0], 12) else { return nil }
        return SensHeader.looksRight(start) ? files[0] : nil
    }

    static func isNamed(_ file: String) -> Bool { file.lowercased().hasSuffix(".sens") }
}

/// Opens one `.sens` file.
struct SensReader {
    let tree: any CaptureTree
    let rules: ReadRules
    private let file: FileSource
    private let location: FileLocation
    private var capture: Capture
    private var source: SensSource
    private var position: Int64 = 0

    init(tree: any CaptureTree, file name: String, rules: ReadRules) throws(Problem) {
        self.tree = tree
        self.rules = rules
        location = try tree.place(name)
        file = try FileSource(location, name: name)
        capture = Capture(of: tree, as: SensCapture.self, rules)
        source = SensSource(
            tree: tree, file: file, location: location, header: try SensHeader(file), limits: rules.pictureLimits)
    }

    private var header: SensHeader { source.header }

    mutating func read() throws(Problem) -> Capture {
        position = header.firstFrameOffset
        capture.variant = "version \(header.version)"
        capture.device = header.sensorName.isEmpty ? nil : header.sensorName
        capture.list(file.name, in: tree, [], alsoHolding: [.color, .recordedDepth, .motion])
        try rules.check(header.colorSize, of: "colour picture")
        try rules.check(header.depthSize, of: "depth map")
        try rules.check(frames: Int(clamping: header.frameCount), of: "frames")
        if header.frameCount == 0 { throw Problem(.input, "the file has no frames", fix: "record or export it again") }
        let frames = try readFrames()
        findPictures()
        let cameras = try readCameras()
        add(frames, cameras)
        try checkEnd()
        capture.derivePoseChannel(without: "no frame of the file has a pose: it was never tracked")
        deriveTimes()
        attachPictures()
        deriveDepth(cameras)
        if let size = capture.depthSize {
            try capture.requireOneOrientation(ofDepth: size, in: file.name, rules, fix: "export the file again")
        }
        try readMotion()
        capture.noteAxisAlignment(in: tree)
        capture.lacks([.recordedConfidence, .box], ".sens files have none")
        capture.source = source
        return capture
    }

    private func readCameras() throws(Problem) -> ScanNetCameras {
        var cameras = ScanNetCameras(
            color: ScanNetCameras.intrinsics(header.colorIntrinsic.map(Double.init), header.colorSize))
        cameras.rig.rigFromColor = try ScanNetCameras.extrinsic(
            header.colorExtrinsic.map(Double.init), of: "colour", in: file.name)
        if header.depthSize.width > 0 && header.depthSize.height > 0 {
            cameras.depth = ScanNetCameras.intrinsics(header.depthIntrinsic.map(Double.init), header.depthSize)
            cameras.rig.rigFromDepth = try ScanNetCameras.extrinsic(
                header.depthExtrinsic.map(Double.init), of: "depth", in: file.name)
        }
        // Without pictures the depth sensor stands in for the colour camera, and is where its own extrinsic puts it.
        if source.pictures == nil, let depth = cameras.depth, depth.defect == nil {
            cameras.color = depth
            cameras.rig.rigFromColor = cameras.rig.rigFromDepth
        }
        return cameras
    }

    // MARK: - Frames

    /// The frames as far as the file goes, without their payloads.
    private mutating func readFrames() throws(Problem) -> [SensFrame] {
        let announced = Int(clamping: header.frameCount)
        var frames: [SensFrame] = []
        while frames.count < announced, let frame = try SensFrame(file, at: position) {
            source.color.append(frame.color)
            source.depth.append(frame.depth)
            frames.append(frame)
            position = frame.end
        }
        return frames
    }

    private mutating func add(_ frames: [SensFrame], _ cameras: ScanNetCameras) {
        let camera = cameras.color.defect == nil ? cameras.color : nil
        if camera != nil { capture.channels.insert(.intrinsics) }
        if let defect = cameras.color.defect { capture.absences[.intrinsics] = "in the header, \(defect)" }
        capture.rigFromColor = cameras.rig.rigFromColor
        for (index, frame) in frames.enumerated() {
            var facts = FrameFacts(index: index)
            facts.setPose(frame.pose.map(Double.init), rigFromColor: capture.rigFromColor)
            facts.intrinsics = camera
            facts.timestamp = RecordedTime.nanoseconds(microseconds: frame.colorTime)
            capture.frames.append(facts)
        }
    }

    /// Refuses a file that ends inside a frame, or forgives that.
    private mutating func checkEnd() throws(Problem) {
        let (whole, announced) = (capture.frames.count, Int(clamping: header.frameCount))
        if whole == announced { return }
        let failure = Problem(.input, "the file ends inside frame \(whole) of \(announced)")
            .at(file: file.name, byte: position, of: file.byteCount)
        if whole == 0 { throw failure.mendable(cutAfter: whole, of: announced) }
        try capture.keepFrames(before: failure, whole: whole, of: announced, rules)
        position = file.byteCount
    }

    /// The first frames of some files have the time 0; files that were made without times have only 0.
    private mutating func deriveTimes() {
        let strangeTimes = capture.frames.indices.filter { capture.frames[$0].timestamp == nil }
        if capture.frames.contains(where: { $0.timestamp.map { $0 > 0 } ?? false }) {
            capture.channels.insert(.timestamp)
            deriveFirstTimes()
            capture.estimateFrameRate()
        } else {
            capture.absences[.timestamp] =
                strangeTimes.isEmpty ? "every frame's time is 0" : "the frames' times are too large for microseconds"
            for index in capture.frames.indices { capture.frames[index].timestamp = nil }
        }
        if !strangeTimes.isEmpty {
            capture.warnings.append(
                "\(strangeTimes.count.counted(of: capture.frames.count, "frame", "has", "have")) a time that is too large for "
                    + "microseconds, and is left out: \(strangeTimes.frameRuns)")
        }
    }

    /// First frames with the time 0, long before the others, are given times at the same step as the others.
    private mutating func deriveFirstTimes() {
        let times = capture.frames.map { $0.timestamp ?? 0 }
        guard let first = times.firstIndex(where: { $0 > 0 }), first > 0 else { return }
        let steps = zip(times[first...].dropFirst(), times[first...]).map { $0 - $1 }.filter { $0 > 0 }
        guard let step = steps.middle else { return }
        // A clock may begin at 0, and must have been running for as long as the frames before it take.
        if first == 1 && times[first] / 4 <= step || times[first] / Int64(first) < step { return }
        for index in 0..<first { capture.frames[index].timestamp = times[first] - Int64(first - index) * step }
        capture.warnings.append(
            "the first \(first == 1 ? "frame has" : "\(first) frames have") the time 0, and the next one "
                + "\(DecimalSeconds.text(times[first], places: 3)) s: frames were taken to be "
                + "\(DecimalSeconds.text(step, places: 3)) s apart there"
        )
    }

    // MARK: - Payloads

    /// Finds out whether there are pictures, and what they are.
    private mutating func findPictures() {
        guard let first = source.color.first(where: { $0.count > 0 }), header.hasPictureSize else {
            capture.absences[.color] = "the frames have no pictures"
            return
        }
        let start = (try? file.bytes(of: first, prefix: 8)) ?? []
        source.pictures = SensSource.Pictures(header, start: start, byteCount: first.count)
        if source.pictures == nil {
            capture.absences[.color] = "the pictures are neither JPEG nor PNG, and the header does not call them raw"
        }
    }

    private mutating func attachPictures() {
        guard let pictures = source.pictures else { return }
        capture.colorSize = header.colorSize
        capture.channels.insert(.color)
        for index in source.color.indices {
            if source.color[index].count == 0 {
                capture.drop(index, whileReading: "it has no picture", isBad: true)
            } else if pictures != .raw {
                capture.frames[index].pictureFile = source.pictureName(index)
            }
        }
    }

    private mutating func deriveDepth(_ cameras: ScanNetCameras) {
        guard source.depth.contains(where: { $0.count > 0 }), header.depthCompression != .unknown,
            header.depthSize.width > 0, header.depthSize.height > 0
        else {
            capture.absences[.recordedDepth] =
                header.depthCompression == .unknown
                ? "the header does not say how depth is compressed" : "the frames have no depth"
            return
        }
        capture.depthSize = header.depthSize
        capture.channels.insert(.recordedDepth)
        capture.noteGaps(.recordedDepth, in: source.depth.map { $0.count > 0 ? "" : nil }, areCounted: false)
        if let defect = cameras.depth?.defect {
            capture.warnings.append("the depth camera cannot be used, and is taken for the colour camera: \(defect)")
        } else {
            capture.depthCamera = cameras.depthCamera(header.depthSize)
        }
    }

    // MARK: - Motion

    private mutating func readMotion() throws(Problem) {
        let rest = file.byteCount - position
        guard header.version < 4 || capture.forgiven.isEmpty else {
            capture.absences[.motion] = "the file was cut off before its motion samples"
            return
        }
        guard header.version >= 4, rest >= 8 else {
            capture.absences[.motion] = "the file has no motion samples"
            if rest > 0 {
                capture.warnings.append("\(rest.counted("byte", "stands", "stand")) after the last frame")
            }
            return
        }
        var cursor = LittleEndianCursor(try file.bytes(at: position, count: 8))
        let announced: UInt64 = cursor.integer()
        let room = (rest - 8) / Int64(ScanNetMotion.recordByteCount)
        if announced > UInt64(room) {
            let failure = Problem(
                .input, "the file ends inside its motion samples",
                notes: ["\(room) of \(announced) \(room.isOrAre) there"],
                fix: "copy the file again, or keep what is there with  --set read.truncated=keep-whole"
            ).at(file: file.name, byte: file.byteCount, of: file.byteCount)
            if rules.truncated == .fail { throw failure }
            capture.forgiven.append(failure)
        }
        let count = Int(min(announced, UInt64(room)))
        let trailing = rest - 8 - Int64(count * ScanNetMotion.recordByteCount)
        if announced <= UInt64(room), trailing > 0 {
            capture.warnings.append("\(trailing.counted("byte", "stands", "stand")) after the last motion sample")
        }
        let motion = ScanNetMotion(
            file, offset: position + 8, count: count, time: .microsecondsLast, stem: capture.id)
        capture.attach(motion, absence: "the file has no motion samples")
        source.motion = motion
    }
}

extension FileSource {
    /// The first bytes of a stretch of the file.
    func bytes(of span: ByteSpan, prefix: Int = .max) throws(Problem) -> [UInt8] {
        try bytes(at: span.offset, count: min(span.count, prefix))
    }
}
