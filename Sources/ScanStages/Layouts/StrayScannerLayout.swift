import ScanFormats
import ScanModel
import ScanPipeline

/// `write-capture: {format: stray-scanner}`; see ``StrayScannerCapture`` for what the files hold.
struct StrayScannerLayout: VideoCaptureLayout {
    static let claims = ["odometry.csv", "camera_matrix.csv", "rgb.mp4", "depth/", "confidence/"]

    private let odometry: OutputFile
    private var video = VideoOutput(path: "rgb.mp4", isEven: true)
    private var camera = OneCamera()
    private var depthSize: PixelSize?

    init(_ context: StageContext) throws(Problem) {
        odometry = try context.output.create("odometry.csv")
        try odometry.write(StrayOdometry.header)
    }

    mutating func add(
        _ parcel: CaptureParcel<RGBImage>, name: String, number: Int, _ context: StageContext
    ) throws(Problem) {
        try odometry.write(StrayOdometry.line(timestamp: parcel.timestamp, name: name, pose: parcel.pose))
        if let depth = parcel.depth { try context.output.write(depth.bytes, to: "depth/\(name).png") }
        if let confidence = parcel.confidence { try context.output.write(confidence, to: "confidence/\(name).png") }
        try video.append(parcel.picture, at: parcel.timestamp, context)
        try camera.add(parcel.camera)
        // One map whose size differs from the app's is enough.
        if depthSize == nil || depthSize == Self.ownDepth { depthSize = parcel.depth?.size ?? depthSize }
    }

    mutating func finish(_ context: StageContext) throws(Problem) {
        try odometry.close()
        try video.finish(context)
        if let camera = camera.median(reportedTo: context) {
            try context.output.write(StrayCameraMatrix.text(camera), to: "camera_matrix.csv")
            warn(camera.size, context)
        }
    }

    /// What the app records, which its readers rely on: StrayVisualizer scales the camera by 256 / 1920 and 192 / 1440.
    private static let (ownVideo, ownDepth) = (PixelSize(1920, 1440), PixelSize(256, 192))

    private func warn(_ video: PixelSize, _ context: StageContext) {
        if video == Self.ownVideo && (depthSize ?? Self.ownDepth) == Self.ownDepth { return }
        let depth = depthSize.map { " and depth \($0)" } ?? ""
        context.warn(
            "the video is \(video)\(depth), and Stray Scanner's own are \(Self.ownVideo) and \(Self.ownDepth): readers that "
                + "scale camera_matrix.csv by those sizes, as StrayVisualizer does, get a wrong camera")
    }
}
