import ScanFormats
import ScanModel
import ScanPipeline

/// What is ready of a frame when its turn to be written comes.
struct CaptureParcel: Sendable {
    /// Nanoseconds.
    var timestamp: Int64
    var pose: Pose
    var camera: CameraIntrinsics
    var sharpness: Double?
    /// A PNG of millimetres, or a chunk of ScanNet++'s depth file.
    var depth: [UInt8]?
    var depthSize: PixelSize?
    /// A PNG in the format's own numbers.
    var confidence: [UInt8]?
    /// For formats whose pictures are files.
    var picture: PreparedPicture?
    /// The picture once more at the size of depth, with its camera, where that is another.
    var small: (camera: CameraIntrinsics, picture: PreparedPicture)?
    /// For formats whose pictures are a video.
    var pixels: RGBImage?
}

/// A capture of some app on its way out, frame by frame.
protocol CaptureLayout {
    /// The paths that only this layout writes.
    static var claims: [String] { get }
    /// Whether ffmpeg is needed.
    static var hasVideo: Bool { get }

    init(_ context: StageContext) throws(Problem)
    /// - Parameter number: of the frames that are written, from 0.
    mutating func add(_ parcel: CaptureParcel, number: Int, _ context: StageContext) throws(Problem)
    mutating func finish(_ context: StageContext) throws(Problem)
}

struct StrayScannerLayout: CaptureLayout {
    static let claims = ["odometry.csv", "camera_matrix.csv", "rgb.mp4", "depth/", "confidence/"]
    static let hasVideo = true

    private let odometry: OutputFile
    private var video = StagingEncoder(path: "rgb.mp4")
    private var camera = OneCamera()
    private var depthSize: PixelSize?

    init(_ context: StageContext) throws(Problem) {
        odometry = try context.output.create("odometry.csv")
        try odometry.write(StrayOdometry.header)
    }

    mutating func add(_ parcel: CaptureParcel, number: Int, _ context: StageContext) throws(Problem) {
        let name = FrameName.padded(number)
        try odometry.write(StrayOdometry.line(timestamp: parcel.timestamp, name: name, pose: parcel.pose))
        if let depth = parcel.depth { try context.output.write(depth, to: "depth/\(name).png") }
        if let confidence = parcel.confidence { try context.output.write(confidence, to: "confidence/\(name).png") }
        if let pixels = parcel.pixels { try video.append(pixels, at: parcel.timestamp, context) }
        try camera.add(parcel.camera)
        // One map of another size than the app's is enough.
        if depthSize == nil || depthSize == Self.ownDepth { depthSize = parcel.depthSize ?? depthSize }
    }

    mutating func finish(_ context: StageContext) throws(Problem) {
        try odometry.close()
        try video.finish(context)
        if let camera = camera.settled(context) {
            try context.output.write(Array(StrayCameraMatrix.text(camera).utf8), to: "camera_matrix.csv")
            warn(PixelSize(camera.width, camera.height), context)
        }
    }

    /// What the app records, which its readers count on: StrayVisualizer scales the camera by 256 / 1920 and 192 / 1440.
    private static let (ownVideo, ownDepth) = (PixelSize(1920, 1440), PixelSize(256, 192))

    private func warn(_ video: PixelSize, _ context: StageContext) {
        if video == Self.ownVideo && (depthSize ?? Self.ownDepth) == Self.ownDepth { return }
        let depth = depthSize.map { " and depth \($0)" } ?? ""
        context.warn(
            "the video is \(video)\(depth), and Stray Scanner's own are \(Self.ownVideo) and \(Self.ownDepth): readers that "
                + "scale camera_matrix.csv by those sizes, as StrayVisualizer does, get a wrong camera")
    }
}

struct PolycamLayout: CaptureLayout {
    static let claims = ["keyframes/"]
    static let hasVideo = false

    private var names: Set<String> = []

    init(_ context: StageContext) {}

    mutating func add(_ parcel: CaptureParcel, number: Int, _ context: StageContext) throws(Problem) {
        guard parcel.timestamp >= 0 else {
            throw Problem(.input, "a time before 0 cannot be a name", notes: ["it is \(parcel.timestamp) ns"])
        }
        let name = String(DecimalSeconds.microseconds(parcel.timestamp))
        guard names.insert(name).inserted else { throw FrameName.collision("\(name) µs") }
        let camera = PolycamCamera.text(parcel.camera, parcel.pose, sharpness: parcel.sharpness)
        try context.output.write(camera, to: "keyframes/cameras/\(name).json")
        switch parcel.picture {
        case .file(let file, _): try context.output.copy(file, of: context.capture, to: "keyframes/images/\(name).jpg")
        case .encoded(let bytes, _): try context.output.write(bytes, to: "keyframes/images/\(name).jpg")
        case nil: break
        }
        if let depth = parcel.depth { try context.output.write(depth, to: "keyframes/depth/\(name).png") }
        if let confidence = parcel.confidence {
            try context.output.write(confidence, to: "keyframes/confidence/\(name).png")
        }
    }

