import Glibc
import ScanModel
import Synchronization

/// The files of a capture, wherever they lie. Paths are relative to the capture, with `/` between the parts.
public protocol CaptureTree: Sendable {
    /// The capture's name: its folder's, or its archive's without the extension.
    var name: String { get }
    /// The name of the folder on disk in which it lies; nil where there is none.
    var nameAbove: String? { get }
    /// What lies directly in a folder (`""` for the top), sorted by name; nothing where there is no such folder. What is
    /// hidden is left out: systems put `.DS_Store` into folders, and `._x` beside each `x`.
    func entries(in folder: String) -> [CaptureEntry]
    /// What has this path; nil when there is nothing.
    func entry(_ path: String) -> CaptureEntry?
    /// How a folder spells a name that is the same text, perhaps in other Unicode characters; nil when it has none.
    func spelling(of name: String, in folder: String) -> String?
    func open(_ file: String) throws(Problem) -> any ByteSource
    /// Where a file's bytes lie on disk; nil where they do not lie there as such.
    func location(of file: String) -> FileLocation?
    /// Whether a file lies in the capture itself, and not outside it behind a link.
    func holds(_ file: String) -> Bool
    /// Where another program can read a file, which is unpacked for that if necessary.
    func place(_ file: String) throws(Problem) -> FileLocation
    /// What has kept the machine from looking at a part of the capture: what seemed to be missing may well exist.
    var trouble: Problem? { get }
}

extension CaptureTree {
    /// Opens a file to read parts of it: an uncompressed archive entry as a range of the archive. Its checksum is only
    /// checked when it is read whole.
    func openInPlace(_ file: String) throws(Problem) -> any ByteSource {
        guard let location = location(of: file), location.range != nil, case .file? = entry(file)?.kind else {
            return try open(file)
        }
        return try FileSource(location, name: file)
    }
}

/// A name in a folder of a capture.
public struct CaptureEntry: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case file(byteCount: Int64)
        case folder
        /// What cannot be read as a file: a pipe, a device, a link to nothing.
        case other(String)
        /// What the machine could not look at, with the system's error: a disk fails, a folder hides what it holds.
        case outOfReach(Int32)
    }

    public var name: String
    public var kind: Kind

    public init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    static let notText = "a name that is not UTF-8"

    public var byteCount: Int64? { if case .file(let count) = kind { count } else { nil } }

    var isHidden: Bool { name.hasPrefix(".") }

    /// Whether it is a link that leads nowhere.
    var isLost: Bool { kind == .other(Self.linkToNothing) || kind == .other(Self.linkInACircle) }

    /// The problem with a link that leads nowhere. Its target may be on a disk that is not mounted tonight.
    var loss: Problem {
        let isCircle = kind == .other(Self.linkInACircle)
        return Problem(
            isCircle ? .input : .environment, "this is \(isCircle ? Self.linkInACircle : Self.linkToNothing)",
            fix: isCircle ? "remove the link" : "mount or restore what it leads to, or remove the link")
    }

    static let linkToNothing = "a link to nothing"
    static let linkInACircle = "a link that leads in a circle"
}

extension CaptureTree {
    public var nameAbove: String? { nil }

    public var trouble: Problem? { nil }

    /// The size of a regular file; nil when there is none of that name.
    public func byteCount(of file: String) -> Int64? { entry(file)?.byteCount }

    public func hasFolder(_ folder: String) -> Bool { entry(folder)?.kind == .folder }

    public func entry(_ path: String) -> CaptureEntry? {
        let parts = path.pathParts
        guard let last = parts.last else { return nil }
        return entries(in: parts.dropLast().joined(separator: "/")).first { $0.name == last }
    }

    public func spelling(of name: String, in folder: String) -> String? {
        entries(in: folder).first { $0.name == name }?.name
    }

    public func holds(_ file: String) -> Bool { byteCount(of: file) != nil }

    public func place(_ file: String) throws(Problem) -> FileLocation {
        if let location = location(of: file) { return location }
        throw Problem(.input, "\(absence(of: file)), so no other program can read it").at(file: file)
    }

    /// A whole file of at most `limit` bytes.
    public func bytes(of file: String, limit: Int) throws(Problem) -> [UInt8] {
        try open(file).readAll(limit: limit)
    }

