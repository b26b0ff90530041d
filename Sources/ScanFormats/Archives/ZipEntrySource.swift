internal import CScanMill
import ScanModel

/// A file in an archive, read from its start to its end.
///
/// libzip inflates by zlib, and under the archive's lock, for which threads would queue. So what is packed of a file like
/// a picture is fetched as it is, and inflated by libdeflate without the lock. Where that does not give the file that the
/// directory describes, libzip has the word: how far it is sound, and what is wrong.
final class ZipEntrySource: ByteSource, @unchecked Sendable {
    // libzip's file is used only under the archive's lock, and all else only by the reader.
    let name: String
    let byteCount: Int64
    private let archive: OpenArchive
    private let entry: ZipArchive.Entry
    /// Closed where `whole` has taken its place.
    private var file: OpaquePointer?
    /// Whether `file` gives what the archive holds, not yet inflated.
    private var isPacked: Bool
    /// All of the file, once it was inflated at one go.
    private var whole: [UInt8]?
    private var position: Int64 = 0

    /// The largest file that is inflated at one go. Pictures and depth maps are smaller; streams need not fit in memory.
    private static let mostAtOnce: Int64 = 16 << 20

    init(_ archive: OpenArchive, _ entry: ZipArchive.Entry, name: String) throws(Problem) {
        self.archive = archive
        self.entry = entry
        self.name = name
        byteCount = entry.byteCount
        isPacked = entry.isDeflated && max(entry.byteCount, entry.packedByteCount) <= Self.mostAtOnce
        try open()
    }

    deinit { close() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        Heartbeat.beat()
        if isPacked { try inflate() }
        if let whole {
            let part = whole[Int(position)...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            position += Int64(part.count)
            return part.count
        }
        let count: Int
        do throws(Problem) { count = try fetch(into: buffer) } catch {
            throw error.at(file: name, byte: position, of: byteCount)
        }
        position += Int64(count)
        // More than the directory says: only its numbers were checked against the limits. Less: the end is not real.
        if position > byteCount || (count == 0 && !buffer.isEmpty && position < byteCount) {
            let what = position > byteCount ? "larger" : "smaller"
            throw Problem(
                .input, "the file is \(what) than its archive says", fix: "copy or pack the archive again"
            ).at(file: name, byte: min(position, byteCount), of: byteCount)
        }
        return count
    }

    /// Puts the whole file in `whole`, or begins to read it through libzip.
    private func inflate() throws(Problem) {
        isPacked = false
        if let packed = packedBytes(), let bytes = Inflate.raw(packed, count: Int(byteCount)) {
            if CRC32.of(bytes) == entry.crc { whole = bytes }
        }
        close()
        if whole == nil { try open() }
    }

    /// What the archive holds of the file; nil where it cannot be read.
    private func packedBytes() -> [UInt8]? {
        let count = Int(entry.packedByteCount)
        return try? [UInt8](room: count) { (buffer) throws(Problem) in
            var filled = 0
            while filled < count {
                let got = try fetch(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<count]))
                if got == 0 { break }
                filled += got
            }
            return filled
        }
    }

    private func open() throws(Problem) {
        do throws(Problem) {
            file = try archive.handle.withLock { (handle) throws(Problem) in
                try handle.open(entry.index, asPacked: isPacked)
            }
        } catch { throw error.at(file: name) }
    }

    private func close() {
        guard let file else { return }
        archive.handle.withLock { _ in sm_zip_file_close(file) }
        self.file = nil
    }

    private func fetch(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        guard let file else { return 0 }
        return try archive.handle.withLock { (_) throws(Problem) in
            var count = 0
            try ZipHandle.call("the file is damaged in its archive", fix: "copy or pack the archive again") {
                sm_zip_file_read(file, buffer.baseAddress, buffer.count, &count, $0)
            }
            return count
        }
    }
}
