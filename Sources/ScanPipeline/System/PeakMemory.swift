/// The most memory that this process has had so far.
enum PeakMemory {
    /// Resident bytes, by the kernel's own account; nil where there is none. Not `getrusage`, whose figure begins with
    /// that of the process from which this one was started.
    static var bytes: Int64? {
        let lines = KernelFile.text("/proc/self/status")?.split(separator: "\n")
        guard let line = lines?.first(where: { $0.hasPrefix("VmHWM:") }) else { return nil }
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int64($0) }
            .map { $0 * 1024 }
    }
}
