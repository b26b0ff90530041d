import ScanModel

/// Uncompressed video as a Matroska stream, the form in which frames go to ffmpeg: bare pixels in a pipe have no times,
/// and ffmpeg would space them evenly.
///
/// Every frame is a cluster of its own whose timestamp is the frame's, in microseconds, so that times need not be known
/// beforehand and any of them is exact.
///
/// Format: RFC 8794 (EBML), RFC 9559 (Matroska); `V_UNCOMPRESSED`: the Matroska codec registry.
struct MatroskaVideo: Sendable {
    let width: Int
    let height: Int
    let layout: VideoLayout
    /// Nanoseconds; the encoder's rate control and the last frame's duration depend on it.
    let nominalFrameDuration: Int64
    /// Clockwise quarter turns for display, in degrees.
    let rotation: Int

    /// The elements, as the RFCs name and number them.
    private enum Element: UInt32 {
        case ebml = 0x1A45_DFA3
        case ebmlVersion = 0x4286
        case ebmlReadVersion = 0x42F7
        case ebmlMaxIDLength = 0x42F2
        case ebmlMaxSizeLength = 0x42F3
        case docType = 0x4282
        case docTypeVersion = 0x4287
        case docTypeReadVersion = 0x4285
        case segment = 0x1853_8067
        case info = 0x1549_A966
        case timestampScale = 0x2A_D7B1
        case muxingApp = 0x4D80
        case writingApp = 0x5741
        case tracks = 0x1654_AE6B
        case trackEntry = 0xAE
        case trackNumber = 0xD7
        case trackUID = 0x73C5
        case trackType = 0x83
        case flagLacing = 0x9C
        case defaultDuration = 0x23_E383
        case codecID = 0x86
        case video = 0xE0
        case pixelWidth = 0xB0
        case pixelHeight = 0xBA
        case uncompressedFourCC = 0x2E_B524
        case projection = 0x7670
        case projectionType = 0x7671
        case projectionPoseRoll = 0x7675
        case cluster = 0x1F43_B675
        case timestamp = 0xE7
        case simpleBlock = 0xA3
    }

    /// The bytes before the first frame.
    var header: [UInt8] {
        let format = Self.element(
            .ebml,
            Self.element(.ebmlVersion, 1) + Self.element(.ebmlReadVersion, 1) + Self.element(.ebmlMaxIDLength, 4)
                + Self.element(.ebmlMaxSizeLength, 8) + Self.element(.docType, Array("matroska".utf8))
                + Self.element(.docTypeVersion, 4) + Self.element(.docTypeReadVersion, 2))
        // Timestamps count microseconds.
        let info = Self.element(
            .info,
            Self.element(.timestampScale, 1000) + Self.element(.muxingApp, Array("ScanMill".utf8))
                + Self.element(.writingApp, Array("ScanMill".utf8)))
        var video = Self.element(.pixelWidth, UInt64(width)) + Self.element(.pixelHeight, UInt64(height))
        video += Self.element(.uncompressedFourCC, layout == .rgb24 ? [0x52, 0x47, 0x42, 24] : Array("I420".utf8))
        if rotation != 0 {
            // A rectangular projection with a roll counter-clockwise.
            let roll = Double(rotation > 180 ? 360 - rotation : -rotation)
            video += Self.element(
                .projection,
                Self.element(.projectionType, 0) + Self.element(.projectionPoseRoll, Self.bytes(roll.bitPattern)))
        }
        let track = Self.element(
            .trackEntry,
            Self.element(.trackNumber, 1) + Self.element(.trackUID, 1) + Self.element(.trackType, 1)
                + Self.element(.flagLacing, 0) + Self.element(.defaultDuration, UInt64(nominalFrameDuration))
                + Self.element(.codecID, Array("V_UNCOMPRESSED".utf8)) + Self.element(.video, video))
        // The segment is open: its size is not known, which a size of all ones says.
        let segment = Self.number(.segment) + [0x01] + [UInt8](repeating: 0xFF, count: 7)
        return format + segment + info + Self.element(.tracks, track)
    }

    /// The bytes before the pixels of each frame.
    func frameHeader(microseconds: Int64) -> [UInt8] {
        let block: [UInt8] = [0x81, 0, 0, 0x80]  // track 1, no offset from the cluster's time, a key frame
        let size = UInt64(block.count + layout.byteCount(width: width, height: height))
        let time = Self.element(.timestamp, UInt64(microseconds))
        let blockHeader = Self.number(.simpleBlock) + Self.size(size) + block
        let clusterSize = UInt64(time.count + blockHeader.count - block.count) + size
        return Self.number(.cluster) + Self.size(clusterSize) + time + blockHeader
    }

    private static func element(_ element: Element, _ content: [UInt8]) -> [UInt8] {
        number(element) + size(UInt64(content.count)) + content
    }

    private static func element(_ element: Element, _ value: UInt64) -> [UInt8] { Self.element(element, bytes(value)) }

    /// Sizes always take eight bytes, the first of which only gives that length.
    private static func size(_ value: UInt64) -> [UInt8] { bytes(value | 1 << 56) }

    /// An element's number carries its own length in its leading bits, so only leading zeros are dropped.
    private static func number(_ element: Element) -> [UInt8] {
        Array(bytes(UInt64(element.rawValue)).drop { $0 == 0 })
    }

    private static func bytes(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
