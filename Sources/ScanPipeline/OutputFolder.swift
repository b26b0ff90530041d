internal import CLinux
import Glibc
import ScanModel
import Synchronization

/// The folder that one capture's results are written to, invisible until it is whole.
///
/// Files go to `OUT/.scanmill/work/<id>.<host>.<pid>.<random>/` and are made durable one by one; ``publish(receipt:)``
/// writes the receipt last and gives the folder its name in one rename. Until then nothing is under `OUT/<id>`, and what
/// was there before stays as it is.
public final class OutputFolder: Sendable {
    /// A file as the receipt lists it.
    public struct Entry: Sendable, Hashable {
        public var path: String
        public var byteCount: Int64
        public var digest: Digest
    }

    /// OUT, as the user gave it.
    public let root: String
    public let id: String
    /// The folder while it is worked on.
    public let workPath: String
    private let state = Mutex(State())

    private struct State {
        var files: [String: Entry] = [:]
        var folders: Set<String> = []
        var isDone = false
    }

    /// The subfolder of OUT for everything with a clock, a host or a process in it.
    public static let privateName = ".scanmill"

    public init(root: String, id: String) throws(Problem) {
        self.root = root
        self.id = id
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count - 1)
        let hostName = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The id may be as long as a name can be, and the work name is longer: so it is cut.
        let stem = String(decoding: id.utf8.prefix(100), as: UTF8.self)
        workPath = "\(root)/\(Self.privateName)/work/\(stem).\(hostName).\(getpid()).\(FileSystem.randomName())"
        try FileSystem.makeFolders(workPath)
    }

    deinit { if !state.withLock(\.isDone) { FileSystem.removeTree(workPath) } }

    public var publishedPath: String { "\(root)/\(id)" }

    /// Whether an earlier result stands there.
    public var hasPublishedResult: Bool { FileSystem.exists("\(publishedPath)/\(Receipt.fileName)") }

    /// Begins a file. Its folders are made.
    /// - Parameter path: relative, without `..`.
    public func create(_ path: String) throws(Problem) -> OutputFile {
        try OutputFile(self, path: path, fullPath: try prepare(path))
    }

    /// Writes a whole file.
    public func write(_ bytes: [UInt8], to path: String) throws(Problem) {
        let file = try create(path)
        try file.write(bytes)
        try file.close()
    }

    /// Copies bytes from elsewhere on disk, by reference where the filesystem can share them.
    public func copy(_ location: FileLocation, name: String, to path: String) throws(Problem) {
        let input = open(location.path, O_RDONLY | O_CLOEXEC)
        if input < 0 { throw Problem.system("cannot read the file", path: name, code: errno, fault: .input) }
        defer { close(input) }
        var status = stat()
        fstat(input, &status)
        let range = location.range ?? 0..<Int64(status.st_size)
        let target = try prepare(path)
        let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if output < 0 { throw Problem.system("cannot make the file", path: path, code: errno) }
        defer { close(output) }
        let digest = try transfer(input, range, name, output, path)
        try sync(output, path)
        list(path, byteCount: Int64(range.count), digest: digest)
    }

    /// Copies what a source still holds: bytes that lie nowhere on disk as such.
    public func copy(_ source: any ByteSource, to path: String) throws(Problem) {
        let file = try create(path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        while true {
            let count = try source.read(into: buffer)
            if count == 0 { break }
            try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        try file.close()
    }

    /// The real path for a file that another program writes; ``adopt(_:)`` lists it afterwards.
    public func externalPath(for path: String) throws(Problem) -> String { try prepare(path) }

    /// Makes a file durable that another program wrote, and lists it.
    public func adopt(_ path: String) throws(Problem) {
        let full = "\(workPath)/\(path)"
        let descriptor = open(full, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw Problem.system("cannot read the file", path: path, code: errno) }
        defer { close(descriptor) }
        try sync(descriptor, path)
        list(path, byteCount: FileSystem.size(of: full) ?? 0, digest: try digest(ofFileAt: full))
    }

    /// A path for a scratch file of this capture, never published: removed with the work folder.
    public func scratchPath(_ name: String) throws(Problem) -> String {
        let folder = "\(workPath).scratch"
        try FileSystem.makeFolders(folder)
        return "\(folder)/\(name)"
    }

    /// Takes a file back: its frame turned out to be bad.
    public func discard(_ path: String) {
        unlink("\(workPath)/\(path)")
        state.withLock { _ = $0.files.removeValue(forKey: path) }
    }

    /// Files that are whole, sorted by path.
    public var files: [Entry] {
        state.withLock { $0.files.values.sorted { Array($0.path.utf8).lexicographicallyPrecedes(Array($1.path.utf8)) } }
    }

    /// Writes the receipt, makes everything durable, and gives the folder its name.
    public func publish(receipt: [UInt8]) throws(Problem) {
        let receiptFile = try create(Receipt.fileName)
        try receiptFile.write(receipt)
        try receiptFile.close()
        FileSystem.removeTree("\(workPath).scratch")
        // Innermost folders first, so that a name is durable only after what it names.
        let folders = state.withLock { $0.folders }.sorted { $0.count > $1.count }
        for folder in folders { try FileSystem.syncFolder("\(workPath)/\(folder)") }
        try FileSystem.syncFolder(workPath)
        try rename()
        try FileSystem.syncFolder(root)
    }

    /// Gives up: nothing of this attempt stays.
    public func abandon() {
        state.withLock { $0.isDone = true }
        FileSystem.removeTree(workPath)
        FileSystem.removeTree("\(workPath).scratch")
    }

    private func rename() throws(Problem) {
        let target = publishedPath
        if !FileSystem.exists(target) {
            try FileSystem.rename(workPath, to: target)
            state.withLock { $0.isDone = true }
            return
        }
        // An exchange replaces the older result with nothing in between; where there is none, a reader may see the
        // result absent for a moment, but never half.
        if sm_exchange(workPath, target) != 0 {
            let trash = "\(root)/\(Self.privateName)/trash"
            try FileSystem.makeFolders(trash)
            let old = "\(trash)/\(FileSystem.randomName())"
            try FileSystem.rename(target, to: old)
            try FileSystem.rename(workPath, to: target)
            FileSystem.removeTree(old)
        } else {
            FileSystem.removeTree(workPath)
        }
        state.withLock { $0.isDone = true }
    }

    func list(_ path: String, byteCount: Int64, digest: Digest) {
        // The receipt cannot list itself.
        if path == Receipt.fileName { return }
        state.withLock { $0.files[path] = Entry(path: path, byteCount: byteCount, digest: digest) }
    }

    func digest(ofFileAt path: String) throws(Problem) -> Digest {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw Problem.system("cannot read the file", path: path, code: errno) }
        defer { close(descriptor) }
        var digester = Digester()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Problem.system("cannot read the file", path: path, code: errno)
            }
            if count == 0 { return digester.finish() }
            digester.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private func prepare(_ path: String) throws(Problem) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.utf8.contains(0) }) else {
            throw Problem(.tool, "an output path leaves its folder").at(file: path)
        }
        if parts.count > 1 {
            for depth in 1..<parts.count {
                let folder = parts[..<depth].joined(separator: "/")
                if state.withLock({ $0.folders.contains(folder) }) { continue }
                try FileSystem.makeFolders("\(workPath)/\(folder)")
                state.withLock { _ = $0.folders.insert(folder) }
            }
        }
        return "\(workPath)/\(path)"
    }

    private func transfer(
        _ input: Int32, _ range: Range<Int64>, _ name: String, _ output: Int32, _ path: String
    ) throws(Problem) -> Digest {
        var digester = Digester()
        var position = range.lowerBound
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        while position < range.upperBound {
            let wanted = min(buffer.count, Int(range.upperBound - position))
            let count = pread(input, buffer.baseAddress, wanted, off_t(position))
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw Problem.system("cannot read the file", path: name, code: errno, fault: .input) }
            if count == 0 { throw Problem(.input, "the file became shorter while it was copied").at(file: name) }
            var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            digester.update(rest)
            while !rest.isEmpty {
                let written = Glibc.write(output, rest.baseAddress, rest.count)
                if written < 0 && errno == EINTR { continue }
                if written < 0 { throw Problem.system("cannot write the file", path: path, code: errno) }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
            position += Int64(count)
        }
        return digester.finish()
    }
}
