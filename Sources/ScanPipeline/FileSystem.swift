import Glibc
import ScanModel

/// Calls on files, folders and their paths; what can fail for other reasons than that nothing is there says so as a problem.
package enum FileSystem {
    /// A path that means the same from everywhere, and is spelt in one way: messages show others below the capture.
    package static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return plain(path) }
        guard let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return plain("\(String(cString: folder))/\(path)")
    }

    /// A path from the root without `.`, empty names, and `..` where that leads back from a folder: behind a link it leads
    /// elsewhere, and stays.
    private static func plain(_ path: String) -> String {
        if !path.contains("/.") && !path.contains("//") && !path.hasSuffix("/") { return path }
        var plain = ""
        for name in path.split(separator: "/") where name != "." {
            if name == ".." && isFolderItself(plain.isEmpty ? "/" : plain) && !plain.hasSuffix("/..") {
                plain = plain.lastIndex(of: "/").map { String(plain[..<$0]) } ?? ""
            } else {
                plain += "/\(name)"
            }
        }
        return plain.isEmpty ? "/" : plain
    }

    /// What a path leads to that starts in a folder, unless it starts at the root.
    package static func path(_ path: String, from folder: String) -> String {
        path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }

    /// Makes a folder and those above it. Folders that are there already are fine.
    /// - Returns: the folders that were made, the outermost first.
    @discardableResult
    package static func makeFolders(_ path: String) throws(Problem) -> [String] {
        if mkdir(path, 0o777) == 0 { return [path] }
        switch errno {
        case EEXIST where isFolder(path): return []
        case EEXIST, ENOTDIR:
            throw Problem(
                .environment, "cannot make the folder: a file stands in its way",
                fix: "move the file, or name another folder"
            ).at(file: path)
        case ENOENT:
            let parent = Self.parent(of: path)
            if parent == path || path.isEmpty || isFolder(parent) {
                // The parent may have come meanwhile. Otherwise it takes no folders: one of /proc, or one that is gone.
                if mkdir(path, 0o777) == 0 { return [path] }
                if errno == EEXIST, isFolder(path) { return [] }
                throw Problem.system("cannot make the folder", path: FileSystem.absolute(path), code: errno)
            }
            return try makeFolders(parent) + makeFolders(path)
        case let code: throw Problem.system("cannot make the folder", path: FileSystem.absolute(path), code: code)
        }
    }

    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The same for the name itself: a link to a folder is none.
    package static func isFolderItself(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether a name stands for something other than a file or a folder, links to them included: a device, a pipe, a socket.
    package static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func openFolder(_ path: String) throws(Problem) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { return descriptor }
        throw Problem.system("cannot open the folder", path: FileSystem.absolute(path), code: errno)
    }

    /// Makes a folder's entries survive a power cut.
    package static func syncFolder(_ path: String) throws(Problem) {
        let descriptor = try openFolder(path)
        defer { close(descriptor) }
        try sync(descriptor, path: path)
    }

    /// fsync, with its failure as a problem.
    package static func sync(_ descriptor: Int32, path: String) throws(Problem) {
        while fsync(descriptor) != 0 {
            if errno != EINTR { throw syncProblem(path: path, code: errno) }
        }
    }

    static func syncProblem(path: String, code: Int32) -> Problem {
        .system("cannot make sure that the bytes are on the disk", path: absolute(path), code: code)
    }

    /// Removes a file, or a folder with everything in it; links are removed, not followed. What cannot be removed stays:
    /// this is only used to clean up.
    package static func removeTree(_ path: String) {
        if unlink(path) == 0 || !isFolderItself(path) { return }
        for name in names(in: path) { removeTree("\(path)/\(name)") }
        rmdir(path)
    }

    /// The names in a folder, sorted; none when it cannot be read.
    package static func names(in path: String) -> [String] { listing(of: path).map(\.name) }

    private static func listing(of path: String) -> [(name: String, isFolder: Bool)] {
        // Not every filesystem says in its lists what a name is.
        listing(of: path) { name, type, _ in
            Int(type) == Int(DT_UNKNOWN) ? isFolderItself("\(path)/\(name)") : Int(type) == Int(DT_DIR)
        }.map { ($0.name, isFolder: $0.value) }
    }

    /// The names in a folder, sorted, each with what lies there, links followed; none when it cannot be read.
    /// - Parameter ofFiles: whether it is asked of files too. In large folders that is what takes time.
    static func statuses(in path: String, ofFiles: Bool = true) -> [(name: String, value: stat?)] {
        listing(of: path) { name, type, folder in
            if !ofFiles && Int(type) == Int(DT_REG) { return nil }
            var status = stat()
            return fstatat(folder, name, &status, 0) == 0 ? status : nil
        }
    }

    /// - Parameter look: what is wanted of a name, of which the folder says `type` (`DT_REG`, …), in the open folder.
    private static func listing<Value>(
        of path: String, _ look: (_ name: String, _ type: UInt8, _ folder: Int32) -> Value
    ) -> [(name: String, value: Value)] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var listing: [(name: String, value: Value)] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            listing.append((name, look(name, entry.pointee.d_type, dirfd(folder))))
        }
        return listing.sorted { $0.name < $1.name }
    }

    /// Of an open file.
    static func status(of descriptor: Int32) -> Status? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Status(status) : nil
    }

    package static func identity(of path: String) -> Identity? {
        var status = stat()
        return stat(path, &status) == 0 ? Identity(status) : nil
    }

    /// When a file's bytes changed last, nanoseconds since 1970; nil where there is none.
    package static func modified(_ path: String) -> Int64? { status(of: path)?.modified }

    /// Bytes of a regular file; nil for whatever else bears the name.
    package static func regularSize(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    static func size(of path: String) -> Int64? { status(of: path)?.byteCount }

    static func status(of path: String) -> Status? {
        var status = stat()
        return stat(path, &status) == 0 ? Status(status) : nil
    }

    /// What messages put before the names of a capture's files: nothing but its folder where the capture is the file itself.
    package static func root(ofFilesOf capture: String, besides file: String?) -> String {
        guard let file, capture.hasSuffix("/" + file) || capture == file, !isFolder(capture) else { return capture }
        return capture == file ? "" : parent(of: capture)
    }

    /// Writes a whole file, replacing what was there.
    private static func write(_ bytes: [UInt8], to path: String, isDurable: Bool) throws(Problem) {
        // Without O_NONBLOCK, opening a FIFO that nobody reads would never return.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else {
            throw Problem.system("cannot make the file", path: FileSystem.absolute(path), code: errno)
        }
        defer { close(descriptor) }
        if let code = write(bytes, to: descriptor).error {
            throw Problem.system("cannot write the file", path: FileSystem.absolute(path), code: code)
        }
        if isDurable { try sync(descriptor, path: path) }
    }

    /// Writes to what bears the name, in its place.
    package static func overwrite(_ path: String, with bytes: [UInt8]) throws(Problem) {
        try write(bytes, to: path, isDurable: false)
    }

    /// Writes to an open file as far as that goes.
    /// - Returns: how many bytes got there, and the system's error where these are not all.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> (written: Int, error: Int32?) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return (written, errno) }
            written += count
        }
        return (written, nil)
    }

    /// Writes a whole file in one step: others see the old one or the new one, and nothing is left of what failed.
    /// - Parameter isDurable: whether it survives a power cut from then on.
    package static func replace(_ path: String, with bytes: [UInt8], isDurable: Bool = false) throws(Problem) {
        let scratch = "\(parent(of: path))/.\(randomName())"
        do throws(Problem) {
            try write(bytes, to: scratch, isDurable: isDurable)
            if rename(scratch, path) != 0 {
                throw Problem.system("cannot rename to", path: absolute(path), code: errno)
            }
            if isDurable { try syncFolder(parent(of: path)) }
        } catch {
            unlink(scratch)
            var problem = error
            problem.place.file = absolute(path)
            throw problem
        }
    }

    /// Whether a real path is a folder's or leads into it.
    package static func lies(_ path: String, in folder: String) -> Bool {
        path == folder || path.hasPrefix(folder == "/" ? folder : folder + "/")
    }

    /// A path without links; of one that is not there yet, as far as it is. nil when it cannot be followed.
    package static func realPath(_ path: String) -> String? {
        var existing = path.isEmpty ? "." : path
        while existing.count > 1 && existing.hasSuffix("/") { existing.removeLast() }
        var rest: [Substring] = []
        while access(existing, F_OK) != 0 {
            let name = existing.split(separator: "/").last ?? ""
            let above = parent(of: existing)
            if name == ".." || above == existing { break }
            rest.insert(name, at: 0)
            existing = above
        }
        guard let resolved = realpath(existing, nil) else { return nil }
        defer { free(resolved) }
        let start = String(cString: resolved)
        return rest.reduce(start == "/" && !rest.isEmpty ? "" : start) { "\($0)/\($1)" }
    }

    /// A whole regular file of at most `limit` bytes.
    package static func bytes(of path: String, limit: Int) throws(Problem) -> [UInt8] {
        let file = try RegularFile(path, name: path, fault: .usage)
        guard file.byteCount <= limit else {
            throw Problem(.usage, "the file has \(file.byteCount) bytes, more than \(limit)").at(file: path)
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

    /// All files below a folder, relative to it, sorted; links are listed and not followed.
    static func tree(_ path: String) -> [String] {
        listing(of: path).flatMap { name, isFolder in
            isFolder ? tree("\(path)/\(name)").map { "\(name)/\($0)" } : [name]
        }
    }

    /// The same as readers see it: links to folders are followed, but those that lead back up, and a folder to which several
    /// lead is listed once. Folders are listed too, before what is in them.
    /// - Parameter statusesOfFiles: without, the status of a file in a folder may be missing.
    static func reachable(
        from path: String, statusesOfFiles: Bool = true
    ) -> [(path: String, status: Status?, isFolder: Bool)] {
        var seen: Set<Identity> = []
        var found: [(path: String, status: Status?, isFolder: Bool)] = []
        func isNew(_ folder: stat) -> Bool { seen.insert(Identity(folder)).inserted }
        func look(_ path: String, _ facts: stat?) {
            let isFolder = facts.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
            if let facts, isFolder, !isNew(facts) { return }
            found.append((path, facts.map(Status.init), isFolder))
            guard isFolder else { return }
            for (name, facts) in statuses(in: path, ofFiles: statusesOfFiles) { look("\(path)/\(name)", facts) }
        }
        // The root is above itself.
        var (above, facts) = ("\(path)/..", stat())
        while stat(above, &facts) == 0, isNew(facts) { above += "/.." }
        look(path, stat(path, &facts) == 0 ? facts : nil)
        return found
    }

    package static func randomName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
