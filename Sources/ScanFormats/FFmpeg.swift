import Dispatch
import Glibc
import ScanModel
import Subprocess
import Synchronization

/// The two programs that read and write videos, `ffmpeg` and `ffprobe`, found on PATH.
public struct FFmpeg: Hashable, Sendable {
    /// Where `ffmpeg` is.
    public let ffmpeg: String
    /// Where `ffprobe` is.
    public let ffprobe: String

    public init(ffmpeg: String, ffprobe: String) {
        self.ffmpeg = ffmpeg
        self.ffprobe = ffprobe
    }

    /// Looks both programs up.
    /// - Parameter searchPath: folders with colons between them; nil for the environment's PATH. Relative folders are
    ///   passed over: what runs must not depend on the working directory.
    /// - Throws: a problem with fault `environment` when one of the two is missing.
    public static func find(in searchPath: String? = nil) throws(Problem) -> FFmpeg {
        let folders = searchPath ?? getenv("PATH").map { String(cString: $0) } ?? ""
        func locate(_ name: String) throws(Problem) -> String {
            for folder in folders.split(separator: ":") where folder.hasPrefix("/") {
                let path = "\(folder)/\(name)"
                var facts = stat()
                if stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 { return path }
            }
            throw Problem(
                .environment, "\(name) was not found",
                notes: ["looked in PATH: \(folders.isEmpty ? "(empty)" : folders)"],
                fix: "install it, on Debian and Ubuntu with: apt install ffmpeg")
        }
        return FFmpeg(ffmpeg: try locate("ffmpeg"), ffprobe: try locate("ffprobe"))
    }

    /// What the program calls itself, as in "ffmpeg version 5.1.9-0+deb12u1": results may change with it, so it
    /// belongs in receipts and keys.
    public func version() throws(Problem) -> String {
        var tool = try RunningTool(ffmpeg, ["-version"], log: FFmpegLog(replacing: "", with: ""))
        let output = tool.readAll()
        try tool.finish().check(tool)
        let firstLine = String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard firstLine.hasPrefix("ffmpeg version ") else {
            throw Problem(
                .environment, "\(ffmpeg) does not say its version", notes: ["its first line is: \(firstLine)"],
                fix: "put the real ffmpeg first on PATH")
        }
        return firstLine.split(separator: " ").prefix(3).joined(separator: " ")
    }
}

/// How a program ended.
enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)

    /// - Throws: a problem with fault `environment` after a signal, and also, naming the status, after a failure.
    func check(_ tool: borrowing RunningTool) throws(Problem) {
        switch self {
        case .exited(0): return
        case .exited(let status):
            throw Problem(
                .environment, "\(tool.name) failed with exit status \(status)", notes: tool.log.notes(from: tool.name))
        case .killed(let signal): throw .killed(tool.name, signal, notes: tool.log.notes(from: tool.name))
        }
    }
}

extension Problem {
    static func killed(_ tool: String, _ signal: Int32, notes: [String]) -> Problem {
        let name = strsignal(signal).map { "signal \(signal) (\(String(cString: $0)))" } ?? "signal \(signal)"
        let crashed = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE].contains(signal)
        return Problem(
            .environment, "\(tool) was ended by \(name)", notes: notes,
            fix: crashed
                ? "\(tool) itself crashed: install another version of it"
                : "if nobody stopped it, memory ran out: run fewer captures at once, or give the machine more memory")
    }
}

/// A program that was started: what it reads and writes, and its end. Every call blocks the calling thread only.
///
/// Letting go of a running program kills it and waits for its end, so that neither a process nor a descriptor is left
/// behind on any path.
struct RunningTool: ~Copyable, Sendable {
    let name: String
    private(set) var log: FFmpegLog

    private let process: pid_t
    /// Held back until the end is known: the process stays a zombie and its number stays its own until then.
    private let reaping: AsyncStream<Never>.Continuation
    private var input: PipeEnd?
    private let output: PipeEnd
    private var errors: PipeEnd?
    private var ending: Ending?

    /// Starts a program.
    /// - Parameter executable: its absolute path.
    /// - Throws: a problem with fault `environment` when it cannot be started.
    init(_ executable: String, _ arguments: [String], log: FFmpegLog) throws(Problem) {
        let input = try ChildPipe()
        let output = try ChildPipe()
        let errors = try ChildPipe()
        let started = try Self.start(executable, arguments, input: input.far, output: output.far, errors: errors.far)
        name = executable.split(separator: "/").last.map(String.init) ?? executable
        self.log = log
        process = started.process
        reaping = started.reaping
        self.input = consume input.near
        self.output = output.near
        self.errors = consume errors.near
    }

    deinit {
        guard ending == nil else { return }
        kill(process, SIGKILL)
        _ = Self.waitForEnd(of: process)
        reaping.finish()
    }

