import ScanModel
import Testing

@Suite struct PointCloudTests {
    @Test func threeNumbersAreOnePoint() {
        #expect(PointCloud().count == 0)
        #expect(PointCloud(positions: [1, 2, 3, 4, 5, 6]).count == 2)
        #expect(PointCloud(positions: [1, 2, 3], colors: [4, 5, 6]) != PointCloud(positions: [1, 2, 3]))
    }

    @Test func normalsFollowTheirPoints() {
        var cloud = PointCloud(
            positions: [1, 2, 3, 4, 5, 6], colors: [1, 2, 3, 4, 5, 6], normals: [0, 0, 1, 1, 0, 0])
        #expect(cloud.properties == [.normals, .colors] && PointCloud(of: [.normals]).normals == [])
        // A quarter turn about y, exactly: (x, y, z) → (z, y, −x); then (10, 20, 30) further.
        let turn = Matrix3(rows: Vector3(0, 0, 1), Vector3(0, 1, 0), Vector3(-1, 0, 0))
        cloud.transform(by: Pose(rotation: turn, position: Vector3(10, 20, 30)))
        #expect(cloud.positions == [13, 22, 29, 16, 25, 26])
        #expect(cloud.normals == [1, 0, 0, 0, 0, -1])
        cloud.append(PointCloud(positions: [7, 8, 9], colors: [7, 8, 9], normals: [0, 1, 0]))
        cloud.keep { $0.x != 13 }
        #expect(
            cloud
                == PointCloud(
                    positions: [16, 25, 26, 7, 8, 9], colors: [4, 5, 6, 7, 8, 9], normals: [0, 0, -1, 0, 1, 0]))
    }

    /// Left of it, right of it, above, below and behind the camera they stay grey.
    @Test func pointsBesideThePictureAreNotPainted() {
        let camera = CameraIntrinsics(fx: 1, fy: 1, cx: 1, cy: 1, width: 2, height: 2, pixelOrigin: .corner)
        let picture = RGBImage(width: 2, height: 2, pixels: (1...12).map { UInt8($0) })
        var cloud = PointCloud(positions: [
            -0.5, 0.5, -1, 0.5, -0.5, -1, -1.5, 0.5, -1, 1.5, 0.5, -1, 0.5, 1.5, -1, 0.5, -1.5, -1, 0.5, 0.5, 1,
        ])
        let isPainted = cloud.paint(from: picture, seenBy: CameraView(camera: camera, pose: .identity))
        #expect(isPainted == [true, true] + Array(repeating: false, count: 5))
        #expect(cloud.colors == [1, 2, 3, 10, 11, 12] + Array(repeating: 128, count: 15))
    }

    /// Single precision holds 24 bits: steps of 2⁻³ m beyond 2²⁰ m.
    @Test func pointsFarFromTheOriginAreCoarse() {
        #expect(PointCloud().coarseness == nil)
        #expect(PointCloud(positions: [8000, 0, -16_000]).coarseness == nil)
        #expect(PointCloud.coarseness(at: Vector3(500_000, -5_400_000, 0))?.contains("more than 4194 km") == true)
        #expect(PointCloud.coarseness(at: Vector3(0, 1_048_577, 0))?.contains("steps of 125 mm") == true)
        #expect(PointCloud.coarseness(at: Vector3(1e300, 0, 0)) == nil)
        #expect(PointCloud.coarseness(at: Vector3(.nan, 0, 1)) == nil)
    }
}
