/// A camera and where it stands.
public struct CameraView: Hashable, Sendable {
    public var camera: CameraIntrinsics
    /// `worldFromCamera`.
    public var pose: Pose

    public init(camera: CameraIntrinsics, pose: Pose) {
        self.camera = camera
        self.pose = pose
    }

    /// The pixel at which a point of the world is seen, in the coordinates of the camera's own pixel origin, and its
    /// depth along the optical axis; nil for points that are not in front of the camera.
    public func project(_ point: Vector3) -> (u: Double, v: Double, depth: Double)? {
        let (right, up, back) = pose.rotation.columns
        let d = point - pose.position
        let z = -back.dot(d)
        guard z > 0 else { return nil }
        return (camera.fx * right.dot(d) / z + camera.cx, camera.cy - camera.fy * up.dot(d) / z, z)
    }

    /// Whether a point of the world lies in the picture, whatever stands in front of it.
    package func shows(_ point: Vector3) -> Bool {
        guard let seen = project(point) else { return false }
        let corner = camera.counted(from: .corner)
        let (u, v) = (seen.u + corner.cx - camera.cx, seen.v + corner.cy - camera.cy)
        return (0..<Double(camera.width)).contains(u) && (0..<Double(camera.height)).contains(v)
    }
}
