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
        let perChunk = 4096
        var start = 0
        while start < mesh.triangles.count {
            let corners = mesh.triangles[start..<min(start + 3 * perChunk, mesh.triangles.count)]
            try sink.write(packed(corners))
            start += 3 * perChunk
        }
    }

    /// For each triangle the number 3 as a byte, and its vertices as 32-bit integers.
    private static func packed(_ corners: ArraySlice<UInt32>) -> [UInt8] {
        let (stride, count) = (13, corners.count / 3)
        return [UInt8](unsafeUninitializedCapacity: stride * count) { buffer, used in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            for (number, vertex) in corners.enumerated() {
                let (triangle, corner) = number.quotientAndRemainder(dividingBy: 3)
                if corner == 0 { bytes[stride * triangle] = 3 }
                bytes.storeBytes(
                    of: vertex.littleEndian, toByteOffset: stride * triangle + 1 + 4 * corner, as: UInt32.self)
            }
            used = stride * count
        }
    }
}
