import ScanModel

/// A COLMAP model: cameras, images and points, as text and as binary.
///
/// COLMAP stores `cam_from_world`: X_cam = R(q) · X + t with x right, y down, z into the scene, and counts the principal
/// point from the corner of the top-left pixel. Source: colmap, doc/format.rst and scene/reconstruction_io_*.cc.
public struct COLMAPModel: Sendable {
    /// Lists of pictures beside a model, as nerfstudio's loader takes them: train, validate, test.
    public static let splitLists: [(file: String, split: DatasetSplit)] = [
        ("train_list.txt", .training), ("val_list.txt", .validation), ("test_list.txt", .test),
    ]

    public struct Image: Sendable, Hashable {
        /// From 1 in models that are written.
        public var id: UInt32
        public var camera: UInt32
        /// Relative to the folder of pictures.
        public var name: String
        /// `worldFromCamera` with our axes.
        public var pose: Pose
        /// Why the file's quaternion is no rotation; nil if it is one.
        public var quaternionDefect: String?
    }

    /// At index i is camera i + 1, as PINHOLE.
    public private(set) var cameras: [CameraIntrinsics] = []
    public private(set) var images: [Image] = []
    private let sharesCameras: Bool
    private var numbers: [CameraIntrinsics: UInt32] = [:]

    /// - Parameter sharesCameras: whether images with the same intrinsics have one camera; else each has its own.
    public init(sharesCameras: Bool = true) { self.sharesCameras = sharesCameras }

    public mutating func add(_ name: String, pose: Pose, intrinsics: CameraIntrinsics) {
        let k = intrinsics.counted(from: .corner)
        let camera: UInt32
        if sharesCameras, let known = numbers[k] {
            camera = known
        } else {
            cameras.append(k)
            camera = UInt32(cameras.count)
            numbers[k] = camera
        }
        images.append(Image(id: UInt32(images.count + 1), camera: camera, name: name, pose: pose))
    }

    // MARK: - Text

    public func writeCameras(text sink: any ByteSink) throws(Problem) {
        try sink.write(
            "# Camera list with one line of data per camera:\n#   CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]\n")
        for (index, k) in cameras.enumerated() {
            try sink.write("\(index + 1) PINHOLE \(k.width) \(k.height) \(k.fx) \(k.fy) \(k.cx) \(k.cy)\n")
        }
    }

    public func writeImages(text sink: any ByteSink) throws(Problem) {
        try sink.write(
            """
            # Image list with two lines of data per image:
            #   IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME
            #   POINTS2D[] as (X, Y, POINT3D_ID)

            """)
        for image in images {
            let (q, t) = Self.cameraFromWorld(image.pose)
            // The second line holds the observations; there are none, but the line must be there.
            try sink.write(
                "\(image.id) \(q.w) \(q.x) \(q.y) \(q.z) \(t.x) \(t.y) \(t.z) \(image.camera) \(image.name)\n\n")
        }
    }

    // MARK: - Binary

    private static let pinhole: Int32 = 1

    public func writeCameras(binary sink: any ByteSink) throws(Problem) {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(cameras.count))
        for (index, k) in cameras.enumerated() {
            bytes.append(littleEndian: UInt32(index + 1))
            bytes.append(littleEndian: Self.pinhole)
            bytes.append(littleEndian: UInt64(k.width))
            bytes.append(littleEndian: UInt64(k.height))
            for value in [k.fx, k.fy, k.cx, k.cy] { bytes.append(littleEndian: value) }
        }
        try sink.write(bytes)
    }

    public func writeImages(binary sink: any ByteSink) throws(Problem) {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt64(images.count))
        for image in images {
            let (q, t) = Self.cameraFromWorld(image.pose)
            bytes.append(littleEndian: image.id)
            for value in [q.w, q.x, q.y, q.z, t.x, t.y, t.z] { bytes.append(littleEndian: value) }
            bytes.append(littleEndian: image.camera)
            bytes += Array(image.name.utf8) + [0]
            bytes.append(littleEndian: UInt64(0))
        }
        try sink.write(bytes)
    }

    /// q and t of a pose. The rotation is the nearest true one, R̃, and t = −R̃ · C: so the camera's centre C comes out
    /// exactly, however far the recorded matrix is from a rotation.
    public static func cameraFromWorld(_ pose: Pose) -> (rotation: Quaternion, translation: Vector3) {
        let rotation = pose.withCVAxes.rotation.nearestRotation.transposed
        let quaternion = Quaternion(rotation)
        return (quaternion, -(quaternion.matrix * pose.position))
    }
}

/// Writes `points3D` as text and as binary, as the points arrive. Tracks are empty.
public final class COLMAPPointWriter {
    private let text: any ByteSink
    private let binary: any ByteSink
    public private(set) var count: UInt64 = 0

    /// The binary file begins with the number of points, which is only known at the end: the caller then puts
    /// ``countBytes`` at offset 0.
    public init(text: any ByteSink, binary: any ByteSink) throws(Problem) {
        self.text = text
        self.binary = binary
        try text.write(
            "# 3D point list with one line of data per point:\n#   POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[]\n")
        try binary.write(countBytes)
    }

    public var countBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: count)
        return bytes
    }

    /// How many points are formatted before they are written: memory may not hold a large cloud twice.
    private static let portion = 1 << 14

    public func add(_ cloud: PointCloud) throws(Problem) {
        for start in stride(from: 0, to: cloud.count, by: Self.portion) {
            try add(cloud, start..<min(start + Self.portion, cloud.count))
        }
    }

    private func add(_ cloud: PointCloud, _ points: Range<Int>) throws(Problem) {
        var lines: [UInt8] = []
        var records: [UInt8] = []
        for i in points {
            count += 1
            let (x, y, z) = (cloud.positions[3 * i], cloud.positions[3 * i + 1], cloud.positions[3 * i + 2])
            let (r, g, b) =
                cloud.colors.map { ($0[3 * i], $0[3 * i + 1], $0[3 * i + 2]) } ?? (UInt8(128), UInt8(128), UInt8(128))
            lines += "\(count) \(x) \(y) \(z) \(r) \(g) \(b) 0\n".utf8
            records.append(littleEndian: count)
            records.append(littleEndian: Double(x))
            records.append(littleEndian: Double(y))
            records.append(littleEndian: Double(z))
            records.append(littleEndian: r)
            records.append(littleEndian: g)
            records.append(littleEndian: b)
            records.append(littleEndian: 0.0)
            records.append(littleEndian: UInt64(0))
        }
        try text.write(lines)
        try binary.write(records)
    }
}
