import ScanModel

/// The small text files of ScanNet's layouts, as writers need them.
public enum ScanNetFiles {
    /// A camera-to-world pose: four rows, x right, y down, z into the scene.
    public static func pose(_ pose: Pose) -> [UInt8] { NumberText.text(pose.withCVAxes.rowMajorRows) }

    /// A camera as a 4×4 matrix.
    public static func intrinsics(_ camera: CameraIntrinsics) -> [UInt8] {
        let m = ScanNetCameras.matrix(camera)
        return NumberText.text((0..<4).map { Array(m[4 * $0..<4 * $0 + 4]) })
    }

    /// A camera as a 3×3 matrix: 7-Scenes' `camera-intrinsics.txt`.
    public static func shortIntrinsics(_ camera: CameraIntrinsics) -> [UInt8] {
        NumberText.text(camera.counted(from: .centre).matrixRows)
    }

    /// A camera's extrinsics, converted from our axes to ScanNet's.
    public static func extrinsics(_ pose: Pose) -> [UInt8] {
        NumberText.text(ScanNetCameras.turned(pose).rowMajorRows)
    }

    /// The recorder's description, `<id>.txt`.
    /// - Parameters:
    ///   - depth: the depth sensor's camera, and how its points map to the colour camera.
    public static func description(
        color: CameraIntrinsics, depth: DepthCamera, device: String, depthFrames: Int, colorFrames: Int, motion: Int
    ) -> [UInt8] {
        let (c, d) = (color.counted(from: .centre), depth.intrinsics.counted(from: .centre))
        let depthFromColor = ScanNetCameras.turned(depth.colorFromDepth.inverse).rowMajorRows.joined()
        let lines: [(String, String)] = [
            ("colorWidth", "\(c.width)"), ("colorHeight", "\(c.height)"), ("depthWidth", "\(d.width)"),
            ("depthHeight", "\(d.height)"), ("fx_color", "\(c.fx)"), ("fy_color", "\(c.fy)"), ("mx_color", "\(c.cx)"),
            ("my_color", "\(c.cy)"), ("fx_depth", "\(d.fx)"), ("fy_depth", "\(d.fy)"), ("mx_depth", "\(d.cx)"),
            ("my_depth", "\(d.cy)"),
            ("colorToDepthExtrinsics", depthFromColor.map { "\($0)" }.joined(separator: " ")),
            ("deviceName", device.split(whereSeparator: \.isNewline).joined(separator: " ")),
            ("numDepthFrames", "\(depthFrames)"), ("numColorFrames", "\(colorFrames)"),
            ("numIMUmeasurements", "\(motion)"),
        ]
        return Array(lines.map { "\($0) = \($1)\n" }.joined().utf8)
    }

    /// The length that precedes a depth frame in the recorder's `.depth` file.
    public static func length(of frame: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt32(frame.count))
        return bytes
    }

    /// What follows the frames in that file: the seconds of each depth frame, then of each colour frame.
    public static func times(_ nanoseconds: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<2 { for time in nanoseconds { bytes.append(littleEndian: Double(time) / 1e9) } }
        return bytes
    }
}
