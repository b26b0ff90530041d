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

/// Converts between the poses of one of a capture's cameras and those in its file, which is where mistakes are made.
public struct PoseInFile: Hashable, Sendable {
    /// The axes of the cameras in the file, by its format.
    public var axes = CameraAxes.openGL
    private var savedFromWorld = Pose.identity
    /// How the stages have turned the pictures since.
    private(set) var quarterTurns = 0
    private var rigFromColor = Pose.identity
    private var colorFromCamera = Pose.identity

    public init() {}

    /// - Parameters:
    ///   - capture: as a stage receives it, perhaps turned.
    ///   - colorFromCamera: takes points from the camera to the colour camera, which it is if nothing is said.
    public init(of capture: Capture, colorFromCamera: Pose = .identity) {
        axes = capture.fileAxes
        savedFromWorld = capture.savedFromWorld
        quarterTurns = capture.quarterTurns
        rigFromColor = capture.rigFromColor
        self.colorFromCamera = colorFromCamera
    }

    /// The pose as it was recorded, with OpenGL's axes whatever the file has.
    func recorded(_ pose: Pose) -> Pose {
        savedFromWorld * (pose * colorFromCamera.inverse).turned(quarterTurns: -quarterTurns) * rigFromColor.inverse
    }

    /// The inverse of `recorded(_:)`.
    func pose(_ recorded: Pose) -> Pose {
        savedFromWorld.inverse * (recorded * rigFromColor).turned(quarterTurns: quarterTurns) * colorFromCamera
    }
}