    /// The problems with links at the tree's top that lead to nothing.
    package var losses: [Problem] {
        entries(in: "").filter { $0.kind == .other(CaptureEntry.linkToNothing) }.map { $0.loss.at(file: $0.name) }
    }

    /// Why a file that is needed cannot be used, for a message: missing, or not a file at all.
    func absence(of file: String) -> String {
        switch entry(file)?.kind {
        case .other(let what)?: "\(file) is \(what)"
        case .outOfReach(let code)?: "\(file) is out of reach (\(systemText(code)))"
        case .folder?: "\(file) is a folder"
        case .file?: "\(file) is there"
        case nil: "\(file) is missing"
        }
    }
}

/// A capture that is a folder. Links to regular files and folders are followed.
public struct CaptureFolder: CaptureTree {
    public let path: String
    public let name: String
    private let troubles = Troubles()

    public init(path: String) {
        let trimmed = String(path.withoutSlashBehind)
        self.path = trimmed
        // "." and ".." are named after what they stand for.
        let real = trimmed.hasSuffix(".") ? Self.realPath(trimmed) : trimmed
        name = real.lastPart
    }

    /// The folder in which this one lies, as it was named: for a link, the one that holds the link. Nil at the root,
    /// and in a working directory that was removed.
    var above: CaptureFolder? {
        let named = path.hasSuffix(".") ? Self.realPath(path) : path
        let parts = named.pathParts
        let parent = parts.dropLast().joined(separator: "/")
        if named.isAbsolutePath { return parts.isEmpty ? nil : CaptureFolder(path: "/\(parent)") }
        let real = Self.realPath(parent.isEmpty ? "." : parent)
        return real.isAbsolutePath ? CaptureFolder(path: real) : nil
    }

    public var nameAbove: String? { above?.name }

    public func entries(in folder: String) -> [CaptureEntry] {
        let full = folder.isEmpty ? path : "\(path)/\(folder)"
        guard let stream = opendir(full) else {
            troubles.note(errno, at: folder)
            return []
        }
        defer { closedir(stream) }
        var result: [CaptureEntry] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                troubles.note(errno, at: folder)
                break
            }
            let found = withUnsafeBytes(of: &entry.pointee.d_name) { bytes -> CaptureEntry? in
                guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
                // Hidden, or the folder itself and the one above.
                if start.pointee == UInt8(ascii: ".") { return nil }
                // No string leads to such a file, so only its name can be reported.
                guard let name = String(validatingCString: start) else {
                    return CaptureEntry(name: String(cString: start), kind: .other(CaptureEntry.notText))
                }
                guard let (kind, error) = Self.kind(start, in: dirfd(stream)) else { return nil }
                // At the top, an entry that cannot be looked at may not belong to the capture.
                if !folder.isEmpty { troubles.note(error, at: "\(folder)/\(name)") }
                return CaptureEntry(name: name, kind: kind)
            }
            if let found { result.append(found) }
        }
        return result.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// What ``entries(in:)`` leaves out at the folder's top, except `.` and `..`.
    var hiddenNames: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("."), name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    public func entry(_ relative: String) -> CaptureEntry? {
        guard let last = relative.pathName else { return nil }
        var status = stat()
        guard lstat("\(path)/\(relative)", &status) == 0 else {
            troubles.note(errno, at: relative)
            return nil
        }
        if status.st_mode & S_IFMT != S_IFLNK { return CaptureEntry(name: String(last), kind: Self.kind(status)) }
        guard let (kind, error) = Self.kind("\(path)/\(relative)") else { return nil }
        troubles.note(error, at: relative)
        return CaptureEntry(name: String(last), kind: kind)
    }

    public var trouble: Problem? { troubles.first }

    /// What lies at a path; nil when there is nothing, not even a link.
    static func kind(at path: String) -> CaptureEntry.Kind? {
        var status = stat()
        return lstat(path, &status) == 0 ? kind(path)?.kind : nil
    }

    public func holds(_ file: String) -> Bool {
        byteCount(of: file) != nil && Self.realPath("\(path)/\(file)").lies(below: Self.realPath(path))
    }

    public func open(_ file: String) throws(Problem) -> any ByteSource {
        try FileSource(path: "\(path)/\(file)", name: file)
    }

    public func location(of file: String) -> FileLocation? { FileLocation(path: "\(path)/\(file)") }

    /// What identifies the folder to the kernel, whatever path leads to it.
    struct Identity: Hashable {
        var device: UInt
        var file: UInt
    }

    var identity: Identity? {
        var status = stat()
        return stat(path, &status) == 0 ? Identity(device: UInt(status.st_dev), file: UInt(status.st_ino)) : nil
    }

    /// - Parameter folder: an open folder below which a relative path starts.
    /// - Returns: also the system's error, or 0. Nil where there is nothing any more, not even a link.
    private static func kind(
        _ path: UnsafePointer<CChar>, in folder: Int32 = AT_FDCWD
    ) -> (kind: CaptureEntry.Kind, error: Int32)? {
        var status = stat()
        if fstatat(folder, path, &status, 0) == 0 { return (kind(status), 0) }
        let error = errno
        switch error {
        case ENOENT:
            // Copy programs rename what has arrived, perhaps since the folder was listed: then it is no link.
            if fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0 { return nil }
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            return isLink ? (.other(CaptureEntry.linkToNothing), error) : (kind(status), 0)
        case ELOOP: return (.other(CaptureEntry.linkInACircle), error)
        default: return (.outOfReach(error), error)
        }
    }

    private static func kind(_ status: stat) -> CaptureEntry.Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file(byteCount: Int64(status.st_size))
        case S_IFDIR: .folder
        case S_IFIFO: .other("a pipe, not a file")
        case S_IFSOCK: .other("a socket, not a file")
        default: .other("a device, not a file")
        }
    }

    /// Why the folder cannot be listed, or nil. Nothing keeps anyone out of one that has been moved away.
    var obstacle: Problem? {
        if access(path, R_OK | X_OK) == 0 || errno == ENOENT { return nil }
        return Problem(
            .environment, "the folder cannot be looked into: \(systemText(errno))",
            fix: "let the user who runs scanmill read it, or leave it out")
    }

    static func realPath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// The first error that kept the machine from looking: a file server that is away, a folder without permission. A
