import ScanModel

/// The text files of TUM's RGB-D benchmark, and the camera that is not in them.
///
/// `rgb.txt` and `depth.txt` have `timestamp path` in each line; `groundtruth.txt` has `timestamp tx ty tz qx qy qz qw`,
/// camera-to-world with OpenCV's axes. Depth pictures hold 5000 units a metre.
///
/// Source: the benchmark's page on file formats, and its tool associate.py.
public enum TUMText {
    public static let unitsPerMetre = 5000.0
    /// The largest difference in time of a pair, as in associate.py; nanoseconds.
    public static let tolerance: Int64 = 20_000_000

    /// A list of files.
    package struct Listed: Hashable, Sendable {
        package var timestamp: Int64
        /// Relative to the list.
        package var path: String
    }

    package static func listed(_ row: TextTable.Row) throws(Problem) -> Listed {
        Listed(timestamp: try row.time(0), path: try row.text(1).withSlashes)
    }

    /// - Parameter isScalarFirst: whether the quaternion stands as qw qx qy qz.
    package static func posed(
        _ row: TextTable.Row, isScalarFirst: Bool = false
    ) throws(Problem) -> (timestamp: Int64, pose: Pose) {
        let time = try row.time(0)
        do throws(Problem) {
            var numbers = try row.numbers(1..<8)
            if isScalarFirst { numbers.append(numbers.remove(at: 3)) }
            return (time, try Pose(trajectory: numbers))
        } catch {
            throw error.at(line: row.line)
        }
    }

    /// Whether the comments above the poses call the columns `… qw qx qy qz`, as other programs order them.
    /// - Parameter start: the first bytes of the file.
    static func namesScalarFirst(_ start: [UInt8]) -> Bool {
        let lines = String(decoding: start, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.prefix { $0.hasPrefix("#") }.contains { line in
            let words = line.lowercased().split { !$0.isLetter }
            return words.contains("qw") && words.drop { $0 != "qw" }.starts(with: ["qw", "qx", "qy", "qz"])
        }
    }

    // MARK: - The camera

    /// Files with the camera, in the order in which they are looked for. `write-tum` writes the first.
    public static let cameraFiles = ["calibration.txt", "camera.txt", "intrinsics.txt"]

    /// `fx fy cx cy`, optionally followed by `width height` and a lens's distortion. The principal point counts from
    /// the centre of the top-left pixel, as OpenCV's does.
    /// - Parameter size: of the pictures, for a line that gives none.
    /// - Returns: the camera with its lens, which is nil where the line's other numbers cannot be OpenCV's k1 k2 p1 p2
    ///   k3 (k3 may be left out).
    package static func camera(
        _ row: TextTable.Row, size: PixelSize?
    ) throws(Problem) -> (camera: CameraIntrinsics, lens: LensDistortion?) {
        let numbers = try row.numbers(0..<max(4, min(row.fields.count, 12)))
        var camera = CameraIntrinsics(
            fx: numbers[0], fy: numbers[1], cx: numbers[2], cy: numbers[3], width: size?.width ?? 0,
            height: size?.height ?? 0, pixelOrigin: .centre)
        var rest = numbers.dropFirst(4)
        // No lens has such a k1.
        if rest.count >= 2, let width = Int(exactly: numbers[4]), let height = Int(exactly: numbers[5]),
            (2...1 << 20).contains(width), (2...1 << 20).contains(height)
        {
            (camera.width, camera.height) = (width, height)
            rest = rest.dropFirst(2)
        }
        guard camera.width > 0 else {
            throw Problem(.input, "it is unknown for which picture size the camera is").at(line: row.line)
        }
        if let defect = camera.defect { throw Problem(.input, defect).at(line: row.line) }
        return (camera, lens(Array(rest), of: camera))
    }

    private static func lens(_ n: [Double], of camera: CameraIntrinsics) -> LensDistortion? {
        if n.allSatisfy({ $0 == 0 }) { return LensDistortion() }
        guard n.count == 4 || n.count == 5 else { return nil }
        let lens = LensDistortion(radial: [n[0], n[1], n.count > 4 ? n[4] : 0, 0], tangential: [n[2], n[3]])
        return (try? Undistortion(of: CalibratedCamera(camera, lens))) == nil ? nil : lens
    }

    /// What ROS drivers use for an uncalibrated Kinect, for pictures of 640 × 480; the benchmark recommends it for all
    /// its sequences.
    static let usualCamera = CameraIntrinsics(
        fx: 525, fy: 525, cx: 319.5, cy: 239.5, width: 640, height: 480, pixelOrigin: .centre)

    // MARK: - Writing

    /// Six decimals, as in the benchmark; pictures are named after them.
    public static func time(_ timestamp: Int64) -> String { DecimalSeconds.text(timestamp, places: 6) }

    public static func listHeader(_ what: String) -> String {
        "# \(what)\n# written by ScanMill\n# timestamp filename\n"
    }

    public static func listLine(timestamp: Int64, path: String) -> String { "\(time(timestamp)) \(path)\n" }

    public static let trajectoryHeader =
        "# camera poses, camera to world, x right, y down, z forward\n# written by ScanMill\n"
        + "# timestamp tx ty tz qx qy qz qw\n"

    public static func trajectoryLine(timestamp: Int64, pose: Pose) -> String {
        "\(time(timestamp)) \(pose.trajectory.map { String($0) }.joined(separator: " "))\n"
    }

    public static func cameraText(_ camera: CameraIntrinsics) -> String {
        let k = camera.counted(from: .centre)
        return "# fx fy cx cy width height; the centre of the top-left pixel is (0, 0)\n"
            + "\(k.fx) \(k.fy) \(k.cx) \(k.cy) \(k.width) \(k.height)\n"
    }
}
