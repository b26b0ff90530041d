import Glibc

/// The most memory that this process has had so far.
enum PeakMemory {
    /// Resident bytes, by the kernel's own account; nil where there is none. Not `getrusage`, whose figure begins with
    /// that of the process from which this one was started.
    static var bytes: Int64? {
        // Of /proc, where files have no size.
        let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("VmHWM:") }) else { return nil }
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int64($0) }
            .map { $0 * 1024 }
    }
}
