import ScanFormats
import ScanModel
import ScanPipeline

/// `write-capture: {format: scannetpp}`; see ``ScanNetPPCapture`` for what the files hold.
struct ScanNetPPLayout: VideoCaptureLayout {
    static let claims = ["pose_intrinsic_imu.json", "depth.bin", "rgb.mkv"]
    static let extras: [Channel] = []

    static func depthFile(_ image: Gray16Image) throws(Problem) -> [UInt8] {
        // The file does not give the maps' size; readers assume the app's own, or one of 4 : 3.
        if 3 * image.width != 4 * image.height {
            throw Problem(
                .usage,
                "ScanNet++'s depth file has no place for maps of \(image.size): they are 4 : 3",
                fix: "write another format" + (image.width < image.height ? ", or take `turn` out" : ""))
        }
        return try ScanNetPPDepth.chunk(image)
    }

    private let poses: OutputFile
    private var video = VideoOutput(path: "rgb.mkv", container: .matroska, isEven: true)
    private var depth: OutputFile?
    private var depthSize: PixelSize?

    init(_ context: StageContext) throws(Problem) { poses = try context.output.create("pose_intrinsic_imu.json") }

    mutating func add(
        _ parcel: CaptureParcel<RGBImage>, name: String, number: Int, _ context: StageContext
    ) throws(Problem) {
        var entry = JSONWriter(pretty: false)
        entry.object { entry in
            ScanNetPPPoses.write(
                name, timestamp: parcel.timestamp, pose: parcel.pose, camera: parcel.camera, to: &entry)
        }
        // Members of one object, each from its own writer, so without that writer's braces.
        try poses.write(Array((number == 0 ? "{\n" : ",\n").utf8) + entry.drain().dropFirst().dropLast())
        if number > 0, parcel.depth?.size != depthSize {
            throw Problem(
                .input,
                "the depth of the frames differs in size, or some have none, which the format cannot hold",
                fix: "drop those frames with select-frames"
            ).ofPipeline()
        }
        if let chunk = parcel.depth {
            if depth == nil { depth = try context.output.create("depth.bin") }
            depthSize = chunk.size
            try depth?.write(chunk.bytes)
        }
        try video.append(parcel.picture, at: parcel.timestamp, context)
    }

    mutating func finish(_ context: StageContext) throws(Problem) {
        try poses.write("\n}\n")
        try poses.close()
        try depth?.close()
        try video.finish(context)
        guard let depthSize, depthSize != Self.ownDepth else { return }
        context.warn(
            "depth is \(depthSize), and ScanNet++'s own is \(Self.ownDepth): the file does not record its size, and "
                + "the dataset's own tools assume theirs")
    }

    private static let ownDepth = PixelSize(256, 192)
}
