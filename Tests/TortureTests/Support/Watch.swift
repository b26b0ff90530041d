import Foundation
import TestSupport

/// A run that is looked at while it works.
struct Watch {
    var status: Int32 = 0
    /// The most memory that the batch's own process, and any capture's process, ever had resident: bytes.
    var batchPeak = 0
    var capturePeak = 0
    /// The most files that the batch's own process had open.
    var openFiles = 0

    /// Reads VmHWM, because the peak that the kernel reports for a child that has ended is that of its parent at first.
    static func run(_ arguments: [String], in folder: TemporaryFolder) throws -> Watch {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Scanmill.path)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url("")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let batch = process.processIdentifier
        var watch = Watch()
        while process.isRunning {
            watch.batchPeak = max(watch.batchPeak, peak(batch))
            let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(batch)/fd"))?.count ?? 0
            watch.openFiles = max(watch.openFiles, open)
            for child in children(batch) { watch.capturePeak = max(watch.capturePeak, peak(child)) }
            usleep(4000)
        }
        watch.status = process.terminationStatus
        return watch
    }

    private static func children(_ pid: pid_t) -> [pid_t] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        return threads.flatMap { thread in
            (FileManager.default.contents(atPath: "/proc/\(pid)/task/\(thread)/children")).map {
                String(decoding: $0, as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
            } ?? []
        }
    }

    private static func peak(_ pid: pid_t) -> Int {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/status") else { return 0 }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}
