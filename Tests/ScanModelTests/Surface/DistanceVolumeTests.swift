import ScanModel
import Testing

/// Volumes of made-up depth maps.
@Suite struct DistanceVolumeTests {
    private static let camera = CameraIntrinsics(
        fx: 100, fy: 100, cx: 60, cy: 50, width: 120, height: 100, pixelOrigin: .centre)

    /// A camera at `eye` that looks at `target`.
    private static func pose(from eye: Vector3, at target: Vector3) -> Pose {
        let back = (eye - target).normalized
        let side = abs(back.y) < 0.9 ? Vector3(0, 1, 0) : Vector3(1, 0, 0)
        let right = side.cross(back).normalized
        let up = back.cross(right)
        let rows = zip(zip(right.components, up.components), back.components).map { Vector3($0.0.0, $0.0.1, $0.1) }
        return Pose(rotation: Matrix3(rows: rows[0], rows[1], rows[2]), position: eye)
    }

    /// Adds what a camera sees.
    /// - Parameter distance: z-depth along a ray from the eye, whose direction has the length 1 along the optical axis.
    private static func add(
        to volume: inout DistanceVolume, _ pose: Pose, color: RGBColor? = nil,
        _ distance: (_ eye: Vector3, _ ray: Vector3) -> Double?
    ) {
        var depth = DepthMap(
            width: camera.width, height: camera.height,
            metres: [Float](repeating: 0, count: camera.width * camera.height))
        for v in 0..<camera.height {
            for u in 0..<camera.width {
                let ray = Vector3((Double(u) - camera.cx) / camera.fx, -(Double(v) - camera.cy) / camera.fy, -1)
                depth.metres[v * camera.width + u] = Float(distance(pose.position, pose.rotation * ray) ?? 0)
            }
        }
        let unprojection = Unprojection(
            camera: camera, pose: pose, width: depth.width, height: depth.height, centre: .integer)
        var points = unprojection.points(of: depth)
        if let color {
            points.colors = (0..<points.count).flatMap { _ in [color.red, color.green, color.blue] }
        }
        volume.add(
            VolumeFrame(
                depth, points: points, view: CameraView(camera: camera, pose: pose), centre: .integer, in: volume.layout
            ))
    }

    /// Where a ray meets a sphere about the origin.
    private static func sphere(_ radius: Double) -> (Vector3, Vector3) -> Double? {
        { eye, ray in
            let (a, b, c) = (ray.dot(ray), ray.dot(eye), eye.dot(eye) - radius * radius)
            let root = b * b - a * c
            return root < 0 ? nil : (-b - root.squareRoot()) / a
        }
    }

    private static let directions = [
        Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(0, 0, -1),
        Vector3(1, 1, 1), Vector3(-1, 1, 1), Vector3(1, -1, 1), Vector3(1, 1, -1), Vector3(-1, -1, 1),
        Vector3(-1, 1, -1), Vector3(1, -1, -1), Vector3(-1, -1, -1),
    ]

    private static func ball(voxel: Double, hasColor: Bool = false) -> DistanceVolume {
        var volume = DistanceVolume(VolumeLayout(voxel: voxel, truncation: 4 * voxel), hasColor: hasColor)
        for direction in directions {
            add(to: &volume, pose(from: direction.normalized * 1.5, at: Vector3(0, 0, 0)), sphere(0.5))
        }
        return volume
    }

    private static func corners(_ mesh: TriangleMesh, _ triangle: Int) -> [Int] {
        (0..<3).map { Int(mesh.triangles[3 * triangle + $0]) }
    }

    /// A closed surface without cracks, handles or loose ends, and of the sphere's size.
    @Test func aBallSeenFromAllSidesIsClosed() {
        let volume = Self.ball(voxel: 0.02)
        let mesh = volume.surface().mesh
        var sides: [[Int]: Int] = [:]
        var contents = 0.0
        for triangle in 0..<mesh.triangleCount {
            let corners = Self.corners(mesh, triangle)
            for i in 0..<3 { sides[[corners[i], corners[(i + 1) % 3]], default: 0] += 1 }
            let (a, b, c) = (mesh.vertices[corners[0]], mesh.vertices[corners[1]], mesh.vertices[corners[2]])
            contents += a.dot(b.cross(c)) / 6
        }
        #expect(sides.values.allSatisfy { $0 == 1 })
        #expect(sides.keys.allSatisfy { sides[[$0[1], $0[0]]] == 1 })
        // Euler's formula, for a sphere.
        #expect(mesh.vertices.count - sides.count / 2 + mesh.triangleCount == 2)
        #expect(Set(mesh.triangles).count == mesh.vertices.count)
        // Positive: the triangles look outwards. 4/3 π r³ = 0.5236, 4 π r² = 3.1416.
        #expect(abs(contents - 0.5236) < 0.005, "\(contents)")
        #expect(abs(mesh.area - 3.1416) < 0.12, "\(mesh.area)")
        let errors = (0..<mesh.vertices.count).map { abs(mesh.vertices[$0].length - 0.5) }
        // Along the optical axis it is farther than to the nearest point of the surface, which moves a curved one outwards.
        #expect((errors.max() ?? 1) < 0.015, "\(errors.max() ?? 1)")
        #expect(errors.reduce(0, +) / Double(errors.count) < 0.003)
        let normals = mesh.vertices.normals ?? []
        let cosines = (0..<mesh.vertices.count).map { i in
            mesh.vertices[i].normalized.dot(
                Vector3(Double(normals[3 * i]), Double(normals[3 * i + 1]), Double(normals[3 * i + 2])))
        }
        // Depth pixels are half a voxel wide, and grazing ones reach several voxels.
        #expect((cosines.min() ?? -1) > 0.5, "\(cosines.min() ?? -1)")
        #expect(cosines.reduce(0, +) / Double(cosines.count) > 0.97)
    }

