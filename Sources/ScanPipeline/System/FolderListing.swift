import Glibc
import ScanModel

/// What lies in folders.
extension FileSystem {
    /// The names in a folder, sorted; none when it cannot be read.
    package static func names(in path: String) -> [String] {
        var failure: Int32 = 0
        return listing(of: path, failure: &failure) { _, _, _ in }.map(\.name)
    }

    /// The same for callers that would take an unreadable folder for an empty one and throw away what it holds.
    /// - Throws: fault `environment` when it is there and cannot be read to its end.
    package static func list(_ path: String) throws(Problem) -> [String] {
        try listing(of: path) { _, _, _ in }.map(\.name)
    }

    /// - Throws: as ``list(_:)`` does.
    private static func listing<Value>(
        of path: String, _ look: (_ name: UnsafePointer<CChar>, _ type: UInt8, _ folder: Int32) -> Value
    ) throws(Problem) -> [(name: String, value: Value)] {
        var failure: Int32 = 0
        let names = listing(of: path, failure: &failure, look)
        if failure == 0 || failure == ENOENT { return names }
        throw Problem.system("cannot list the folder", path: absolute(path), code: failure)
    }

    /// The names in a folder, sorted, each with what lies there, links followed; none when it cannot be read.
    static func statuses(in path: String) -> [(name: String, value: stat?)] {
        var failure: Int32 = 0
        return listing(of: path, failure: &failure) { name, _, folder in
            var status = stat()
            return fstatat(folder, name, &status, 0) == 0 ? status : nil
        }
    }

    /// - Parameters:
    ///   - failure: becomes the system's code where the folder cannot be opened, or cannot be read to its end.
    ///   - look: gives what is wanted of a name in the open folder, which lists it as `type` (`DT_REG`, …). The name is
    ///     as the folder holds it, and need not be text.
    private static func listing<Value>(
        of path: String, failure: inout Int32,
        _ look: (_ name: UnsafePointer<CChar>, _ type: UInt8, _ folder: Int32) -> Value
    ) -> [(name: String, value: Value)] {
        guard let folder = opendir(path) else {
            failure = errno
            return []
        }
        defer { closedir(folder) }
        var listing: [(name: String, value: Value)] = []
        failure = eachEntry(of: folder) { name, type in
            listing.append((String(cString: name), look(name, type, dirfd(folder))))
        }
        return listing.sorted { $0.name < $1.name }
    }

    /// Calls `body` for each name in an open folder, except `.` and `..`.
    /// - Returns: the system's code where the names ended before the folder did, else 0.
    static func eachEntry(
        of folder: OpaquePointer, _ body: (_ name: UnsafePointer<CChar>, _ type: UInt8) -> Void
    ) -> Int32 {
        while true {
            // The end of a folder leaves `errno` as it is.
            errno = 0
            guard let entry = readdir(folder) else { return errno }
            withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 1) { name in
                    if strcmp(name, ".") != 0 && strcmp(name, "..") != 0 { body(name, entry.pointee.d_type) }
                }
            }
        }
    }

    /// All files below a folder, relative to it, sorted; links are listed and not followed. A folder whose name is not text
    /// cannot be looked into, and is listed like a file.
    /// - Parameter counts: whether a name counts; what does not is left out, with all that is in it.
    /// - Throws: as ``list(_:)`` does, of any folder below it.
    static func tree(
        _ path: String, where counts: (String) -> Bool = { _ in true }
    ) throws(Problem) -> [String] {
        Heartbeat.beat()
        // Not every filesystem's listings say what kind of entry a name is.
        let names = try listing(of: path) { name, type, folder in
            if Int(type) != Int(DT_UNKNOWN) { return Int(type) == Int(DT_DIR) }
            var status = stat()
            return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
        var files: [String] = []
        for (name, isFolder) in names where counts(name) {
            let inner = "\(path)/\(name)"
            files += isFolder && !isMended(inner) ? try tree(inner, where: counts).map { "\(name)/\($0)" } : [name]
        }
        return files
    }

    /// Whether nothing is left of a capture at a path: nothing is there, or only folders, as remain when all files are
    /// moved out of them. What cannot be looked at, as on a share that does not answer, may be there, and a folder that
    /// cannot be listed may hold anything.
    package static func isGone(_ path: String) -> Bool {
        guard let isThere = try? isThere(path) else { return false }
        if !isThere { return !(isMended(path) && isListed(path)) }
        guard isFolder(path), let names = try? list(path) else { return false }
        return names.allSatisfy { isFolderItself("\(path)/\($0)") && isGone("\(path)/\($0)") }
    }

    /// Whether the folder that a path leads into has its name in other letters alone: a disk that ignores case still answers
    /// to the name that something had before it was renamed.
    package static func isRenamedInCase(_ path: String) -> Bool {
        guard let name = path.pathName, let names = try? list(parent(of: path)) else { return false }
        return !names.contains { $0.utf8.elementsEqual(name.utf8) }
            && names.contains { $0.lowercased() == name.lowercased() }
    }

    /// Whether the folder that a path leads into lists its name, even if that is not text.
    private static func isListed(_ path: String) -> Bool {
        guard let name = path.pathName, let names = try? list(parent(of: path)) else { return true }
        return names.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// What a path holds as readers see it: links to folders are followed, except those that lead back up, and a folder
    /// to which several lead is listed once. Folders are listed too, before what is in them. What lies so deep that the
    /// system takes no path to it is left out, as no reader opens it.
    static func reachable(from path: String) -> [(path: String, status: Status?, isFolder: Bool)] {
        var seen: Set<Identity> = []
        var found: [(path: String, status: Status?, isFolder: Bool)] = []
        func isNew(_ folder: stat) -> Bool { seen.insert(Identity(folder)).inserted }
        // With room for the working folder.
        let most = Int(PATH_MAX) - 1 - max(0, absolute(path).utf8.count - path.utf8.count)
        func look(_ path: String, _ facts: stat?) {
            if path.utf8.count > most { return }
            let isFolder = facts.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
            if let facts, isFolder, !isNew(facts) { return }
            found.append((path, facts.map(Status.init), isFolder))
            guard isFolder else { return }
            for (name, facts) in statuses(in: path) { look("\(path)/\(name)", facts) }
        }
        // The root is above itself.
        var (above, facts) = ("\(path)/..", stat())
        while stat(above, &facts) == 0, isNew(facts) { above += "/.." }
        look(path, stat(path, &facts) == 0 ? facts : nil)
        return found
    }
}
