import Glibc
import ScanModel

/// A nameless temporary copy under `TMPDIR` (else `/var/tmp`), for programs that need a file to seek in. It is gone when
/// this object or the process is, however that ends.
final class SpooledFile: Sendable {
    /// Where other processes of this user find it.
    let path: String
    private let descriptor: Int32

    /// - Throws: `environment` when the temporary folder cannot hold it.
    init(_ source: any ByteSource) throws(Problem) {
        let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let folder = named.isEmpty ? "/var/tmp" : named
        descriptor = openTemporary(folder)
        let error = errno
        path = "/proc/\(getpid())/fd/\(descriptor)"
        guard descriptor >= 0 else { throw Self.problem(folder, error, source) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = try source.read(into: chunk)
            if count == 0 { return }
            var written = 0
            while written < count {
                let step = write(descriptor, chunk.baseAddress.map { $0 + written }, count - written)
                if step < 0, errno != EINTR { throw Self.problem(folder, errno, source) }
                if step > 0 { Heartbeat.beat() }
                written += max(0, step)
            }
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func problem(_ folder: String, _ error: Int32, _ source: any ByteSource) -> Problem {
        let need = [ENOSPC, EDQUOT, EFBIG].contains(error) ? "with more room" : "that can be written to"
        return Problem(
            .environment, "no temporary copy can be written: \(systemText(error))",
            notes: ["the file is compressed in its archive, and was to be unpacked into \(folder)"],
            fix: "name a folder \(need) with TMPDIR, or pack the archive with the file stored (zip -0)"
        ).at(file: source.name)
    }
}

/// A file in a folder that is unlinked at once, and which no child process inherits: `mkstemp` would leave a moment in
/// which a child that another thread starts inherits it.
private func openTemporary(_ folder: String) -> Int32 {
    while true {
        let path = "\(folder)/scanmill-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { unlink(path) }
        if descriptor >= 0 || errno != EEXIST { return descriptor }
    }
}
