/// How a camera's axes point.
public enum CameraAxes: Hashable, Sendable {
    /// x right, y up, z towards the viewer, as ScanMill has them throughout.
    case openGL
    /// x right, y down, z into the scene.
    case openCV

    /// As part of a sentence.
    var text: String {
        switch self {
        case .openGL: "OpenGL's axes (x right, y up, z towards the viewer)"
        case .openCV: "OpenCV's axes (x right, y down, z into the scene)"
        }
    }
}

/// Converts between the pose of a depth camera and the one in the capture's file, which is where mistakes are made.
public struct PoseInFile: Hashable, Sendable {
    /// The axes of the cameras in the file, by its format.
    public var axes = CameraAxes.openGL
    private var savedFromWorld = Pose.identity
    /// How the stages have turned the pictures since.
    private(set) var quarterTurns = 0
    private var rigFromColor = Pose.identity
    private var colorFromDepth = Pose.identity

    public init() {}

    /// - Parameter capture: as a stage receives it, perhaps turned.
    public init(of capture: Capture) {
        axes = capture.fileAxes
        savedFromWorld = capture.savedFromWorld
        quarterTurns = capture.quarterTurns
        rigFromColor = capture.rigFromColor
        colorFromDepth = capture.depthCamera?.colorFromDepth ?? .identity
    }

    /// The pose as it was recorded, with OpenGL's axes whatever the file has.
    func recorded(_ depthPose: Pose) -> Pose {
        savedFromWorld * (depthPose * colorFromDepth.inverse).turned(quarterTurns: -quarterTurns)
            * rigFromColor.inverse
    }

    /// The inverse of `recorded(_:)`, in the file's own world.
    func depthPose(_ recorded: Pose) -> Pose {
        (recorded * rigFromColor).turned(quarterTurns: quarterTurns) * colorFromDepth
    }
}
