import ScanModel

/// What a `.sens` file says before its frames.
///
/// All numbers are little-endian, without padding: u32 version; u64 length and bytes of the sensor's name; four 4×4
/// matrices of f32, row-major (colour intrinsic and extrinsic, depth intrinsic and extrinsic); i32 compression of
/// colour and of depth; u32 width and height of colour and of depth; f32 depth units per metre; u64 number of frames.
///
/// Source: ScanNet, SensReader/c++/src/sensorData.h.
public struct SensHeader: Hashable, Sendable {
    public enum ColorCompression: Int32, Hashable, Sendable {
        case unknown = -1
        case raw, png, jpeg
    }

    public enum DepthCompression: Int32, Hashable, Sendable {
        case unknown = -1
        /// 16-bit numbers as they are, in zlib's wrapper, or shifts in Occipital's codec.
        case raw, zlib, occipital
    }

    /// 4 has a block of motion samples after the frames, 3 has none.
    public var version: UInt32 = 4
    public var sensorName = ""
    /// Sixteen numbers, row-major.
    public var colorIntrinsic = SensHeader.identity
    public var colorExtrinsic = SensHeader.identity
    public var depthIntrinsic = SensHeader.identity
    public var depthExtrinsic = SensHeader.identity
    public var colorCompression = ColorCompression.jpeg
    public var depthCompression = DepthCompression.zlib
    public var colorSize = PixelSize(0, 0)
    public var depthSize = PixelSize(0, 0)
    /// Depth units per metre.
    public var depthShift: Float = 1000
    /// As announced.
    public var frameCount: UInt64 = 0

    public static let identity: [Float] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]

    /// The longest name that is accepted, in bytes.
    private static let longestName: UInt64 = 4096
    /// Bytes of everything but the name.
    private static let fixedByteCount = 304

    public init() {}

    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: version)
        bytes.append(littleEndian: UInt64(sensorName.utf8.count))
        bytes += Array(sensorName.utf8)
        for matrix in [colorIntrinsic, colorExtrinsic, depthIntrinsic, depthExtrinsic] {
            for value in matrix { bytes.append(littleEndian: value) }
        }
        bytes.append(littleEndian: colorCompression.rawValue)
        bytes.append(littleEndian: depthCompression.rawValue)
        for side in [colorSize.width, colorSize.height, depthSize.width, depthSize.height] {
            bytes.append(littleEndian: UInt32(side))
        }
        bytes.append(littleEndian: depthShift)
        bytes.append(littleEndian: frameCount)
        return bytes
    }

    /// Whether a file begins like a `.sens` file.
    /// - Parameter start: its first twelve bytes.
    static func looksRight(_ start: [UInt8]) -> Bool {
        var cursor = LittleEndianCursor(start)
        let version: UInt32 = cursor.integer()
        let nameLength: UInt64 = cursor.integer()
        return start.count >= 12 && (version == 3 || version == 4) && nameLength <= longestName
    }

    /// Reads the header.
    /// - Throws: `input` for an older version, and for impossible numbers.
    init(_ file: FileSource) throws(Problem) {
        do throws(Problem) { try self.init(checked: file) } catch { throw error.at(file: file.name) }
    }

    private init(checked file: FileSource) throws(Problem) {
        var start = LittleEndianCursor(try Self.take(file, at: 0, 12))
        version = start.integer()
        let nameLength: UInt64 = start.integer()
        if version <= 2 {
            throw Problem(
                .input, "version \(version) of the format is not read, only 3 and 4",
                fix: "convert the file with the SensReader that came with its data")
        }
        guard version <= 4, nameLength <= Self.longestName else {
            throw Problem(.input, "this is not a .sens file: its header makes no sense")
        }
        let rest = try Self.take(file, at: 12, Int(nameLength) + Self.fixedByteCount - 12)
        sensorName = String(decoding: rest.prefix(Int(nameLength)), as: UTF8.self)
        nameByteCount = Int(nameLength)
        var cursor = LittleEndianCursor(rest, at: Int(nameLength))
        colorIntrinsic = cursor.floats(16)
        colorExtrinsic = cursor.floats(16)
        depthIntrinsic = cursor.floats(16)
        depthExtrinsic = cursor.floats(16)
        let compressions: (color: Int32, depth: Int32) = (cursor.integer(), cursor.integer())
        let sides: [UInt32] = (0..<4).map { _ in cursor.integer() }
        depthShift = cursor.float()
        frameCount = cursor.integer()
        guard let color = ColorCompression(rawValue: compressions.color),
            let depth = DepthCompression(rawValue: compressions.depth)
        else {
            throw Problem(
                .input, "the compression is not known",
                notes: ["colour \(compressions.color), depth \(compressions.depth)"])
        }
        (colorCompression, depthCompression) = (color, depth)
        guard sides.allSatisfy({ $0 <= 1 << 20 }) else {
            throw Problem(.input, "the pictures' size cannot be", notes: ["width and height are \(sides)"])
        }
        colorSize = PixelSize(Int(sides[0]), Int(sides[1]))
        depthSize = PixelSize(Int(sides[2]), Int(sides[3]))
        guard depthShift >= 1, depthShift <= 1e6 else {
            throw Problem(.input, "depth of \(depthShift) units a metre")
        }
    }

    /// Whether it gives the pictures a size: files of depth alone have none.
    var hasPictureSize: Bool { colorSize.width > 0 && colorSize.height > 0 }

    /// Bytes of a picture that is not compressed: red, green and blue of each pixel.
    var rawPictureByteCount: Int { colorSize.width * colorSize.height * 3 }

    /// Bytes of the name as read, which need not be valid text.
    private var nameByteCount: Int?

    /// Where the first frame begins in a file that was read.
    var firstFrameOffset: Int64 { Int64(Self.fixedByteCount + (nameByteCount ?? sensorName.utf8.count)) }

    private static func take(_ file: FileSource, at offset: Int64, _ count: Int) throws(Problem) -> [UInt8] {
        guard file.byteCount >= offset + Int64(count) else {
            throw Problem(.input, "the file ends inside its header", fix: "copy the file again")
                .at(byte: file.byteCount, of: file.byteCount)
        }
        return try file.bytes(at: offset, count: count)
    }
}
