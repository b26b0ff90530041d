import ScanFormats
import ScanModel

/// The camera lines of a staging capture: the recorder's own with the frame's number in the source added, or new ones for
/// captures of other formats.
struct StagingLines {
    private let file: String
    /// The recorder's lines, read from the start to the end, since frames come in order.
    private var recorder: BufferedSource?
    /// The picture size that the recorder's metadata still give, and so the one that readers take intrinsics to refer
    /// to. The pictures themselves may have been resized since.
    private let resolution: PixelSize?

    init(of capture: Capture) throws(Problem) {
        file = capture.cameraLineFile ?? "camera lines"
        resolution = try StagingContent.recordedMetadata(of: capture)?.colorStream?.size
        if let name = capture.cameraLineFile { recorder = BufferedSource(try capture.source.open(name)) }
    }

    /// The line of a frame, which comes after all earlier ones in the source; without a line ending.
    mutating func line(of frame: FrameFacts) throws(Problem) -> [UInt8] {
        let recorded = try recordedLine(of: frame)
        if let recorded {
            let line = try recorded.withUnsafeBufferPointer { (bytes) throws(Problem) in
                try CameraLine(bytes, file: file)
            }
            // A stage that moves or changes cameras changes the frame's facts, so the recorded line is no longer true.
            if line.pose == frame.pose, line.timestamp == frame.timestamp, hasCamera(of: line, frame) {
                return try CameraLines.rewrite(recorded, addingSourceFrame: frame.index, file: file)
            }
        }
        let (timestamp, pose) = (try frame.requiredTimestamp, try frame.requiredPose)
        var intrinsics = try frame.requiredIntrinsics
        if let resolution, resolution != intrinsics.size {
            intrinsics = intrinsics.resized(to: resolution)
        }
        guard let recorded else {
            return try CameraLines.line(
                timestamp: timestamp, intrinsics: intrinsics, pose: pose, exposure: frame.exposure,
                extra: ["source_frame": .of(frame.index)])
        }
        return try CameraLines.rewrite(
            recorded, timestamp: timestamp, intrinsics: intrinsics, pose: pose, sourceFrame: frame.index, file: file)
    }

    /// Whether a frame still has the camera of its recorded line, which the reader has scaled to the pictures' size.
    private func hasCamera(of line: CameraLine, _ frame: FrameFacts) -> Bool {
        guard let camera = frame.intrinsics else { return true }
        let size = resolution ?? camera.size
        return line.intrinsics(width: size.width, height: size.height).resized(to: camera.size) == camera
    }

    private mutating func recordedLine(of frame: FrameFacts) throws(Problem) -> [UInt8]? {
        guard let span = frame.line, var source = recorder.take() else { return nil }
        defer { recorder = source }
        while source.offset < span.offset {
            try source.fill(1)
            if source.unread.isEmpty { break }
            source.consume(Int(min(Int64(source.unread.count), span.offset - source.offset)))
        }
        try source.fill(span.count)
        guard source.offset == span.offset, source.unread.count >= span.count else {
            throw Problem(.input, "the file became shorter while it was read")
                .at(file: file, byte: span.offset, of: source.byteCount)
        }
        return try source.withBytes(source.unread.prefix(span.count)) { (bytes) throws(Problem) in Array(bytes) }
    }
}