    /// Fills `buffer`; returns fewer bytes only at the end of the program's output.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < buffer.count {
            wait(for: output.descriptor, POLLIN)
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got = Glibc.read(output.descriptor, rest.baseAddress, rest.count)
            if got < 0 && errno == EINTR { continue }
            // A pipe has no other failure to report; were there one, the program's end would tell.
            if got <= 0 { break }
            count += got
        }
        return count
    }

    /// Everything that the program writes.
    mutating func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(into: $0) }
            bytes += chunk[..<count]
            if count < chunk.count { return bytes }
        }
    }

    /// Writes all of `buffer`; returns false when the program does not read any more.
    mutating func write(_ buffer: UnsafeRawBufferPointer) -> Bool {
        guard let descriptor = input?.descriptor else { return false }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        var sent = 0
        while sent < buffer.count {
            wait(for: descriptor, POLLOUT)
            let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
            let count = send(descriptor, rest.baseAddress, rest.count, flags)
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            if count < 0 { return false }
            sent += count
        }
        return true
    }

    /// Ends the program's input, takes its last words and waits for its end. What it still writes is thrown away.
    mutating func finish() -> Ending {
        if let ending { return ending }
        input = nil
        var scrap = [UInt8](repeating: 0, count: 1 << 16)
        while scrap.withUnsafeMutableBytes({ read(into: $0) }) > 0 {}
        while errors != nil { wait(for: -1, 0) }
        let end = Self.waitForEnd(of: process)
        ending = end
        reaping.finish()
        return end
    }

    /// Kills the program and waits for its end.
    mutating func stop() {
        if ending == nil { kill(process, SIGKILL) }
        _ = finish()
    }

    /// Waits until `descriptor` is ready, and meanwhile takes what comes on standard error: a program whose error pipe
    /// is full would stand still.
    private mutating func wait(for descriptor: Int32, _ events: Int32) {
        while true {
            var waiting = [
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
                pollfd(fd: errors?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&waiting, 2, -1) < 0 {
                if errno == EINTR { continue }
                return
            }
            if waiting[1].revents != 0 { takeErrors(from: waiting[1].fd) }
            if waiting[0].revents != 0 || (descriptor < 0 && errors == nil) { return }
        }
    }

    private mutating func takeErrors(from descriptor: Int32) {
        let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { log.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
        if count == 0 || (count < 0 && errno != EINTR) {
            log.endLine()
            errors = nil
        }
    }
}

// MARK: - Starting and waiting

extension RunningTool {
    /// Starts the program and returns its number, together with what lets its remains go.
    ///
    /// Subprocess is asynchronous and ScanMill's workers are not. The task runs on a queue of its own, because the
    /// caller may block one of the few threads on which tasks run otherwise.
    private static func start(
        _ executable: String, _ arguments: [String], input: borrowing PipeEnd, output: borrowing PipeEnd,
        errors: borrowing PipeEnd
    ) throws(Problem) -> (process: pid_t, reaping: AsyncStream<Never>.Continuation) {
        let (held, reaping) = AsyncStream.makeStream(of: Never.self)
        let launch = Launch()
        let (stdin, stdout, stderr) = (input.descriptor, output.descriptor, errors.descriptor)
        Task(executorPreference: QueueExecutor()) {
            do {
                var options = PlatformOptions()
                // A Ctrl-C at the terminal is for ScanMill, which finishes or drops what it is doing by itself.
                options.processGroupID = 0
                _ = try await run(
                    .path(.init(executable)), arguments: .init(arguments),
                    environment: .inherit.updating(["AV_LOG_FORCE_NOCOLOR": "1", "FFREPORT": nil]),
                    platformOptions: options,
                    input: .fileDescriptor(.init(rawValue: stdin), closeAfterSpawningProcess: false),
                    output: .fileDescriptor(.init(rawValue: stdout), closeAfterSpawningProcess: false),
                    error: .fileDescriptor(.init(rawValue: stderr), closeAfterSpawningProcess: false)
                ) { execution in
                    launch.report(.success(execution.processIdentifier.value))
                    for await _ in held {}
                }
            } catch {
                launch.report(.failure(error))
            }
        }
        switch launch.wait() {
        case .success(let process): return (process, reaping)
        case .failure(let error):
            throw Problem(
                .environment, "\(executable) could not be started", notes: ["the system says: \(error)"],
                fix: "check that it can be run by hand, with: \(executable) -version")
        }
    }

    /// Waits for the end without reaping: that is left to Subprocess, which started the process.
    private static func waitForEnd(of process: pid_t) -> Ending {
        var facts = siginfo_t()
        while waitid(P_PID, id_t(process), &facts, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        let status = facts._sifields._sigchld.si_status
        return facts.si_code == CLD_EXITED ? .exited(status) : .killed(signal: status)
    }
}

/// Says once whether the program has started.
private final class Launch: Sendable {
    private let outcome = Mutex<Result<pid_t, any Error>?>(nil)
    private let isKnown = DispatchSemaphore(value: 0)

    func report(_ result: Result<pid_t, any Error>) {
        outcome.withLock { $0 = $0 ?? result }
        isKnown.signal()
    }

    func wait() -> Result<pid_t, any Error> {
        isKnown.wait()
        return outcome.withLock { $0 } ?? .failure(CancellationError())
    }
}

private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "scanmill.program")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
