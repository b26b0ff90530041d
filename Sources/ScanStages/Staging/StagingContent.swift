import ScanFormats
import ScanModel

/// What went into a staging capture, and the metadata that describe it.
struct StagingContent {
    /// Each written frame's number in the source, and its time.
    var frames: [Int] = []
    var timestamps: [Int64] = []
    var depthSize: PixelSize?
    /// The unit of all frames' depth: that of the first frame with any value.
    var depthUnit: ScanMetadata.DepthUnit?
    /// The number of frames whose depth is not as recorded.
    var maskedCount = 0
    var confidenceRange: ClosedRange<Int>?
    /// How pictures are stored; nil without pictures.
    var color: ColorStorage?
    /// Whether the pictures are the capture's own video, as its metadata describe it.
    var isVideoCopied = false
    private var pictureSize = OneSize()
    /// The first frame's camera, and whether all others have the same.
    var camera: CameraIntrinsics?
    var hasOneCamera = true

    /// The format has one picture size, to which all intrinsics refer.
    /// - Throws: if a frame's pictures differ in size from those before.
    mutating func requireSize(of camera: CameraIntrinsics?) throws(Problem) {
        if let camera { try pictureSize.add(pictures: camera.size) }
    }

    mutating func add(_ frame: FrameFacts) {
        if camera == nil { camera = frame.intrinsics }
        hasOneCamera = hasOneCamera && camera == frame.intrinsics
        frames.append(frame.index)
        timestamps.append(frame.timestamp ?? 0)
    }

    /// Whether frames between the first and the last were left out.
    var hasGaps: Bool { (frames.last ?? 0) - (frames.first ?? 0) + 1 > frames.count }

    /// `number_of_files` counts what the apps record: a folder of pictures as one file, but not the box, which comes
    /// from another app.
    private func fileCount(_ capture: Capture) -> Int {
        2 + (depthSize == nil ? 0 : 1) + (confidenceRange == nil ? 0 : 1) + (color == nil ? 0 : 1)
            + capture.motionFiles.count
    }

    func metadata(of capture: Capture) throws(Problem) -> JSONValue {
        if let recorded = try Self.recordedMetadata(of: capture) { return update(recorded, capture) }
        return try make(capture)
    }

    /// Whether a capture's own metadata are MultiScan's.
    static func hasRecordedMetadata(_ capture: Capture) -> Bool { capture.metadata?["streams"]?.array != nil }

    /// A capture's own metadata, if they are MultiScan's.
    static func recordedMetadata(of capture: Capture) throws(Problem) -> ScanMetadata? {
        guard let metadata = capture.metadata, hasRecordedMetadata(capture) else { return nil }
        return try ScanMetadata(metadata, file: "\(capture.id).json")
    }

    /// MultiScan's own metadata, with everything that is still true.
    private func update(_ metadata: ScanMetadata, _ capture: Capture) -> JSONValue {
        let kinds = Set(capture.motionFiles.map(\.kind))
        var without = Set(MotionKind.allCases.filter { !kinds.contains($0) }.map(ScanStream.Role.motion))
        if depthSize == nil { without.insert(.depth) }
        if confidenceRange == nil { without.insert(.confidence) }
        if color == nil { without.insert(.color) }
        return metadata.output(
            frameCount: frames.count, fileCount: fileCount(capture), color: isVideoCopied ? nil : color,
            depthUnit: depthUnit == metadata.depthUnit ? nil : depthUnit, without: without)
    }

    private func make(_ capture: Capture) throws(Problem) -> JSONValue {
        let colorSize = capture.colorSize ?? camera?.size ?? PixelSize(0, 0)
        var facts = ScanMetadata.Facts(
            frameCount: frames.count, fileCount: fileCount(capture), colorSize: colorSize, color: color)
        facts.deviceName = capture.device ?? ""
        facts.frequency = capture.frameRate ?? 0
        facts.intrinsics = hasOneCamera ? camera : nil
        facts.depthSize = depthSize
        facts.depthUnit = depthUnit ?? .metres
        facts.confidenceRange = confidenceRange
        for motion in capture.motionFiles {
            let read = try MotionStream.read(try capture.source.open(motion.path), kind: motion.kind)
            facts.motion.append((motion.kind, read.sampleCount, read.rate ?? 0))
        }
        return ScanMetadata.make(facts)
    }
}
