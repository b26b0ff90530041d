/// How a capture's poses, intrinsics and depth may be meant: as declared, or with one of the usual mistakes.
public enum GeometryHypothesis: String, Hashable, Sendable, CaseIterable {
    case declared
    /// The camera's axes are OpenCV's, or OpenGL's in a file that should have OpenCV's.
    case cvAxes = "cv-axes"
    /// The pose is the world seen from the camera, with OpenGL's axes.
    case inverse
    /// The same with OpenCV's axes, as COLMAP stores poses.
    case inverseCV = "inverse-cv-axes"
    case transposedRotation = "transposed-rotation"
    /// The same in a file with OpenCV's axes: for a level camera it changes hardly anything.
    case transposedRotationCV = "transposed-rotation-cv-axes"
    /// z has the other sign, in the world and in the camera: a left-handed recording.
    case flippedZ = "flipped-z"
    /// The intrinsics are already for the depth map's size.
    case unscaledIntrinsics = "unscaled-intrinsics"
    case depthTimes1000 = "depth-times-1000"
    case depthBy1000 = "depth-by-1000"
    /// Depth is the length of the ray, not the distance along the optical axis.
    case rayDepth = "ray-depth"
    case swappedCentre = "swapped-cx-cy"

    /// What it means, for the person who has to fix it.
    /// - Parameter axes: those of the capture's format.
    public func meaning(inFileWith axes: CameraAxes = .openGL) -> String {
        switch self {
        case .declared: "as declared"
        case .cvAxes:
            axes == .openGL
                ? "the poses have \(CameraAxes.openCV.text), not OpenGL's"
                : "the poses have \(CameraAxes.openGL.text), where this format has OpenCV's"
        case .inverse where axes == .openCV: "the poses are the world seen from the camera with OpenGL's axes"
        case .inverseCV where axes == .openGL:
            "the poses are the world seen from the camera with OpenCV's axes, as COLMAP stores them"
        case .inverse, .inverseCV: "the poses are the world seen from the camera, the inverse of what they should be"
        case .transposedRotation, .transposedRotationCV: "the rotations are transposed: rows were taken for columns"
        case .flippedZ: "z has the wrong sign: the recording is left-handed"
        case .unscaledIntrinsics: "the intrinsics are for the depth map's size, not for the pictures'"
        case .depthTimes1000: "depth is 1000 times too small"
        case .depthBy1000: "depth is 1000 times too large: millimetres were taken for metres"
        case .rayDepth: "depth is the length of the ray, not the distance along the optical axis"
        case .swappedCentre: "cx and cy are swapped"
        }
    }

    /// The pose that was meant.
    /// - Parameters:
    ///   - declared: of the camera that `file` is about.
    ///   - file: what turns it back into the pose in the capture's file, which is the one that may be wrong.
    package func pose(_ declared: Pose, _ file: PoseInFile) -> Pose {
        meant(by: file.recorded(declared)).map(file.pose) ?? declared
    }

    /// What a pose in a file was meant to be.
    /// - Parameter recorded: the pose as it was recorded, with OpenGL's axes whatever the file has.
    /// - Returns: nil where the mistake is none of poses.
    private func meant(by recorded: Pose) -> Pose? {
        switch self {
        case .cvAxes: recorded.withCVAxes
        case .inverse: recorded.inverse
        case .inverseCV: recorded.inverse.withCVAxes
        case .transposedRotation: recorded.withTransposedRotation
        case .transposedRotationCV: recorded.withCVAxes.withTransposedRotation.withCVAxes
        case .flippedZ: recorded.mirroredInZ
        default: nil
        }
    }

    /// Whether it is a mistake of the poses.
    package var isOfPoses: Bool { meant(by: .identity) != nil }

    /// The depth camera that was meant, counted from the corner, at the depth map's size.
    func camera(_ declared: CameraIntrinsics, _ size: PixelSize, _ file: PoseInFile) -> CameraIntrinsics {
        if self != .unscaledIntrinsics && self != .swappedCentre {
            return declared.counted(from: .corner).resized(to: size)
        }
        // The mistake was made before a stage turned the pictures.
        var k = declared.recorded(in: file)
        let recordedSize = QuarterTurn.size(size, turns: -file.quarterTurns)
        if self == .swappedCentre {
            (k.cx, k.cy) = (k.cy, k.cx)
            k = k.resized(to: recordedSize)
        } else {
            (k.width, k.height) = (recordedSize.width, recordedSize.height)
        }
        return k.turned(quarterTurns: file.quarterTurns)
    }

    /// Whether it differs from `declared` for such a camera, and is possible.
    func differs(_ declared: CameraIntrinsics, _ size: PixelSize, _ file: PoseInFile) -> Bool {
        let camera = declared.recorded(in: file)
        return switch self {
        case .transposedRotation: file.axes == .openGL
        case .transposedRotationCV: file.axes == .openCV
        case .unscaledIntrinsics: declared.size != size
        // Closer than a tenth of the picture's width, the two cannot be told apart.
        case .swappedCentre: abs(camera.cx - camera.cy) > 0.1 * Double(camera.width)
        default: true
        }
    }

    /// The factor by which it multiplies depth.
    public var depthFactor: Double {
        switch self {
        case .depthTimes1000: 1000
        case .depthBy1000: 1e-3
        default: 1
        }
    }
}

extension CameraIntrinsics {
    /// As it was before a stage turned the pictures, counted from the corner.
    fileprivate func recorded(in file: PoseInFile) -> CameraIntrinsics {
        counted(from: .corner).turned(quarterTurns: -file.quarterTurns)
    }
}

extension Pose {
    fileprivate var withTransposedRotation: Pose { Pose(rotation: rotation.transposed, position: position) }

    /// With the sign of z flipped in the world and in the camera.
    fileprivate var mirroredInZ: Pose {
        let (a, b, c) = rotation.columns
        return Pose(
            rotation: Matrix3(columns: Vector3(a.x, a.y, -a.z), Vector3(b.x, b.y, -b.z), Vector3(-c.x, -c.y, c.z)),
            position: Vector3(position.x, position.y, -position.z))
    }
}
