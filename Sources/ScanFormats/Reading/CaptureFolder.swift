import Glibc
import ScanModel
import Synchronization

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
            noteClosed(folder, errno)
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
                    return CaptureEntry(name: String(cString: start), kind: .other(.notText))
                }
                guard let (kind, error) = Self.kind(start, in: dirfd(stream)) else { return nil }
                let entry = CaptureEntry(name: name, kind: kind)
                // At the top, an entry that cannot be looked at may not belong to the capture.
                if !folder.isEmpty { troubles.note(entry, error, at: "\(folder)/\(name)") }
                return entry
            }
            if let found { result.append(found) }
        }
        return result.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// - Parameter error: why the folder could not be opened.
    private func noteClosed(_ folder: String, _ error: Int32) {
        guard error == ENOENT, !folder.isEmpty, let (kind, error) = Self.kind("\(path)/\(folder)") else {
            return troubles.note(error, at: folder)
        }
        troubles.note(CaptureEntry(name: folder, kind: kind), error, at: folder)
    }

    /// What ``entries(in:)`` leaves out at the folder's top, except `.` and `..`.
    var hiddenNames: [String] { names(startingWith: ".").filter { $0 != "." && $0 != ".." } }

    /// What at the folder's top has such names, in their order, without a look at any of it.
    func names(startingWith start: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                guard bytes.starts(with: start.utf8) else { return }
                names.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
            }
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
        let entry = CaptureEntry(name: String(last), kind: kind)
        troubles.note(entry, error, at: relative)
        return entry
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
            return isLink ? (.other(.linkToNothing), error) : (kind(status), 0)
        case ELOOP: return (.other(.linkInACircle), error)
        default: return (.outOfReach(error), error)
        }
    }

    private static func kind(_ status: stat) -> CaptureEntry.Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file(byteCount: Int64(status.st_size))
        case S_IFDIR: .folder
        case S_IFIFO: .other(.pipe)
        case S_IFSOCK: .other(.socket)
        default: .other(.device)
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

/// The first error that kept the machine from looking: a file server that is away, a folder without permission, a link
/// to what is not mounted. A missing file is no such error.
private final class Troubles: Sendable {
    private let noted = Mutex<Problem?>(nil)

    var first: Problem? { noted.withLock { $0 } }

    /// - Parameter error: what kept the system from looking at the entry, or 0.
    func note(_ entry: CaptureEntry, _ error: Int32, at path: String) {
        // At the top, a link to nothing may not belong to the capture.
        guard entry.kind == .other(.linkToNothing), path.contains("/") else { return note(error, at: path) }
        noted.withLock { $0 = $0 ?? entry.loss.at(file: path) }
    }

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
