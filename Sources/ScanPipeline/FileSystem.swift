import Glibc
import ScanModel

/// The few calls on files and folders that publishing needs, each with its failure as a problem.
enum FileSystem {
    /// Makes a folder and those above it. Folders that are there already are fine.
    /// - Returns: the folders that were made, the outermost first.
    @discardableResult
    static func makeFolders(_ path: String) throws(Problem) -> [String] {
        if mkdir(path, 0o777) == 0 { return [path] }
        switch errno {
        case EEXIST where isFolder(path): return []
        case ENOENT:
            let parent = Self.parent(of: path)
            guard parent != path else { throw Problem.system("cannot make the folder", path: path, code: ENOENT) }
            return try makeFolders(parent) + makeFolders(path)
        case let code: throw Problem.system("cannot make the folder", path: path, code: code)
        }
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    static func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a folder's entries survive a power cut.
    static func syncFolder(_ path: String) throws(Problem) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Problem.system("cannot open the folder", path: path, code: errno) }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw Problem.system("cannot make the folder durable", path: path, code: errno) }
    }

    static func rename(_ from: String, to target: String) throws(Problem) {
        if Glibc.rename(from, target) != 0 { throw Problem.system("cannot rename to", path: target, code: errno) }
    }

    /// Removes a file, or a folder with everything in it; links are removed, not followed. What cannot be removed stays:
    /// this is only used to clean up.
    static func removeTree(_ path: String) {
        if unlink(path) == 0 || errno == ENOENT { return }
        for name in names(in: path) { removeTree("\(path)/\(name)") }
        rmdir(path)
    }

    /// The names in a folder, sorted; none when it cannot be read.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// A whole regular file of at most `limit` bytes.
    static func bytes(of path: String, limit: Int) throws(Problem) -> [UInt8] {
        // Without O_NONBLOCK, opening a FIFO that nobody writes to would never return.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Problem.system("cannot read the file", path: path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Problem(.usage, "this is not a regular file").at(file: path)
        }
        guard Int(status.st_size) <= limit else {
            throw Problem(.usage, "the file has \(status.st_size) bytes, more than \(limit)").at(file: path)
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw Problem.system("cannot read the file", path: path, code: errno) }
            if count == 0 { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    static func randomName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
