import Glibc
import ScanModel
import Synchronization

/// A regular file, or a stretch of one, read from its start to its end. The file is closed when the source is released.
public final class FileSource: ByteSource {
    public let name: String
    public let byteCount: Int64
    private let descriptor: Int32
    private let range: Range<Int64>
    private let position: Mutex<Int64>

    /// - Parameters:
    ///   - path: where the file lies.
    ///   - name: what messages call it: its path relative to the capture.
    ///   - range: the bytes that are the file (an entry stored in an archive); all of them if nil.
    /// - Throws: a problem of fault `input` when there is no such file or it is not a regular file, of fault
    ///   `environment` when the machine does not allow reading it.
    public init(path: String, name: String, range: Range<Int64>? = nil) throws(Problem) {
        if path.utf8.contains(0) { throw Problem(.input, "a file name holds a zero byte").at(file: name) }
        // O_NONBLOCK, because opening a FIFO that nobody writes to would wait for ever.
        let descriptor = retrying { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        if descriptor < 0 { throw Self.openingProblem(errno, name).at(file: name) }
        var status = stat()
        if fstat(descriptor, &status) != 0 {
            let error = errno
            close(descriptor)
            throw Problem.system("cannot look at the file", path: name, code: error)
        }
        if let kind = Self.irregularKind(status.st_mode) {
            close(descriptor)
            throw Problem(.input, "expected a file, found \(kind)").at(file: name)
        }
        let whole = 0..<Int64(status.st_size)
        if let range, range.lowerBound < 0 || range.upperBound > whole.upperBound {
            close(descriptor)
            throw Problem(
                .input, "the file is too short",
                notes: ["its bytes \(range.lowerBound) to \(range.upperBound) are needed"]
            )
            .at(file: name, byte: whole.upperBound, of: whole.upperBound)
        }
        self.name = name
        self.descriptor = descriptor
        self.range = range ?? whole
        position = Mutex(self.range.lowerBound)
        byteCount = Int64(self.range.count)
    }

    /// The same for bytes wherever they lie.
    convenience init(_ location: FileLocation, name: String) throws(Problem) {
        try self.init(path: location.path, name: name, range: location.range)
    }

    deinit { close(descriptor) }

    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        let (count, error): (Int, Int32) = position.withLock { position in
            let wanted = min(buffer.count, Int(range.upperBound - position))
            if wanted == 0 { return (0, 0) }
            let count = retrying { pread(descriptor, buffer.baseAddress, wanted, off_t(position)) }
            position += Int64(max(0, count))
            return (count, errno)
        }
        if count < 0 { throw Problem.system("cannot read the file", path: name, code: error) }
        return count
    }

    /// `count` bytes from `offset`, whatever the source's position.
    public func bytes(at offset: Int64, count: Int) throws(Problem) -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= byteCount, Int64(count) <= byteCount - offset else {
            throw Problem(.input, "\(count.counted("byte", "is", "are")) wanted where the file has fewer")
                .at(file: name, byte: offset, of: byteCount)
        }
        return try [UInt8](room: count) { (buffer) throws(Problem) in
            var filled = 0
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<count])
                let position = off_t(range.lowerBound + offset) + off_t(filled)
                let got = retrying { pread(descriptor, rest.baseAddress, rest.count, position) }
                if got < 0 { throw Problem.system("cannot read the file", path: name, code: errno) }
                if got == 0 {
                    throw Problem(.input, "the file became shorter while it was read")
                        .at(file: name, byte: offset + Int64(filled), of: byteCount)
                }
                filled += got
            }
            return filled
        }
    }

    /// Reads a whole file, or a stretch of one, for a library that cannot tell a failing disk from a damaged file.
    /// - Throws: a problem of fault `environment` when the machine cannot read it.
    static func requireReadable(
        _ path: String, _ range: Range<Int64>? = nil, name: String? = nil
    ) throws(Problem) {
        let file = try FileSource(path: path, name: name ?? path, range: range)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while try file.read(into: buffer) > 0 {}
    }

    private static func openingProblem(_ error: Int32, _ name: String) -> Problem {
        switch error {
        case ENOENT, ENOTDIR: Problem(.input, "there is no such file")
        case ELOOP: Problem(.input, "the file is a link that leads in a circle")
        case ENAMETOOLONG: Problem(.input, "the file's name is too long")
        case ENXIO: Problem(.input, "expected a file, found a socket or a device that is not there")
        case EACCES, EPERM:
            Problem(.environment, "no permission to read the file", fix: "let the user who runs scanmill read it")
        default: Problem.system("cannot open the file", path: name, code: error)
        }
    }

    /// What the file is when it is not a regular one.
    private static func irregularKind(_ mode: mode_t) -> String? {
        switch mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a folder"
        case S_IFIFO: "a FIFO"
        case S_IFCHR, S_IFBLK: "a device"
        case S_IFSOCK: "a socket"
        default: "something that is no regular file"
        }
    }
}

/// Bytes in memory, as a source.
public final class MemorySource: ByteSource {
    public let name: String
    public var byteCount: Int64 { Int64(bytes.count) }
    private let bytes: [UInt8]
    /// The most that one read returns; small in tests, to hit every boundary between two chunks.
    private let chunk: Int
    private let position = Mutex(0)

    public init(_ bytes: [UInt8], name: String, chunk: Int = .max) {
        self.bytes = bytes
        self.name = name
        self.chunk = max(1, chunk)
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        position.withLock { position in
            let count = min(buffer.count, bytes.count - position, chunk)
            buffer.copyBytes(from: bytes[position..<position + count])
            position += count
            return count
        }
    }
}

/// Repeats a system call that a signal interrupted.
private func retrying<N: FixedWidthInteger>(_ call: () -> N) -> N {
    Heartbeat.beat()
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