    mutating func finish(_ context: StageContext) {}
}

struct ScanNetPPLayout: CaptureLayout {
    static let claims = ["pose_intrinsic_imu.json", "depth.bin", "rgb.mkv"]
    static let hasVideo = true

    private let poses: OutputFile
    private var json = JSONWriter(pretty: false)
    private var video = StagingEncoder(path: "rgb.mkv", container: .matroska)
    private var depth: OutputFile?
    private var depthSize: PixelSize?
    private var start: Int64?

    init(_ context: StageContext) throws(Problem) { poses = try context.output.create("pose_intrinsic_imu.json") }

    mutating func add(_ parcel: CaptureParcel, number: Int, _ context: StageContext) throws(Problem) {
        var entry = JSONWriter(pretty: false)
        entry.object { entry in
            ScanNetPPPoses.write(
                FrameName.padded(number), timestamp: parcel.timestamp, pose: parcel.pose, camera: parcel.camera,
                to: &entry)
        }
        // Members of one object, each from a writer of its own: without its braces.
        try poses.write(Array((number == 0 ? "{\n" : ",\n").utf8) + entry.drain().dropFirst().dropLast())
        if number > 0, (parcel.depth == nil) != (depth == nil) || parcel.depthSize != depthSize {
            throw Problem(
                .input,
                "the depth of the frames differs in size, or some have none, and the format has no place for that",
                fix: "drop those frames with select-frames")
        }
        if let chunk = parcel.depth {
            if depth == nil { depth = try context.output.create("depth.bin") }
            depthSize = parcel.depthSize
            try depth?.write(chunk)
        }
        let first = start ?? parcel.timestamp
        start = first
        let elapsed = DecimalSeconds.rounded(parcel.timestamp - first, places: 3)
        if let pixels = parcel.pixels { try video.append(pixels, at: elapsed, context) }
    }

    mutating func finish(_ context: StageContext) throws(Problem) {
        try poses.write("\n}\n")
        try poses.close()
        try depth?.close()
        try video.finish(context)
    }
}

struct ARKitScenesLayout: CaptureLayout {
    static let claims = [
        "wide/", "wide_intrinsics/", "lowres_wide/", "lowres_wide_intrinsics/", "lowres_wide.traj", "lowres_depth/",
        "confidence/",
    ]
    static let hasVideo = false

    private let trajectory: OutputFile
    private let turn: WorldTurn
    private var names: Set<String> = []
    /// Of the pictures in `lowres_wide/`, all of one size.
    private var lowSize: PixelSize?

    init(_ context: StageContext) throws(Problem) {
        trajectory = try context.output.create("lowres_wide.traj")
        turn = context.capture.worldUp == Vector3(0, 1, 0) ? .yUpToZUp : .none
    }

    mutating func add(_ parcel: CaptureParcel, number: Int, _ context: StageContext) throws(Problem) {
        let name = ARKitScenesText.name(video: context.capture.id, timestamp: parcel.timestamp)
        guard names.insert(name).inserted else {
            throw FrameName.collision("\(DecimalSeconds.text(parcel.timestamp, places: 3)) s")
        }
        try trajectory.write(ARKitScenesText.line(timestamp: parcel.timestamp, pose: turn.apply(parcel.pose)))
        let low = parcel.small?.camera ?? parcel.camera
        if let lowSize, lowSize != PixelSize(low.width, low.height) {
            throw Problem(
                .input,
                "the depth of the frames differs in size, or some have none, and ARKitScenes' pictures have depth's size",
                fix: "drop those frames with select-frames")
        }
        lowSize = PixelSize(low.width, low.height)
        if let small = parcel.small {
            try write(parcel.picture, parcel.camera, to: "wide", name, context)
            try write(small.picture, small.camera, to: "lowres_wide", name, context)
        } else {
            try write(parcel.picture, parcel.camera, to: "lowres_wide", name, context)
        }
        if let depth = parcel.depth { try context.output.write(depth, to: "lowres_depth/\(name).png") }
        if let confidence = parcel.confidence { try context.output.write(confidence, to: "confidence/\(name).png") }
    }

    private func write(
        _ picture: PreparedPicture?, _ camera: CameraIntrinsics, to folder: String, _ name: String,
        _ context: StageContext
    ) throws(Problem) {
        let text = ARKitScenesText.pincam(camera)
        try context.output.write(Array(text.utf8), to: "\(folder)_intrinsics/\(name).pincam")
        _ = try picture?.write(to: "\(folder)/\(name)", context)
    }

    mutating func finish(_ context: StageContext) throws(Problem) { try trajectory.close() }
}
