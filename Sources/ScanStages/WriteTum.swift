import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a TUM RGB-D sequence.
public struct WriteTum: ParcelStage {
    public static let card = StageCard(
        name: "write-tum",
        summary: "Write a TUM RGB-D sequence: tum/ with rgb/, depth/, their lists and groundtruth.txt.",
        details: """
            This is what SLAM systems and their evaluation tools read: `rgb.txt` and `depth.txt` list the pictures with
            their times, `groundtruth.txt` holds the poses, camera-to-world, as position and quaternion (x, y, z, w) of
            the rotation nearest to the recorded one, with x right, y down, z forward. Times are seconds on the
            recorder's clock with six decimals, and pictures are named after them: of two frames within a microsecond
            the later one is dropped as bad.

            **Depth** becomes 16-bit PNGs of 5000 units per metre, 0 for "no value" and beyond 13.107 m, which is
            counted. Readers of this format assume that depth has the pictures' size and view, so it is resized to them
            by nearest neighbour and never smoothed. It is as the stages above have left it, or as recorded without
            `decompress` above. Frames without depth are only in `rgb.txt`.

            **The camera** has no place in the format. `calibration.txt` is ScanMill's own: `fx fy cx cy width height`,
            the median over the frames, with the principal point counted from the centre of the top-left pixel. Where
            the frames' own cameras differ, because the lens has focused, the receipt says by how many pixels at most,
            which is in a corner of the picture. `undistort: {one-camera: true}` above gives all frames one camera.

            Pictures are copied byte for byte; frames of a video become JPEG (4:4:4) or PNG. The world is written as
            recorded, and does not say which way is up.
            """,
        example: "- write-tum: {color: png}", revision: 9)

    /// Every path of the sequence begins here.
    private static let folder = "tum"

    let output: PictureOutput
    let writesDepth: Bool

    public init(_ options: inout OptionReader) {
        output = PictureOutput(&options, default: .copy)
        writesDepth = options.flag("depth", "Write depth, where the capture has it.", default: true)
    }

    public var uses: Uses {
        Uses(
            frame: .init(
                needs: [.frames, .color, .pose, .intrinsics, .timestamp],
                prefers: writesDepth ? [[.depth, .recordedDepth]] : []),
            claims: ["\(Self.folder)/"])
    }

    // MARK: - Each frame, in parallel

    /// What the lists say of a frame.
    public struct Entry: Sendable {
        let timestamp: Int64
        let pose: Pose
        let camera: CameraIntrinsics
        /// The pictures' paths in the sequence's folder.
        let color: String
        let depth: String?
    }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Entry {
        let (pose, camera) = (try frame.facts.requiredPose, try frame.facts.requiredIntrinsics)
        let timestamp = try frame.facts.requiredTimestamp
        let time = TUMText.time(timestamp)
        try names(context).requireFree(frame.facts)
        let color = try output.write(&frame, to: "\(Self.folder)/rgb/\(time)", context)
        var depth: String?
        if writesDepth, let picture = try depthPicture(frame, camera, context) {
            let path = "depth/\(time).png"
            try context.output.write(picture, for: &frame, to: "\(Self.folder)/\(path)")
            depth = path
        }
        return Entry(
            timestamp: timestamp, pose: pose, camera: camera, color: String(color.dropFirst(Self.folder.count + 1)),
            depth: depth)
    }

    /// Made in `begin`, where the frames are known.
    private func names(_ context: StageContext) throws(Problem) -> NamesByTime {
        try context.once { NamesByTime(context.capture.frames, name: TUMText.time) }
    }

    private func depthPicture(
        _ frame: Frame, _ camera: CameraIntrinsics, _ context: StageContext
    ) throws(Problem) -> [UInt8]? {
        // What the recorder left out comes as a map without a value.
        guard let map = try frame.writtenDepth(context), map.validCount > 0 else { return nil }
        let (image, overflow) = DepthCodec.picture(map, unitsPerMetre: TUMText.unitsPerMetre)
        context.countTooFar(overflow)
        return try PNG.encodeGray16(image.nearest(to: camera.size))
    }

    // MARK: - In frame order

    /// The lists so far.
    public struct Fold {
        fileprivate var color = TUMText.listHeader("color images")
        fileprivate var depth = TUMText.listHeader("depth maps, 5000 units a metre")
        fileprivate var poses = TUMText.trajectoryHeader
        fileprivate var camera = OneCamera()
        fileprivate var count = 0
        fileprivate var depthCount = 0
    }

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        _ = try names(context)
        return Fold()
    }

    public func fold(
        _ entry: Entry, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        fold.color += TUMText.listLine(timestamp: entry.timestamp, path: entry.color)
        fold.poses += TUMText.trajectoryLine(timestamp: entry.timestamp, pose: entry.pose)
        fold.count += 1
        if let depth = entry.depth {
            fold.depth += TUMText.listLine(timestamp: entry.timestamp, path: depth)
            fold.depthCount += 1
        }
        try fold.camera.add(entry.camera)
    }

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        guard let camera = fold.camera.median(reportedTo: context) else { return }
        try context.output.write(fold.color, to: "\(Self.folder)/rgb.txt")
        try context.output.write(fold.poses, to: "\(Self.folder)/groundtruth.txt")
        try context.output.write(TUMText.cameraText(camera), to: "\(Self.folder)/calibration.txt")
        if fold.depthCount > 0 { try context.output.write(fold.depth, to: "\(Self.folder)/depth.txt") }
        context.count("frames", fold.count)
        context.count("frames-with-depth", fold.depthCount)
        context.warnUnlessMetric(capture, "the sequence may not be in metres")
    }
}
