internal import CScanMill
import ScanModel

/// Inflating a whole buffer.
public enum Inflate {
    /// Inflates raw DEFLATE, or zlib's wrapping of it, recognised as ``InflateStream`` does.
    /// - Parameter limit: the largest size that makes sense; inflating stops one byte beyond it.
    ///
    /// ISA-L's streaming decoder goes byte by byte until 32 KiB have come out, which is most of the time for a single
    /// depth map; libdeflate needs a fifth of it. Where libdeflate does not find one sound stream, ISA-L says why.
    /// - Throws: `input` when the bytes are empty, truncated or damaged, or inflate to more than `limit` bytes. The
    ///   place has no file; callers add it.
    public static func bytes(
        _ compressed: [UInt8], limit: Int, subject: String = "compressed data"
    ) throws(Problem) -> [UInt8] {
        if let whole = whole(compressed, limit: limit) { return whole }
        let stream = InflateStream(MemorySource(compressed, name: ""), subject: subject)
        do throws(Problem) {
            return try stream.bytes(limit: limit, subject: subject)
        } catch {
            var problem = error
            problem.place.file = nil
            throw problem
        }
    }

    /// The bytes of one sound stream of raw DEFLATE that inflates to just `count` bytes; nil for anything else.
    static func raw(_ compressed: [UInt8], count: Int) -> [UInt8]? {
        let bytes = whole(compressed, isWrapped: false, capacity: count)
        return bytes?.count == count ? bytes : nil
    }

    /// The bytes of one sound stream; nil for anything else, and where they are far more than the stream's size
    /// suggests.
    private static func whole(_ compressed: [UInt8], limit: Int) -> [UInt8]? {
        guard compressed.count > 2, limit > 0 else { return nil }
        let isWrapped = isWrapped(compressed[0], compressed[1])
        return whole(compressed, isWrapped: isWrapped, capacity: min(limit, max(mostGuessed, 8 * compressed.count)))
    }

    private static func whole(_ compressed: [UInt8], isWrapped: Bool, capacity: Int) -> [UInt8]? {
        var isSound = false
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            let given = compressed.withUnsafeBufferPointer { input in
                sm_inflate_whole(input.baseAddress, input.count, isWrapped ? 1 : 0, output.baseAddress, capacity)
            }
            isSound = given >= 0
            count = max(0, given)
        }
        return isSound ? bytes : nil
    }

    /// Bytes allocated for a small stream, whatever it holds.
    private static let mostGuessed = 1 << 20

    /// Whether two bytes are the header of zlib's wrapper (RFC 1950, section 2.2).
    package static func isWrapped(_ first: UInt8, _ second: UInt8) -> Bool {
        first & 15 == 8 && (Int(first) * 256 + Int(second)) % 31 == 0
    }
}

extension InflateStream {
    /// The rest of the stream, which must not be longer than `limit` bytes.
    fileprivate func bytes(limit: Int, subject: String) throws(Problem) -> [UInt8] {
        let limit = max(limit, 0)
        var result: [UInt8] = []
        // Grows as the bytes come, since the limit may be far larger than the content.
        var room = min(limit, 64 << 10)
        while true {
            let part = try [UInt8](room: room) { (buffer) throws(Problem) in
                try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
            }
            result += part
            if part.count < room { return result }
            if result.count == limit { break }
            room = min(limit - result.count, result.count)
        }
        if try isAtEnd() { return result }
        throw Problem(.input, "\(subject) inflates to more than \(limit) bytes").at(byte: compressedPosition)
    }
}

/// Compressing a raw DEFLATE stream in blocks, many at once.
///
/// The results of ``compress(_:level:)`` for each block in turn, and ``end`` after the last, make one valid stream.
public enum DeflateBlock {
    /// The empty final block that closes a stream.
    public static let end: [UInt8] = [0x03, 0x00]

    /// - Parameter level: as below.
    public static func compress(_ bytes: [UInt8], level: Int) throws(Problem) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { (bytes) throws(Problem) in
            try compress(UnsafeRawBufferPointer(bytes), level: level)
        }
    }

    /// - Parameter level: zlib's, 0 (stored) to 9 (smallest).
    /// - Throws: `usage` for another level, `environment` when there is no memory.
    public static func compress(_ bytes: UnsafeRawBufferPointer, level: Int) throws(Problem) -> [UInt8] {
        guard (0...9).contains(level) else { throw Problem(.usage, "there is no compression level \(level)") }
        let capacity = sm_deflate_bound(bytes.count)
        var message: String?
        let result = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            message = messageOf { message in
                sm_deflate_block(
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, Int32(level),
                    buffer.baseAddress, capacity, &count, message)
            }
        }
        if let message { throw Problem(.environment, "cannot compress \(bytes.count.counted("byte")): \(message)") }
        return result
    }
}
