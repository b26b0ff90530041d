import ScanFormats
import ScanModel
import ScanPipeline

/// Writes a capture as another app would have recorded it.
public struct WriteCapture: ParcelStage, DemandingStage {
    public enum Format: String, CaseIterable, Sendable {
        case strayScanner = "stray-scanner"
        case polycam, scannetpp, arkitscenes
        case threeDScannerApp = "3d-scanner-app"

        /// What differs between the formats.
        fileprivate var layout: any CaptureLayout.Type {
            switch self {
            case .strayScanner: StrayScannerLayout.self
            case .polycam: PolycamLayout.self
            case .scannetpp: ScanNetPPLayout.self
            case .arkitscenes: ARKitScenesLayout.self
            case .threeDScannerApp: ThreeDScannerLayout.self
            }
        }
    }

    public static let card = StageCard(
        name: "write-capture",
        summary:
            "Write a capture as an app or a dataset lays it out: Stray Scanner, Polycam, 3D Scanner App, ScanNet++, ARKitScenes.",
        details: """
            For samples, for tests, and for tools that read only one of these. `read` reads the result like an original.
            Where the format holds no matrix, poses get the rotation nearest to the recorded one; depth becomes whole
            millimetres, 0 for "no value" and beyond 65.535 m, as the stages above have left it, or as recorded without
            `decompress` above. What a format has no place for is left out: boxes and motion in all of them.

            | `format` | files | frames | pictures |
            | --- | --- | --- | --- |
            | `stray-scanner` | `odometry.csv`, `camera_matrix.csv`, `rgb.mp4`, `depth/`, `confidence/` | renumbered from 0 | encoded as H.264 |
            | `polycam` | `keyframes/` with `images/`, `cameras/`, `depth/`, `confidence/` | named after their times in µs | JPEG: copied, or encoded |
            | `scannetpp` | `pose_intrinsic_imu.json`, `depth.bin` (LZ4, millimetres), `rgb.mkv` | renumbered from 0 | encoded as H.264 |
            | `3d-scanner-app` | `3d-scanner-app/` with `frame_00000.json`, `frame_00000.jpg`, `depth_00000.png`, `conf_00000.png` … | renumbered from 0 | JPEG: copied, or encoded |
            | `arkitscenes` | `lowres_wide/`, `lowres_wide_intrinsics/`, `lowres_wide.traj`, `lowres_depth/`, `confidence/`, `wide/`, `wide_intrinsics/` | named after their times in ms | PNG |

            The frames of a video follow each other at the capture's rate, as a whole number, whatever was dropped between
            them: programs that decode it at a constant rate and count, as ScanNet++'s own and StrayVisualizer do, get each
            frame once. The times are in `odometry.csv` and `pose_intrinsic_imu.json`.

            Of two frames whose times give the same name, the later one is dropped as bad.

            Polycam's `blur_score` is the score of `filter-blur` or `measure-blur`, computed here if no stage above has
            done so.

            **Confidence** becomes low, medium and high: 0, 1, 2, or 0, 127, 255 for Polycam. ScanNet++ has none.

            Frames without depth or confidence get no file of it, and are counted. Below `decompress` a frame without
            depth has a map of zeros, which is written like any other. ScanNet++'s stream of depth cannot leave a frame
            out: without `decompress` above, the capture fails if only some of its frames have depth.

            **Stray Scanner** records a video of 1920×1440 and depth of 256×192, and its readers scale the camera by
            these numbers: other sizes are written with a warning. The median of the frames' cameras is used for all of
            them; the receipt says how far off that is. `undistort: {one-camera: true}` above gives all frames one
            camera.

            **ARKitScenes'** loader uses the camera of `lowres_wide` for depth, so pictures there have depth's size:
            each pixel is the mean over its area, and the camera is scaled to match. Larger pictures are in `wide/` as
            well. Depth and confidence larger than the pictures are reduced to their size by nearest neighbour. Names
            begin with the capture's id, with "-" in place of "_" and ".", because the loader splits names there; it
            expects the folder's parent to have that id as its name, `<id>/<id>_frames/lowres_depth/`.

            ARKitScenes has a world with z up, the others one with y up: a world with another up is turned; one whose up
            is unknown is written as it is, with a warning.
            """,
        example: "- write-capture: {format: stray-scanner}", revision: 13)

    let format: Format
    let quality: Int
    /// Whether pictures, and depth, come to this stage in the size that they were recorded in.
    private let keepsSizes: (pictures: Bool, depth: Bool)

    public init(_ options: inout OptionReader) {
        format = options.choice("format", "Whose layout is written.", default: Format.strayScanner)
        quality = PictureOutput.quality(&options, isUsed: format.layout.encodesJPEG)
        if format.layout is any VideoCaptureLayout.Type { options.warnOfOddVideo() }
        keepsSizes = (!options.isBelow(Resize.self), !options.isBelow(Turn.self))
    }

    private var layout: any CaptureLayout.Type { format.layout }

    public var uses: Uses {
        Uses(
            frame: .init(
                needs: [.frames, .color, .pose, .intrinsics, .timestamp],
                wants: layout.extras, prefers: [[.depth, .recordedDepth]]),
            claims: layout.claims)
    }

