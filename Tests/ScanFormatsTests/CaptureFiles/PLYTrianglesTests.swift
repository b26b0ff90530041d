import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PLYTrianglesTests {
    private static func bytes(_ mesh: TriangleMesh, unit: LengthUnit = .metre) throws -> [UInt8] {
        var sink = MemorySink()
        try PLYWriter.write(mesh, unit: unit, to: &sink)
        return sink.bytes
    }

    @Test func aSquareOfTwoTriangles() throws {
        let mesh = TriangleMesh(
            vertices: PointCloud(positions: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]), triangles: [0, 1, 2, 0, 2, 258])
        let header = """
            ply
            format binary_little_endian 1.0
            comment unit mm
            element vertex 4
            property float x
            property float y
            property float z
            element face 2
            property list uchar int vertex_indices
            end_header

            """
        let bytes = try Self.bytes(mesh, unit: .millimetre)
        #expect(String(decoding: bytes.prefix(header.utf8.count), as: UTF8.self) == header)
        let body = bytes.dropFirst(header.utf8.count)
        #expect(body.count == 4 * 12 + 2 * 13)
        #expect(Array(body.suffix(26).prefix(13)) == [3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])
        #expect(Array(body.suffix(13)) == [3, 0, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0])
    }

    /// The vertices are points to whoever asks for points.
    @Test func verticesAreReadAsPoints() throws {
        var random = SplitMix(seed: 5)
        let count = 5000
        let cloud = PointCloud(
            positions: (0..<3 * count).map { _ in Float.random(in: -5...5, using: &random) },
            colors: (0..<3 * count).map { _ in UInt8.random(in: 0...255, using: &random) },
            normals: (0..<3 * count).map { $0 % 3 == 1 ? 1 : 0 })
        // More triangles than are written at once.
        let triangles = (0..<3 * 9000).map { _ in UInt32.random(in: 0..<UInt32(count), using: &random) }
        let bytes = try Self.bytes(TriangleMesh(vertices: cloud, triangles: triangles))
        let corners = bytes.suffix(13 * 9000)
        let found = (0..<9000).flatMap { triangle in
            (0..<3).map { corner in
                let at = corners.startIndex + 13 * triangle + 1 + 4 * corner
                return (0..<4).reduce(UInt32(0)) { $0 | UInt32(corners[at + $1]) << (8 * UInt32($1)) }
            }
        }
        #expect(found == triangles)
        var reader = try PLYReader(MemorySource(bytes, name: "mesh.ply"))
        var read = PointCloud(of: reader.properties)
        while let part = try reader.next(1000) { read.append(part) }
        #expect(read == cloud)
    }
}
