import Foundation

/// Bytes put together by hand, for files whose layout a test spells out. None of it comes from the code under test.
struct ByteText {
    var bytes: [UInt8] = []

    mutating func add(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { bytes += Array($0) }
    }
    mutating func add(_ value: Float) { add(value.bitPattern) }
    mutating func add(_ value: Double) { add(value.bitPattern) }
    mutating func add(_ values: [Float]) { for value in values { add(value) } }
    mutating func add(_ values: [Double]) { for value in values { add(value) } }

    /// RFC 1950 with one stored block, and its checksum computed in the simplest way.
    static func zlib(_ content: [UInt8]) -> [UInt8] {
        precondition(content.count < 65536)
        let count = UInt16(content.count)
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in content {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        let lengths = [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
        let sum = b << 16 | a
        return [0x78, 0x01, 0x01] + lengths + content + (0..<4).map { UInt8(sum >> UInt32(24 - 8 * $0) & 255) }
    }

    /// Whole numbers of 16 bits.
    static func words(_ values: [UInt16]) -> [UInt8] { values.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } }

    /// "0111 1010…" as bytes, padded with zeros.
    static func bits(_ text: String) -> [UInt8] {
        var digits = Array(text.filter { $0 == "0" || $0 == "1" })
        while digits.count % 8 != 0 { digits.append("0") }
        return stride(from: 0, to: digits.count, by: 8).map { start in
            digits[start..<start + 8].reduce(0) { $0 << 1 | ($1 == "1" ? 1 : 0) }
        }
    }
}

/// A `.sens` file, field by field as in its description.
struct SensBytes {
    struct Frame {
        var pose: [Float] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
        var colorTime: UInt64 = 0
        var depthTime: UInt64 = 0
        var color: [UInt8] = []
        var depth: [UInt8] = []
        /// What the header says about the payloads, if it is not their length.
        var colorCount: UInt64?
        var depthCount: UInt64?
    }

    static let identity: [Float] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]

    var version: UInt32 = 4
    var name = "StructureSensor"
    var nameLength: UInt64?
    var colorIntrinsic: [Float] = [9, 0, 3.5, 0, 0, 9.5, 2.5, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    var colorExtrinsic = identity
    /// The colour camera at half the size.
    var depthIntrinsic: [Float] = [4.5, 0, 1.5, 0, 0, 4.75, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    var depthExtrinsic = identity
    var colorCompression: Int32 = 1
    var depthCompression: Int32 = 0
    var sizes: [UInt32] = [8, 6, 4, 3]
    var depthShift: Float = 1000
    var announced: UInt64?
    var frames: [Frame] = []
    /// Nil for a file without the block.
    var motion: [(values: [Double], time: UInt64)]? = []
    var announcedMotion: UInt64?

    /// Everything before the frames.
    var header: [UInt8] {
        var text = ByteText()
        text.add(version)
        text.add(nameLength ?? UInt64(name.utf8.count))
        text.bytes += Array(name.utf8)
        for matrix in [colorIntrinsic, colorExtrinsic, depthIntrinsic, depthExtrinsic] { text.add(matrix) }
        text.add(colorCompression)
        text.add(depthCompression)
        for size in sizes { text.add(size) }
        text.add(depthShift)
        text.add(announced ?? UInt64(frames.count))
        return text.bytes
    }

    var bytes: [UInt8] {
        var text = ByteText(bytes: header)
        for frame in frames {
            text.add(frame.pose)
            text.add(frame.colorTime)
            text.add(frame.depthTime)
            text.add(frame.colorCount ?? UInt64(frame.color.count))
            text.add(frame.depthCount ?? UInt64(frame.depth.count))
            text.bytes += frame.color + frame.depth
        }
        if let motion {
            text.add(announcedMotion ?? UInt64(motion.count))
            for sample in motion {
                text.add(sample.values)
                text.add(sample.time)
            }
        }
        return text.bytes
    }
}
