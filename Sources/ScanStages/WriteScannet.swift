import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a ScanNet scan as files.
public struct WriteScannet: ParcelStage {
    public enum Layout: String, CaseIterable, Sendable {
        case extracted
        case sevenScenes = "7-scenes"
        case raw
    }

    public static let card = StageCard(
        name: "write-scannet",
        summary: "Write a scan in ScanNet's layout, in 7-Scenes', or as ScanNet's recorder would have left it.",
        details: """
            `layout: extracted` writes `scannet/color/0.jpg`, `depth/0.png` (whole millimetres, 0 for "no value"),
            `pose/0.txt`, and the four matrices in `intrinsic/`: what ScanNet's Python exporter makes. `7-scenes` writes
            `7-scenes/seq-01/frame-000000.color.jpg`, `.depth.png` (65535 for "no value"), `.pose.txt`, and
            `camera-intrinsics.txt`. Poses are camera-to-world, x right, y down, z into the scene; the world stays as it
            is.

            `number: source` names files by each frame's number in the capture, counted from 0, with gaps where frames
            were dropped, as ScanNet's exporter leaves them where it skips frames. So the pictures of a `.sens` file keep
            the numbers that ScanNet's `label/` and `instance/` have; those of an export that skipped frames are counted
            anew. `kept` numbers the written frames from 0 and puts their source numbers into the receipt as
            `source-frames`; `7-scenes`, whose readers count up to the number of pictures, does that unless `number` says
            otherwise. In `raw` frames have no numbers.

            `raw` writes `scannet-raw/<id>.txt`, `.depth`, `.h264` and `.imu`, for programs that take a scan before it
            is tracked: poses are left out, pictures become a video (H.264, 4:2:0), and depth is quantised in the steps
            of a Structure sensor, about z² / 300 m: 3 mm at 1 m, 53 mm at 4 m, none nearer than 0.26 m or beyond 9.57
            m. ScanNet's own converter wants the folder to have the files' name: rename it to the capture's id.

            **Cameras.** All layouts hold one camera of each kind, so each number is the median over all frames; the
            receipt's `camera-deviation` says by how many pixels a frame's own camera differs at most, and more than one
            pixel causes a warning. Principal points count from the centre of the top-left pixel. A depth sensor with a
            camera of its own keeps it; in `7-scenes`, where one camera serves both, depth is reprojected into the
            colour camera's view and resized to the pictures' size by nearest neighbour.
            `undistort: {one-camera: true}` above gives all frames one camera.

            Pictures are copied byte for byte; frames of a video become JPEG (4:4:4), or what `color` says.
            """,
        example: "- write-scannet: {layout: extracted}", revision: 10)

    let layout: Layout
    let writesDepth: Bool
    let output: PictureOutput
    let number: FrameNumbering

    public init(_ options: inout OptionReader) {
        layout = options.choice("layout", "Whose layout is written.", default: .extracted)
        writesDepth = options.flag("depth", "Write depth; `false` for captures without.", default: true)
        output = PictureOutput(&options, default: .copy, areFiles: layout != .raw)
        number = FrameNumbering(&options, default: layout == .extracted ? .source : .kept)
        options.warn("number", unless: layout != .raw, "where pictures are files")
    }

    /// Every path begins here.
    private var folder: String {
        switch layout {
        case .extracted: "scannet"
        case .sevenScenes: "7-scenes"
        case .raw: "scannet-raw"
        }
    }

    public var uses: Uses {
        Uses(
            frame: .init(
                needs: [.color, .intrinsics] + (layout == .raw ? [] : [.pose]) + (writesDepth ? [.depth] : []),
                wants: layout == .raw ? [.timestamp] : []),
            fold: .init(wants: layout == .raw ? [.motion] : []), claims: ["\(folder)/"],
            instead: [[.depth]: [.option("depth", set: "false", not: "true")]])
    }

    public func toolVersions(for capture: Capture) throws(Problem) -> [String: String] {
        layout == .raw ? try FFmpeg.toolVersions(for: capture) : [:]
    }

    // MARK: - Each frame, in parallel

    /// The parts of a frame that are ready when its turn comes.
    public struct Parcel: Sendable {
        enum Picture {
            case file(PreparedPicture, Pose)
            /// For the recorder's video. Its files hold no poses.
            case pixels(RGBImage)
        }

