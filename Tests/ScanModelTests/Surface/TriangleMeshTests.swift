import ScanModel
import Testing

@Suite struct TriangleMeshTests {
    /// Two triangles that share a side, and one that lies elsewhere; vertex 3 is in none.
    private static let mesh = TriangleMesh(
        vertices: PointCloud(
            positions: [0, 0, 0, 3, 0, 0, 0, 4, 0, 9, 9, 9, 3, 4, 0, 7, 0, 0, 7, 2, 0, 7, 0, 2],
            colors: (0..<24).map { UInt8($0) }),
        triangles: [0, 1, 2, 1, 4, 2, 5, 6, 7])

    @Test func areasAddUp() { #expect(Self.mesh.area == 6 + 6 + 2) }

    @Test func normalsAreThoseOfTheTrianglesAround() {
        var mesh = Self.mesh
        mesh.setNormals()
        let normals = mesh.vertices.normals ?? []
        #expect(Array(normals[0..<3]) == [0, 0, 1])
        #expect(Array(normals[9..<12]) == [0, 0, 0])
        #expect(Array(normals[15..<18]) == [1, 0, 0])
    }

    @Test func smallPiecesGoWithTheirVertices() {
        var mesh = Self.mesh
        #expect(mesh.removePieces(smallerThan: 2) == 1)
        #expect(mesh.triangles == [0, 1, 2, 1, 3, 2])
        #expect(mesh.vertices.positions == [0, 0, 0, 3, 0, 0, 0, 4, 0, 3, 4, 0])
        #expect(mesh.vertices.colors == [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14])
        #expect(mesh.removePieces(smallerThan: 3) == 1)
        #expect(mesh == TriangleMesh(vertices: PointCloud(colors: [])))
    }

    /// A triangle is cut off where one corner is.
    @Test func aCutLeavesWholeTriangles() {
        var mesh = Self.mesh
        mesh.keep { $0.y < 4 || $0.x < 3 }
        #expect(mesh.triangles == [0, 1, 2, 3, 4, 5])
        #expect(mesh.vertices.positions == [0, 0, 0, 3, 0, 0, 0, 4, 0, 7, 0, 0, 7, 2, 0, 7, 0, 2])
        mesh.keep { _ in false }
        #expect(mesh == TriangleMesh(vertices: PointCloud(colors: [])))
    }

    @Test func aBoxCutsAsItCutsPoints() {
        let box = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(3, 4, 1))
        #expect(box.filter(Self.mesh).triangles == [0, 1, 2, 1, 3, 2])
        let outside = box.filter(Self.mesh, keepInside: false)
        #expect(outside.vertices.positions == [7, 0, 0, 7, 2, 0, 7, 0, 2] && outside.triangles == [0, 1, 2])
        // One corner lies outside, so two triangles do not lie inside, and neither lies outside.
        let small = OrientedBox(center: .zero, worldFromBox: .identity, halfSize: Vector3(3, 3.9, 1))
        #expect(small.filter(Self.mesh).triangleCount == 0)
        #expect(small.filter(Self.mesh, keepInside: false) == outside)
    }

    @Test func whatIsLargeEnoughStays() {
        var mesh = Self.mesh
        #expect(mesh.removePieces(smallerThan: 1) == 0)
        #expect(mesh == Self.mesh)
    }
}
