import Glibc
import ScanModel

/// A file of the output folder while it is written: buffered, digested on the way, and made durable when it is closed.
/// A file that is never closed leaves nothing behind.
public final class OutputFile: ByteSink {
    private let folder: OutputFolder
    /// Relative to the output folder.
    public let path: String
    private let fullPath: String
    private var descriptor: Int32
    private var buffer: [UInt8] = []
    private var digester = Digester()
    private var byteCount: Int64 = 0
    private var wasPatched = false

    private static let bufferSize = 1 << 18

    init(_ folder: OutputFolder, path: String, fullPath: String) throws(Problem) {
        self.folder = folder
        self.path = path
        self.fullPath = fullPath
        descriptor = open(fullPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw Problem.system("cannot make the file", path: path, code: errno) }
    }

    deinit {
        if descriptor >= 0 {
            Glibc.close(descriptor)
            unlink(fullPath)
        }
    }

    public func write(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
        digester.update(bytes)
        byteCount += Int64(bytes.count)
        if buffer.count + bytes.count < Self.bufferSize {
            buffer.append(contentsOf: bytes)
            return
        }
        try flush()
        if bytes.count < Self.bufferSize {
            buffer.append(contentsOf: bytes)
        } else {
            try put(bytes)
        }
    }

    /// Changes bytes near the start that could not be known earlier, such as a count in a header. The file is then
    /// digested again when it is closed.
    public func patch(_ bytes: [UInt8], at offset: Int64) throws(Problem) {
        try flush()
        wasPatched = true
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        if count != bytes.count { throw Problem.system("cannot write the file", path: path, code: errno) }
    }

    /// Writes what is left, makes the file durable and lists it for the receipt.
    public func close() throws(Problem) {
        try flush()
        try sync(descriptor, path)
        let closed = Glibc.close(descriptor)
        let code = errno
        descriptor = -1
        if closed != 0 { throw Problem.system("cannot write the file", path: path, code: code) }
        let digest = wasPatched ? try folder.digest(ofFileAt: fullPath) : digester.finish()
        folder.list(path, byteCount: byteCount, digest: digest)
    }

    private func flush() throws(Problem) {
        guard !buffer.isEmpty else { return }
        let bytes = buffer
        buffer.removeAll(keepingCapacity: true)
        var failure: Problem?
        bytes.withUnsafeBytes { pointer in
            do throws(Problem) { try put(pointer) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Problem.system("cannot write the file", path: path, code: errno)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}

/// fsync, with its failure as a problem.
func sync(_ descriptor: Int32, _ path: String) throws(Problem) {
    while fsync(descriptor) != 0 {
        if errno != EINTR { throw Problem.system("cannot make the file durable", path: path, code: errno) }
    }
}