        let camera: CameraIntrinsics
        let picture: Picture
        let depth: EncodedDepth?
    }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Parcel {
        let camera = try frame.facts.requiredIntrinsics
        let picture: Parcel.Picture
        if layout == .raw {
            picture = .pixels(try frame.loadRGB(context))
        } else {
            let pose = try frame.facts.requiredPose
            picture = .file(try output.prepare(&frame, context), pose)
        }
        let depth = writesDepth ? try depth(of: frame, camera, context) : nil
        return Parcel(camera: camera, picture: picture, depth: depth)
    }

    private func depth(
        of frame: Frame, _ camera: CameraIntrinsics, _ context: StageContext
    ) throws(Problem) -> EncodedDepth {
        let map = try frame.requiredDepth
        switch layout {
        case .extracted:
            return EncodedDepth(bytes: try PNG.encodeGray16(context.millimetres(of: map)), size: map.size)
        case .sevenScenes:
            var image = context.millimetres(of: frame.aligned(map, context))
            image.pixels = image.pixels.map { $0 == 0 ? .max : $0 }
            // Its readers have one camera for pictures and depth, and do not scale it.
            return EncodedDepth(bytes: try PNG.encodeGray16(image.nearest(to: camera.size)), size: camera.size)
        case .raw:
            let (bytes, beyond) = ShiftCodec.encode(map)
            if beyond > 0 { context.count("depth-pixels-out-of-range", beyond) }
            return EncodedDepth(bytes: bytes, size: map.size)
        }
    }

    // MARK: - In frame order

    public struct Fold {
        /// Source numbers of the frames that were written.
        fileprivate var written: [Int] = []
        fileprivate var camera = OneCamera()
        fileprivate var depthSize = OneSize()
        fileprivate var raw: RawScan?
    }

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        layout == .raw ? Fold(raw: RawScan(stem: "\(folder)/\(context.capture.id)")) : Fold()
    }

    public func fold(
        _ parcel: Parcel, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        try fold.camera.add(parcel.camera)
        if let depth = parcel.depth { try fold.depthSize.add(depth: depth.size) }
        switch parcel.picture {
        case .pixels(let pixels):
            try fold.raw?.append(pixels, depth: parcel.depth?.bytes, time: frame.timestamp, context)
        case .file(let picture, let pose):
            let number = number.number(of: frame, after: fold.written.count)
            try picture.write(to: path(number, "color"), context)
            if let depth = parcel.depth { try context.output.write(depth.bytes, to: "\(path(number, "depth")).png") }
            try context.output.write(ScanNetFiles.pose(pose), to: "\(path(number, "pose")).txt")
        }
        fold.written.append(frame.index)
    }

    /// The path of a frame's file without its extension.
    private func path(_ number: Int, _ part: String) -> String {
        layout == .extracted
            ? "\(folder)/\(part)/\(number)" : "\(folder)/seq-01/frame-\(FrameName.padded(number)).\(part)"
    }

    // MARK: - The end

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        guard let camera = fold.camera.median(reportedTo: context) else { return }
        let size = fold.depthSize.size ?? camera.size
        let depth = DepthCamera(
            intrinsics: ScanNetCameras.depthView(of: camera, capture.depthCamera, size),
            colorFromDepth: capture.depthCamera?.colorFromDepth ?? .identity)
        switch layout {
        case .extracted: try writeMatrices(camera, depth, context)
        case .sevenScenes:
            try context.output.write(ScanNetFiles.shortIntrinsics(camera), to: "\(folder)/seq-01/camera-intrinsics.txt")
        case .raw:
            let motion = try MotionRecords.of(capture, context)
            try fold.raw?.finish(color: camera, depth: depth, motion: motion, capture, context)
        }
        context.count("frames", fold.written.count)
        number.record(fold.written, context)
        context.warnUnlessMetric(capture, "poses and depth may not be in metres")
    }

    private func writeMatrices(
        _ camera: CameraIntrinsics, _ depth: DepthCamera, _ context: StageContext
    ) throws(Problem) {
        let files = [
            ("intrinsic_color", ScanNetFiles.intrinsics(camera)),
            ("extrinsic_color", ScanNetFiles.extrinsics(.identity)),
            ("intrinsic_depth", ScanNetFiles.intrinsics(depth.intrinsics)),
            ("extrinsic_depth", ScanNetFiles.extrinsics(depth.colorFromDepth)),
        ]
        for (name, bytes) in files { try context.output.write(bytes, to: "\(folder)/intrinsic/\(name).txt") }
    }
}
