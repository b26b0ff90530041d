import ScanModel

/// How the colour pictures of a written capture are stored.
public struct ColorStorage: Hashable, Sendable {
    /// `h264`, `jpeg`, `png`.
    public var encoding: String
    /// `mp4`, `jpg`, `png`.
    public var fileExtension: String

    public init(encoding: String, fileExtension: String) {
        self.encoding = encoding
        self.fileExtension = fileExtension
    }

    public static let h264 = ColorStorage(encoding: "h264", fileExtension: "mp4")
    public static let jpeg = ColorStorage(encoding: "jpeg", fileExtension: "jpg")
    public static let png = ColorStorage(encoding: "png", fileExtension: "png")
}

extension ScanMetadata {
    /// The metadata of a capture made from this one: the same object, with the counts of what was written and the
    /// streams at the positions where MultiScan's server expects them: colour, depth, confidence, camera lines, then
    /// the rest.
    /// - Parameters:
    ///   - frameCount: of colour, depth, confidence and camera lines; motion streams keep theirs.
    ///   - fileCount: for `number_of_files`.
    ///   - color: how the pictures are stored now; nil when that did not change.
    ///   - depthUnit: the unit of the depth values now; nil when that did not change.
    ///   - without: streams that were not written. They are not listed, except for colour, which is listed without frames:
    ///     the intrinsics refer to its resolution.
    public func output(
        frameCount: Int, fileCount: Int, color: ColorStorage? = nil, depthUnit: DepthUnit? = nil,
        without: Set<ScanStream.Role> = []
    ) -> JSONValue {
        var json = json
        var entries: [(rank: Int, value: JSONValue)] = []
        for (stream, value) in zip(streams, json["streams"]?.array ?? [])
        where stream.role == .color || !without.contains(stream.role) {
            guard var entry = value.object else { continue }
            let rank = stream.role.outputRank
            if rank < Self.restRank {
                entry["number_of_frames"] = .of(without.contains(stream.role) ? 0 : frameCount)
            }
            if stream.role == .color, let color {
                entry["encoding"] = .string(color.encoding)
                entry["file_extension"] = .string(color.fileExtension)
            }
            if stream.role == .depth, let depthUnit { entry["encoding"] = .string(depthUnit.streamEncoding) }
            entries.append((rank, .object(entry)))
        }
        // Rank by rank, since sorting does not promise to keep the order of equal elements.
        json["streams"] = .array(
            (0...Self.restRank).flatMap { rank in entries.filter { $0.rank == rank }.map(\.value) })
        json["number_of_files"] = .of(fileCount)
        if let depthUnit { json["depth_unit"] = .string(depthUnit.rawValue) }
        if without.contains(.confidence) {
            for key in Self.confidenceKeys where json[key] != nil { json[key] = .bool(false) }
        }
        return .object(json)
    }

    /// The metadata of a capture whose frames were given other cameras: intrinsics for a whole stream no longer hold,
    /// quarter turns swap width and height, and pictures may have another size. Metadata of other formats is unchanged.
    /// - Parameter colorSize: the pictures' new size.
    public static func ofOtherCameras(
        _ metadata: JSONValue, quarterTurns: Int = 0, colorSize: PixelSize? = nil
    ) -> JSONValue {
        guard var json = metadata.object, let streams = json["streams"]?.array else { return metadata }
        json["streams"] = .array(
            streams.map { stream in
                guard var entry = stream.object else { return stream }
                if entry["intrinsics"] != nil { entry["intrinsics"] = .null }
                if quarterTurns % 2 != 0, let size = entry["resolution"]?.array, size.count == 2 {
                    entry["resolution"] = .array(size.reversed())
                }
                let text = { (key: String) in entry[key]?.string ?? "" }
                if let colorSize,
                    ScanStream.role(type: text("type"), id: text("id"), fileExtension: text("file_extension")) == .color
                {
                    entry["resolution"] = .of([colorSize.height, colorSize.width])
                }
                return .object(entry)
            })
        return .object(json)
    }

