import Glibc
import ScanModel

/// Calls on files and folders; failures other than absence are reported as problems.
package enum FileSystem {
    /// What the kernel knows of what a path leads to; nil where it leads nowhere, or cannot be followed.
    private static func facts(of path: String) -> stat? {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts : nil
    }

    /// The same of the name itself, which may be a link.
    private static func factsItself(of path: String) -> stat? {
        var facts = stat()
        return lstat(path, &facts) == 0 ? facts : nil
    }

    /// What a path leads to, such as `S_IFREG`; nil where it leads nowhere.
    static func kind(of path: String) -> mode_t? { facts(of: path).map { $0.st_mode & S_IFMT } }

    package static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

    /// The same for the name itself: a link to a folder is not one.
    package static func isFolderItself(_ path: String) -> Bool {
        factsItself(of: path).map { $0.st_mode & S_IFMT } == S_IFDIR
    }

    package static func exists(_ path: String) -> Bool { factsItself(of: path) != nil }

    /// The same for callers that would make something else in its place.
    /// - Throws: fault `environment` when that cannot be told.
    static func isThere(_ path: String) throws(Problem) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return true }
        let code = errno
        if code == ENOENT || code == ENOTDIR { return false }
        throw Problem.system("cannot look at this path", path: absolute(path), code: code)
    }

    /// Whether a path leads nowhere because a name on it is not text: reading the name has replaced its invalid bytes
    /// by a character.
    package static func isMended(_ path: String) -> Bool {
        path.unicodeScalars.contains("\u{FFFD}") && !exists(path)
    }

    /// Whether there is something at a path, links followed.
    package static func leads(_ path: String) -> Bool { access(path, F_OK) == 0 || !isAbsence(errno) }

    /// Whether looking at a path, links followed, ended with an error by which there is certainly nothing. By all others
    /// there may be.
    static func isAbsence(_ code: Int32) -> Bool { [ENOENT, ENOTDIR, ELOOP].contains(code) }

    static func isLinkToNothing(_ path: String) -> Bool { exists(path) && !leads(path) }

    /// Whether a name stands for something other than a file or a folder, links to them included: a device, a pipe, a socket.
    package static func isSpecial(_ path: String) -> Bool {
        kind(of: path).map { ![S_IFREG, S_IFDIR].contains($0) } ?? false
    }

    /// - Parameter ways: what is to be done with what the path leads to: `W_OK`, `X_OK`.
    /// - Throws: fault `environment` with this summary, where permissions forbid it, or a filesystem that can only be
    ///   read.
    package static func requireAccess(to path: String, _ ways: Int32, _ summary: String) throws(Problem) {
        if faccessat(AT_FDCWD, path, ways, AT_EACCESS) == 0 { return }
        let code = errno
        guard [EACCES, EROFS].contains(code) else { return }
        throw .system(summary, path: absolute(path), code: code)
    }

    static func status(of path: String) -> Status? { facts(of: path).map(Status.init) }

    /// The same of an open file.
    static func status(of descriptor: Int32) -> Status? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Status(status) : nil
    }

    /// The same of the name itself, which may be a link. Renaming a folder changes it, too.
    private static func statusItself(of path: String) -> Status? { factsItself(of: path).map(Status.init) }

    /// When a file's bytes changed last, nanoseconds since 1970; nil where there is none.
    package static func modified(_ path: String) -> Int64? { status(of: path)?.modified }

    /// Bytes of a regular file; nil for anything else of that name.
    package static func regularSize(of path: String) -> Int64? {
        facts(of: path).flatMap { $0.st_mode & S_IFMT == S_IFREG ? Int64($0.st_size) : nil }
    }

    package static func identity(of path: String) -> Identity? { facts(of: path).map(Identity.init) }

    /// Looks at a folder that others may replace whole at any moment. Between two steps of a look it may have gone, or
    /// another one have come: what is then wrong with it says nothing, and this looks again.
    ///
    /// That a folder was replaced shows, because the new one is another file, or was renamed at another time.
    /// - Parameter isGood: whether nothing is wrong with what was found.
    package static func look<Found>(
        at folder: String, _ look: () -> Found, isGood: (Found) -> Bool
    ) -> Found {
        // Nothing is replaced so fast so often.
        for _ in 0..<10 {
            let before = statusItself(of: folder)
            let found = look()
            // Where there was nothing, something may have come and gone.
            if isGood(found) || (before != nil && statusItself(of: folder) == before) { return found }
        }
        return look()
    }

    /// A whole regular file of at most `limit` bytes.
    /// - Parameter fault: who is at fault for a bad file.
    package static func bytes(
        of path: String, limit: Int, fault: Problem.Fault = .usage
    ) throws(Problem) -> [UInt8] {
        let file = try RegularFile(path, name: path, fault: fault)
        guard file.byteCount <= limit else {
            throw Problem(fault, "the file has \(file.byteCount) bytes, more than \(limit)").at(file: path)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(file.byteCount))
        try file.read { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// The digest of a whole file.
    static func digest(of path: String) throws(Problem) -> Digest {
        try RegularFile(path, name: path, fault: .environment).digest()
    }
}
