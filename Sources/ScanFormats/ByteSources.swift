import Glibc
import ScanModel

/// A regular file, or a stretch of one, read from its start to its end.
///
/// Whatever could make a reader wait or never end (a FIFO, a device, a folder) is refused when it is opened.
public final class FileSource: ByteSource, @unchecked Sendable {
    public let name: String
    public let byteCount: Int64?

    private let descriptor: Int32
    private var offset: Int64
    private let end: Int64

    /// - Parameters:
    ///   - path: where the file is.
    ///   - name: what messages call it: its path relative to the capture.
    ///   - range: the bytes to read; all of them if nil.
    /// - Throws: `input` when there is no such file or it is not a regular file or is shorter than the range,
    ///   `environment` when the machine refuses it.
    public init(path: String, name: String, range: Range<Int64>? = nil) throws(Problem) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemProblem("cannot be opened", errno).at(file: name) }
        var facts = stat()
        var problem: Problem?
        if fstat(descriptor, &facts) != 0 {
            problem = systemProblem("cannot be examined", errno)
        } else if facts.st_mode & S_IFMT != S_IFREG {
            problem = Problem(.input, "not a file but \(kind(of: facts.st_mode))")
        } else if let range, range.lowerBound < 0 || range.upperBound > facts.st_size {
            problem = Problem(
                .input, "the file is too short", notes: ["its bytes \(range.lowerBound) to \(range.upperBound) are needed"]
            ).at(byte: Int64(facts.st_size), of: Int64(facts.st_size))
        }
        if let problem {
            close(descriptor)
            throw problem.at(file: name)
        }
        let whole = 0..<Int64(facts.st_size)
        self.name = name
        self.descriptor = descriptor
        offset = (range ?? whole).lowerBound
        end = (range ?? whole).upperBound
        byteCount = Int64((range ?? whole).count)
    }

    deinit { close(descriptor) }

    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        let wanted = Int(min(Int64(buffer.count), end - offset))
        var filled = 0
        while filled < wanted {
            let count = pread(descriptor, buffer.baseAddress.map { $0 + filled }, wanted - filled, off_t(offset))
            if count < 0 {
                if errno == EINTR { continue }
                throw systemProblem("cannot be read", errno).at(file: name, byte: offset, of: byteCount)
            }
            // The file was cut while it was being read.
            if count == 0 { break }
            filled += count
            offset += Int64(count)
        }
        return filled
    }
}

/// Bytes in memory, read as a file would be.
public final class MemorySource: ByteSource, @unchecked Sendable {
    public let name: String
    public var byteCount: Int64? { Int64(bytes.count) }

    private let bytes: [UInt8]
    private var offset = 0
    private let longestRead: Int

    /// - Parameter longestRead: give out at most this many bytes at a time.
    public init(_ bytes: [UInt8], name: String, longestRead: Int = .max) {
        self.bytes = bytes
        self.name = name
        self.longestRead = max(1, longestRead)
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - offset, longestRead)
        buffer.copyBytes(from: bytes[offset..<offset + count])
        offset += count
        return count
    }
}

/// What the system said, as a problem: a missing file is the capture's fault, all else the machine's.
private func systemProblem(_ what: String, _ code: Int32) -> Problem {
    switch code {
    case ENOENT, ENOTDIR, ELOOP: Problem(.input, "the file is missing")
    case EACCES, EPERM: Problem(.environment, "the file \(what): permission denied", fix: "make it readable")
    default: Problem(.environment, "the file \(what): \(String(cString: strerror(code)))")
    }
}

private func kind(of mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFDIR: "a folder"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "something else"
    }
}
