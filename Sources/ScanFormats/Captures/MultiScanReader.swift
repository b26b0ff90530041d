import ScanModel

/// Opens one MultiScan capture.
struct MultiScanReader {
    static let metadataLimit = 16 << 20
    let tree: any CaptureTree
    let stem: String
    let rules: ReadRules
    var capture: Capture
    var source: TreeSource
    var lineCount = 0
    /// Whether ScanMill wrote the capture.
    var isOwn = false

    init(tree: any CaptureTree, stem: String, rules: ReadRules) {
        self.tree = tree
        self.stem = stem
        self.rules = rules
        capture = Capture(of: tree, as: MultiScanCapture.self, rules)
        source = TreeSource(tree, rules)
    }

    /// The app that recorded it: depth alone does not tell, since not every capture has any.
    private static func variant(_ metadata: ScanMetadata) -> String {
        if metadata.hasAndroidQuaternions || metadata.depthUnit == .millimetres { return "Android" }
        // The app before it used ARKit: motion and a video or two, but no camera poses.
        let hasMotion = metadata.streams.contains { if case .motion = $0.role { true } else { false } }
        return hasMotion && metadata.cameraInfoStream == nil ? "early ScannerApp" : "iOS"
    }

    mutating func read() throws(Problem) -> Capture {
        let metadataFile = "\(stem).json"
        let metadata = try ScanMetadata(
            try capture.readJSON(metadataFile, in: tree, limit: Self.metadataLimit, keepsNonNumbers: false))
        capture.variant = Self.variant(metadata)
        capture.device = [metadata.deviceType, metadata.deviceName].compactMap(\.self).filter { !$0.isEmpty }
            .joined(separator: ", ")
        capture.metadata = .object(metadata.json)
        capture.worldUp = Vector3(0, 1, 0)
        capture.frameRate = metadata.colorStream?.frequency
        capture.list(metadataFile, in: tree, [])

        try readLines(metadata)
        try readPictures(metadata)
        if capture.frames.isEmpty { numberFrames(metadata) }
        if lineCount == 0 { setNominalCamera(metadata) }
        try readDepth(metadata)
        try capture.readBox(in: tree, limit: Self.metadataLimit)
        readMotion(metadata)
        if lineCount > 0 { capture.channels.formUnion([.pose, .timestamp]) }
        if capture.frames.contains(where: { $0.intrinsics != nil }) { capture.channels.insert(.intrinsics) }
        if capture.frames.contains(where: { $0.exposure != nil }) { capture.channels.insert(.exposure) }
        capture.source = source
        return capture
    }

    // MARK: - Camera lines

    private static let noLines = Problem(
        .input, "there are no camera lines in the file",
        fix: "copy the capture again; without camera lines there are no poses")

    private mutating func readLines(_ metadata: ScanMetadata) throws(Problem) {
        let file = "\(stem).jsonl"
        guard tree.byteCount(of: file) != nil else {
            var problem = Self.noLines
            problem.summary = "the camera lines are missing"
            problem.notes = [tree.absence(of: file)]
            // The earlier app, without ARKit, had none and does not list them.
            let isExpected = metadata.cameraInfoStream != nil || metadata.colorStream == nil || tree.entry(file) != nil
            if rules.needsCameras && isExpected { throw problem }
            if isExpected { capture.forgiven.append(problem) }
            return capture.lacks([.pose, .intrinsics, .timestamp], tree.absence(of: file))
        }
        capture.list(file, in: tree, [])
        capture.cameraLineFile = file
        let size = metadata.colorStream?.size
        // While it grows, an array takes up to three times its size. No line is shorter than a hundred bytes.
        let likely = min(metadata.colorStream?.frameCount ?? 0, Int((tree.byteCount(of: file) ?? 0) / 100))
        capture.frames.reserveCapacity(min(likely, rules.maxFrames))
        var lines = CameraLines(try tree.open(file), lineLimit: rules.maxLine)
        while let result = try lines.next() {
            try rules.check(frames: capture.frames.count + 1, of: "camera lines", in: file)
            var facts = FrameFacts(index: capture.frames.count)
            switch result {
            case .success(let line):
                isOwn = isOwn || line.sourceFrame != nil
                facts.timestamp = line.timestamp
                facts.line = line.span
                facts.pose = line.pose
                // Recorders write 0 for what they do not know.
                facts.exposure = line.exposure == 0 ? nil : line.exposure
                // Where metadata gives no size, the pictures will.
                let camera = line.intrinsics(width: size?.width ?? 1, height: size?.height ?? 1)
                facts.intrinsics = camera
                if let defect = line.defect {
                    facts.drop = Drop(whileReading: defect, isBad: true)
                }
            case .failure(let problem):
                facts.drop = Drop(whileReading: problem.oneLine, isBad: true)
            }
            capture.frames.append(facts)
        }
        if capture.frames.isEmpty { throw Self.noLines.at(file: file) }
        restoreLines(metadata)
        lineCount = capture.frames.count
        dropRepeats()
        noteUnit(metadata)
    }

