import Glibc
import ScanModel

/// How a program ended.
enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)

    /// Nothing went through its pipes, and no file that it writes grew, for so many seconds, and it was killed for that.
    case hung(seconds: Int)

    /// - Throws: what ``checkMachine(behind:noting:)`` throws, and a problem of the same fault for any other failure.
    func check(_ tool: borrowing RunningTool) throws(Problem) {
        try checkMachine(behind: tool)
        if case .exited(let status) = self, status != 0 {
            throw Problem(
                .environment, "\(tool.name) failed with exit status \(status)", notes: tool.log.notes(from: tool.name))
        }
    }

    /// - Throws: a problem with fault `environment` when the program could not be run, did not end by itself, blames the
    ///   machine and not its input, or may have taken a disk that fails for the end of its input.
    /// - Parameters:
    ///   - input: the video that it read.
    ///   - isShort: whether less may have come of that than there is.
    func checkMachine(
        behind tool: borrowing RunningTool, reading input: VideoInput? = nil, isShort: Bool = false,
        noting note: String? = nil
    ) throws(Problem) {
        if let (trouble, fix) = tool.log.machineTrouble(of: tool.name, reading: input) {
            throw Problem(
                .environment, "\(tool.name) could not do its work",
                notes: ["it says: \(trouble)"] + [note].compactMap(\.self), fix: fix)
        }
        if case .exited(let status) = self, [126, 127].contains(status) {
            throw Problem(
                .environment, "\(tool.name) could not be run: exit status \(status)",
                notes: tool.log.notes(from: tool.name),
                fix: "try it by hand:  \(tool.name) -version")
        }
        // Whatever it found wrong with a video, it would say.
        if case .exited(let status) = self, status != 0, input != nil, tool.log.lines.isEmpty {
            throw Problem(
                .environment, "\(tool.name) ended with exit status \(status) and said nothing",
                notes: [note].compactMap(\.self), fix: "try it by hand:  \(tool.name) -version")
        }
        if let violence = violence(to: tool.name, notes: [note].compactMap(\.self) + tool.log.notes(from: tool.name)) {
            throw violence
        }
        if isShort || self != .exited(0) { try input?.requireReadable() }
    }

    private func violence(to tool: String, notes: [String]) -> Problem? {
        switch self {
        case .exited: return nil
        case .hung(let seconds):
            return Problem(
                .environment, "\(tool) did nothing for \(seconds) s and was killed", notes: notes,
                fix: "the disk may hang, or \(tool) itself: try it by hand with the same file")
        case .killed(let signal):
            let name = strsignal(signal).map { "signal \(signal) (\(String(cString: $0)))" } ?? "signal \(signal)"
            let crashed = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE].contains(signal)
            return Problem(
                .environment, "\(tool) was killed by \(name)", notes: notes,
                fix: crashed
                    ? "\(tool) itself crashed: install another version of it"
                    : "if nobody killed it, memory ran out: run fewer captures at once, or give the machine more memory"
            )
        }
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
    /// Held back until the end is known: until then the process stays a zombie and keeps its id.
    private let reaping: AsyncStream<Never>.Continuation
    private var input: PipeEnd?
    private let output: PipeEnd
    private var errors: PipeEnd?
    private var ending: Ending?
    private let patience: Int
    /// How often ``product`` is looked at before patience is at its end.
    private static let looks = 4
    private var isHung = false
    /// A file that it writes: while it grows, the program is at work, though nothing goes through its pipes.
    private var product: (path: String, size: off_t)?

    /// Starts a program.
    /// - Parameters:
    ///   - executable: its absolute path.
    ///   - patience: seconds after which it is taken to hang while it is waited for.
    /// - Throws: a problem with fault `environment` when it cannot be started.
    init(_ executable: String, _ arguments: [String], log: FFmpegLog, patience: Int) throws(Problem) {
        let input = try ChildPipe()
        let output = try ChildPipe()
        let errors = try ChildPipe()
        let started = try Self.start(
            executable, arguments,
            Launch([input.far.handOver(), output.far.handOver(), errors.far.handOver()]))
        name = executable.lastPart
        self.log = log
        self.patience = patience
        process = started.process
        reaping = started.reaping
        self.input = consume input.near
        self.output = output.near
        self.errors = consume errors.near
    }

    deinit {
        if ending == nil { _ = Self.kill(process, reaping) }
    }

    /// Fills `buffer`; returns fewer bytes only at the end of the program's output.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < buffer.count {
            wait(for: output.descriptor, POLLIN)
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got = Glibc.read(output.descriptor, rest.baseAddress, rest.count)
            if got < 0 && errno == EINTR { continue }
            Heartbeat.beat()
            // A pipe has no other failure to report; if it had, the program's end would tell.
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
            Heartbeat.beat()
            sent += count
        }
        return true
    }

    /// Closes the program's input, reads its last messages and waits for its end. What it still writes is thrown away.
    /// - Parameter product: a file that it writes without using its pipes: while that grows, it is not taken to hang.
    mutating func finish(writing product: String? = nil) -> Ending {
        if let ending { return ending }
        self.product = product.map { ($0, 0) }
        input = nil
        var scrap = [UInt8](repeating: 0, count: 1 << 16)
        while scrap.withUnsafeMutableBytes({ read(into: $0) }) > 0 {}
        while errors != nil { wait(for: -1, 0) }
        let end = isHung ? .hung(seconds: patience) : Self.waitForEnd(of: process)
        ending = end
        reaping.finish()
        return end
    }

    /// Kills the program and waits for its end, without reading its last messages.
    mutating func stop() {
        if ending == nil { ending = Self.kill(process, reaping) }
    }

    /// Waits until `descriptor` is ready, and meanwhile reads standard error: a program whose error pipe is full would
    /// block.
    private mutating func wait(for descriptor: Int32, _ events: Int32) {
        var looksInVain = 0
        while true {
            var waiting = [
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
                pollfd(fd: errors?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            switch poll(&waiting, 2, isHung ? -1 : Int32(clamping: patience * 1000 / Self.looks)) {
            case 0:
                looksInVain = hasProductGrown() ? 0 : looksInVain + 1
                if looksInVain < Self.looks { continue }
                // Its pipes end with it.
                isHung = true
                _ = Glibc.kill(-process, SIGKILL)
                continue
            case ..<0:
                if errno == EINTR { continue }
                return
            // A sign of life.
            default: looksInVain = 0
            }
            if waiting[1].revents != 0 { takeErrors(from: waiting[1].fd) }
            if waiting[0].revents != 0 || (descriptor < 0 && errors == nil) { return }
        }
    }

    private mutating func hasProductGrown() -> Bool {
        var status = stat()
        guard let known = product, stat(known.path, &status) == 0, status.st_size > known.size else { return false }
        product = (known.path, status.st_size)
        Heartbeat.beat()
        return true
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

    /// Kills it with whatever it has started itself: it leads a process group of its own.
    private static func kill(_ process: pid_t, _ reaping: AsyncStream<Never>.Continuation) -> Ending {
        _ = Glibc.kill(-process, SIGKILL)
        defer { reaping.finish() }
        return waitForEnd(of: process)
    }

    /// Waits for the end without reaping: that is left to Subprocess, which started the process.
    private static func waitForEnd(of process: pid_t) -> Ending {
        var facts = siginfo_t()
        while waitid(P_PID, id_t(process), &facts, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        let status = facts._sifields._sigchld.si_status
        return facts.si_code == CLD_EXITED ? .exited(status) : .killed(signal: status)
    }
}
