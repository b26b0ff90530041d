import ScanModel

/// What 3D Scanner App writes for each frame, `frame_<n>.json`: ARKit's pose, camera-to-world with OpenGL's axes, and
/// its intrinsics, both row by row; the projection that ARKit derives from the intrinsics; seconds since the device was
/// started.
///
/// The projection tells two things that nothing else does: the size of the pictures that the intrinsics are for, 2·fx /
/// p₀₀ wide, and that they count from the middle of the first pixel, since p₀₂ is 1 − 2·(cx + ½) / width.
///
/// Source: the app's makers, Laan Labs, in their 3dScannerApp_samples: a scan, and the notebooks that read it.
public struct ThreeDScannerFrame: Hashable, Sendable {
    public var pose: Pose
    /// In pixels of the picture, or of ``size`` where that is known; the middle of the first pixel is 0, 0.
    public var fx, fy, cx, cy: Double
    /// The picture size that the intrinsics are for, from the projection; nil without one.
    public var size: PixelSize?
    /// Nanoseconds.
    public var timestamp: Int64?
    public var exposure: Int64?

    /// - Throws: a problem with fault `input` where the pose or the intrinsics are missing, or cannot be a camera's.
    public init(_ bytes: [UInt8], file: String) throws(Problem) {
        let json = JSONField(try JSONValue.parse(bytes, file: file), file: file)
        let numbers = try json[Self.poseKey].numbers(16)
        // The app's last number is not quite 1, and its own tools do not divide by it.
        pose = Pose(rowMajor: Array(numbers.prefix(12)))
        let k = try json[Self.intrinsicsKey].numbers(9)
        let defect =
            pose.defect ?? Pose.layoutDefect(rowMajor: numbers) ?? CameraIntrinsics.layoutDefect(rowMajor: k)
        if let defect { throw Problem(.input, defect).at(file: file) }
        (fx, fy, cx, cy) = (k[0], k[4], k[2], k[5])
        // Merely good to know, so a defect here does not cost the frame.
        size = (try? json["projectionMatrix"].numbers(16)).flatMap { Self.size(of: $0, fx: k[0], fy: k[4]) }
        timestamp = try json["time"].ifPresent { (field) throws(Problem) in try field.time() }
        exposure = (try? json["exposureDuration"].time()).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The keys by which the file is recognised.
    static let (poseKey, intrinsicsKey) = ("cameraPoseARFrame", "intrinsics")

    private static func size(of projection: [Double], fx: Double, fy: Double) -> PixelSize? {
        func side(_ focal: Double, _ scale: Double) -> Int? {
            let side = 2 * focal / scale
            // The numbers were stored as floats.
            guard side >= 1, side < 1_048_576, abs(side - side.rounded()) < 0.01 else { return nil }
            return Int(side.rounded())
        }
        guard let width = side(fx, projection[0]), let height = side(fy, projection[5]) else { return nil }
        return PixelSize(width, height)
    }

    /// The camera, for pictures of the size that the projection gives, unless that has another aspect ratio than the
    /// picture; a quarter turn is allowed.
    /// - Parameter picture: the size of the frame's picture, or of the other frames' where it has none.
    func intrinsics(picture: PixelSize?) throws(Problem) -> CameraIntrinsics {
        let told = size.flatMap { size in
            let turned = PixelSize(size.height, size.width)
            return picture.map { size.hasShape(of: $0) || turned.hasShape(of: $0) } != false ? size : nil
        }
        guard let size = told ?? picture else {
            throw Problem(.input, "it is unknown for which picture size its intrinsics are")
        }
        let camera = CameraIntrinsics(
            fx: fx, fy: fy, cx: cx, cy: cy, width: size.width, height: size.height, pixelOrigin: .arKit)
        if let defect = camera.defect { throw Problem(.input, defect) }
        return camera
    }

    /// The name of a frame's file.
    package static func file(_ number: Int) -> String { "frame_\(stem(number)).json" }

    /// What follows `frame_`, `depth_` and `conf_` in the names of a frame's files.
    package static func stem(_ number: Int) -> String { FrameName.padded(number, to: 5) }

    // MARK: - Writing

    /// - Parameters:
    ///   - index: the frame's number.
    ///   - exposure: nanoseconds; nil where unknown.
    package static func text(
        index: Int, timestamp: Int64, pose: Pose, camera: CameraIntrinsics, exposure: Int64?
    ) -> [UInt8] {
        let k = camera.counted(from: .arKit)
        let (width, height) = (Double(k.width), Double(k.height))
        // ARKit's projection for a near plane of 1 mm and no far plane, as rounded to floats.
        let projection = [
            [2 * k.fx / width, 0, 1 - 2 * (k.cx + 0.5) / width, 0],
            [0, 2 * k.fy / height, 2 * (k.cy + 0.5) / height - 1, 0],
            [0, 0, -0.99999976, -0.00099999981], [0, 0, -1, 0],
        ]
        let frame: JSONObject = [
            Self.poseKey: .of(pose.rowMajorRows.flatMap(\.self)), "frame_index": .of(index),
            Self.intrinsicsKey: .of(k.rowMajor),
            "projectionMatrix": .of(projection.flatMap(\.self)), "time": .number(Double(timestamp) / 1e9),
            "exposureDuration": .of(exposure.map { Double($0) / 1e9 }),
        ]
        return JSONWriter.text(.object(frame))
    }
}
