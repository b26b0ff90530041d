import Glibc
import ScanModel

/// Writing, making it durable, and removing.
extension FileSystem {
    /// Makes a folder and those above it. Folders that are there already are fine.
    /// - Returns: the folders that were made, the outermost first.
    @discardableResult
    package static func makeFolders(_ path: String) throws(Problem) -> [String] {
        if mkdir(path, 0o777) == 0 { return [path] }
        switch errno {
        case EEXIST where isFolder(path): return []
        case EEXIST where !leads(path):
            throw Problem(
                .environment, "cannot make the folder: its name is a link to nothing",
                fix: "mount or make what it leads to, or name another folder"
            ).at(file: path)
        case EEXIST, ENOTDIR:
            throw fileInTheWay(of: path)
        case ENOENT:
            let parent = Self.parent(of: path)
            if parent == path || path.isEmpty || isFolder(parent) {
                // The parent may have appeared meanwhile. Otherwise it takes no folders, as in /proc, or is gone.
                if mkdir(path, 0o777) == 0 { return [path] }
                if errno == EEXIST, isFolder(path) { return [] }
                throw Problem.system("cannot make the folder", path: FileSystem.absolute(path), code: errno)
            }
            return try makeFolders(parent) + makeFolders(path)
        case let code: throw Problem.system("cannot make the folder", path: FileSystem.absolute(path), code: code)
        }
    }

    /// Makes a folder in one that is there. One that is gone is not made anew: it may have been on a disk that is no longer
    /// mounted, and its path now leads to another one.
    static func makeFolder(_ path: String) throws(Problem) {
        if mkdir(path, 0o777) == 0 { return }
        let code = errno
        if code != EEXIST && code != ENOTDIR {
            throw Problem.system("cannot make the folder", path: FileSystem.absolute(path), code: code)
        }
        // What is there is a folder, or in the way.
        try makeFolders(path)
    }

    /// Why a folder cannot be where a file is, or below one.
    static func fileInTheWay(of path: String) -> Problem {
        Problem(
            .environment, "cannot make the folder: a file stands in its way",
            fix: "move the file, or name another folder"
        ).at(file: path)
    }

    static func openFolder(_ path: String) throws(Problem) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { return descriptor }
        throw Problem.system("cannot open the folder", path: FileSystem.absolute(path), code: errno)
    }

    /// Makes a folder's entries survive a power cut, where the filesystem can: some shares do so for files alone.
    package static func syncFolder(_ path: String) throws(Problem) {
        let descriptor = try openFolder(path)
        defer { close(descriptor) }
        try sync(descriptor, path: path, unless: [EINVAL, EOPNOTSUPP, ENOSYS])
    }

    /// What FAT asks for beside ``syncFolder(_:)``, and other filesystems have done with that: it writes where a renamed
    /// file or folder lies only when that itself is synced, and the unused end of a new folder only with its parent.
    /// - Parameter path: may be gone again, or be what nobody may open, and then nothing is done: FAT has no permissions.
    static func syncForFAT(_ path: String) throws(Problem) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if [ENOENT, EACCES, EPERM].contains(errno) { return }
            throw Problem.system("cannot open it", path: absolute(path), code: errno)
        }
        defer { close(descriptor) }
        // Some shares do that only for files that are open for writing.
        try sync(descriptor, path: path, unless: [EINVAL, EOPNOTSUPP, ENOSYS, EBADF, EACCES])
    }

    /// fsync, with its failure as a problem.
    /// - Parameter accepted: error numbers that do not count as failures.
    package static func sync(_ descriptor: Int32, path: String, unless accepted: Set<Int32> = []) throws(Problem) {
        try waitForDisk(path: path, unless: accepted) { fsync(descriptor) }
    }

    /// - Parameter call: fsync or the like, made again where a signal came between.
    static func waitForDisk(path: String, unless accepted: Set<Int32> = [], _ call: () -> Int32) throws(Problem) {
        while true {
            let code = DiskWait.during { call() == 0 ? 0 : errno }
            if code == 0 || accepted.contains(code) { return }
            if code == EINTR { continue }
            throw .system("cannot make sure that the bytes are on the disk", path: absolute(path), code: code)
        }
    }

    /// Writes a whole file, replacing what was there.
    private static func write(_ bytes: [UInt8], to path: String, isDurable: Bool) throws(Problem) {
        // Without O_NONBLOCK, opening a FIFO that nobody reads would never return.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else { throw openProblem("cannot make the file", path: path, code: errno) }
        defer { close(descriptor) }
        // Whoever reads a pipe may be slower than this writes.
        _ = fcntl(descriptor, F_SETFL, 0)
        if let code = write(bytes, to: descriptor).error {
            throw Problem.system("cannot write the file", path: FileSystem.absolute(path), code: code)
        }
        if isDurable { try sync(descriptor, path: path) }
    }

    /// Why something cannot be opened for writing without waiting for a reader.
    package static func openProblem(_ what: String, path: String, code: Int32) -> Problem {
        var problem = Problem.system(what, path: absolute(path), code: code)
        if code == ENXIO {
            problem.fix =
                kind(of: path) == S_IFSOCK
                ? "it is a socket, as stderr is below systemd: name a file"
                : "it is a pipe that nobody reads: start its reader first"
        }
        return problem
    }

    /// Writes to whatever has that name, in place.
    package static func overwrite(_ path: String, with bytes: [UInt8]) throws(Problem) {
        try write(bytes, to: path, isDurable: false)
    }

    /// Writes as much as possible to an open file.
    /// - Returns: how many bytes got there, and the system's error if not all did.
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

    /// Writes a whole file in one step: others see the old one or the new one, and a failure leaves nothing behind.
    /// - Parameter isDurable: whether it survives a power cut from then on.
    package static func replace(_ path: String, with bytes: [UInt8], isDurable: Bool = false) throws(Problem) {
        let scratch = "\(parent(of: path))/.\(randomName())"
        do throws(Problem) {
            try write(bytes, to: scratch, isDurable: isDurable)
            if rename(scratch, path) != 0 {
                throw Problem.system("cannot rename to", path: absolute(path), code: errno)
            }
            if isDurable {
                try syncForFAT(path)
                try syncFolder(parent(of: path))
            }
        } catch {
            unlink(scratch)
            var problem = error
            problem.place.file = absolute(path)
            throw problem
        }
    }

    /// Removes a file, or a folder with everything in it; links are removed, not followed. What cannot be removed
    /// stays: this is only used to clean up.
    package static func removeTree(_ path: String) { removeTree(path, in: AT_FDCWD) }

    /// By names as the folder holds them, which need not be text.
    private static func removeTree(_ name: UnsafePointer<CChar>, in folder: Int32) {
        if unlinkat(folder, name, 0) == 0 { return }
        let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if let list = inner < 0 ? nil : fdopendir(inner) {
            var names: [[CChar]] = []
            _ = eachEntry(of: list) { name, _ in
                names.append(Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1)))
            }
            for name in names { removeTree(name, in: inner) }
            closedir(list)
        } else if inner >= 0 {
            close(inner)
        }
        unlinkat(folder, name, AT_REMOVEDIR)
    }

    package static func randomName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}
