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
        let large = Self.color.resized(to: PixelSize(80, 60))
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

    /// At the colour camera's place, but upside down.
    @Test func aTurnedDepthCameraTurnsTheMap() {
        let turn = Matrix3(rows: Vector3(-1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, 1))
        let turned = DepthCamera(intrinsics: Self.color, colorFromDepth: Pose(rotation: turn, position: .zero))
        let aligned = DepthRegistration.align(Self.map, of: turned, with: Self.color)
        #expect(aligned.metres == Array(Self.map.metres.reversed()))
    }

    /// It looks away from what the colour camera sees.
    @Test func whatLiesBehindTheColourCameraIsNotSeen() {
        let turn = Matrix3(rows: Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, -1))
        let behind = DepthCamera(intrinsics: Self.color, colorFromDepth: Pose(rotation: turn, position: .zero))
        let aligned = DepthRegistration.align(Self.map, of: behind, with: Self.color)
        #expect(aligned.metres.allSatisfy { $0 == 0 })
    }

    /// Three times the focal length: (u + ½ − 4) · 3 + 4 is the middle of each third column, and so with the rows.
    @Test func anotherFocalLengthIsTakenFromThePixelsMiddles() {
        let long = CameraIntrinsics(fx: 30, fy: 30, cx: 4, cy: 3, width: 8, height: 6, pixelOrigin: .corner)
        let aligned = DepthRegistration.align(Self.map, of: DepthCamera(intrinsics: long), with: Self.color)
        var expected = [Float](repeating: 0, count: 48)
        for (v, row) in [(2, 1), (3, 4)] {
            for (u, column) in [(3, 2), (4, 5)] { expected[v * 8 + u] = Self.map.metres[row * 8 + column] }
        }
        #expect(aligned.metres == expected)
    }

    /// 3 cm to the side are at most 0.3 of a pixel: from its middle nothing comes to another one.
    @Test func lessThanHalfAPixelMovesNothing() {
        let near = DepthCamera(
            intrinsics: Self.color, colorFromDepth: Pose(rotation: .identity, position: Vector3(-0.03, 0.03, 0)))
        #expect(DepthRegistration.align(Self.map, of: near, with: Self.color) == Self.map)
    }

    /// A colour camera beside it with a narrower view sees each pixel larger.
    @Test(arguments: [1.02, 1.33, 1.5, 2.5], [0, -0.01]) func aNarrowerViewHasNoGaps(_ ratio: Double, up: Double) {
        let size = PixelSize(64, 48)
        let wide = CameraIntrinsics(
            fx: 60, fy: 60, cx: 32, cy: 24, width: size.width, height: size.height, pixelOrigin: .corner)
        var narrow = wide
        narrow.fx *= ratio
        narrow.fy *= ratio
        let wall = DepthMap(width: size.width, height: size.height, metres: Array(repeating: 2, count: 64 * 48))
        let beside = DepthCamera(
            intrinsics: wide, colorFromDepth: Pose(rotation: .identity, position: Vector3(0.02, up, 0)))
        #expect(DepthRegistration.align(wall, of: beside, with: narrow) == wall)
    }

    /// Each pixel covers two; to the side by 2 / z pixels.
    @Test func aLargerPixelHidesAllBehindIt() {
        let wide = CameraIntrinsics(fx: 1, fy: 1, cx: 4, cy: 0.5, width: 8, height: 1, pixelOrigin: .corner)
        var narrow = wide
        narrow.fx = 2
        narrow.fy = 2
        let beside = DepthCamera(
            intrinsics: wide, colorFromDepth: Pose(rotation: .identity, position: Vector3(1, 0, 0)))
        let aligned = DepthRegistration.align(
            DepthMap(width: 8, height: 1, metres: [2, 2, 2, 1, 2, 2, 2, 2]), of: beside, with: narrow)
        // What lies behind the near pixel's left side is seen by nobody.
        #expect(aligned.metres == [2, 2, 2, 0, 1, 1, 2, 2])
    }

    /// However absurd the cameras are, a pixel does not cover the map.
    @Test func anAbsurdViewEnds() {
        var narrow = Self.color
        narrow.fx = 1e12
        narrow.fy = .infinity
        let beside = DepthCamera(
            intrinsics: Self.color, colorFromDepth: Pose(rotation: .identity, position: Vector3(0.01, 0, 0)))
        #expect(DepthRegistration.align(Self.map, of: beside, with: narrow).metres.count == 48)
    }

    /// Two points that fall on one pixel: the nearer one stays, whichever comes first.
    @Test func whatIsInFrontHidesWhatIsBehind() {
        let k = CameraIntrinsics(fx: 1, fy: 1, cx: 2, cy: 0.5, width: 4, height: 1, pixelOrigin: .corner)
        // To the side by 2 / z pixels.
        for (x, metres, expected) in [(2.0, [1, 2, 0, 0], [0, 0, 1, 0]), (-2, [0, 0, 2, 1], [0, 1, 0, 0])]
            as [(Double, [Float], [Float])]
        {
            let beside = DepthCamera(
                intrinsics: k, colorFromDepth: Pose(rotation: .identity, position: Vector3(x, 0, 0)))
            let aligned = DepthRegistration.align(
                DepthMap(width: 4, height: 1, metres: metres), of: beside, with: k)
            #expect(aligned.metres == expected)
        }
    }

    /// Points a quarter of a pixel to either side of the edge between columns 3 and 4, and of that between rows 2 and 3.
    @Test func pointsTakeTheColourOfThePixelOnWhichTheyFall() {
        let picture = RGBImage(width: 8, height: 6, pixels: (0..<48).flatMap { [UInt8($0 % 8), UInt8($0 / 8), 9] })
        for camera in [Self.color, Self.color.counted(from: .centre), Self.color.resized(to: PixelSize(80, 60))] {
            var cloud = PointCloud(
                positions: [-0.025, 0.025, -1, 0.025, -0.025, -1, 0, 0, 1, 0.5, 0, -1])
            cloud.paint(from: picture, seenBy: CameraView(camera: camera, pose: .identity))
            // Grey behind the camera, and outside the picture.
            #expect(cloud.colors == [3, 2, 9, 4, 3, 9, 128, 128, 128, 128, 128, 128])
        }
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
