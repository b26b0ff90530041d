import ScanFormats
import ScanModel
import ScanPipeline

/// `write-capture: {format: arkitscenes}`; see ``ARKitScenesCapture`` for what the files hold.
struct ARKitScenesLayout: CaptureLayout {
    static let claims = [
        "wide/", "wide_intrinsics/", "lowres_wide/", "lowres_wide_intrinsics/", "lowres_wide.traj", "lowres_depth/",
        "confidence/",
    ]

    static func name(_ timestamp: Int64, of id: String) -> String? {
        ARKitScenesText.name(video: id, timestamp: timestamp)
    }

    /// The only one of these formats whose world has z up.
    static func turn(of capture: Capture) -> WorldTurn { .zUp(capture) }

    /// The size that pictures and depth share: depth's, or the pictures' if they are smaller. Nil for captures without
    /// depth.
    static func mapSize(_ map: DepthMap?, _ frame: inout Frame, _ context: StageContext) throws(Problem) -> PixelSize? {
        let hasDepth = !context.reads.isDisjoint(with: [.depth, .recordedDepth])
        guard let size = map?.size ?? (hasDepth ? context.capture.depthSize : nil) else { return nil }
        let picture = try frame.loadRGB(context)
        return PixelSize(min(size.width, picture.width), min(size.height, picture.height))
    }

    /// A frame's picture at the size of depth and, if that is smaller than its own, at its own too.
    struct Pictures {
        typealias View = (camera: CameraIntrinsics, picture: PreparedPicture)
        let low: View
        let wide: View?
    }

    static func picture(
        of frame: inout Frame, mapSize: PixelSize?, quality: Int, _ context: StageContext
    ) throws(Problem) -> Pictures {
        let camera = try frame.facts.requiredIntrinsics
        let own = (camera, try PictureOutput(encoding: .png, quality: quality).prepare(&frame, context))
        guard let mapSize, mapSize != camera.size else { return Pictures(low: own, wide: nil) }
        let small = try PNG.encodeRGB(try frame.loadRGB(context).downscaled(to: mapSize))
        return Pictures(low: (camera.resized(to: mapSize), PreparedPicture(encoded: small, isPNG: true)), wide: own)
    }

    private let trajectory: OutputFile
    /// The size of the pictures in `lowres_wide/`, the same for all.
    private var lowSize: PixelSize?

    init(_ context: StageContext) throws(Problem) {
        trajectory = try context.output.create("lowres_wide.traj")
    }

    mutating func add(
        _ parcel: CaptureParcel<Pictures>, name: String, number: Int, _ context: StageContext
    ) throws(Problem) {
        try trajectory.write(ARKitScenesText.line(timestamp: parcel.timestamp, pose: parcel.pose))
        let (low, wide) = (parcel.picture.low, parcel.picture.wide)
        if let lowSize, lowSize != low.camera.size {
            throw Problem(
                .input,
                "the frame's small picture is \(low.camera.size), and those before are \(lowSize): they have depth's "
                    + "size, and the format has one size for all",
                fix: "drop those frames with select-frames"
            ).ofPipeline()
        }
        lowSize = low.camera.size
        if let wide { try write(wide, to: "wide", name, context) }
        try write(low, to: "lowres_wide", name, context)
        if let depth = parcel.depth { try context.output.write(depth.bytes, to: "lowres_depth/\(name).png") }
        if let confidence = parcel.confidence { try context.output.write(confidence, to: "confidence/\(name).png") }
    }

    private func write(
        _ view: Pictures.View, to folder: String, _ name: String, _ context: StageContext
    ) throws(Problem) {
        try context.output.write(ARKitScenesText.pincam(view.camera), to: "\(folder)_intrinsics/\(name).pincam")
        try view.picture.write(to: "\(folder)/\(name)", context)
    }

    mutating func finish(_ context: StageContext) throws(Problem) { try trajectory.close() }
}
