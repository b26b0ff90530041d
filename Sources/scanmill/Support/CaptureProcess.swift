import FoundationEssentials
import Glibc
import ScanModel
import ScanPipeline
import Subprocess
import Synchronization
import SystemPackage

/// The parent's side of a capture's process: starts it, listens, and ends it when it takes too much or stands still.
struct CaptureProcess: Sendable {
    /// Bytes of memory above which a capture's process is ended; nil for no limit.
    var memoryLimit: Int64?
    /// Seconds without any sign of progress after which it is ended.
    var patience: Double
    /// Says why running captures have to end now, or nil.
    var hurry: @Sendable () -> String?

    /// Runs a job in a child process of the same binary. A child that is killed or traps is a failed capture.
    func launch(_ job: CaptureJob, _ progress: @escaping @Sendable (RunProgress) -> Void) async -> CaptureEnding {
        let watch = ChildWatch()
        let before = Self.identity(of: job)
        // The child may have been ended between giving the result its name and saying so, or between moving the older one
        // away and that.
        var published: String? {
            guard let now = Self.identity(of: job), now != before else { return nil }
            return "the new result of \(job.input.id) was published just before, and is whole"
        }
        var untouched: String {
            if let published { return published }
            let last = Self.identity(of: job) == nil ? "is put back by the next run" : "is unchanged"
            return "nothing was published for \(job.input.id)" + (before == nil ? "" : "; the last good result \(last)")
        }
        do {
            let text = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
            var options = PlatformOptions()
            // A session of its own: Ctrl-C reaches this process alone, and ending the session ends the child's ffmpeg too.
            options.createSession = true
            let ended = try await Subprocess.run(
                .path(FilePath(Self.executable)),
                arguments: Arguments(
                    executablePathOverride: Self.executablePath, remainingValues: [CaptureChildCommand.name]),
                environment: .inherit.updating(["SWIFT_BACKTRACE": Self.crashReport]), platformOptions: options,
                input: .inputWriter, output: .sequence, error: .sequence
            ) { execution in
                _ = try await execution.standardInputWriter.write(text + "\n")
                // Stdin stays open: the child takes its end for this process's end.
                return try await withThrowingTaskGroup(of: CaptureEnding?.self) { group in
                    group.addTask { try await Self.listen(execution.standardOutput, watch, progress) }
                    group.addTask {
                        for try await part in execution.standardError { watch.hear(part) }
                        return nil
                    }
                    let guardian = Task { await guardChild(execution.processIdentifier.value, watch) }
                    defer { guardian.cancel() }
                    var ending: CaptureEnding?
                    for try await part in group { ending = part ?? ending }
                    // Without a last word it died, and may have left an ffmpeg that hangs.
                    if ending == nil { ProcessSession.end(execution.processIdentifier.value) }
                    return ending
                }
            }
            // What it said is so, whatever ended it afterwards.
            if let ending = ended.closureResult { return ending }
            Leftovers.sweepBehind(job.input.id, in: StateFolder(output: job.output))
            if case .notBegun(let why)? = watch.reason, let published { return .notBegun("\(why); \(published)") }
            if let reason = watch.reason { return reason.noting(untouched) }
            return .failed(Self.crash(ended.terminationStatus, watch.lastWords, untouched))
        } catch {
            return .failed(Problem(.environment, "cannot run a process for the capture: \(error)", notes: [untouched]))
        }
    }

    private static func listen(
        _ output: SubprocessOutputSequence, _ watch: ChildWatch, _ progress: (RunProgress) -> Void
    ) async throws -> CaptureEnding? {
        var ending: CaptureEnding?
        // At line feeds alone, and of any length: a capture's name may hold what Unicode calls a line's end, and each of
        // its frames may have earned a warning.
        for try await line in output.strings(separatedBy: .unicodeScalarSequence(["\n"]), bufferingPolicy: .unbounded) {
            watch.sign()
            switch try? JSONDecoder().decode(CaptureEvent.self, from: Data(line.utf8)) {
            case .progress(let step)?: progress(step)
            case .ended(let end)?: ending = end
            case .working?, nil: break
            }
        }
        return ending
    }