    /// The Android app repeats its last record until all streams are equally long: those pictures have another
    /// picture's pose. A clock that stands still for half of the capture is another matter.
    private mutating func dropRepeats() {
        let frames = capture.frames
        var first = frames.count
        while first > 1, let time = frames[first - 1].timestamp, time == frames[first - 2].timestamp,
            frames[first - 1].pose == frames[first - 2].pose
        {
            first -= 1
        }
        guard 2 * (frames.count - first) < frames.count else { return }
        for index in first..<frames.count {
            capture.drop(index, whileReading: "the recorder padded its lines with copies of the last one")
        }
    }

    /// Timestamps in a unit other than nanoseconds make every speed and the frame rate wrong by a factor, but no pose.
    private mutating func noteUnit(_ metadata: ScanMetadata) {
        guard let rate = metadata.colorStream?.frequency, rate > 0, let step = medianStep else { return }
        let nanoseconds = 1e9 / rate
        for (unit, factor) in [("microseconds", 1e3), ("milliseconds", 1e6)]
        where (0.5...2).contains(step * factor / nanoseconds) {
            capture.warnings.append(
                "the camera lines' timestamps are \(step.shortText) apart, and frames come \(rate.shortText) times a second: "
                    + "they look like \(unit), and are read as nanoseconds")
        }
    }

    /// The apps list a stream without frames where the device has none, and `write-staging` where there are no pictures.
    static func isListed(_ stream: ScanStream?) -> Bool { stream.map { $0.frameCount != 0 } ?? false }

    /// Says why a channel is missing. One that the metadata lists has been lost on the way.
    mutating func lacks(
        _ channel: Channel, _ file: String, _ stream: ScanStream?, _ reason: String, fix: String? = nil
    ) {
        let way = tree.entry(file) == nil ? "copy \(file) too" : tree.wayToReplace(file)
        guard Self.isListed(stream), let way else { return capture.lacks([channel], reason) }
        capture.loses(channel, reason, fix: fix ?? way)
    }

    // MARK: - Depth and confidence

    private mutating func readDepth(_ metadata: ScanMetadata) throws(Problem) {
        let stream = metadata.depthStream
        let depthFile = "\(stem).depth.zlib"
        guard tree.byteCount(of: depthFile) != nil else {
            let listed =
                stream == nil ? "the metadata lists no depth stream either" : "though the metadata lists a depth stream"
            lacks(.recordedDepth, depthFile, stream, "\(tree.absence(of: depthFile)), \(listed)")
            // Confidence may have been lost with it.
            if hasConfidence(metadata) || !Self.isListed(metadata.confidenceStream) {
                capture.absences[.recordedConfidence] = "there is no depth"
            }
            return
        }
        guard let size = stream?.size else {
            throw Problem(
                .input, "the depth stream's size is not known", notes: ["streams[].resolution is missing for it"],
                fix: "add  \"resolution\": [height, width]  to the depth stream"
            ).at(file: "\(stem).json")
        }
        try checkUnit(metadata, stream)
        try rules.check(size, of: "depth map", in: "\(stem).json")
        try capture.requireOneOrientation(
            ofDepth: size, in: "\(stem).json", rules,
            fix: "correct `resolution` ([height, width]) of the depth stream in \(stem).json")
        capture.list(depthFile, in: tree, [.recordedDepth])
        var packed = PackedStream(
            file: depthFile, size: size, content: .depth(metadata.depthUnit.encoding), rules: rules,
            claims: claims(metadata))
        if let stream, stream.isStereo { try fit(&packed, toStereo: stream, metadata) }
        source.depth = .stream(packed)
        capture.depthSize = size
        capture.channels.insert(.recordedDepth)
        try readConfidence(metadata, depthSize: size)
    }

    private var confidenceFile: String { "\(stem).confidence.zlib" }

    /// Whether the stream is there; says why it is not.
    private mutating func hasConfidence(_ metadata: ScanMetadata) -> Bool {
        if tree.byteCount(of: confidenceFile) != nil { return true }
        let stream = metadata.confidenceStream
        let listed = stream == nil ? "" : ", though the metadata lists a confidence stream"
        lacks(.recordedConfidence, confidenceFile, stream, tree.absence(of: confidenceFile) + listed)
        return false
    }

    private mutating func readConfidence(_ metadata: ScanMetadata, depthSize: PixelSize) throws(Problem) {
        guard hasConfidence(metadata) else { return }
        let (file, stream) = (confidenceFile, metadata.confidenceStream)
        let size = stream?.size ?? depthSize
        try rules.check(size, of: "confidence map", in: "\(stem).json")
        capture.list(file, in: tree, [.recordedConfidence])
        var packed = PackedStream(
            file: file, size: size, content: .confidence(metadata.confidenceRange), rules: rules,
            claims: claims(metadata))
        // iOS pads the rows of such buffers to multiples of 64 bytes, and the app writes the buffer as it is.
        let padded = (size.width + 63) / 64 * 64
        let frames = stream?.frameCount ?? lineCount
        let rowBytes = rowBytes(of: packed, frames: frames, longest: padded)
        if rowBytes == padded {
            packed.rowBytes = rowBytes
            capture.warnings.append(
                "\(file) is exactly as long as \(frames.counted("frame")) whose rows take \(padded) bytes: the last "
                    + "\(padded - size.width) of each are taken for padding")
        }
        source.confidence = .stream(packed)
        capture.channels.insert(.recordedConfidence)
    }

