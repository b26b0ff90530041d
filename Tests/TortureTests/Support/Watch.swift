import Foundation
import TestSupport

/// A run that is watched while it works.
struct Watch {
    var status: Int32 = 0
    /// The most memory that the batch's own process, and any capture's process, ever had resident: bytes.
    var batchPeak = 0
    var capturePeak = 0
    /// The most files that the batch's own process had open.
    var openFiles = 0

    /// - Throws: when the run's process did not report its memory because it did not end by itself.
    static func run(_ arguments: [String], in folder: TemporaryFolder) throws -> Watch {
        let peaks = folder.url("peaks").path
        try folder.write("", to: "peaks")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Scanmill.path)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url("")
        process.environment = ProcessInfo.processInfo.environment.merging([
            "LD_PRELOAD": Torture.sabotageLibrary, "SABOTAGE_PEAKS": peaks,
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let batch = process.processIdentifier
        var watch = Watch()
        while process.isRunning {
            let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(batch)/fd"))?.count ?? 0
            watch.openFiles = max(watch.openFiles, open)
            usleep(4000)
        }
        watch.status = process.terminationStatus
        for line in try String(contentsOfFile: peaks, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let kilobytes = Int(words[1]) else { throw TestError("odd peak: \(line)") }
            let peak: WritableKeyPath<Watch, Int> = words[0] == "batch" ? \.batchPeak : \.capturePeak
            watch[keyPath: peak] = max(watch[keyPath: peak], kilobytes * 1024)
        }
        guard watch.batchPeak > 0 else { throw TestError("a run told nothing of its memory") }
        return watch
    }

    static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}
