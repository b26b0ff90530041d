import ScanModel
import TestSupport
import Testing

@Suite struct DepthNormalsTests {
    /// A sensor of 64 × 48 pixels, whose neighbours are one pixel apart.
    private let camera = CameraIntrinsics(
        fx: 50, fy: 52, cx: 31, cy: 24.5, width: 64, height: 48, pixelOrigin: .corner)

    /// What the sensor sees of the plane n · p = d, in camera coordinates; 0 where it does not see it.
    private func depth(normal n: Vector3, distance d: Double) -> [Float] {
        (0..<64 * 48).map { pixel in
            let (u, v) = (Double(pixel % 64), Double(pixel / 64))
            let ray = Vector3((u - camera.cx) / camera.fx, -(v - camera.cy) / camera.fy, -1)
            let z = d / n.dot(ray)
            return z > 0 && z < 20 ? Float(z) : 0
        }
    }

    private func cloud(_ metres: [Float], _ rotation: Matrix3 = .identity, every: Int = 1) -> PointCloud {
        let pose = Pose(rotation: rotation, position: Vector3(7, -8, 9))
        return Unprojection(camera: camera, pose: pose, width: 64, height: 48, centre: .integer)
            .points(of: DepthMap(width: 64, height: 48, metres: metres), every: every, withNormals: true)
    }

    private func normals(_ cloud: PointCloud) throws -> [Vector3] {
        let values = try #require(cloud.normals)
        #expect(values.count == cloud.positions.count)
        return PointCloud(positions: values).all
    }

    /// Exactly those of the plane, up to the map's edges, whichever way it leans; turned with the camera.
    @Test func aPlaneHasOneNormal() throws {
        var dice = SplitMix(seed: 3)
        for _ in 0..<50 {
            // Towards the camera, which looks down −Z. Depth falls by less than 3 % from pixel to pixel.
            let side = Vector3(Double.random(in: -1...1, using: &dice), Double.random(in: -1...1, using: &dice), 0)
            let facing = (side + Vector3(0, 0, 3)).normalized
            let rotation = Quaternion.random(&dice).matrix
            let cloud = cloud(depth(normal: facing, distance: -2), rotation)
            #expect(cloud.count > 300)
            for normal in try normals(cloud) { #expect((normal - rotation * facing).length < 2e-3) }
        }
    }

    /// Recorded with few digits, rotations stretch a little what they turn.
    @Test func aRoundedRotationLeavesTheirLength() throws {
        let rounded = Matrix3(rows: Vector3(0, 0, 0.9998), Vector3(0, 1.0002, 0), Vector3(-0.9998, 0, 0))
        let cloud = cloud(depth(normal: Vector3(0.2, 0.5, 1).normalized, distance: -2), rounded)
        #expect(try normals(cloud).allSatisfy { abs($0.length - 1) < 1e-6 })
    }

    /// Two walls, one about twice as far away: neither has a part in the other's normals.
    @Test func edgesStaySharp() throws {
        let (left, right) = (Vector3(0.5, 0, 1).normalized, Vector3(-0.4, 0.3, 1).normalized)
        let (near, far) = (depth(normal: left, distance: -2), depth(normal: right, distance: -4))
        let isNear = { (pixel: Int) in pixel % 64 < 32 }
        let cloud = cloud((0..<64 * 48).map { isNear($0) ? near[$0] : far[$0] })
        #expect(cloud.count == 64 * 48)
        for (pixel, normal) in try normals(cloud).enumerated() {
            #expect((normal - (isNear(pixel) ? left : right)).length < 2e-3, "pixel \(pixel)")
        }
    }

    /// A speck, and a line of pixels, which leaves a turn about itself open.
    @Test func tooFewNeighboursHaveNone() throws {
        var metres = [Float](repeating: 0, count: 64 * 48)
        metres[10 * 64 + 10] = 2
        for u in 20..<60 { metres[30 * 64 + u] = 2 }
        let cloud = cloud(metres)
        #expect(cloud.count == 41 && cloud.unknownNormalCount == 41)
        #expect(try normals(cloud).allSatisfy { $0 == .zero })
        #expect(PointCloud().unknownNormalCount == nil)
        metres[100] = .infinity
        #expect(self.cloud(metres).unknownNormalCount == 42)
    }

    /// Fewer points are not points of a coarser map.
    @Test func everyOtherPixelHasTheSameNormal() throws {
        var dice = SplitMix(seed: 5)
        var metres = depth(normal: Vector3(0.2, 0.5, 1).normalized, distance: -2)
        for pixel in metres.indices { metres[pixel] += Float.random(in: -0.01...0.01, using: &dice) }
        let all = try normals(cloud(metres))
        let some = try normals(cloud(metres, every: 3))
        var expected: [Vector3] = []
        for v in stride(from: 0, to: 48, by: 3) {
            for u in stride(from: 0, to: 64, by: 3) { expected.append(all[v * 64 + u]) }
        }
        #expect(some == expected)
        // Noise of 0.5 % tilts a plane of 25 pixels by some degrees, not more.
        let mean = all.reduce(.zero) { $0 + $1 }.normalized
        #expect(mean.angle(to: Vector3(0.2, 0.5, 1)) < 0.03)
        #expect(all.allSatisfy { abs($0.length - 1) < 1e-6 })
    }

    /// A map as large as a phone's takes neighbours two pixels away, one of 640 pixels five, whichever way it lies.
    @Test(arguments: [(256, 192), (640, 480), (480, 640)])
    func largerMapsTakeFartherNeighbours(width: Int, height: Int) throws {
        let camera = CameraIntrinsics(
            fx: Double(width), fy: Double(width), cx: Double(width) / 2, cy: Double(height) / 2, width: width,
            height: height, pixelOrigin: .corner)
        // Flat, with one pixel in another place, as noise has it.
        let reach = 2 * (max(width, height) / 128)
        let odd = (height / 2) * width + width / 2
        var metres = [Float](repeating: 2, count: width * height)
        metres[odd] = 2.02
        let cloud = Unprojection(camera: camera, pose: .identity, width: width, height: height, centre: .integer)
            .points(of: DepthMap(width: width, height: height, metres: metres), withNormals: true)
        var farthest = (columns: 0, rows: 0)
        for (pixel, normal) in try normals(cloud).enumerated() where abs(normal.z) < 1 - 1e-9 {
            farthest.columns = max(farthest.columns, abs(pixel % width - width / 2))
            farthest.rows = max(farthest.rows, abs(pixel / width - height / 2))
        }
        #expect(farthest == (reach, reach))
    }
}

extension PointCloud {
    fileprivate var all: [Vector3] { (0..<count).map { self[$0] } }
}
