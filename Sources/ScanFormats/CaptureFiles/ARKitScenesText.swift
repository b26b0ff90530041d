import ScanModel

/// ARKitScenes' text files: `lowres_wide.traj` with the poses, and a `.pincam` for each picture.
///
/// A line of the former is `t rx ry rz tx ty tz`: seconds, then world-to-camera as a rotation vector and a translation,
/// for OpenCV's axes and a world with z up. A `.pincam` is `width height fx fy cx cy`.
///
/// Source: ARKitScenes, DATA.md and tenFpsDataLoader.py; the axes of the world: its maintainers.
public enum ARKitScenesText {
    /// A line of the trajectory. Its rotation must be valid, but may include full turns.
    package static func posed(_ row: TextTable.Row) throws(Problem) -> (timestamp: Int64, pose: Pose) {
        let time = try row.time(0)
        let numbers = try row.numbers(1..<7)
        let rotation = Quaternion(rotationVector: Vector3(numbers[0], numbers[1], numbers[2])).matrix
        let translation = Vector3(numbers[3], numbers[4], numbers[5])
        let pose = Pose(rotation: rotation.transposed, position: -(rotation.transposed * translation)).withCVAxes
        if let defect = pose.defect { throw Problem(.input, defect).at(line: row.line) }
        return (time, pose)
    }

    /// The trajectory's line for a frame.
    public static func line(timestamp: Int64, pose: Pose) -> String {
        let camera = pose.withCVAxes
        let rotation = camera.rotation.nearestRotation.transposed
        let translation = -(rotation * camera.position)
        let numbers = Quaternion(rotation).rotationVector.components + translation.components
        return "\(DecimalSeconds.text(timestamp, places: 9)) \(numbers.map { String($0) }.joined(separator: " "))\n"
    }

    /// The camera of a picture; its principal point counts from the corner. ARKit's own count from the first pixel's
    /// centre, and were scaled to 256 × 192 as if from the corner: what is left of the difference is 0.07 pixels.
    /// - Returns: also the last number as written, and whether a line feed ends the line.
    package static func camera(
        _ source: any ByteSource
    ) throws(Problem) -> (camera: CameraIntrinsics, last: String, hasLineFeed: Bool) {
        do throws(Problem) {
            var table = TextTable(source, .space, lineLimit: 1 << 12)
            guard let row = try table.next() else { throw Problem(.input, "the camera file is empty") }
            let numbers = try row.numbers(0..<6)
            guard let width = Int(exactly: numbers[0]), let height = Int(exactly: numbers[1]),
                CameraIntrinsics.sides.contains(width), CameraIntrinsics.sides.contains(height)
            else { throw Problem(.input, "the camera's picture is \(numbers[0]) × \(numbers[1])") }
            let camera = CameraIntrinsics(
                fx: numbers[2], fy: numbers[3], cx: numbers[4], cy: numbers[5], width: width, height: height,
                pixelOrigin: .corner)
            if let defect = camera.defect { throw Problem(.input, defect) }
            return (camera, row.fields.last ?? "", row.end == .lineFeed)
        } catch { throw error.at(file: source.name) }
    }

    public static func pincam(_ camera: CameraIntrinsics) -> String {
        let k = camera.counted(from: .corner)
        return "\(k.width) \(k.height) \(k.fx) \(k.fy) \(k.cx) \(k.cy)\n"
    }

    // MARK: - Names

    /// The name of a frame's files without its extension: `41069021_305.377`. Readers take what is between the first
    /// "_" and the first ".png" as the time: neither may come before it.
    public static func name(video: String, timestamp: Int64) -> String {
        let video = String(video.map { "_.".contains($0) ? "-" : $0 })
        return "\(video)_\(DecimalSeconds.text(timestamp, places: 3))"
    }

    /// The time in a file's name, nanoseconds.
    static func timestamp(in name: String) -> Int64? {
        guard let dot = name.lastIndex(of: "."), let start = name[..<dot].lastIndex(of: "_") else { return nil }
        return DecimalSeconds.nanoseconds(String(name[name.index(after: start)..<dot]))
    }
}
