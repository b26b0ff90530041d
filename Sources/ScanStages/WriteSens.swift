import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a ScanNet `.sens` file.
public struct WriteSens: ParcelStage {
    public static let card = StageCard(
        name: "write-sens",
        summary: "Write a ScanNet .sens file, version 4: pictures, depth, poses and motion samples in <id>.sens.",
        details: """
            Poses are camera-to-world in single precision, x right, y down, z into the scene; the world stays as it is. A frame
            without a pose gets −∞, which ScanNet's programs take for lost tracking. Times are whole microseconds.

            **Pictures** that are JPEG or PNG files are copied byte for byte, or encoded in the same kind where a stage
            above has changed them; others become JPEG (`quality`, 4:4:4), or what `color` says. **Depth** is whole
            millimetres as the stages above left it, 0 for "no value" and beyond 65.535 m, each frame compressed by zlib.

            **Cameras.** The file holds one camera of each kind, so each number is the median over all frames; the
            receipt's `camera-deviation` says by how many pixels a frame's own camera differs at most, and more than one
            pixel causes a warning. Principal points count from the centre of the top-left pixel. A depth sensor with a
            camera of its own keeps it, with its pose as the depth extrinsic; otherwise depth gets the colour camera,
            scaled. `undistort: {one-camera: true}` above gives all frames one camera.

            **Motion samples** are written where all five sensors were read at the same times, as iOS does.
            """,
        example: "- write-sens", revision: 3)

    let writesDepth: Bool
    let output: PictureOutput

    public init(_ options: inout OptionReader) {
        writesDepth = options.flag("depth", "Write depth; `false` for captures without.", default: true)
        output = PictureOutput(&options, default: .copy)
    }

    public var uses: Uses {
        Uses(
            frame: .init(needs: [.intrinsics] + (writesDepth ? [.depth] : []), wants: [.color, .pose, .timestamp]),
            fold: .init(wants: [.motion]), claims: ["{id}.sens"],
            instead: [[.depth]: [.option("depth", set: "false", not: "true")]])
    }

    // MARK: - Each frame, in parallel

    /// The parts of a frame that are ready when its turn comes.
    public struct Parcel: Sendable {
        let camera: CameraIntrinsics
        /// Empty without a picture.
        let color: [UInt8]
        let depth: EncodedDepth?
    }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Parcel {
        let hasColor = context.available.contains(.color)
        let color = hasColor ? try output.prepare(&frame, context).bytes(context) : []
        var depth: EncodedDepth?
        if writesDepth {
            let image = context.millimetres(of: try frame.requiredDepth)
            let bytes = try ZlibData.compress(image.pixels.withUnsafeBytes { Array($0) })
            depth = EncodedDepth(bytes: bytes, size: image.size)
        }
        let camera = try frame.facts.requiredIntrinsics
        return Parcel(camera: camera, color: color, depth: depth)
    }

    // MARK: - In frame order

    public struct Fold {
        fileprivate let file: OutputFile
        fileprivate var header: SensHeader
        fileprivate var camera = OneCamera()
        fileprivate var depthSize = OneSize()
        fileprivate var untimed = 0
        fileprivate var untracked = 0
    }

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        var header = SensHeader()
        header.sensorName = String((context.capture.device ?? "").prefix(200))
        let file = try context.output.create("\(context.capture.id).sens")
        // Cameras and the number of frames are known at the end.
        try file.write(header.bytes)
        return Fold(file: file, header: header)
    }

    public func fold(
        _ parcel: Parcel, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        if fold.header.frameCount == 0 {
            fold.header.colorCompression = PNG.isPNG(parcel.color) ? .png : .jpeg
        }
        try fold.camera.add(parcel.camera)
        if let depth = parcel.depth { try fold.depthSize.add(depth: depth.size) }
        var color = parcel.color
        try unify(&color, fold.header.colorCompression, context)
        if frame.timestamp ?? -1 < 0 { fold.untimed += 1 }
        if frame.pose == nil { fold.untracked += 1 }
        let time = DecimalSeconds.microseconds(max(0, frame.timestamp ?? 0)).magnitude
        let pose = frame.pose.map { $0.withCVAxes.rowMajorRows.joined().map { Float($0) } }
        let bytes = SensFrame.bytes(
            pose: pose ?? Array(repeating: -.infinity, count: 16), colorTime: time, depthTime: time,
            color: color, depth: parcel.depth?.bytes ?? [])
        try fold.file.write(bytes)
        fold.header.frameCount += 1
    }

    /// All pictures of a file are of one kind.
    private func unify(
        _ bytes: inout [UInt8], _ compression: SensHeader.ColorCompression, _ context: StageContext
    ) throws(Problem) {
        guard !bytes.isEmpty, PNG.isPNG(bytes) != (compression == .png) else { return }
        let image = try RGBImage.decode(bytes, limits: context.capture.pictureLimits)
        bytes = try image.encoded(as: compression == .png ? .png : .jpeg(quality: output.quality))
        context.count("pictures-encoded-again", 1)
    }

    // MARK: - The end

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        guard let camera = fold.camera.median(reportedTo: context) else { return }
        var header = fold.header
        header.colorIntrinsic = ScanNetCameras.matrix(camera).map { Float($0) }
        header.colorSize = camera.size
        if let size = fold.depthSize.size {
            header.depthSize = size
            let view = ScanNetCameras.depthView(of: camera, capture.depthCamera, size)
            header.depthIntrinsic = ScanNetCameras.matrix(view).map { Float($0) }
            let place = ScanNetCameras.turned(capture.depthCamera?.colorFromDepth ?? .identity)
            header.depthExtrinsic = place.rowMajorRows.joined().map { Float($0) }
        }
        try fold.file.write(ScanNetMotion.sensBlock(try MotionRecords.of(capture, context)))
        try fold.file.patch(header.bytes, at: 0)
        try fold.file.close()
        context.count("frames", Int(header.frameCount))
        if fold.untracked > 0 { context.count("frames-without-pose", fold.untracked) }
        if fold.untimed > 0 {
            context.warn("\(fold.untimed.counted("frame", "has", "have")) no time, or one before 0, and got 0")
        }
        context.warnUnlessMetric(capture, "the file may not be in metres")
    }
}
