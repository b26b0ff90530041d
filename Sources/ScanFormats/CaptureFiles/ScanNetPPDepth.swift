import ScanModel

/// ScanNet++'s `depth.bin`: the depth of all frames of an iPhone's video, in one of two layouts, which are not marked.
///
/// - `packed`: the whole file is one raw DEFLATE stream of 192 × 256 little-endian floats a frame, metres.
/// - `chunks`: each frame is a little-endian 32-bit size and that many bytes: an LZ4 block with 16-bit millimetres, or
///   a raw DEFLATE stream of floats in metres.
///
/// The first chunks tell them apart: only in `chunks` does one of them unpack to a frame.
///
/// Source: the ScanNet++ toolkit, iphone/prepare_iphone_data.py.
package enum ScanNetPPDepth {
    package enum Layout: Hashable, Sendable {
        case packed
        /// - `truncation`: what is wrong after the last whole chunk, if anything.
        case chunks(count: Int, size: PixelSize, truncation: Problem?)
    }

    /// The size that the app records.
    package static let usualSize = PixelSize(256, 192)
    /// A chunk with more bytes cannot hold a phone's depth.
    static let chunkLimit = 1 << 26
    static let millimetres = DepthEncoding.uint16(unitsPerMetre: 1000)

    /// - Throws: when there are more frames than the rules allow.
    package static func layout(of file: String, in tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Layout {
        let walk = try walk(file, in: tree, rules)
        guard walk.count > 0 else { return .packed }
        var source = BufferedSource(try tree.open(file))
        var size: PixelSize?
        // Random bytes do not unpack to a frame; but one damaged chunk at the start must not change the layout.
        for _ in 0..<min(4, walk.count) where size == nil {
            guard let chunk = try nextChunk(&source) else { break }
            size = Self.size(of: chunk, rules)
        }
        guard let size else { return .packed }
        let truncation = walk.brokenAt.map { end in
            Problem(
                .input, "the depth file ends inside frame \(walk.count)",
                notes: ["\(walk.count.counted("whole frame", "stands", "stand")) before it"],
                fix: "copy the file again"
            ).at(file: file, byte: end, of: tree.byteCount(of: file))
        }
        return .chunks(count: walk.count, size: size, truncation: truncation)
    }

    /// The number of whole chunks from the start, and where the first incomplete one begins.
    private static func walk(
        _ file: String, in tree: any CaptureTree, _ rules: ReadRules
    ) throws(Problem) -> (count: Int, brokenAt: Int64?) {
        guard let total = tree.byteCount(of: file) else { return (0, nil) }
        var walk = try ChunkWalk(try tree.open(file))
        var (count, offset) = (0, Int64(0))
        while offset < total {
            guard let size = try walk.size(at: offset), size > 0, size <= chunkLimit, offset + 4 + Int64(size) <= total
            else { return (count, offset) }
            offset += 4 + Int64(size)
            count += 1
            try rules.check(frames: count, of: "chunks in the depth file")
        }
        return (count, nil)
    }

    /// The next chunk's bytes; nil at the end of the file or where it is cut off.
    static func nextChunk(_ source: inout BufferedSource) throws(Problem) -> [UInt8]? {
        guard let size = try nextSize(&source) else { return nil }
        try source.fill(size)
        guard source.unread.count >= size else { return nil }
        let bytes = try source.withBytes(source.unread.prefix(size)) { (bytes) throws(Problem) in Array(bytes) }
        source.consume(size)
        return bytes
    }

    static func skipChunk(_ source: inout BufferedSource) throws(Problem) -> Bool {
        guard let size = try nextSize(&source) else { return false }
        return try source.skip(size)
    }

    private static func nextSize(_ source: inout BufferedSource) throws(Problem) -> Int? {
        guard let size = chunkSize(try source.peek(4)) else { return nil }
        source.consume(4)
        return size <= chunkLimit ? size : nil
    }

    /// - Parameter bytes: the four before a chunk; nil for fewer.
    fileprivate static func chunkSize(_ bytes: [UInt8]) -> Int? {
        guard bytes.count == 4 else { return nil }
        var cursor = LittleEndianCursor(bytes)
        return Int(cursor.integer(as: UInt32.self))
    }

    // MARK: - One chunk

    /// - Returns: nil when it holds no frame of this size.
    package static func decode(_ chunk: [UInt8], size: PixelSize) -> RecordedDepth? {
        let pixels = size.width * size.height
        if let bytes = LZ4Block.decode(chunk, limit: 2 * pixels), bytes.count == 2 * pixels {
            return RecordedDepth(width: size.width, height: size.height, encoding: millimetres, bytes: bytes)
        }
        if let bytes = try? Inflate.bytes(chunk, limit: 4 * pixels), bytes.count == 4 * pixels {
            return RecordedDepth(width: size.width, height: size.height, encoding: .float32Metres, bytes: bytes)
        }
        return nil
    }

    /// The size of the frame in a chunk. The file does not give it: the app's own, or else one of 4 : 3 with as many
    /// pixels.
    private static func size(of chunk: [UInt8], _ rules: ReadRules) -> PixelSize? {
        if decode(chunk, size: usualSize) != nil { return usualSize }
        let limit = min(rules.maxPicturePixels, 1 << 24)
        let pixels =
            if let bytes = LZ4Block.decode(chunk, limit: 2 * limit) {
                bytes.count / 2
            } else if let bytes = try? Inflate.bytes(chunk, limit: 4 * limit) {
                bytes.count / 4
            } else { 0 }
        let unit = Int((Double(pixels) / 12).squareRoot())
        let size = PixelSize(4 * unit, 3 * unit)
        return unit > 0 && decode(chunk, size: size) != nil ? size : nil
    }

    /// A frame's chunk, with its size before it: 16-bit millimetres in a block of LZ4.
    package static func chunk(_ image: Gray16Image) throws(Problem) -> [UInt8] {
        let block = try LZ4Block.encode(image.pixels.withUnsafeBytes { Array($0) })
        var chunk: [UInt8] = []
        chunk.append(littleEndian: UInt32(block.count))
        return chunk + block
    }
}

/// Reads the sizes of chunks: directly at their offsets in a file on disk, by reading on in anything else.
private struct ChunkWalk {
    private var source: BufferedSource
    private let file: FileSource?

    init(_ source: any ByteSource) throws(Problem) {
        file = source as? FileSource
        self.source = BufferedSource(source)
    }

    /// Nil beyond the end.
    mutating func size(at offset: Int64) throws(Problem) -> Int? {
        if let file {
            let total = file.byteCount
            guard offset + 4 <= total else { return nil }
            return ScanNetPPDepth.chunkSize(try file.bytes(at: offset, count: 4))
        }
        guard try source.skip(Int(offset - source.offset)) else { return nil }
        return ScanNetPPDepth.chunkSize(try source.peek(4))
    }
}
