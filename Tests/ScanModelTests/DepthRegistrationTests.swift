import ScanModel
import Testing

@Suite struct DepthRegistrationTests {
    private static let color = CameraIntrinsics(
        fx: 10, fy: 10, cx: 4, cy: 3, width: 8, height: 6, pixelOrigin: .corner)
    private static let map = DepthMap(width: 8, height: 6, metres: (0..<48).map { 1 + Float($0) / 100 })

    @Test func equalCamerasChangeNothing() {
        let same = DepthRegistration.align(Self.map, of: DepthCamera(intrinsics: Self.color), with: Self.color)
        #expect(same == Self.map)
        // Pictures of another size are the same view.
        let large = Self.color.resized(width: 80, height: 60)
        #expect(DepthRegistration.align(Self.map, of: DepthCamera(intrinsics: Self.color), with: large) == Self.map)
    }

    /// A principal point two pixels further right: what the depth camera sees at u, the colour camera sees at u + 2.
    @Test func aShiftedPrincipalPointShiftsTheMap() {
        var color = Self.color
        color.cx += 2
        let aligned = DepthRegistration.align(Self.map, of: DepthCamera(intrinsics: Self.color), with: color)
        for v in 0..<6 {
            #expect(Array(aligned.metres[v * 8..<v * 8 + 2]) == [0, 0])
            #expect(Array(aligned.metres[v * 8 + 2..<v * 8 + 8]) == Array(Self.map.metres[v * 8..<v * 8 + 6]))
        }
    }

    /// The colour camera stands 0.1 m to the right of the depth camera: at 1 m and f = 10 px that is one pixel.
    @Test func cameraBesideSeesThePointsBeside() {
        let flat = DepthMap(width: 8, height: 6, metres: Array(repeating: 1, count: 48))
        let beside = DepthCamera(
            intrinsics: Self.color, colorFromDepth: Pose(rotation: .identity, position: Vector3(-0.1, 0, 0)))
        let aligned = DepthRegistration.align(flat, of: beside, with: Self.color)
        for v in 0..<6 {
            #expect(Array(aligned.metres[v * 8..<v * 8 + 7]) == Array(repeating: 1, count: 7))
            #expect(aligned.metres[v * 8 + 7] == 0)
        }
    }

    /// The nearer of two points on one pixel stays.
    @Test func whatIsInFrontHidesWhatIsBehind() {
        let near = DepthMap(width: 2, height: 1, metres: [1, 2])
        let k = CameraIntrinsics(fx: 1, fy: 1, cx: 1, cy: 0.5, width: 2, height: 1, pixelOrigin: .corner)
        let beside = DepthCamera(
            intrinsics: k, colorFromDepth: Pose(rotation: .identity, position: Vector3(1, 0, 0)))
        let aligned = DepthRegistration.align(near, of: beside, with: k)
        #expect(aligned.metres[1] == 1)
    }

    /// Cameras that nobody has lead nowhere, and not out of the map.
    @Test func absurdCamerasAreHarmless() {
        let wide = CameraIntrinsics(
            fx: 0.002, fy: 0.002, cx: 9e8, cy: 9e8, width: 8, height: 6, pixelOrigin: .corner)
        let long = CameraIntrinsics(fx: 9e8, fy: 9e8, cx: 4, cy: 3, width: 8, height: 6, pixelOrigin: .corner)
        for (a, b) in [(wide, long), (long, wide)] {
            let aligned = DepthRegistration.align(Self.map, of: DepthCamera(intrinsics: a), with: b)
            #expect(aligned.metres.count == 48)
        }
    }
}