    /// What other files say of the number of frames in a stream of depth or confidence.
    private func claims(_ metadata: ScanMetadata) -> String {
        let said = (metadata.depthStream?.frameCount ?? metadata.colorStream?.frameCount)?.counted("frame")
        return (said.map { "metadata says \($0), " } ?? "") + "the camera lines \(lineCount)"
    }

    /// Half floats taken for whole numbers, or the other way round, look like depth but are not.
    private func checkUnit(_ metadata: ScanMetadata, _ stream: ScanStream?) throws(Problem) {
        let encoding = stream?.encoding
        if metadata.depthUnit == .millimetres, let encoding, encoding.hasPrefix("float") {
            throw Problem(
                .input, "the depth stream is \(encoding) and its unit mm: no app records that",
                notes: ["half floats are metres, as iOS records them; millimetres are whole numbers, as Android does"],
                fix:
                    "change it to  \"depth_unit\": \"m\"  for half floats in metres, or the stream to  \"encoding\": "
                    + "\"uint16_zlib\""
            ).at(file: "\(stem).json")
        }
        if metadata.saysDepthUnit { return }
        var signs: [String] = []
        if let encoding, !encoding.hasPrefix("float") { signs.append("the depth stream is \(encoding)") }
        if metadata.hasAndroidQuaternions { signs.append("the format of quaternions is xyzw") }
        if signs.isEmpty { return }
        throw Problem(
            .input, "the unit of the depth is not given, and the recording looks like Android's",
            notes: [
                "\(signs.joined(separator: ", and ")): Android's app records whole millimetres, and if no unit is "
                    + "given, depth is read as half floats in metres, as older iOS apps left it"
            ],
            fix:
                "add  \"depth_unit\": \"mm\"  beside \"streams\", or \"m\" if the depth is half floats in metres"
        ).at(file: "\(stem).json")
    }

    /// Depth from two cameras has a lower frame rate than the pictures, and its rows are as long as they were in
    /// memory: only the stream's length tells how long.
    private func fit(
        _ packed: inout PackedStream, toStereo depth: ScanStream, _ metadata: ScanMetadata
    ) throws(Problem) {
        // The rates come first: where the recorder lost frames of depth, the counts would give the rest to other pictures.
        let color = metadata.colorStream
        if let ratio = Self.ratio(color?.frequency, depth.frequency)
            ?? Self.ratio(color?.frameCount.map(Double.init), depth.frameCount.map(Double.init))
        {
            // A rate may be any number.
            packed.every = Int(min(max(1, ratio.rounded()), Double(rules.maxFrames)))
        }
        if let frames = depth.frameCount {
            try rules.check(frames: frames, of: "depth frames")
            packed.rowBytes = rowBytes(of: packed, frames: frames, longest: 2 * packed.usedRowBytes + 256)
        }
    }

    private static func ratio(_ pictures: Double?, _ depth: Double?) -> Double? {
        guard let pictures, let depth, depth > 0 else { return nil }
        return pictures / depth
    }

    /// The length of a stream's rows, where they were written with the padding that they had in memory.
    /// - Parameter longest: the most bytes that a row may have.
    /// - Returns: nil where they are no longer than their pixels, or the stream's length does not tell.
    private func rowBytes(of stream: PackedStream, frames: Int, longest: Int) -> Int? {
        let rows = Int64(frames) * Int64(stream.size.height)
        guard rows > 0, frames <= rules.maxFrames, longest > stream.usedRowBytes else { return nil }
        // A damaged stream is named when its frames are read.
        guard let source = try? tree.open(stream.file),
            let total = try? InflateStream(source).skip(rows * Int64(longest) + 1), total % rows == 0
        else { return nil }
        let rowBytes = Int(total / rows)
        return rowBytes > stream.usedRowBytes && rowBytes <= longest ? rowBytes : nil
    }

    // MARK: - Motion

    private mutating func readMotion(_ metadata: ScanMetadata) {
        var lost: [String] = []
        for kind in MotionKind.allCases {
            let file = "\(stem).\(kind.rawValue)"
            guard tree.byteCount(of: file) != nil else {
                if tree.entry(file) != nil {
                    capture.warnings.append("\(tree.absence(of: file)), and is left out")
                } else if let stream = metadata.motionStream(kind), stream.frameCount != 0 {
                    lost.append(file)
                }
                continue
            }
            capture.list(file, in: tree, [.motion])
            capture.motionFiles.append(MotionFile(kind: kind, path: file))
        }
        if capture.motionFiles.isEmpty {
            capture.absences[.motion] = "there are no files \(stem).rot, .acce, .mag, .atti, .grav"
        } else {
            capture.channels.insert(.motion)
        }
        if !lost.isEmpty {
            let files = lost.joined(separator: ", ")
            capture.loses(.motion, "the metadata lists motion that is missing: \(files)", fix: "copy \(files) too")
        }
    }
}