    /// Looks at the child five times a second.
    private func guardChild(_ pid: pid_t, _ watch: ChildWatch) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(ChildWatch.tick))
            if Task.isCancelled { return }
            watch.goOn()
            var reason: CaptureEnding?
            if let why = hurry() {
                reason = .notBegun(why)
            } else if let memoryLimit, let used = Self.memory(of: pid), used > memoryLimit {
                reason = .failed(
                    Problem(
                        .environment, "the capture took more than \(Console.size(memoryLimit)) of memory",
                        fix: "raise the limit with --capture-memory, or leave out stages that gather the whole cloud"))
            } else if watch.silence > patience {
                reason = .failed(
                    Problem(
                        .environment, "the capture made no progress for \(Int(patience)) s and was ended",
                        fix: "the disk or ffmpeg may hang; allow more time with --patience"))
            }
            if let reason {
                watch.end(for: reason)
                ProcessSession.end(pid)
                return
            }
        }
    }

    /// Tells a capture's published folder from the one that replaces it.
    private static func identity(of job: CaptureJob) -> UInt64? {
        var status = stat()
        return stat("\(job.output)/\(job.input.id)", &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Resident bytes of a process.
    private static func memory(of pid: pid_t) -> Int64? {
        guard let text = try? String(contentsOf: URL(filePath: "/proc/\(pid)/statm"), encoding: .utf8) else {
            return nil
        }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
        return pages.map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) }
    }

    /// What a child that ended without a word most likely died of.
    private static func crash(_ status: TerminationStatus, _ words: [String], _ untouched: String) -> Problem {
        switch status {
        case .signaled(let signal) where signal == SIGKILL:
            return Problem(
                .environment, "the capture's process was killed", notes: [untouched],
                fix: "the machine may have run out of memory: try fewer captures side by side with --jobs")
        case .signaled(let signal) where signal == SIGINT || signal == SIGTERM || signal == SIGHUP:
            return Problem(.environment, "the capture's process was stopped by signal \(signal)", notes: [untouched])
        default:
            let how =
                switch status {
                case .signaled(let signal): "signal \(signal), \(String(cString: strsignal(signal)))"
                case .exited(let code): "exit code \(code)"
                }
            return Problem(
                .tool, "the capture's process ended unexpectedly (\(how))", notes: words + [untouched],
                fix: "this is a mistake in ScanMill: please report it with the capture's format and these lines")
        }
    }

    /// How much Swift's runtime says of a trap: what the person who mends it needs, and no more.
    private static let crashReport =
        "enable=yes,color=no,demangle=yes,sanitize=no,interactive=no,threads=crashed,registers=none,images=none,limit=12"
        + (installedBacktrace.map { ",swift-backtrace=\($0)" } ?? "")

    /// The program that the runtime starts after a trap, as `make install` puts it beside the tool. Elsewhere the runtime
    /// finds the toolchain's.
    private static let installedBacktrace: String? = {
        let prefix = FileSystem.parent(of: FileSystem.parent(of: executablePath))
        let path = "\(prefix)/libexec/scanmill/swift-backtrace"
        return FileSystem.exists(path) ? path : nil
    }()

    /// What is started for a capture: the running binary, also when another one has its name by now, or none, because
    /// ScanMill was updated during the run.
    static var executable: String {
        let running = "/proc/self/exe"
        guard let file = FileSystem.identity(of: running) else { return executablePath }
        return file == FileSystem.identity(of: executablePath) ? executablePath : running
    }

    /// The running binary, whatever name it was called by.
    static let executablePath: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return CommandLine.arguments[0] }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()
}

/// What is known of a running child.
private final class ChildWatch: Sendable {
    private struct State: Sendable {
        var ticksOfSilence = 0
        var reason: CaptureEnding?
        var words: [UInt8] = []
    }

    private let state = Mutex(State())

    /// Seconds between two looks at the child.
    static let tick = 0.2

    func sign() { state.withLock { $0.ticksOfSilence = 0 } }

    /// A tick has gone by.
    func goOn() { state.withLock { $0.ticksOfSilence += 1 } }

    func hear(_ part: SubprocessOutputSequence.Buffer) {
        let bytes = part.withUnsafeBytes { Array($0) }
        state.withLock { $0.words = ($0.words + bytes).suffix(16_384) }
    }

    func end(for reason: CaptureEnding) { state.withLock { $0.reason = $0.reason ?? reason } }

    /// Seconds without a sign, by looks and not by a clock: while the machine sleeps or this process is stopped, a clock
    /// goes on, and nobody could give a sign.
    var silence: Double { state.withLock { Double($0.ticksOfSilence) * Self.tick } }

    var reason: CaptureEnding? { state.withLock(\.reason) }

    /// What it wrote to stderr last: of a crash report the reason and the first frames in the tool's own code.
    var lastWords: [String] {
        let lines = String(decoding: state.withLock(\.words), as: UTF8.self).split(separator: "\n").map(String.init)
        let isCrash = { (line: String) in
            line.contains("Program crashed") || line.hasPrefix("Thread ") && line.hasSuffix(" crashed:")
        }
        guard let crash = lines.lastIndex(where: isCrash) else { return lines.suffix(3) }
        let reason = lines[..<crash].suffix(8).filter {
            $0.contains("Fatal error") || $0.contains("Swift runtime failure")
        }.map { $0.trimmingCharacters(of: "* ") }
        let frames = lines[crash...].filter { $0.contains(" at /") && !$0.contains("<compiler-generated>") }
        return reason + [lines[crash].trimmingCharacters(of: "* ")]
            + frames.prefix(3).map { $0.trimmingCharacters(of: " ") }
    }
}

extension CaptureEnding {
    fileprivate func noting(_ note: String) -> CaptureEnding {
        if case .failed(let problem) = self { .failed(problem.noting(note)) } else { self }
    }
}

extension String {
    fileprivate func trimmingCharacters(of set: String) -> String {
        String(drop { set.contains($0) }.reversed().drop { set.contains($0) }.reversed())
    }
}
