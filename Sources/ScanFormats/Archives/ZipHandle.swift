internal import CScanMill
import Glibc
import ScanModel

/// An archive that libzip has open.
struct ZipHandle: ~Copyable {
    private let archive: OpaquePointer

    /// What the directory says about an entry.
    struct Facts {
        var name: String
        var byteCount: Int64
        var packedByteCount: Int64
        var isStored: Bool
        var isDeflated: Bool
        /// Of the unpacked bytes.
        var crc: UInt32
        var kind: CaptureEntry.Kind
    }

    init(_ path: String) throws(Problem) {
        if access(path, R_OK) != 0 { throw .system("cannot open the archive", path: path, code: errno) }
        var archive: OpaquePointer?
        do throws(Problem) {
            try Self.call("the archive cannot be read", fix: "copy or pack it again") {
                sm_zip_open(path, &archive, $0)
            }
        } catch {
            // libzip takes a read that failed for the end of the archive.
            try FileSource.requireReadable(path)
            var status = stat()
            if stat(path, &status) == 0, status.st_size == 0 {
                throw Problem(.input, "the archive is empty: it holds not one byte", fix: "copy or pack it again")
            }
            guard error.fault == .input, let damage = try ZipDamage.problem(with: path) else { throw error }
            throw damage
        }
        guard let archive else { throw Problem(.tool, "libzip opened no archive, and does not say why") }
        self.archive = archive
    }

    deinit { sm_zip_close(archive) }

    var count: Int { Int(clamping: sm_zip_count(archive)) }

    func entry(_ index: UInt64) throws(Problem) -> Facts {
        var entry = sm_zip_entry()
        try Self.call("the archive's directory is damaged") { sm_zip_entry(archive, index, &entry, $0) }
        let name = String(cString: entry.name)
        return Facts(
            name: name, byteCount: Int64(clamping: entry.size), packedByteCount: Int64(clamping: entry.packed_size),
            isStored: entry.is_stored != 0 && entry.is_encrypted == 0 && entry.packed_size == entry.size,
            isDeflated: entry.is_deflated != 0, crc: entry.crc,
            kind: Self.kind(entry, name))
    }

    /// As APPNOTE.TXT numbers them.
    private static let methods: [UInt16: String] = [
        1: "Shrink", 6: "Implode", 9: "Deflate64", 12: "BZIP2", 14: "LZMA", 93: "Zstandard", 95: "XZ", 98: "PPMd",
    ]

    private static func kind(_ entry: sm_zip_entry, _ name: String) -> CaptureEntry.Kind {
        if name.endsInSlash { return .folder }
        if entry.is_encrypted != 0 { return .other(.encrypted) }
        if entry.is_readable == 0 { return .other(.packed(methods[entry.method] ?? "method \(entry.method)")) }
        // The top four bits of `st_mode` are the file's type.
        switch entry.mode >> 12 {
        case 0, 0o10: return .file(byteCount: Int64(clamping: entry.size))
        case 0o04: return .folder
        case 0o12: return .other(.archivedLink)
        default: return .other(.archivedDevice)
        }
    }

    /// - Parameter asPacked: to read the bytes that the archive holds, instead of those that were packed.
    func open(_ index: UInt64, asPacked: Bool) throws(Problem) -> OpaquePointer {
        var file: OpaquePointer?
        try Self.call("the file cannot be read from its archive", fix: "copy or pack the archive again") {
            sm_zip_file_open(archive, index, asPacked ? 1 : 0, &file, $0)
        }
        guard let file else { throw Problem(.tool, "libzip opened no file, and does not say why") }
        return file
    }

    /// Calls a function of libzip's.
    /// - Parameters:
    ///   - failure: what it means when the archive is damaged.
    ///   - fix: what helps then.
    /// - Throws: a problem of fault `input` for a damaged archive, of fault `environment` when the machine could not read it.
    static func call(
        _ failure: String, fix: String? = nil, _ function: (UnsafeMutablePointer<CChar>) -> Int32
    ) throws(Problem) {
        var isOfTheMachine = false
        let complaint = messageOf {
            let result = function($0)
            isOfTheMachine = result == SM_ZIP_MACHINE
            return result
        }
        guard let complaint else { return }
        let notes = ["libzip says: \(complaint)"]
        if isOfTheMachine { throw Problem(.environment, "cannot read the archive", notes: notes) }
        throw Problem(.input, failure, notes: notes, fix: fix)
    }
}
