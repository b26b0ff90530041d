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

    struct ScoredPicture {
        let jpeg: PreparedPicture
        let sharpness: Double
    }

    static func picture(
        of frame: inout Frame, mapSize: PixelSize?, quality: Int, _ context: StageContext
    ) throws(Problem) -> ScoredPicture {
        let timestamp = try frame.facts.requiredTimestamp
        guard timestamp >= 0 else {
            throw Problem(.input, "a time before 0 cannot be a name", notes: ["it is \(timestamp) ns"])
        }
        let jpeg = try jpeg(of: &frame, quality: quality, context)
        // Trainers leave out pictures with a low score, and polyform wants a score for each picture.
        let sharpness = if let score = frame.sharpness { score } else { try BlurScore.usual.score(&frame, context) }
        return ScoredPicture(jpeg: jpeg, sharpness: sharpness)
    }

    init(_ context: StageContext) {}

    mutating func add(
        _ parcel: CaptureParcel<ScoredPicture>, name: String, number: Int, _ context: StageContext
    ) throws(Problem) {
        let camera = PolycamCamera.text(parcel.camera, parcel.pose, sharpness: parcel.picture.sharpness)
        try context.output.write(camera, to: "keyframes/cameras/\(name).json")
        try parcel.picture.jpeg.write(as: "keyframes/images/\(name).jpg", context)
        if let depth = parcel.depth { try context.output.write(depth.bytes, to: "keyframes/depth/\(name).png") }
        if let confidence = parcel.confidence {
            try context.output.write(confidence, to: "keyframes/confidence/\(name).png")
        }
    }

    mutating func finish(_ context: StageContext) {}
}
