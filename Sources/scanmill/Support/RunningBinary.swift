import Glibc
import ScanPipeline

/// The binary that runs, which starts itself again for each capture and for the report.
enum RunningBinary {
    /// What to start: the running binary, even if its name belongs to another one by now, or to none, because ScanMill
    /// was updated during the run.
    static var startable: String {
        let running = "/proc/self/exe"
        guard let file = FileSystem.identity(of: running) else { return path }
        return file == FileSystem.identity(of: path) ? path : running
    }

    /// Its path, whatever name it was called by.
    static let path: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return CommandLine.arguments[0] }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// The program that the runtime starts after a trap, as `make install` puts it beside the tool. Elsewhere the runtime
    /// finds the toolchain's.
    static let backtracer: String? = {
        let prefix = FileSystem.parent(of: FileSystem.parent(of: path))
        let backtracer = "\(prefix)/libexec/scanmill/swift-backtrace"
        return FileSystem.exists(backtracer) ? backtracer : nil
    }()
}
