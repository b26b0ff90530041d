/// A way in which a capture's poses, intrinsics and depth could be meant: as declared, or as people usually get them wrong.
public enum GeometryHypothesis: String, Hashable, Sendable, CaseIterable {
    case declared
    /// The camera's axes are OpenCV's: x right, y down, z into the scene.
    case cvAxes = "cv-axes"
    /// The pose is the world seen from the camera.
    case inverse
    /// The same with OpenCV's axes, as COLMAP stores poses.
    case inverseCV = "inverse-cv-axes"
    case transposedRotation = "transposed-rotation"
    /// z has the other sign, in the world and in the camera: a left-handed recording.
    case flippedZ = "flipped-z"
    /// The intrinsics are already for the depth map's size.
    case unscaledIntrinsics = "unscaled-intrinsics"
    case depthTimes1000 = "depth-times-1000"
    case depthBy1000 = "depth-by-1000"
    /// Depth is the length of the ray, not the distance along the optical axis.
    case rayDepth = "ray-depth"
    case swappedCentre = "swapped-cx-cy"

    /// What it means for whoever has to put it right.
    public var meaning: String {
        switch self {
        case .declared: "as declared"
        case .cvAxes: "the poses have OpenCV's axes (x right, y down, z into the scene), not OpenGL's"
        case .inverse: "the poses are the world seen from the camera, the inverse of what they should be"
        case .inverseCV: "the poses are the world seen from the camera with OpenCV's axes, as COLMAP stores them"
        case .transposedRotation: "the rotations are transposed: rows were taken for columns"
        case .flippedZ: "z has the wrong sign: the recording is left-handed"
        case .unscaledIntrinsics: "the intrinsics are for the depth map's size, not for the pictures'"
        case .depthTimes1000: "depth is 1000 times too small"
        case .depthBy1000: "depth is 1000 times too large: millimetres were taken for metres"
        case .rayDepth: "depth is the length of the ray, not the distance along the optical axis"
        case .swappedCentre: "cx and cy are swapped"
        }
    }

    /// The pose that was meant.
    /// - Parameter savedFromWorld: what makes of a pose the one that stands in the capture's file, which is the one that may be
    ///   the wrong way round.
    func pose(_ declared: Pose, _ savedFromWorld: Pose) -> Pose {
        let (a, b, c) = declared.rotation.columns
        return switch self {
        case .cvAxes: declared.withCVAxes
        case .inverse: (savedFromWorld * declared).inverse
        case .inverseCV: (savedFromWorld * declared).inverse.withCVAxes
        case .transposedRotation: Pose(rotation: declared.rotation.transposed, position: declared.position)
        case .flippedZ:
            Pose(
                rotation: Matrix3(
                    columns: Vector3(a.x, a.y, -a.z), Vector3(b.x, b.y, -b.z), Vector3(-c.x, -c.y, c.z)),
                position: Vector3(declared.position.x, declared.position.y, -declared.position.z))
        default: declared
        }
    }

    /// The depth camera that was meant, counted from the corner, at the depth map's size.
    func camera(_ declared: CameraIntrinsics, _ size: PixelSize) -> CameraIntrinsics {
        var k = declared.counted(from: .corner)
        if self == .unscaledIntrinsics { return k }
        if self == .swappedCentre { (k.cx, k.cy) = (k.cy, k.cx) }
        return k.resized(to: size)
    }

    /// Whether it says something else than `declared` of such a camera.
    func differs(_ camera: CameraIntrinsics, _ size: PixelSize) -> Bool {
        switch self {
        case .unscaledIntrinsics: camera.size != size
        // Under a tenth of the picture's width nobody could tell them apart.
        case .swappedCentre: abs(camera.cx - camera.cy) > 0.1 * Double(camera.width)
        default: true
        }
    }

    /// By what it multiplies depth.
    public var depthFactor: Double {
        switch self {
        case .depthTimes1000: 1000
        case .depthBy1000: 1e-3
        default: 1
        }
    }
}
