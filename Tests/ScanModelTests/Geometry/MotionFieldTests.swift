import ScanModel
import Testing

@Suite struct MotionFieldTests {
    /// 400 × 300 pixels, focal length 500 and 450.
    private let camera = CameraIntrinsics(
        fx: 500, fy: 450, cx: 205, cy: 140, width: 400, height: 300, pixelOrigin: .corner)

    /// The mean way of 5 × 5 points of the picture in a millionth of a second, by moving the camera and looking again.
    private func byLookingAgain(_ linear: Vector3, _ angular: Vector3, depth: Double) throws -> Double {
        let seconds = 1e-6
        let moved = Pose(
            rotation: Quaternion(rotationVector: angular * seconds).matrix, position: linear * seconds)
        let view = CameraView(camera: camera, pose: moved)
        var sum = 0.0
        for row in 0..<5 {
            for column in 0..<5 {
                let (u, v) = (400 * (Double(column) + 0.5) / 5, 300 * (Double(row) + 0.5) / 5)
                let point = Vector3((u - 205) / 500 * depth, -(v - 140) / 450 * depth, -depth)
                let seen = try #require(view.project(point))
                sum += Vector3(seen.u - u, seen.v - v, 0).length / seconds
            }
        }
        return sum / 25
    }

    @Test(arguments: [
        (Vector3(0.3, 0, 0), Vector3.zero), (Vector3(0, 0.3, 0), .zero), (Vector3(0, 0, 0.3), .zero),
        (.zero, Vector3(0.4, 0, 0)), (.zero, Vector3(0, 0.4, 0)), (.zero, Vector3(0, 0, 0.4)),
        (Vector3(0.3, -0.2, 0.5), Vector3(-0.1, 0.25, 0.6)),
    ])
    func agreesWithLookingAgain(linear: Vector3, angular: Vector3) throws {
        let field = MotionField(camera: camera, velocity: .init(linear: linear, angular: angular))
        for depth in [0.7, 2] {
            let expected = try byLookingAgain(linear, angular, depth: depth)
            #expect(abs(field.meanSpeed(depth: depth) / expected - 1) < 1e-5)
        }
    }

    @Test func whatIsFarAwayShowsTurningAlone() {
        let turning = Vector3(0, 0.4, 0)
        let both = MotionField(camera: camera, velocity: .init(linear: Vector3(1, 2, 3), angular: turning))
        let alone = MotionField(camera: camera, velocity: .init(linear: .zero, angular: turning))
        #expect(both.meanSpeed(depth: nil) == alone.meanSpeed(depth: 1))
        // Not much more than f·ω, since the sides of the picture are farther from the camera's centre.
        #expect((200...220).contains(alone.meanSpeed(depth: nil)))
    }

    @Test func thePixelsOriginMakesNoDifference() {
        let velocity = Trajectory.Velocity(linear: Vector3(0.1, 0.2, 0.3), angular: Vector3(0.3, 0.2, 0.1))
        let other = MotionField(camera: camera.counted(from: .centre), velocity: velocity).meanSpeed(depth: 1)
        #expect(abs(other / MotionField(camera: camera, velocity: velocity).meanSpeed(depth: 1) - 1) < 1e-12)
    }
}