    /// z = −1.01 is seen by one camera: each sample before or behind it lies exactly at its own distance. So it does where
    /// the rotation is off by rounding: there, too, the mesh is where the points are.
    @Test(arguments: [1, 1.004, 0.997]) func aPlaneIsWhereItIs(length: Double) {
        var volume = DistanceVolume(VolumeLayout(voxel: 0.03, truncation: 0.1), hasColor: false)
        let axes = [Vector3(length, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, length)]
        let pose = Pose(rotation: Matrix3(columns: axes[0], axes[1], axes[2]), position: .zero)
        Self.add(to: &volume, pose) { _, _ in 1.01 / length }
        let mesh = volume.surface().mesh
        #expect(mesh.triangleCount > 1000)
        let heights = stride(from: 2, to: mesh.vertices.positions.count, by: 3).map { mesh.vertices.positions[$0] }
        #expect(heights.allSatisfy { abs($0 + 1.01) < 2e-5 })
        #expect((mesh.vertices.normals ?? []).enumerated().allSatisfy { abs($1 - ($0 % 3 == 2 ? 1 : 0)) < 1e-3 })
        // 1.2 × 1 m are seen at 1 m; a cell counts where all its corners are.
        #expect(abs(mesh.area - 1.2 * 1.01 * 1.01) < 0.15, "\(mesh.area)")
        #expect(volume.surface(minFrames: 2).mesh.triangleCount == 0)
    }

    @Test func theMeanOfWhatFramesSawCounts() {
        var volume = DistanceVolume(VolumeLayout(voxel: 0.03, truncation: 0.12), hasColor: true)
        for depth in [1.0, 1.0, 1.03] {
            let isFar = depth > 1
            Self.add(to: &volume, .identity, color: isFar ? RGBColor(255, 0, 90) : RGBColor(0, 30, 90)) { _, _ in depth
            }
        }
        let mesh = volume.surface(minFrames: 3).mesh
        let heights = stride(from: 2, to: mesh.vertices.positions.count, by: 3).map { mesh.vertices.positions[$0] }
        #expect(!heights.isEmpty && heights.allSatisfy { abs($0 + 1.01) < 2e-5 })
        #expect(Array(mesh.vertices.colors?.prefix(3) ?? []) == [85, 20, 90])
    }

    /// Somebody stands before the wall in one frame of five.
    @Test func whatFewFramesSawIsLeftOut() {
        var volume = DistanceVolume(VolumeLayout(voxel: 0.03, truncation: 0.12), hasColor: false)
        for frame in 0..<5 {
            Self.add(to: &volume, .identity) { _, ray in frame == 2 && abs(ray.x) < 0.1 ? 0.6 : 1 }
        }
        func heights(_ minFrames: Int) -> [Float] {
            let positions = volume.surface(minFrames: minFrames).mesh.vertices.positions
            return stride(from: 2, to: positions.count, by: 3).map { positions[$0] }
        }
        #expect(heights(1).contains { $0 > -0.7 })
        #expect(!heights(2).isEmpty && heights(2).allSatisfy { $0 < -0.9 })
        #expect(volume.frameCount == 5)
    }

    @Test func theOrderOfFramesDoesNotCount() {
        var poses = Self.directions.map { Self.pose(from: $0.normalized * 1.5, at: Vector3(0, 0, 0)) }
        func mesh() -> TriangleMesh {
            var volume = DistanceVolume(VolumeLayout(voxel: 0.05, truncation: 0.2), hasColor: false)
            for pose in poses { Self.add(to: &volume, pose, Self.sphere(0.5)) }
            return volume.surface().mesh
        }
        func points(_ mesh: TriangleMesh) -> Set<[Float]> {
            Set((0..<mesh.vertices.count).map { Array(mesh.vertices.positions[3 * $0..<3 * $0 + 3]) })
        }
        let first = mesh()
        poses.reverse()
        #expect(points(mesh()) == points(first))
    }

    /// A kilometre from the origin single precision is 0.06 mm: the grid is projected from where the camera is.
    @Test func farFromTheOriginItIsTheSame() {
        let offset = Vector3(1024, -512, 2048)
        var volume = DistanceVolume(VolumeLayout(voxel: 0.0625, truncation: 0.25), hasColor: false)
        var near = volume
        Self.add(to: &near, .identity) { _, _ in 1.0 }
        Self.add(to: &volume, Pose(rotation: .identity, position: offset)) { _, _ in 1.0 }
        let (a, b) = (near.surface().mesh, volume.surface().mesh)
        #expect(a.triangleCount == b.triangleCount && a.triangleCount > 100)
        let lowest = (0..<b.vertices.count).map { abs(b.vertices[$0].z - 2047) }.max() ?? 1
        #expect(lowest < 0.001, "\(lowest)")
    }

    @Test func whatNoPictureGaveAColourIsGrey() {
        let (volume, coloured) = (Self.ball(voxel: 0.05), Self.ball(voxel: 0.05, hasColor: true))
        #expect(coloured.blockCount == volume.blockCount)
        #expect(coloured.surface().mesh.vertices.colors?.allSatisfy { $0 == 128 } == true)
    }

    @Test func withoutDepthThereIsNothing() {
        var volume = DistanceVolume(VolumeLayout(voxel: 0.05, truncation: 0.2), hasColor: false)
        Self.add(to: &volume, .identity) { _, _ in nil }
        #expect(volume.blockCount == 0)
        #expect(volume.surface().mesh == TriangleMesh(vertices: PointCloud(normals: [])))
    }
}
