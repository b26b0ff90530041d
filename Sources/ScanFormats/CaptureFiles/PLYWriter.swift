import ScanModel

/// Writes points as a binary little-endian PLY file: x, y, z as floats in metres, and red, green, blue as bytes where
/// there are colours. It is what nerfstudio, Open3D, MeshLab and CloudCompare read.
///
///     try sink.write(PLYWriter.header(count: cloud.count, hasColor: true))
///     var writer = PLYWriter(hasColor: true)
///     try writer.write(cloud, to: &sink)
public struct PLYWriter: Sendable {
    /// How many points were written.
    public private(set) var count = 0
    private let hasColor: Bool
    private let stride: Int
    private var buffer: [UInt8]
    private static let pointsPerChunk = 4096

    public init(hasColor: Bool) {
        self.hasColor = hasColor
        // A SIMD3<Float> has 16 bytes; a point on disk has 12, or 15 with its colour.
        stride = hasColor ? 15 : 12
        buffer = [UInt8](repeating: 0, count: stride * Self.pointsPerChunk)
    }

    /// The header of a file whose number of points is known.
    public static func header(count: Int, hasColor: Bool) -> [UInt8] { text(count: count, hasColor: hasColor) }

    /// A header that has the same length for every count: written with 0 before the points, and overwritten when they
    /// have been counted. A comment fills the room that the number leaves, so the number itself looks as in any file.
    public static func reservedHeader(count: Int, hasColor: Bool) -> [UInt8] {
        let digits = String(count).utf8.count
        let filler = String(repeating: "-", count: max(1, 20 - digits))
        return text(count: count, hasColor: hasColor, comment: filler)
    }

    private static func text(count: Int, hasColor: Bool, comment: String? = nil) -> [UInt8] {
        var lines = ["ply", "format binary_little_endian 1.0"]
        if let comment { lines.append("comment \(comment)") }
        lines.append("element vertex \(count)")
        lines += ["x", "y", "z"].map { "property float \($0)" }
        if hasColor { lines += ["red", "green", "blue"].map { "property uchar \($0)" } }
        lines.append("end_header")
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// Appends points. Points without colours become black in a file that has colours.
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
        let (stride, hasColor) = (stride, hasColor)
        buffer.withUnsafeMutableBytes { bytes in
            cloud.positions.withUnsafeBufferPointer { positions in
                for i in 0..<count {
                    let from = 3 * (start + i)
                    let to = stride * i
                    for axis in 0..<3 {
                        bytes.storeBytes(
                            of: positions[from + axis].bitPattern.littleEndian, toByteOffset: to + 4 * axis,
                            as: UInt32.self)
                    }
                }
            }
            guard hasColor else { return }
            (cloud.colors ?? []).withUnsafeBufferPointer { colors in
                for i in 0..<count {
                    for channel in 0..<3 {
                        bytes[stride * i + 12 + channel] = colors.isEmpty ? 0 : colors[3 * (start + i) + channel]
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
