internal import CScanMill
import ScanModel

/// Inflates a stream step by step, so that nothing larger than the caller's buffer is ever in memory.
///
/// The stream is raw DEFLATE (RFC 1951), as the capture apps write it, or has zlib's wrapper (RFC 1950), which shows in
/// its first two bytes: no encoder of raw DEFLATE starts that way, since it would be a stored block with its padding
/// set. The wrapper's checksum is checked; raw DEFLATE has none, so a damaged stream may inflate into wrong bytes.
///
/// Callers ask for exactly the bytes that they expect and then ask ``isAtEnd()``, so a stream made to explode cannot
/// take more than that. One thread at a time may use a stream; it may move between threads.
public final class InflateStream: @unchecked Sendable {
    /// Inflated bytes returned so far, including those before a problem.
    public private(set) var position: Int64 = 0
    /// Bytes of the source that the stream has used so far.
    public private(set) var compressedPosition: Int64 = 0
    /// Whether the stream has ended, as far as is known without reading on; see ``isAtEnd()``.
    public var isFinished: Bool { hasEnded && peeked == nil }
    /// Whether the source ended before the stream did. What came before that is sound; in a stream that is damaged, or ends
    /// properly at a wrong length, nothing tells where wrong bytes began.
    private(set) var isCutOff = false

    private let source: any ByteSource
    private let subject: String
    private var stream: OpaquePointer?
    private var chunk: UnsafeMutableRawBufferPointer
    private var unread: Range<Int> = 0..<0
    private var sourceHasEnded = false
    private var hasEnded = false
    private var peeked: UInt8?
    private var failure: Problem?

    /// - Parameters:
    ///   - source: where the compressed bytes come from.
    ///   - subject: what messages call the stream: "depth stream".
    ///   - chunkBytes: how much is read from the source at a time.
    public init(
        _ source: any ByteSource, subject: String = "compressed stream", chunkBytes: Int = 256 << 10
    ) {
        self.source = source
        self.subject = subject
        chunk = .allocate(byteCount: max(2, chunkBytes), alignment: 16)
    }

    deinit {
        sm_inflate_free(stream)
        chunk.deallocate()
    }

    /// Fills the whole buffer, unless the stream ends before that.
    /// - Returns: how many bytes were inflated; fewer than asked for only at the end of the stream.
    /// - Throws: `input` when the source ends before the stream does ("truncated"), is empty, or holds what is not
    ///   DEFLATE ("damaged", with the byte near which that was noticed). All sound bytes before the problem are in the
    ///   buffer, and ``position`` counts them. The same problem is thrown from then on.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        var filled = 0
        if let byte = peeked, !buffer.isEmpty {
            buffer[0] = byte
            peeked = nil
            filled = 1
        }
        defer { position += Int64(filled) }
        try inflate(into: buffer, from: &filled)
        return filled
    }

    /// Inflates `count` bytes and forgets them.
    /// - Returns: how many there were; fewer only at the end of the stream.
    public func skip(_ count: Int64) throws(Problem) -> Int64 {
        let scratch = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(max(count, 1), 256 << 10)), alignment: 16)
        defer { scratch.deallocate() }
        var left = count
        while left > 0 {
            let wanted = Int(min(left, Int64(scratch.count)))
            let got = try read(into: UnsafeMutableRawBufferPointer(rebasing: scratch[..<wanted]))
            left -= Int64(got)
            if got < wanted { break }
        }
        return count - left
    }

    /// Whether nothing follows ``position``: inflates one byte ahead if that is what it takes to know.
    /// - Throws: as ``read(into:)`` does; a stream cut just after its last byte of data is truncated too.
    public func isAtEnd() throws(Problem) -> Bool {
        if peeked != nil { return false }
        var byte: UInt8 = 0
        var filled = 0
        let problem = withUnsafeMutableBytes(of: &byte) { buffer -> Problem? in
            do throws(Problem) {
                try inflate(into: buffer, from: &filled)
                return nil
            } catch { return error }
        }
        if let problem { throw problem }
        if filled == 1 { peeked = byte }
        return filled == 0
    }

    /// Bytes of the source after the end of the stream: 0 for a clean file. Only known when ``isFinished``.
    public var trailingBytes: Int64 { isFinished ? max(0, source.byteCount - compressedPosition) : 0 }

    // MARK: - ISA-L

    /// Bytes that came from the source.
    private var bytesRead: Int64 = 0

    private func inflate(into buffer: UnsafeMutableRawBufferPointer, from filled: inout Int) throws(Problem) {
        if let failure, filled < buffer.count { throw failure }
        do throws(Problem) {
            while filled < buffer.count, !hasEnded { try step(into: buffer, from: &filled) }
        } catch {
            failure = error
            throw error
        }
    }

    private func step(into buffer: UnsafeMutableRawBufferPointer, from filled: inout Int) throws(Problem) {
        if unread.isEmpty, !sourceHasEnded { try refill() }
        if stream == nil { try begin() }
        let input = UnsafeRawBufferPointer(rebasing: chunk[unread])
        var progress = sm_inflate_progress()
        let damage = messageOf { message in
            sm_inflate_step(
                stream, input.baseAddress?.assumingMemoryBound(to: UInt8.self), input.count,
                buffer.baseAddress.map { ($0 + filled).assumingMemoryBound(to: UInt8.self) }, buffer.count - filled,
                &progress, message)
        }
        compressedPosition += Int64(progress.taken)
        unread = max(0, unread.lowerBound + progress.taken)..<unread.upperBound
        filled += progress.given
        hasEnded = progress.ended != 0
        if let damage {
            // What was read is the file's beginning.
            if bytesRead == Int64(unread.upperBound),
                let cause = UnarrivedFile.problem(UnsafeRawBufferPointer(rebasing: chunk[..<unread.upperBound]))
            {
                throw cause.at(file: source.name)
            }
            throw Problem(
                .input, "\(subject) damaged", notes: ["its compressed data is not DEFLATE any more: \(damage)"],
                fix: "copy the file again from the device"
            ).at(file: source.name, byte: compressedPosition, of: source.byteCount)
        }
        if sourceHasEnded, !hasEnded, progress.given == 0, progress.taken == 0 {
            isCutOff = true
            throw Problem(
                .input, "\(subject) truncated", notes: ["the file ends before its compressed data does"],
                fix: "copy the file again from the device"
            ).at(file: source.name, byte: bytesRead, of: bytesRead)
        }
    }

    /// Reads the next chunk; the one before must be used up, or no longer needed.
    private func refill() throws(Problem) {
        let count = try source.read(into: chunk)
        unread = 0..<count
        bytesRead += Int64(count)
        sourceHasEnded = count == 0
    }

    /// Chooses between raw and wrapped by the first two bytes.
    private func begin() throws(Problem) {
        while unread.count < 2, !sourceHasEnded {
            let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: chunk[unread.upperBound...]))
            unread = unread.lowerBound..<unread.upperBound + count
            bytesRead += Int64(count)
            sourceHasEnded = count == 0
        }
        if unread.isEmpty {
            isCutOff = true
            throw Problem(.input, "\(subject) is empty", fix: "copy the file again from the device")
                .at(file: source.name, byte: 0, of: 0)
        }
        let isWrapped = unread.count >= 2 && Inflate.isWrapped(chunk[unread.lowerBound], chunk[unread.lowerBound + 1])
        stream = sm_inflate_new(isWrapped ? 1 : 0)
        if stream == nil { throw Problem(.environment, "out of memory") }
    }
}
