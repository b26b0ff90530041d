import ScanModel

extension CaptureInspection {
    /// A file of the capture, or a folder of picture files.
    public struct Stream: Hashable, Sendable {
        public var content: String
        /// Relative to the capture.
        public var file: String
        /// Nil for a folder whose files are not read.
        public var byteCount: Int64?
        /// Whole frames, samples of a sensor, or points.
        public var frameCount: Int?
        /// Frames or samples per second.
        public var rate: Double?
        public var size: PixelSize?
    }
}

extension CaptureInspection.Stream {
    /// All streams of a capture whose parts have been looked at.
    static func list(of capture: Capture, _ inspection: CaptureInspection) -> [Self] {
        let files = capture.files.filter { !Self.isPicture($0, of: capture) }
        let names = files.map { pattern(of: $0.path) }
        let alike = Dictionary(grouping: zip(names, files)) { $0.0 }.mapValues { $0.map(\.1) }
        var list: [Self] = []
        for (name, file) in zip(names, files) {
            guard let group = alike[name], group.count > 1 else {
                list.append(Self(file, of: capture, inspection))
                continue
            }
            // One line for the files of all frames.
            guard group.first == file else { continue }
            var stream = Self(file, of: capture, inspection)
            (stream.file, stream.byteCount) = (name, group.reduce(0) { $0 + $1.byteCount })
            stream.frameCount = stream.frameCount ?? group.count
            list.append(stream)
        }
        if let pictures = inspection.pictures {
            list += pictures.folders.map { folder in
                Self(
                    content: "pictures", file: name(of: folder, in: capture), byteCount: folder.byteCount,
                    frameCount: folder.count, size: folder.size)
            }
        }
        return list
    }

    /// `depth/*.png` of `depth/12.png`.
    private static func pattern(of path: String) -> String {
        let parts = path.allPathParts
        var name: [UInt8] = []
        var isNumber = false
        for byte in (parts.last ?? "").utf8 {
            if !byte.isASCIIDigit { name.append(byte) } else if !isNumber { name.append(UInt8(ascii: "*")) }
            isNumber = byte.isASCIIDigit
        }
        return (parts.dropLast() + [Substring(decoding: name, as: UTF8.self)]).joined(separator: "/")
    }

    /// Other files lie at the capture's top too, so the pictures there are called by their common pattern, if they have one.
    private static func name(of folder: CaptureInspection.Pictures.Folder, in capture: Capture) -> String {
        guard folder.path.isEmpty else { return folder.name }
        let atTop = capture.frames.compactMap(\.pictureFile).filter { !$0.contains("/") }
        let patterns = Set(atTop.map { pattern(of: $0) })
        guard patterns.count == 1, let pattern = patterns.first else { return folder.name }
        return pattern
    }

    private static func isPicture(_ file: InputFile, of capture: Capture) -> Bool {
        file.channels.contains(.color) && file.path != capture.video?.file
    }

    private init(_ file: InputFile, of capture: Capture, _ inspection: CaptureInspection) {
        self.init(content: "description", file: file.path, byteCount: file.byteCount)
        let held = file.channels.union(file.alsoHolds.intersection(capture.channels))
        if file.path == capture.video?.file {
            content = "video"
            frameCount = inspection.video?.facts.frameCount
            rate = inspection.video?.facts.averageRate
            size = inspection.video.map { PixelSize($0.facts.width, $0.facts.height) }
        } else if held.count > 1 {
            let names = [(Channel.color, "pictures"), (.recordedDepth, "depth"), (.motion, "motion")]
            content = names.filter { held.contains($0.0) }.map(\.1).joined(separator: ", ")
            frameCount = capture.frames.count
            rate = inspection.clock?.rate
        } else if held.contains(.recordedDepth) {
            content = "depth"
            frameCount = inspection.depth?.frameCount
            size = capture.depthSize
        } else if held.contains(.recordedConfidence) {
            content = "confidence"
            frameCount = inspection.confidence?.frameCount
            size = inspection.confidence?.size
        } else if held.contains(.points) {
            content = "points"
            frameCount = capture.findings["points"]?.integer.map { Int($0) }
        } else if held.contains(.cloud) {
            content = "points"
            frameCount = capture.cloud?.count
        } else if held.contains(.box) {
            content = "box"
        } else if held.contains(.mask) {
            content = "mask"
        } else if held.contains(.motion) {
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
