import ScanModel

/// Writes points as a binary little-endian PLY file: x, y, z as floats, nx, ny, nz as floats where there are normals, and
/// red, green, blue as bytes where there are colours. It is what nerfstudio, Open3D, MeshLab and CloudCompare read. PLY
/// knows no units: a comment says one that is not the metre, and ``PLYReader`` goes by it.
///
///     try sink.write(PLYWriter.header(count: cloud.count, cloud.properties))
///     var writer = PLYWriter(cloud.properties)
///     try writer.write(cloud, to: &sink)
public struct PLYWriter: Sendable {
    /// How many points were written.
    public private(set) var count = 0
    private let properties: PointCloud.Properties
    private let stride: Int
    private var buffer: [UInt8]
    private static let pointsPerChunk = 4096

    public init(_ properties: PointCloud.Properties) {
        self.properties = properties
        stride = 12 + (properties.contains(.normals) ? 12 : 0) + (properties.contains(.colors) ? 3 : 0)
        buffer = [UInt8](repeating: 0, count: stride * Self.pointsPerChunk)
    }

    /// The header of a file whose number of points is known.
    /// - Parameter triangles: how many triangles follow on the points, in a file that has some.
    public static func header(
        count: Int, _ properties: PointCloud.Properties, unit: LengthUnit = .metre, triangles: Int? = nil
    ) -> [UInt8] {
        text(count: count, properties, unit, triangles: triangles)
    }

    /// A header that has the same length for every count: written with 0 before the points, and overwritten when they
    /// have been counted. A comment fills the room that the number leaves, so the number itself looks as in any file.
    public static func reservedHeader(
        count: Int, _ properties: PointCloud.Properties, unit: LengthUnit = .metre
    ) -> [UInt8] {
        let digits = String(count).utf8.count
        let filler = String(repeating: "-", count: max(1, 20 - digits))
        return text(count: count, properties, unit, comment: filler)
    }

    private static func text(
        count: Int, _ properties: PointCloud.Properties, _ unit: LengthUnit, comment: String? = nil,
        triangles: Int? = nil
    ) -> [UInt8] {
        var lines = ["ply", "format binary_little_endian 1.0"]
        if let comment { lines.append("comment \(comment)") }
        if unit != .metre { lines.append("comment unit \(unit.rawValue)") }
        lines.append("element vertex \(count)")
        lines += ["x", "y", "z"].map { "property float \($0)" }
        if properties.contains(.normals) { lines += ["nx", "ny", "nz"].map { "property float \($0)" } }
        if properties.contains(.colors) { lines += ["red", "green", "blue"].map { "property uchar \($0)" } }
        if let triangles { lines += ["element face \(triangles)", "property list uchar int vertex_indices"] }
        lines.append("end_header")
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// Appends points. Points without colours become black in a file that has colours, and normals 0, 0, 0.
    public mutating func write(_ cloud: PointCloud, to sink: inout some ByteSink) throws(Problem) {
        var done = 0
        while done < cloud.count {
            let points = min(Self.pointsPerChunk, cloud.count - done)
            pack(cloud, from: done, count: points)
            try writeBuffer(points * stride, to: &sink)
            done += points
        }
        count += cloud.count
    }

    private mutating func pack(_ cloud: PointCloud, from start: Int, count: Int) {
        let (stride, properties) = (stride, properties)
        buffer.withUnsafeMutableBytes { bytes in
            func pack(_ vectors: [Float], at offset: Int) {
                vectors.withUnsafeBufferPointer { vectors in
                    for i in 0..<count {
                        let (from, to) = (3 * (start + i), stride * i + offset)
                        for axis in 0..<3 {
                            let value = vectors.isEmpty ? 0 : vectors[from + axis]
                            bytes.storeBytes(
                                of: value.bitPattern.littleEndian, toByteOffset: to + 4 * axis, as: UInt32.self)
                        }
                    }
                }
            }
            pack(cloud.positions, at: 0)
            if properties.contains(.normals) { pack(cloud.normals ?? [], at: 12) }
            guard properties.contains(.colors) else { return }
            (cloud.colors ?? []).withUnsafeBufferPointer { colors in
                for i in 0..<count {
                    for channel in 0..<3 {
                        bytes[stride * (i + 1) - 3 + channel] = colors.isEmpty ? 0 : colors[3 * (start + i) + channel]
                    }
                }
            }
        }
    }

    private func writeBuffer(_ count: Int, to sink: inout some ByteSink) throws(Problem) {
        try buffer.withUnsafeBufferPointer { (bytes) throws(Problem) in
            try sink.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]))
        }
    }
}
