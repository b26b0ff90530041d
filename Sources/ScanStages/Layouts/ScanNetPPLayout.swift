import ScanFormats
import ScanModel
import ScanPipeline

/// `write-capture: {format: scannetpp}`; see ``ScanNetPPCapture`` for what the files hold.
struct ScanNetPPLayout: VideoCaptureLayout {
    static let claims = ["pose_intrinsic_imu.json", "depth.bin", "rgb.mkv"]
    static let extras: [Channel] = []

    static func check(depth size: PixelSize, isAsRecorded: Bool) throws(Problem) {
        // The file does not give the maps' size; readers assume the app's own, or one of 4 : 3.
        if 3 * size.width == 4 * size.height { return }
        throw Problem(
            .usage, "ScanNet++'s depth file has no place for maps of \(size): they are 4 : 3",
            fix: "write another format"
                + (size.width >= size.height
                    ? "" : isAsRecorded ? ", or put `turn: {quarter-turns: 1}` above it" : ", or take `turn` out"))
    }

    static func depthFile(_ image: Gray16Image) throws(Problem) -> [UInt8] {
        try check(depth: image.size, isAsRecorded: false)
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
            let what =
                if let own = parcel.depth?.size, let before = depthSize {
                    "the frame's depth is \(own), and that of the one before it is \(before): the format has one size for all"
                } else {
                    "the frame has \(parcel.depth == nil ? "no depth" : "depth"), and the one before it has "
                        + "\(depthSize == nil ? "none" : "some"): the format's depth has a map for every frame"
                }
            throw Problem(.input, what, fix: "drop those frames with select-frames").ofPipeline()
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