    /// What is known of a capture of another format, for ``make(_:)``.
    public struct Facts: Sendable {
        public var deviceType = ""
        public var deviceName = ""
        public var frameCount: Int
        public var fileCount: Int
        /// Frames per second, 0 where unknown.
        public var frequency = 0.0
        public var colorSize: PixelSize
        /// Nil without pictures: the stream is listed without frames, since the intrinsics refer to its resolution.
        public var color: ColorStorage?
        /// One camera for all frames, where there is one.
        public var intrinsics: CameraIntrinsics?
        /// Nil without depth.
        public var depthSize: PixelSize?
        public var depthUnit = DepthUnit.metres
        /// Nil without confidence.
        public var confidenceRange: ClosedRange<Int>?
        /// Samples and samples per second of each motion stream.
        public var motion: [(kind: MotionKind, samples: Int, rate: Double)] = []

        public init(frameCount: Int, fileCount: Int, colorSize: PixelSize, color: ColorStorage?) {
            self.frameCount = frameCount
            self.fileCount = fileCount
            self.colorSize = colorSize
            self.color = color
        }
    }

    /// The metadata of a capture that came from another format, in the iOS app's layout.
    public static func make(_ facts: Facts) -> JSONValue {
        var streams: [JSONValue] = []
        func add(
            _ id: String, _ type: String, _ encoding: String, _ fileExtension: String, size: PixelSize? = nil,
            intrinsics: CameraIntrinsics? = nil, frames: Int? = nil, rate: Double? = nil
        ) {
            var stream: JSONObject = [
                "id": .string(id), "type": .string(type), "encoding": .string(encoding),
                "frequency": .integer(Int64(exactly: (rate ?? facts.frequency).rounded()) ?? 0),
                "number_of_frames": .of(frames ?? facts.frameCount), "file_extension": .string(fileExtension),
            ]
            if let size {
                stream["resolution"] = .of([size.height, size.width])
                stream["intrinsics"] = intrinsics.map { .of($0.counted(from: .arKit).columnMajor) } ?? .null
                stream["extrinsics"] = .null
            }
            streams.append(.object(stream))
        }
        let color = facts.color ?? .h264
        add(
            "color_back_1", "color_camera", color.encoding, color.fileExtension, size: facts.colorSize,
            intrinsics: facts.intrinsics, frames: facts.color == nil ? 0 : nil)
        if let size = facts.depthSize {
            add("depth_back_1", "lidar_sensor", facts.depthUnit.streamEncoding, "depth.zlib", size: size)
        }
        if facts.confidenceRange != nil {
            add("confidence_map", "confidence_map", "uint8_zlib", "confidence.zlib")
        }
        add("camera_info_color_back_1", "camera_info", "jsonl", "jsonl")
        for (kind, samples, rate) in facts.motion {
            add("\(kind.rawValue)_1", kind.rawValue, "bin", kind.rawValue, frames: samples, rate: rate)
        }

        var json: JSONObject = [
            "device": .object([
                "id": .string(""), "type": .string(facts.deviceType), "name": .string(facts.deviceName),
            ]),
            "scene": .object(["type": .string(""), "gps_location": .array([]), "description": .string("")]),
            "user": .object(["name": .string("")]),
            "depth_unit": .string(facts.depthUnit.rawValue),
            "depth_confidence_avaliable": .bool(facts.confidenceRange != nil),
        ]
        if let range = facts.confidenceRange {
            json["depth_confidence_value_range"] = .of([range.lowerBound, range.upperBound])
        }
        json["camera_orientation_euler_angles_format"] = .string("xyz")
        json["number_of_files"] = .of(facts.fileCount)
        json["streams"] = .array(streams)
        return .object(json)
    }

    fileprivate static let restRank = 4
}

extension ScanMetadata.DepthUnit {
    /// The depth stream's `encoding`.
    fileprivate var streamEncoding: String {
        switch self {
        case .metres: "float16_zlib"
        case .millimetres: "uint16_zlib"
        }
    }
}

extension ScanStream.Role {
    /// The place of the stream in an output's list.
    fileprivate var outputRank: Int {
        switch self {
        case .color: 0
        case .depth: 1
        case .confidence: 2
        case .cameraInfo: 3
        case .motion, .other: ScanMetadata.restRank
        }
    }
}
