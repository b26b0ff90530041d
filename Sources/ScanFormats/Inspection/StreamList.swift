import ScanModel

extension CaptureInspection {
    /// A file of the capture, or a folder of picture files.
    public struct Stream: Hashable, Sendable {
        public var content: String
        /// Relative to the capture.
        public var file: String
        /// Nil for a folder whose files are not read.
        public var byteCount: Int64?
        /// Whole frames, or samples of a sensor.
        public var frameCount: Int?
        /// Frames or samples per second.
        public var rate: Double?
        public var size: PixelSize?
    }
}

extension CaptureInspection.Stream {
    /// All streams of a capture whose parts have been looked at.
    static func list(of capture: Capture, _ inspection: CaptureInspection) -> [Self] {
        var list = capture.files.filter { !Self.isPicture($0, of: capture) }.map { file in
            Self(file, of: capture, inspection)
        }
        if let pictures = inspection.pictures {
            list += pictures.folders.prefix(1).map { folder in
                Self(
                    content: "pictures", file: "\(folder)/", byteCount: pictures.byteCount, frameCount: pictures.count,
                    size: pictures.sizes.first?.size)
            }
        }
        return list
    }

    private static func isPicture(_ file: InputFile, of capture: Capture) -> Bool {
        file.channels.contains(.color) && file.path != capture.videoFile
    }

    private init(_ file: InputFile, of capture: Capture, _ inspection: CaptureInspection) {
        self.init(content: "description", file: file.path, byteCount: file.byteCount)
        if file.path == capture.videoFile {
            content = "video"
            frameCount = inspection.video?.facts.frameCount
            rate = inspection.video?.facts.averageRate
            size = inspection.video.map { PixelSize($0.facts.width, $0.facts.height) }
        } else if file.channels.contains(.recordedDepth) {
            content = "depth"
            frameCount = inspection.depth?.frameCount
            size = capture.depthSize
        } else if file.channels.contains(.recordedConfidence) {
            content = "confidence"
            frameCount = inspection.confidence?.frameCount
            size = inspection.confidence?.size
        } else if file.channels.contains(.box) {
            content = "box"
        } else if file.channels.contains(.motion) {
            let motion = inspection.motion.first { $0.file == file.path }
            content = "motion"
            frameCount = motion?.facts.sampleCount
            rate = motion?.facts.rate
        } else if file.path.hasSuffix(".jsonl") {
            content = "camera lines"
            frameCount = inspection.clock?.timestampCount
            rate = inspection.clock?.rate
        }
    }
}
