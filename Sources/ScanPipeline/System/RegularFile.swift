import Glibc
import ScanModel

/// A regular file that is open for reading; closed when its owner lets go of it.
package struct RegularFile: ~Copyable {
    package let byteCount: Int64
    let descriptor: Int32
    /// For messages.
    private let name: String
    private let fault: Problem.Fault

    /// - Parameters:
    ///   - name: what messages call the file.
    ///   - fault: who is at fault for a bad file.
    /// - Throws: a problem when it cannot be opened, or is a folder, a FIFO, a device.
    package init(_ path: String, name: String, fault: Problem.Fault) throws(Problem) {
        // Without O_NONBLOCK, opening a FIFO that nobody writes to would never return.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0 { throw Problem.system("cannot read the file", path: name, code: errno, fault: fault) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Problem(fault, "this is not a regular file").at(file: name)
        }
        byteCount = Int64(status.st_size)
        self.descriptor = descriptor
        self.name = name
        self.fault = fault
    }

    deinit { close(descriptor) }

    /// Reads a stretch of the file, or all of it, piece by piece.
    /// - Throws: what `body` throws, or a problem when the file cannot be read or has become shorter.
    package func read(
        _ range: Range<Int64>? = nil, _ body: (UnsafeRawBufferPointer) throws(Problem) -> Void
    ) throws(Problem) {
        let range = range ?? 0..<byteCount
        let buffer = CopyBuffer.allocate()
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            Heartbeat.beat()
            let wanted = Int(min(Int64(buffer.count), range.upperBound - position))
            let count = pread(descriptor, buffer.baseAddress, wanted, off_t(position))
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw Problem.system("cannot read the file", path: name, code: errno, fault: fault) }
            if count == 0 { throw Problem(fault, "the file became shorter while it was read").at(file: name) }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += Int64(count)
        }
    }

    /// The first bytes; fewer where the file is shorter, none where it cannot be read.
    func beginning(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = max(0, pread(descriptor, buffer.baseAddress, count, 0))
        }
    }

    /// The last bytes, likewise.
    func end(_ count: Int) -> [UInt8] {
        let start = max(0, byteCount - Int64(count))
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = max(0, pread(descriptor, buffer.baseAddress, count, off_t(start)))
        }
    }

    package func digest() throws(Problem) -> Digest {
        var digester = Digester()
        try read { digester.update($0) }
        return digester.finish()
    }
}

/// Room for a file's bytes on their way.
enum CopyBuffer {
    /// To be deallocated by the caller. Aligned no wider than malloc's own, or the allocator could not reuse it for the
    /// next file.
    static func allocate() -> UnsafeMutableRawBufferPointer { .allocate(byteCount: 1 << 18, alignment: 16) }
}
