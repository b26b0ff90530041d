/// How fast a still scene moves through the picture of a moving camera.
///
/// H. C. Longuet-Higgins and K. Prazdny, "The Interpretation of a Moving Retinal Image", 1980: for a point at
/// (x, y) = (X/Z, Y/Z) in axes with z into the scene,
/// ẋ = (−Vx + x·Vz)/Z + x·y·ωx − (1 + x²)·ωy + y·ωz and ẏ = (−Vy + y·Vz)/Z + (1 + y²)·ωx − x·y·ωy − x·ωz.
public struct MotionField: Hashable, Sendable {
    public var camera: CameraIntrinsics
    public var velocity: Trajectory.Velocity

    public init(camera: CameraIntrinsics, velocity: Trajectory.Velocity) {
        self.camera = camera
        self.velocity = velocity
    }

    /// The picture is sampled at the middles of so many by so many equal parts.
    static let grid = 5

    /// The mean speed of the picture's points, pixels per second.
    /// - Parameter depth: how far away everything is, metres; nil for so far that only turning shows.
    public func meanSpeed(depth: Double?) -> Double {
        let k = camera.counted(from: .corner)
        var sum = 0.0
        for row in 0..<Self.grid {
            for column in 0..<Self.grid {
                let u = (Double(column) + 0.5) / Double(Self.grid) * Double(k.width)
                let v = (Double(row) + 0.5) / Double(Self.grid) * Double(k.height)
                sum += speed(x: (u - k.cx) / k.fx, y: (v - k.cy) / k.fy, depth: depth)
            }
        }
        return sum / Double(Self.grid * Self.grid)
    }

    private func speed(x: Double, y: Double, depth: Double?) -> Double {
        // To axes with y down and z into the scene.
        let linear = velocity.linear
        let (vx, vy, vz) = (linear.x, -linear.y, -linear.z)
        let angular = velocity.angular
        let (ox, oy, oz) = (angular.x, -angular.y, -angular.z)
        let nearness = depth.map { 1 / $0 } ?? 0
        let dx = (x * vz - vx) * nearness + x * y * ox - (1 + x * x) * oy + y * oz
        let dy = (y * vz - vy) * nearness + (1 + y * y) * ox - x * y * oy - x * oz
        return Vector3(camera.fx * dx, camera.fy * dy, 0).length
    }
}
