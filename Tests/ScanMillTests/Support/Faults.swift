import Foundation
import ScanFormats
import TestSupport

/// The tracer that makes calls of the system fail, or take their time.
enum Strace {
    /// That it is installed is not enough: a container may not let it trace.
    static let isThere = {
        if Sanitizer.isOn { return false }
        let answer = try? runCommand(["strace", "-qq", "-o", "/dev/null", "-f", "true"])
        let canTrace = answer?.status == 0
        if !canTrace { print("SKIPPED: faults in a capture's process, because strace is missing or may not trace") }
        return canTrace
    }()
}

extension TemporaryFolder {
    /// Puts another ffmpeg before the real one, which scripts call FFMPEG.
    /// - Parameter version: what is run to tell its version.
    /// - Returns: the environment in which it is found.
    func fakeFFmpeg(version: String = "FFMPEG -version", else command: String) throws -> [String: String] {
        let script = "#!/bin/sh\n[ \"$1\" = -version ] && exec \(version)\n\(command)\n"
        try writeProgram(script.replacing("FFMPEG", with: try FFmpeg.find().ffmpeg), to: "bin/ffmpeg")
        return ["PATH": "\(path)/bin:\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
    }
}
