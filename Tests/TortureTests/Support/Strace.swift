import Foundation
import TestSupport

/// Where strace puts a fault: at the n-th call of a name in a thread.
struct FaultPoint: Hashable, CustomStringConvertible {
    var call: String
    var number: Int
    /// What the call works on, without the parts that differ from run to run.
    var subject: String

    var description: String { "\(call) \(number) (\(subject))" }
}

/// Faults in a run's system calls. strace counts `when=` separately in each thread, so the process of a capture and the
/// one that reports are put under strace one at a time.
struct Strace {
    enum Target {
        /// The process of the batch's first capture.
        case capture
        /// The process that people start, without those of the captures.
        case batch
    }

    let rig: Rig
    let target: Target
    private let log: String

    private static let calls = [
        "openat", "openat2", "open", "creat", "write", "writev", "pwrite64", "pwritev", "fsync", "fdatasync",
        "syncfs", "sync_file_range",
        "rename", "renameat", "renameat2", "mkdir", "mkdirat", "unlink", "unlinkat", "rmdir", "truncate", "ftruncate",
        "link", "linkat", "symlink", "symlinkat", "fallocate", "copy_file_range", "sendfile", "chmod", "fchmod",
        "fchmodat", "utimensat",
    ]

    init(_ rig: Rig, _ target: Target) throws {
        self.rig = rig
        self.target = target
        log = rig.folder.url("strace.log").path
        // Only the first capture's process is traced, so that the others show whether a fault spreads.
        let script = """
            #!/bin/sh
            unset LD_PRELOAD
            mkdir "$STRACE_ONCE" 2> /dev/null || exec "$@"
            exec strace -f -y -qq -o "$STRACE_LOG" $STRACE_OPTIONS "$@"

            """
        try rig.folder.write(script, to: "wrapper.sh")
        try runCommand(["chmod", "+x", "wrapper.sh"], in: rig.folder.path).require(0)
    }

    /// Runs the batch with a fault.
    /// - Parameters:
    ///   - fault: what strace calls it, such as `signal=KILL`; nil only observes.
    ///   - sabotage: a protocol that is broken on purpose.
    ///   - isBare: whether to run without the library that keeps the calls apart, to count what it may hide.
    func run(
        _ setting: Rig.Setting, fault: String?, at point: FaultPoint?, sabotage: String = "", isBare: Bool = false,
        _ more: [String] = ["--jobs", "1"]
    ) throws -> CommandResult {
        var options = ["-e", "trace=" + Self.calls.map { "?\($0)" }.joined(separator: ",")]
        if let fault, let point { options += ["-e", "inject=\(point.call):\(fault):when=\(point.number)"] }
        if !isBare { options += ["-E", "LD_PRELOAD=\(Torture.sabotageLibrary)"] }
        try? FileManager.default.removeItem(atPath: log)
        var environment = sabotage.isEmpty ? [:] : ["SABOTAGE": sabotage]
        switch target {
        case .batch:
            return try rig.run(
                setting, more, under: ["strace", "-f", "-b", "execve", "-y", "-qq", "-o", log] + options,
                environment: environment)
        case .capture:
            let once = rig.folder.url("once").path
            try? FileManager.default.removeItem(atPath: once)
            environment["LD_PRELOAD"] = Torture.sabotageLibrary
            environment["SABOTAGE_WRAPPER"] = rig.folder.url("wrapper.sh").path
            environment["STRACE_ONCE"] = once
            environment["STRACE_LOG"] = log
            environment["STRACE_OPTIONS"] = options.joined(separator: " ")
            return try rig.run(setting, more, environment: environment)
        }
    }

    /// Every call below OUT that can change something, as made by an undisturbed run.
    func points(
        _ setting: Rig.Setting, sabotage: String = "", isBare: Bool = false, _ more: [String] = ["--jobs", "1"]
    ) throws -> [FaultPoint] {
        try run(setting, fault: nil, at: nil, sabotage: sabotage, isBare: isBare, more).require(0)
        var counts: [Substring: [Substring: Int]] = [:]
        var points: [FaultPoint] = []
        for (thread, call, text) in try calls() {
            let number = counts[thread, default: [:]][call, default: 0] + 1
            counts[thread, default: [:]][call] = number
            guard text.contains(rig.output) else { continue }
            if call == "openat" && !text.contains("O_CREAT") && !text.contains("O_TRUNC") { continue }
            points.append(FaultPoint(call: String(call), number: number, subject: subject(text)))
        }
        return points
    }

    /// Whether the fault hit where it was meant to, according to strace's own log.
    func wasHit(_ point: FaultPoint, fault: String) throws -> Bool {
        let text = try String(contentsOfFile: log, encoding: .utf8)
        if fault == "signal=KILL" {
            guard text.contains("+++ killed by SIGKILL +++") else { return false }
            // In the batch's own process several threads make calls, and the last one need not be the one that was hit.
            if target == .batch { return true }
            return try calls().last.map { $0.call == point.call && subject($0.text) == point.subject } ?? false
        }
        let lines = text.split(separator: "\n").filter { $0.hasSuffix("(INJECTED)") }
        return target == .batch ? !lines.isEmpty : lines.contains { subject($0) == point.subject }
    }

    /// The end of strace's log, for messages.
    var lastWords: String {
        let lines = (try? String(contentsOfFile: log, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.suffix(4).joined(separator: "\n")
    }

    private func calls() throws -> [(thread: Substring, call: Substring, text: Substring)] {
        try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").compactMap { line in
            guard let match = line.firstMatch(of: #/^(\d+) +(\w+)\(/#) else { return nil }
            return (match.1, match.2, line)
        }
    }

    /// The first path below OUT in a line, without the parts that differ from run to run.
    private func subject(_ line: Substring) -> String {
        guard let start = line.range(of: rig.output)?.lowerBound else { return "" }
        let path = String(line[start...].prefix { $0 != ">" && $0 != "\"" }.dropFirst(rig.output.count))
        return path.replacing(#/\.scanmill/work/([^./]+)\.[^/]*/#) { ".scanmill/work/\($0.output.1)" }
            .replacing(#/\.scanmill/runs/[^/]*/#, with: ".scanmill/runs/…").replacing(
                #/\/\.[a-z0-9]{9,}$/#, with: "/.…"
            )
            .replacing(#/\.scanmill/trash/[^/]*/#, with: ".scanmill/trash/…")
    }
}
