import ScanFormats
import ScanModel
import ScanPipeline

/// `write-capture: {format: 3d-scanner-app}`; see ``ThreeDScannerCapture`` for what the files hold.
struct ThreeDScannerLayout: CaptureLayout {
    /// A folder of its own, since single files cannot be claimed by name for all frames.
    private static let folder = "3d-scanner-app"
    static let claims = ["\(folder)/"]
    static let extras: [Channel] = [.recordedConfidence, .exposure]
    static let encodesJPEG = true

    static func picture(
        of frame: inout Frame, mapSize: PixelSize?, quality: Int, _ context: StageContext
    ) throws(Problem) -> PreparedPicture {
        try jpeg(of: &frame, quality: quality, context)
    }

    init(_ context: StageContext) {}

    mutating func add(
        _ parcel: CaptureParcel<PreparedPicture>, name: String, number: Int, _ context: StageContext
    ) throws(Problem) {
        let camera = ThreeDScannerFrame.text(
            index: number, timestamp: parcel.timestamp, pose: parcel.pose, camera: parcel.camera,
            exposure: parcel.exposure)
        func path(_ name: String) -> String { "\(Self.folder)/\(name)" }
        let stem = ThreeDScannerFrame.stem(number)
        try context.output.write(camera, to: path(ThreeDScannerFrame.file(number)))
        try parcel.picture.write(as: path("frame_\(stem).jpg"), context)
        if let depth = parcel.depth { try context.output.write(depth.bytes, to: path("depth_\(stem).png")) }
        if let confidence = parcel.confidence { try context.output.write(confidence, to: path("conf_\(stem).png")) }
    }

    mutating func finish(_ context: StageContext) {}
}
