import ScanModel

/// One frame of a `.sens` file, without its payloads: f32[16] camera to world, row-major; u64 timestamps of colour and of
/// depth, microseconds; u64 bytes of colour and of depth; then both payloads.
public struct SensFrame: Hashable, Sendable {
    /// Bytes before the payloads.
    private static let headerByteCount = 96

    /// Sixteen numbers, row-major; −∞ where tracking was lost.
    public var pose: [Float]
    /// Microseconds.
    public var colorTime: UInt64
    public var depthTime: UInt64
    public var color: ByteSpan
    public var depth: ByteSpan

    /// - Parameter offset: where the frame begins.
    /// - Returns: nil when the file ends before the frame does.
    init?(_ file: FileSource, at offset: Int64) throws(Problem) {
        let room = file.byteCount - offset - Int64(Self.headerByteCount)
        guard room >= 0 else { return nil }
        var cursor = LittleEndianCursor(try file.bytes(at: offset, count: Self.headerByteCount))
        pose = cursor.floats(16)
        colorTime = cursor.integer()
        depthTime = cursor.integer()
        let colorCount: UInt64 = cursor.integer()
        let depthCount: UInt64 = cursor.integer()
        guard colorCount <= UInt64(room), depthCount <= UInt64(room) - colorCount else { return nil }
        let start = offset + Int64(Self.headerByteCount)
        color = ByteSpan(offset: start, count: Int(colorCount))
        depth = ByteSpan(offset: start + Int64(colorCount), count: Int(depthCount))
    }

    /// Where the next frame begins.
    var end: Int64 { depth.offset + Int64(depth.count) }

    /// The bytes of a frame's header and its payloads.
    public static func bytes(
        pose: [Float], colorTime: UInt64, depthTime: UInt64, color: [UInt8], depth: [UInt8]
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerByteCount + color.count + depth.count)
        for value in pose { bytes.append(littleEndian: value) }
        for value in [colorTime, depthTime, UInt64(color.count), UInt64(depth.count)] {
            bytes.append(littleEndian: value)
        }
        bytes += color
        bytes += depth
        return bytes
    }
}