/// missing file is no such error.
private final class Troubles: Sendable {
    private let noted = Mutex<Problem?>(nil)

    var first: Problem? { noted.withLock { $0 } }

    /// - Parameter error: the system's, or 0.
    func note(_ error: Int32, at path: String) {
        if [0, ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(error) { return }
        let isForbidden = [EACCES, EPERM].contains(error)
        let problem = Problem(
            .environment, "a part of the capture is out of reach: \(systemText(error))",
            fix: isForbidden ? "let the user who runs scanmill read it" : nil
        ).at(file: path)
        noted.withLock { $0 = $0 ?? problem }
    }
}

/// A folder that is examined many times in turn, by many formats and while one is opened: each of its folders is listed
/// once, however many files it holds. What arrives meanwhile is not seen.
final class ListedFolder: CaptureTree {
    private let folder: CaptureFolder
    /// By the bytes of the folder's path: text that is the same may name two folders. Nil once nothing is kept any more.
    private let listed = Mutex<[[UInt8]: [CaptureEntry]]?>([:])
    /// The names of each folder in which one was looked for, by what they say.
    private let spellings = Mutex<[[UInt8]: [String: String]]?>([:])

    init(_ folder: CaptureFolder) { self.folder = folder }

    var name: String { folder.name }
    var nameAbove: String? { folder.nameAbove }

    func entries(in path: String) -> [CaptureEntry] {
        let key = Array(path.utf8)
        if let known = listed.withLock({ $0?[key] }) { return known }
        let entries = folder.entries(in: path)
        listed.withLock { $0?[key] = entries }
        return entries
    }

    func spelling(of name: String, in folder: String) -> String? {
        let key = Array(folder.utf8)
        if let known = spellings.withLock({ $0?[key] }) { return known[name] }
        let names = Dictionary(entries(in: folder).map { ($0.name, $0.name) }) { first, _ in first }
        spellings.withLock { $0?[key] = names }
        return names[name]
    }

    /// Drops the lists, and keeps no others.
    func forget() {
        listed.withLock { $0 = nil }
        spellings.withLock { $0 = nil }
    }

    func entry(_ path: String) -> CaptureEntry? { folder.entry(path) }
    func open(_ file: String) throws(Problem) -> any ByteSource { try folder.open(file) }
    func location(of file: String) -> FileLocation? { folder.location(of: file) }
    func holds(_ file: String) -> Bool { folder.holds(file) }
    var trouble: Problem? { folder.trouble }
}
