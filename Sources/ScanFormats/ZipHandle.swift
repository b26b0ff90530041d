internal import CScanMill
import Glibc
import ScanModel

/// An archive that libzip has open.
struct ZipHandle: ~Copyable {
    private let archive: OpaquePointer

    /// What the directory says of an entry.
    struct Facts {
        var name: String
        var byteCount: Int64
        var packedByteCount: Int64
        var isStored: Bool
        var kind: CaptureEntry.Kind
    }

    init(_ path: String) throws(Problem) {
        if access(path, R_OK) != 0 { throw .system("cannot open the archive", path: path, code: errno) }
        var archive: OpaquePointer?
        let complaint = messageOf { sm_zip_open(path, &archive, $0) }
        guard let archive else {
            throw Problem(
                .input, "the archive cannot be read", notes: ["libzip says: \(complaint ?? "nothing")"],
                fix: "copy or pack it again")
        }
        self.archive = archive
    }

    deinit { sm_zip_close(archive) }

    var count: Int { Int(clamping: sm_zip_count(archive)) }

    func entry(_ index: UInt64) throws(Problem) -> Facts {
        var entry = sm_zip_entry()
        if let complaint = messageOf({ sm_zip_entry(archive, index, &entry, $0) }) {
            throw Problem(.input, "the archive's directory is damaged", notes: ["libzip says: \(complaint)"])
        }
        let name = String(cString: entry.name)
        return Facts(
            name: name, byteCount: Int64(clamping: entry.size), packedByteCount: Int64(clamping: entry.packed_size),
            isStored: entry.is_stored != 0 && entry.is_encrypted == 0 && entry.packed_size == entry.size,
            kind: Self.kind(entry, name))
    }

    static let encrypted = CaptureEntry.Kind.other("a file that is encrypted in its archive")

    private static func kind(_ entry: sm_zip_entry, _ name: String) -> CaptureEntry.Kind {
        if name.hasSuffix("/") { return .folder }
        if entry.is_encrypted != 0 { return encrypted }
        // The top four bits of `st_mode` are the file's type.
        switch entry.mode >> 12 {
        case 0, 0o10: return .file(byteCount: Int64(clamping: entry.size))
        case 0o04: return .folder
        case 0o12: return .other("a link, which is not followed inside an archive")
        default: return .other("a device or a pipe in its archive")
        }
    }

    func open(_ index: UInt64) throws(Problem) -> OpaquePointer {
        var file: OpaquePointer?
        let complaint = messageOf { sm_zip_file_open(archive, index, &file, $0) }
        guard let file else {
            throw Problem(
                .input, "the file cannot be read from its archive", notes: ["libzip says: \(complaint ?? "nothing")"],
                fix: "copy or pack the archive again")
        }
        return file
    }
}

/// A file in an archive, read from its start to its end.
final class ZipEntrySource: ByteSource, @unchecked Sendable {
    // What it holds is used under the archive's lock alone.
    let name: String
    let byteCount: Int64?
    private let archive: OpenArchive
    private let file: OpaquePointer
    private var position: Int64 = 0

    init(_ archive: OpenArchive, _ entry: ZipArchive.Entry, name: String) throws(Problem) {
        self.archive = archive
        self.name = name
        byteCount = entry.byteCount
        do throws(Problem) {
            file = try archive.handle.withLock { (handle) throws(Problem) in try handle.open(entry.index) }
        } catch { throw error.at(file: name) }
    }

    deinit { archive.handle.withLock { _ in sm_zip_file_close(file) } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        var count = 0
        let complaint = archive.handle.withLock { _ in
            let complaint = messageOf { sm_zip_file_read(file, buffer.baseAddress, buffer.count, &count, $0) }
            position += Int64(count)
            return complaint
        }
        if let complaint {
            throw Problem(
                .input, "the file is damaged in its archive", notes: ["libzip says: \(complaint)"],
                fix: "copy or pack the archive again"
            ).at(file: name, byte: position, of: byteCount)
        }
        // More than the directory says: what was allowed was decided by the directory. Less is no end to be trusted.
        if let byteCount, position > byteCount || (count == 0 && !buffer.isEmpty && position < byteCount) {
            let what = position > byteCount ? "larger" : "smaller"
            throw Problem(
                .input, "the file is \(what) than its archive says", fix: "copy or pack the archive again"
            ).at(file: name, byte: min(position, byteCount), of: byteCount)
        }
        return count
    }
}
