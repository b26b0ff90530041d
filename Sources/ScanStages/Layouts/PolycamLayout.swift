import ScanFormats
import ScanModel
import ScanPipeline

/// `write-capture: {format: polycam}`; see ``PolycamCapture`` for what the files hold.
struct PolycamLayout: CaptureLayout {
    static let claims = ["keyframes/"]
    static let extras: [Channel] = [.recordedConfidence, .sharpness]
    static let encodesJPEG = true

    static func name(_ timestamp: Int64, of id: String) -> String? { String(DecimalSeconds.microseconds(timestamp)) }

    static func confidence(level: Int) -> UInt8 { PolycamCamera.confidence(level: level) }

    static func takePicture(
        of frame: inout Frame, mapSize: PixelSize?, quality: Int, into parcel: inout CaptureParcel,
        _ context: StageContext
    ) throws(Problem) {
        guard parcel.timestamp >= 0 else {
            throw Problem(.input, "a time before 0 cannot be a name", notes: ["it is \(parcel.timestamp) ns"])
        }
        try parcel.takeJPEG(of: &frame, quality: quality, context)
        // Trainers leave out pictures with a low score, and polyform wants a score for each picture.
        if parcel.sharpness == nil { parcel.sharpness = try BlurScore.usual.score(&frame, context) }
    }

    init(_ context: StageContext) {}

    mutating func add(_ parcel: CaptureParcel, number: Int, _ context: StageContext) throws(Problem) {
        guard let name = parcel.name else { return }
        let camera = PolycamCamera.text(parcel.camera, parcel.pose, sharpness: parcel.sharpness)
        try context.output.write(camera, to: "keyframes/cameras/\(name).json")
        try parcel.picture?.write(as: "keyframes/images/\(name).jpg", context)
        if let depth = parcel.depth { try context.output.write(depth, to: "keyframes/depth/\(name).png") }
        if let confidence = parcel.confidence {
            try context.output.write(confidence, to: "keyframes/confidence/\(name).png")
        }
    }

    mutating func finish(_ context: StageContext) {}
}
