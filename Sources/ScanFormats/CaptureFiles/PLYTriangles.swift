import ScanModel

/// Writes a surface as a binary little-endian PLY file: the vertices as ``PLYWriter`` writes points, and a list of three
/// vertex numbers for each triangle. Open3D, MeshLab, CloudCompare, Blender and trimesh read it.
extension PLYWriter {
    public static func write(
        _ mesh: TriangleMesh, unit: LengthUnit = .metre, to sink: inout some ByteSink
    ) throws(Problem) {
        let vertices = mesh.vertices
        try sink.write(
            header(count: vertices.count, vertices.properties, unit: unit, triangles: mesh.triangleCount))
        var writer = PLYWriter(vertices.properties)
        try writer.write(vertices, to: &sink)
        let perWrite = 3 * 4096
        for start in stride(from: 0, to: mesh.triangles.count, by: perWrite) {
            try sink.write(packed(mesh.triangles[start..<min(start + perWrite, mesh.triangles.count)]))
        }
    }

    /// For each triangle the number 3 as a byte, and its vertices as 32-bit integers.
    private static func packed(_ corners: ArraySlice<UInt32>) -> [UInt8] {
        var bytes: [UInt8] = []
        for at in stride(from: corners.startIndex, to: corners.endIndex, by: 3) {
            bytes.append(3)
            for vertex in corners[at..<at + 3] { bytes.append(littleEndian: vertex) }
        }
        return bytes
    }
}