    public func check(_ capture: Capture, _ label: String) throws(Problem) {
        let hasDepth = !capture.channels.isDisjoint(with: [.depth, .recordedDepth])
        if keepsSizes.depth, hasDepth, let size = capture.depthSize {
            try layout.check(depth: size, isAsRecorded: true)
        }
        if keepsSizes.pictures, layout is any VideoCaptureLayout.Type { try capture.requireVideoSize() }
    }

    public func toolVersions(for capture: Capture) throws(Problem) -> [String: String] {
        layout is any VideoCaptureLayout.Type ? try FFmpeg.toolVersions(for: capture) : [:]
    }

    // MARK: - Each frame, in parallel

    /// The parts of a frame that are ready when its turn comes.
    public struct Parcel: Sendable {
        /// A ``CaptureParcel`` with the layout's own picture.
        fileprivate let content: any Sendable
    }

    public func parcel(of frame: inout Frame, in context: StageContext) throws(Problem) -> Parcel {
        try parcel(of: &frame, for: layout, context)
    }

    private func parcel<Layout: CaptureLayout>(
        of frame: inout Frame, for layout: Layout.Type, _ context: StageContext
    ) throws(Problem) -> Parcel {
        let (pose, camera) = (try frame.facts.requiredPose, try frame.facts.requiredIntrinsics)
        let timestamp = try frame.facts.requiredTimestamp
        try names(context).requireFree(frame.facts)
        let map = try frame.writtenDepth(context)
        let size = try layout.mapSize(map, &frame, context)
        return Parcel(
            content: CaptureParcel<Layout.Picture>(
                timestamp: timestamp, pose: layout.turn(of: context.capture).apply(pose), camera: camera,
                exposure: frame.facts.exposure, depth: try depth(map, size, context),
                confidence: try confidence(of: frame, size, context),
                picture: try layout.picture(of: &frame, mapSize: size, quality: quality, context)))
    }

    /// - Parameter size: that of the written map; nil for its own.
    private func depth(
        _ map: DepthMap?, _ size: PixelSize?, _ context: StageContext
    ) throws(Problem) -> EncodedDepth? {
        guard let map else {
            let hasDepth = !context.available.isDisjoint(with: [.depth, .recordedDepth])
            if hasDepth { context.count("frames-without-depth", 1) }
            return nil
        }
        var image = context.millimetres(of: map)
        if let size { image = image.nearest(to: size) }
        return EncodedDepth(bytes: try layout.depthFile(image), size: image.size)
    }

    /// - Parameter size: that of the written map; nil for its own.
    private func confidence(of frame: Frame, _ size: PixelSize?, _ context: StageContext) throws(Problem) -> [UInt8]? {
        guard let map = frame.recordedConfidence else {
            if layout.extras.contains(.recordedConfidence), context.available.contains(.recordedConfidence) {
                context.count("frames-without-confidence", 1)
            }
            return nil
        }
        return try picture(of: size.map { map.nearest(to: $0) } ?? map)
    }

    /// Made in `begin`, where the frames are known.
    private func names(_ context: StageContext) throws(Problem) -> NamesByTime {
        try context.once { NamesByTime(context.capture.frames) { layout.name($0, of: context.capture.id) } }
    }

    /// Three levels, as ``ConfidenceMap/threshold(level:in:)`` tells them apart, in the format's numbers.
    private func picture(of map: ConfidenceMap) throws(Problem) -> [UInt8] {
        let (medium, high) = (
            ConfidenceMap.threshold(level: 1, in: map.range), ConfidenceMap.threshold(level: 2, in: map.range)
        )
        let numbers = (0...255).map { layout.confidence(level: $0 >= high ? 2 : $0 >= medium ? 1 : 0) }
        let pixels = map.values.map { numbers[Int($0)] }
        return try PNG.encodeGray8(LumaImage(width: map.width, height: map.height, pixels: pixels))
    }

    // MARK: - In frame order

    public struct Fold {
        fileprivate var layout: any CaptureLayout
        fileprivate var count = 0
        fileprivate var pictureSize = OneSize()
    }

    public func begin(_ context: StageContext) throws(Problem) -> Fold {
        _ = try names(context)
        return Fold(layout: try layout.init(context))
    }

    public func fold(
        _ parcel: Parcel, of frame: inout Frame, into fold: inout Fold, in context: StageContext
    ) throws(Problem) {
        // None of the apps records pictures of several sizes, and readers take the first one's for all.
        if let camera = frame.intrinsics { try fold.pictureSize.add(pictures: camera.size) }
        try add(parcel, number: fold.count, to: &fold.layout, context)
        fold.count += 1
    }

    private func add<Layout: CaptureLayout>(
        _ parcel: Parcel, number: Int, to layout: inout Layout, _ context: StageContext
    ) throws(Problem) {
        guard let parcel = parcel.content as? CaptureParcel<Layout.Picture> else {
            throw Problem(.tool, "the frame was made ready for another layout")
        }
        let name = Layout.name(parcel.timestamp, of: context.capture.id) ?? FrameName.padded(number)
        try layout.add(parcel, name: name, number: number, context)
    }

    public func end(_ fold: consuming Fold, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        var layout = fold.layout
        try layout.finish(context)
        context.count("frames", fold.count)
        context.record(type(of: layout).turn(of: capture))
        context.warnUnlessUp(capture, "and the format's readers take \(format == .arkitscenes ? "z" : "y") for it")
        context.warnUnlessMetric(capture, "the capture may not be in metres")
    }
}
