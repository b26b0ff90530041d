import ScanModel

/// A camera file of Polycam's raw data, `cameras/<µs>.json`: intrinsics, and the pose camera-to-world with OpenGL's axes in
/// ARKit's world, as `t_00` … `t_23`, row by row.
///
/// Source: Polycam's polyform, README and capture_folder.py.
public struct PolycamCamera: Hashable, Sendable {
    public var pose: Pose
    /// For `size`, or for the picture itself where the file gives none.
    public var fx, fy, cx, cy: Double
    public var size: PixelSize?
    /// Which stretch of unbroken tracking it belongs to, where the file says so.
    public var trackingSegment: Int64?

    public init(_ bytes: [UInt8], file: String) throws(Problem) {
        let json = JSONField(try JSONValue.parse(bytes, file: file), file: file)
        var numbers: [Double] = []
        for row in 0..<3 { for column in 0..<4 { numbers.append(try json["t_\(row)\(column)"].number()) } }
        pose = Pose(rowMajor: numbers)
        (fx, fy) = (try json["fx"].number(), try json["fy"].number())
        (cx, cy) = (try json["cx"].number(), try json["cy"].number())
        let sides = CameraIntrinsics.sides
        let width = try json["width"].ifPresent { (field) throws(Problem) in try field.whole(in: sides) }
        let height = try json["height"].ifPresent { (field) throws(Problem) in try field.whole(in: sides) }
        if let width, let height { size = PixelSize(width, height) }
        trackingSegment = json["tracking_segment"].value?.integer
        if let defect = pose.defect { throw Problem(.input, defect).at(file: file) }
    }

    /// The camera; where the file gives no size, it is for the frame's picture itself.
    func intrinsics(picture: PixelSize) throws(Problem) -> CameraIntrinsics {
        let size = size ?? picture
        let camera = CameraIntrinsics(
            fx: fx, fy: fy, cx: cx, cy: cy, width: size.width, height: size.height, pixelOrigin: .corner)
        if let defect = camera.defect { throw Problem(.input, defect) }
        return camera
    }

    /// - Parameter sharpness: written as `blur_score`, where larger is sharper.
    public static func text(_ camera: CameraIntrinsics, _ pose: Pose, sharpness: Double?) -> [UInt8] {
        let k = camera.counted(from: .corner)
        var object: JSONObject = [
            "blur_score": .number(sharpness ?? 0), "cx": .number(k.cx), "cy": .number(k.cy), "fx": .number(k.fx),
            "fy": .number(k.fy), "height": .of(k.height),
        ]
        for (row, numbers) in pose.rowMajorRows.prefix(3).enumerated() {
            for (column, number) in numbers.enumerated() { object["t_\(row)\(column)"] = .number(number) }
        }
        object["width"] = .of(k.width)
        return JSONWriter.text(.object(object), pretty: false) + [UInt8(ascii: "\n")]
    }

    /// Polycam's confidence has numbers for three levels; 54 and 127 were both seen for the middle one. So 0 is level
    /// 0, 255 is level 2, and everything in between is level 1.
    static let levels: [UInt8] = [0] + Array(repeating: 1, count: 254) + [2]

    /// The number for a level of 0 to 2.
    package static func confidence(level: Int) -> UInt8 { [0, 127, 255][min(max(level, 0), 2)] }
}
