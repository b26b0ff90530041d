import ScanModel

/// The description of a MultiScan capture, `<id>.json`.
///
/// Streams are found by what they are, never by position: recordings with motion sensors list those first. Labels
/// (device, scene, user) are nil where they are not text; the numbers that geometry depends on have to be right.
public struct ScanMetadata: Equatable, Sendable {
    /// The unit of a depth value, from the key `depth_unit`; metres where there is none, as in files of older iOS apps. The
    /// depth stream's `encoding` does not say it: Android calls its 16-bit millimetres `uint8_zlib`.
    public enum DepthUnit: String, Hashable, Sendable, CaseIterable {
        case metres = "m"
        case millimetres = "mm"

        /// How a depth pixel is stored: half floats in metres (iOS), or the low 13 of 16 bits in millimetres (Android).
        public var encoding: DepthEncoding {
            switch self {
            case .metres: .float16Metres
            case .millimetres: .uint16(unitsPerMetre: 1000, mask: 0x1FFF)
            }
        }
    }

    /// The longest side of a picture or a depth map that is accepted, in pixels.
    public static let sideLimit = 32_768

    /// Everything that was read, including unknown keys, in the file's order.
    public let json: JSONObject
    public let deviceType: String?
    public let deviceName: String?
    public let depthUnit: DepthUnit
    /// Whether the file itself gives the unit.
    var saysDepthUnit: Bool { json["depth_unit"].map { $0 != .null } ?? false }
    /// Whether quaternions have the order of Android's app.
    var hasAndroidQuaternions: Bool { json["camera_orientation_quaternion_format"]?.string == "xyzw" }
    /// The spellings of the key that says whether confidence was recorded: the iOS app's, Android's and the
    /// documentation's, a third app's.
    static let confidenceKeys = ["avaliable", "available", "avaiable"].map { "depth_confidence_\($0)" }
    /// The worst and the best confidence value: 0...2 on iOS and where nothing is said, 0...255 on Android.
    public let confidenceRange: ClosedRange<Int>
    public let streams: [ScanStream]

    public var colorStream: ScanStream? { streams.first { $0.role == .color } }
    public var depthStream: ScanStream? { streams.first { $0.role == .depth } }
    public var confidenceStream: ScanStream? { streams.first { $0.role == .confidence } }
    public var cameraInfoStream: ScanStream? { streams.first { $0.role == .cameraInfo } }
    public func motionStream(_ kind: MotionKind) -> ScanStream? { streams.first { $0.role == .motion(kind) } }

    /// - Throws: fault `input`, naming the JSON path of a value that does not fit.
    public init(_ json: JSONValue, file: String) throws(Problem) { try self.init(JSONField(json, file: file)) }

    init(_ root: JSONField) throws(Problem) {
        json = try root.object()
        deviceType = root["device"]["type"].value?.string
        deviceName = root["device"]["name"].value?.string

        depthUnit =
            try root["depth_unit"].ifPresent { (field) throws(Problem) in
                guard let unit = DepthUnit(rawValue: try field.text()) else { throw field.unlike("“m” or “mm”") }
                return unit
            } ?? .metres
        confidenceRange =
            try root["depth_confidence_value_range"].ifPresent { (field) throws(Problem) in
                let ends = try field.elements()
                guard ends.count == 2 else { throw field.unlike("[lowest, highest]") }
                let low = try ends[0].whole(in: 0...254)
                return low...(try ends[1].whole(in: low + 1...255))
            } ?? 0...2

        var streams: [ScanStream] = []
        for field in try root["streams"].elements() { streams.append(try ScanStream(field)) }
        self.streams = streams
    }
}

/// One stream of a MultiScan capture, as its metadata lists it.
public struct ScanStream: Hashable, Sendable {
    public enum Role: Hashable, Sendable {
        case color, depth, confidence, cameraInfo
        case motion(MotionKind)
        case other
    }

    public let role: Role
    public let id: String?
    public let type: String?
    public let encoding: String?
    /// What follows `<id>.` in the file's name: `depth.zlib`.
    public let fileExtension: String?
    /// Nominal frames per second; nil for the 0 that the app writes when it does not know.
    public let frequency: Double?
    public let frameCount: Int?
    public let size: PixelSize?
    /// One camera for the whole stream, from `intrinsics` (column by column); the camera lines hold each frame's own.
    public let intrinsics: CameraIntrinsics?
    /// Whether depth comes from two cameras.
    var isStereo: Bool { type == "dual_camera_stereo_depth" }

    init(_ field: JSONField) throws(Problem) {
        _ = try field.object()
        id = field["id"].value?.string
        type = field["type"].value?.string
        encoding = field["encoding"].value?.string
        fileExtension = field["file_extension"].value?.string
        role = Self.role(type: type ?? "", id: id ?? "", fileExtension: fileExtension ?? "")
        let frequency = try field["frequency"].ifPresent { (field) throws(Problem) in
            let value = try field.number()
            guard value >= 0, value <= 1e6 else { throw field.unlike("frames per second") }
            return value
        }
        self.frequency = frequency == 0 ? nil : frequency
        frameCount = try field["number_of_frames"].ifPresent { (field) throws(Problem) in
            try field.whole(in: 0...Int(Int32.max))
        }
        size = try Self.size(field["resolution"])
        intrinsics = try Self.intrinsics(field["intrinsics"], size: size)
    }

    /// `resolution` is [height, width]. An empty list is what the iOS app writes when ARKit gave it no depth at first.
    private static func size(_ field: JSONField) throws(Problem) -> PixelSize? {
        if field.isAbsent || field.value?.array?.isEmpty == true { return nil }
        let sides = try field.elements()
        guard sides.count == 2 else { throw field.unlike("[height, width]") }
        let range = 1...ScanMetadata.sideLimit
        return PixelSize(try sides[1].whole(in: range), try sides[0].whole(in: range))
    }

    private static func intrinsics(_ field: JSONField, size: PixelSize?) throws(Problem) -> CameraIntrinsics? {
        if field.isAbsent || field.value?.array?.isEmpty == true { return nil }
        let k = try field.numbers(9)
        guard let size else { return nil }
        return CameraIntrinsics(
            fx: k[0], fy: k[4], cx: k[6], cy: k[7], width: size.width, height: size.height, pixelOrigin: .arKit)
    }

    static func role(type: String, id: String, fileExtension: String) -> Role {
        switch type {
        case "color_camera", "rgb_camera": return .color
        case "lidar_sensor", "ARCore", "dual_camera_stereo_depth": return .depth
        case "confidence_map": return .confidence
        case "camera_info": return .cameraInfo
        default: break
        }
        if let kind = MotionKind(rawValue: type) ?? MotionKind(rawValue: fileExtension) { return .motion(kind) }
        // An unknown type: ids and file names are the same in all apps.
        if id.hasPrefix("camera_info") || fileExtension == "jsonl" { return .cameraInfo }
        if id.hasPrefix("confidence") || fileExtension == "confidence.zlib" { return .confidence }
        if id.contains("depth") || fileExtension == "depth.zlib" { return .depth }
        return id.hasPrefix("color") ? .color : .other
    }
}
