internal import CLinux
import Glibc
import ScanModel

/// A file of the output folder while it is written: buffered, digested on the way, and handed over to be made durable when
/// it is closed. A file that is never closed, or that could not be written, leaves nothing behind.
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
    /// After a failure bytes are missing, so every later call fails too.
    private var failure: Problem?

    private static let bufferSize = 1 << 18
    /// From this many bytes on, a write gets a system call of its own and is not copied into the buffer.
    private static let largeWrite = 1 << 14

    init(_ folder: OutputFolder, path: String, fullPath: String) throws(Problem) {
        self.folder = folder
        self.path = path
        self.fullPath = fullPath
        descriptor = open(fullPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor >= 0 { return }
        if errno == EEXIST { throw Problem(.tool, "two stages, or two frames, write \(path) in the result") }
        throw systemProblem("cannot make the file", code: errno)
    }

    deinit {
        if descriptor >= 0 {
            Glibc.close(descriptor)
            unlink(fullPath)
        }
    }

    public func write(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
        try attempt { () throws(Problem) in
            digester.update(bytes)
            byteCount += Int64(bytes.count)
            let isLarge = bytes.count >= Self.largeWrite
            if isLarge || buffer.count + bytes.count > Self.bufferSize { try flush() }
            if isLarge { return try put(bytes) }
            if buffer.capacity < Self.bufferSize { buffer.reserveCapacity(Self.bufferSize) }
            buffer.append(contentsOf: bytes)
        }
    }

    /// Changes bytes that were already written but could not be known then, such as a count in a header. The file is
    /// digested again when it is closed.
    public func patch(_ bytes: [UInt8], at offset: Int64) throws(Problem) {
        try attempt { () throws(Problem) in
            guard offset >= 0, offset <= byteCount - Int64(bytes.count) else {
                throw Problem(.tool, "a change lies outside of what was written").at(
                    file: path, byte: offset, of: byteCount)
            }
            try flush()
            wasPatched = true
            try put(bytes, at: offset)
        }
    }

    /// Bytes. On a slow disk more would take long without a sign of life.
    private static let copiedAtOnce: Int64 = 64 << 20

    /// Copies a whole file into this one, which is empty so far, inside the kernel, and closes it.
    /// - Parameter digest: of the file's bytes.
    /// - Returns: false when the kernel cannot copy between these two; this file is empty then.
    func copy(_ input: borrowing RegularFile, digest: Digest) throws(Problem) -> Bool {
        let total = input.byteCount
        let source = input.descriptor
        var isPossible = true
        try attempt { () throws(Problem) in
            while byteCount < total {
                Heartbeat.beat()
                let count = sm_copy(source, descriptor, min(total - byteCount, Self.copiedAtOnce))
                if count < 0 && errno == EINTR { continue }
                // Kernels, filesystems and sandboxes say in many ways that they cannot; some return 0 at once. What is
                // really wrong, and with which of the two files, shows in the plain copy: a failing disk, or an input
                // that has become shorter.
                if count <= 0 {
                    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
                        throw systemProblem("cannot write the file", code: errno)
                    }
                    byteCount = 0
                    isPossible = false
                    return
                }
                byteCount += count
            }
            try handOver(digest: digest)
        }
        return isPossible
    }

    /// Writes what is left, hands the file over to be made durable, and lists it for the receipt.
    public func close() throws(Problem) {
        try attempt { () throws(Problem) in
            try flush()
            try handOver(digest: nil)
        }
    }

    /// Hands the file over to be made durable, closes it and lists it.
    /// - Parameter known: its digest, where the bytes did not come through this object.
    private func handOver(digest known: Digest?) throws(Problem) {
        try folder.durability.add(descriptor, path: "\(folder.publishedPath)/\(path)")
        let digest =
            if let known { known } else if wasPatched {
                try RegularFile(fullPath, name: folder.absolute(path), fault: .environment).digest()
            } else { digester.finish() }
        // What cannot be written any more shows when the file is made durable, not here.
        Glibc.close(descriptor)
        descriptor = -1
        folder.list(Receipt.File(path: path, byteCount: byteCount, digest: digest))
    }

    private func attempt(_ body: () throws(Problem) -> Void) throws(Problem) {
        if let failure { throw failure }
        if descriptor < 0 { throw Problem(.tool, "the file is closed already").at(file: path) }
        do throws(Problem) { try body() } catch {
            failure = error
            throw error
        }
    }

    private func flush() throws(Problem) {
        try put(buffer, at: nil)
        buffer.removeAll(keepingCapacity: true)
    }

    private func put(_ bytes: [UInt8], at offset: Int64?) throws(Problem) {
        var failure: Problem?
        bytes.withUnsafeBytes { pointer in
            do throws(Problem) { try put(pointer, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Writes everything, at the end of the file or at an offset.
    private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64? = nil) throws(Problem) {
        var done = 0
        while done < bytes.count {
            Heartbeat.beat()
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count =
                offset.map { pwrite(descriptor, rest.baseAddress, rest.count, off_t($0) + off_t(done)) }
                ?? Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw systemProblem("cannot write the file", code: errno) }
            done += count
        }
    }

    /// Names the file where people will look for it, not where it is written.
    private func systemProblem(_ doing: String, code: Int32) -> Problem {
        Problem.system(doing, path: folder.absolute(path), code: code)
    }
}
