import ScanModel
import Testing

@Suite struct MeshSamplingTests {
    /// A right-angled triangle of 2 × 1 m at y = 3, dark at one corner.
    private static let triangle = TriangleMesh(
        vertices: PointCloud(
            positions: [0, 3, 0, 2, 3, 0, 0, 3, 1], colors: [0, 0, 0, 200, 0, 100, 0, 50, 100],
            normals: [0, 1, 0, 1, 0, 0, 0, 0, 0]),
        triangles: [0, 1, 2])

    /// A square metre as 2 × n × n triangles.
    private static func square(_ n: Int) -> TriangleMesh {
        var mesh = TriangleMesh()
        for row in 0...n {
            for column in 0...n { mesh.vertices.positions += [Float(column) / Float(n), Float(row) / Float(n), 0] }
        }
        for row in 0..<n {
            for column in 0..<n {
                let first = UInt32(row * (n + 1) + column)
                let above = first + UInt32(n) + 1
                mesh.triangles += [first, first + 1, above, first + 1, above + 1, above]
            }
        }
        return mesh
    }

    @Test func pointsLieOnTheTriangleAndKeepTheirDistance() {
        let cloud = Self.triangle.points(spacing: 0.05)
        #expect(cloud.count == 400 && Self.triangle.pointCount(spacing: 0.05).rounded() == 400)
        let points = (0..<cloud.count).map { cloud[$0] }
        #expect(points.allSatisfy { $0.y == 3 && $0.x >= 0 && $0.z >= 0 && $0.x / 2 + $0.z <= 1 + 1e-6 })
        // Along the sides of the triangle, which the sequence counts by: independent ones come within a hundredth.
        let least = points.indices.map { i in
            points.indices.filter { $0 != i }.map { j in
                let d = points[i] - points[j]
                return Vector3(d.x / 2, 0, d.z).length
            }.min() ?? 0
        }
        let spacing = (0.5 / 400).squareRoot()
        #expect((least.min() ?? 0) > spacing / 2, "\((least.min() ?? 0) / spacing)")
        // The mean of a triangle's points is that of its corners.
        let mean = points.reduce(Vector3(0, 0, 0), +) / 400
        #expect((mean - Vector3(2.0 / 3, 3, 1.0 / 3)).length < 0.01, "\(mean)")
        #expect(Self.triangle.points(spacing: 0.05) == cloud)
    }

    @Test func coloursAndNormalsLieBetweenTheCorners() throws {
        let cloud = Self.triangle.points(spacing: 0.1)
        let (colors, normals) = (try #require(cloud.colors), try #require(cloud.normals))
        for i in 0..<cloud.count {
            let (x, z) = (cloud[i].x / 2, cloud[i].z)
            let color = [200 * x, 50 * z, 100 * (x + z)].map { UInt8($0.rounded()) }
            #expect(zip(color, colors[3 * i..<3 * i + 3]).allSatisfy { $0.distance(to: $1).magnitude <= 1 })
            // The third corner's normal is unknown.
            let length = ((1 - x - z) * (1 - x - z) + x * x).squareRoot()
            #expect(abs(Double(normals[3 * i]) - x / length) < 1e-5)
            #expect(abs(Double(normals[3 * i + 1]) - (1 - x - z) / length) < 1e-5)
        }
        var bare = Self.triangle
        (bare.vertices.colors, bare.vertices.normals) = (nil, nil)
        #expect(bare.points(spacing: 0.1) == PointCloud(positions: cloud.positions))
    }

    /// However small the triangles are: each quarter of the square has a quarter of the points.
    @Test(arguments: [1, 7, 100]) func theSurfaceCountsAndNotTheTriangles(_ n: Int) {
        let cloud = Self.square(n).points(spacing: 0.02)
        #expect(abs(cloud.count - 2500) <= 1, "\(cloud.count)")
        var quarters = [0, 0, 0, 0]
        for i in 0..<cloud.count { quarters[(cloud[i].x < 0.5 ? 0 : 1) + (cloud[i].y < 0.5 ? 0 : 2)] += 1 }
        #expect(quarters.allSatisfy { abs($0 - 625) < 25 }, "\(quarters)")
    }

    @Test func aSurfaceThatIsTooSmallHasNone() {
        #expect(TriangleMesh().points(spacing: 0.1) == PointCloud())
        #expect(Self.triangle.points(spacing: 2).count == 0)
        #expect(Self.triangle.points(spacing: 1).count == 1)
    }
}
