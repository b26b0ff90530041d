import ScanModel
import Synchronization

/// What an archive may ask for before it is taken for a ZIP bomb. All of it is known from the archive's directory,
/// before anything is unpacked.
public struct ArchiveLimits: Hashable, Sendable {
    /// Entries, folders among them.
    public var entryCount = 100_000
    /// Bytes of all entries together, unpacked.
    public var byteCount: Int64 = 4 << 30
    /// Unpacked bytes for each byte of the archive. Small archives, of less than 16 MiB unpacked, may be denser.
    public var ratio: Int64 = 200

    public init() {}
}

/// A ZIP archive as a tree of files, read through libzip. Nothing is unpacked to disk, but for what is compressed in
/// the archive and has to be read at many places, or by other programs (``place(_:)``).
///
/// Format: PKWARE's APPNOTE.TXT, with ZIP64.
public final class ZipArchive: Sendable {
    /// One file of the archive.
    struct Entry: Hashable, Sendable {
        var index: UInt64
        /// As the archive spells it, perhaps with `./` before it.
        var name: String
        var byteCount: Int64
        var packedByteCount: Int64
        var isStored: Bool
        var isDeflated: Bool
        var crc: UInt32
    }

    /// The archive's file name without its extension.
    public let name: String
    /// The folder of the archive that is the tree's top; "" for the archive's own.
    let top: String
    private let opened: OpenArchive

    /// - Throws: `input` when the file is not a complete ZIP archive, or holds what no recorder packs: names that lead
    ///   out of it, two files of the same name, more than `limits` allow.
    public init(path: String, limits: ArchiveLimits = ArchiveLimits()) throws(Problem) {
        name = path.nameWithoutExtension
        opened = try OpenArchive(path, limits)
        top = opened.contents.top
    }

    private init(_ archive: ZipArchive, top: String) {
        (name, opened) = (archive.name, archive.opened)
        self.top = top
    }

    /// The same archive with one of the tree's folders as its top.
    func below(_ folder: String) -> ZipArchive { ZipArchive(self, top: full(folder)) }

    /// The same archive with each of the folders above its top as the top, from its own on.
    var above: [ZipArchive] {
        let parts = top.pathParts
        return parts.indices.map { ZipArchive(self, top: parts.prefix($0).joined(separator: "/")) }
    }

    /// Whether a file is named as apps name the ZIP archives that they export.
    static func isNamed(_ path: String) -> Bool {
        [".zip", ".r3d"].contains { path.lowercased().hasSuffix($0) }
    }

    /// Whether a file begins as ZIP archives do, empty ones too.
    public static func isArchive(_ path: String) -> Bool {
        guard let file = try? FileSource(path: path, name: path), let start = try? file.bytes(at: 0, count: 4) else {
            return false
        }
        return start == Array("PK\u{3}\u{4}".utf8) || start == Array("PK\u{5}\u{6}".utf8)
    }

    /// What is wrong with an archive of whose files below the top some are encrypted, or packed in a way that is not read,
    /// as Windows packs those of more than 2 GB; nil where none is.
    var obstacle: Problem? {
        let files = opened.contents.kinds.filter { path, kind in
            kind != .folder && (top.isEmpty || path.lies(below: top))
        }
        func problem(_ what: String, _ kind: CaptureEntry.Kind, fix: String) -> Problem {
            let paths = files.filter { $0.value == kind }.map(\.key).sorted()
            let count = paths.count.counted(of: files.count, "file", "is", "are")
            let notes = paths.count < files.count ? ["\(count), such as \(paths[0])"] : []
            return Problem(.input, "the archive is \(what)", notes: notes, fix: fix)
        }
        if files.values.contains(.other(.encrypted)) {
            return problem(
                "encrypted", .other(.encrypted), fix: "unpack it, or pack the capture again without a password")
        }
        let packed = files.values.compactMap { kind -> String? in
            if case .other(.packed(let method)) = kind { method } else { nil }
        }
        return packed.min().map { method in
            problem(
                "packed with \(method), which is not read", .other(.packed(method)),
                fix: "unpack it, or pack the capture again with Deflate, as `zip -r` does")
        }
    }

    /// A path in the archive, from a path in the tree.
    private func full(_ path: String) -> String { path.path(in: top) }
}

extension ZipArchive: CaptureTree {
    public func entries(in folder: String) -> [CaptureEntry] {
        opened.contents.folders[folder.isEmpty ? top : full(folder)] ?? []
    }

    public func entry(_ path: String) -> CaptureEntry? {
        opened.contents.kinds[full(path)].map { CaptureEntry(name: path.lastPart, kind: $0) }
    }

    public func open(_ file: String) throws(Problem) -> any ByteSource {
        switch entry(file)?.kind {
        case .file?: break
        case nil: throw Problem(.input, "there is no such file").at(file: file)
        case .folder?: throw Problem(.input, "expected a file, found a folder").at(file: file)
        case .other(let what)?: throw Problem(.input, "expected a file, found \(what.words)").at(file: file)
        case .outOfReach(let code)?: throw .system("cannot open the file", path: file, code: code)
        }
        guard let entry = opened.contents.files[full(file)] else {
            throw Problem(.tool, "a file got lost").at(file: file)
        }
        return try ZipEntrySource(opened, entry, name: file)
    }

    public var nameAbove: String? { CaptureFolder(path: opened.path).nameAbove }

    /// A byte range of the archive, where the file is stored in it uncompressed.
    public func location(of file: String) -> FileLocation? {
        guard let entry = opened.contents.files[full(file)], entry.isStored else { return nil }
        let path = opened.path
        let offsets = opened.offsets.withLock { offsets in
            if offsets == nil { offsets = (try? ZipOffsets.read(path)) ?? [] }
            return offsets ?? []
        }
        guard offsets.count == opened.contents.entryCount,
            let start = ZipOffsets.start(of: entry.name, header: offsets[Int(entry.index)], in: path)
        else { return nil }
        return FileLocation(path: path, range: start..<start + entry.byteCount)
    }

    /// Unpacks a compressed file into a nameless temporary one, which is gone when this process is.
    public func place(_ file: String) throws(Problem) -> FileLocation {
        if let location = location(of: file) { return location }
        return try opened.spooled.withLock { (known) throws(Problem) in
            if let copy = known[full(file)] { return FileLocation(path: copy.path) }
            let copy = try SpooledFile(try open(file))
            known[full(file)] = copy
            return FileLocation(path: copy.path)
        }
    }
}

/// An archive that was opened, which the trees of several of its folders share.
final class OpenArchive: Sendable {
    let path: String
    let contents: ZipContents
    /// libzip's handle may be used by one thread at a time, and so may all entries opened through it.
    let handle: Mutex<ZipHandle>
    let offsets = Mutex<[Int64]?>(nil)
    /// By full path in the archive.
    let spooled = Mutex<[String: SpooledFile]>([:])

    init(_ path: String, _ limits: ArchiveLimits) throws(Problem) {
        self.path = path
        do throws(Problem) {
            // FileSource says what is wrong with the file, and keeps libzip from waiting for a FIFO.
            let packedByteCount = try FileSource(path: path, name: path).byteCount
            // Before libzip builds its own table of them.
            if let count = try? ZipOffsets.entryCount(of: path, most: limits.entryCount) {
                try ZipContents.check(count, limits)
            }
            let handle = try ZipHandle(path)
            contents = try ZipContents(handle, packedByteCount: packedByteCount, limits)
            self.handle = Mutex(handle)
        } catch {
            throw error.at(file: path)
        }
    }
}
