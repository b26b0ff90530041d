import ScanModel

/// Uncompressed video as a Matroska stream, the form in which frames go to ffmpeg: bare pixels in a pipe have no times,
/// and ffmpeg would space them evenly.
///
/// Every frame is a cluster of its own whose timestamp is the frame's, in microseconds, so that times need not be known
/// beforehand and any of them is exact. Element numbers: RFC 9559, section 5; `V_UNCOMPRESSED`: the Matroska codec
/// registry.
struct MatroskaVideo: Sendable {
    let width: Int
    let height: Int
    let layout: VideoLayout
    /// Nanoseconds; the encoder's rate control and the last frame's duration depend on it.
    let nominalFrameDuration: Int64
    /// Clockwise quarter turns for display, in degrees.
    let rotation: Int

    /// The bytes before the first frame.
    var header: [UInt8] {
        let format = Self.element(
            0x1A45_DFA3,
            Self.element(0x4286, 1) + Self.element(0x42F7, 1) + Self.element(0x42F2, 4) + Self.element(0x42F3, 8)
                + Self.element(0x4282, Array("matroska".utf8)) + Self.element(0x4287, 4) + Self.element(0x4285, 2))
        // Timestamps count microseconds.
        let info = Self.element(
            0x1549_A966,
            Self.element(0x2A_D7B1, 1000) + Self.element(0x4D80, Array("ScanMill".utf8))
                + Self.element(0x5741, Array("ScanMill".utf8)))
        var video = Self.element(0xB0, UInt64(width)) + Self.element(0xBA, UInt64(height))
        video += Self.element(0x2E_B524, layout == .rgb24 ? [0x52, 0x47, 0x42, 24] : Array("I420".utf8))
        if rotation != 0 {
            // A rectangular projection with a roll counter-clockwise.
            let roll = Double(rotation > 180 ? 360 - rotation : -rotation)
            video += Self.element(0x7670, Self.element(0x7671, 0) + Self.element(0x7675, Self.bytes(roll.bitPattern)))
        }
        let track = Self.element(
            0xAE,
            Self.element(0xD7, 1) + Self.element(0x73C5, 1) + Self.element(0x83, 1) + Self.element(0x9C, 0)
                + Self.element(0x23_E383, UInt64(nominalFrameDuration))
                + Self.element(0x86, Array("V_UNCOMPRESSED".utf8)) + Self.element(0xE0, video))
        // The segment is open: its size is not known, which a size of all ones says.
        let segment = Self.number(0x1853_8067) + [0x01] + [UInt8](repeating: 0xFF, count: 7)
        return format + segment + info + Self.element(0x1654_AE6B, track)
    }

    /// The bytes before the pixels of each frame.
    func frameHeader(microseconds: Int64) -> [UInt8] {
        let block: [UInt8] = [0x81, 0, 0, 0x80]  // track 1, no offset from the cluster's time, a key frame
        let size = UInt64(block.count + layout.byteCount(width: width, height: height))
        let time = Self.element(0xE7, UInt64(microseconds))
        let blockHeader = Self.number(0xA3) + Self.size(size) + block
        let clusterSize = UInt64(time.count + blockHeader.count - block.count) + size
        return Self.number(0x1F43_B675) + Self.size(clusterSize) + time + blockHeader
    }

    private static func element(_ id: UInt32, _ content: [UInt8]) -> [UInt8] {
        number(id) + size(UInt64(content.count)) + content
    }

    private static func element(_ id: UInt32, _ value: UInt64) -> [UInt8] { element(id, bytes(value)) }

    /// Sizes always take eight bytes, the first of which only gives that length.
    private static func size(_ value: UInt64) -> [UInt8] { bytes(value | 1 << 56) }

    /// An element's number carries its own length in its leading bits, so only leading zeros are dropped.
    private static func number(_ id: UInt32) -> [UInt8] { Array(bytes(UInt64(id)).drop { $0 == 0 }) }

    private static func bytes(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
