import FoundationEssentials
import Glibc
import ScanModel
import ScanPipeline
import Subprocess
import Synchronization
import SystemPackage

/// The parent's side of a capture's process: starts it, listens, and ends it when it takes too much or stands still.
struct CaptureProcess: Sendable {
    /// Bytes of memory above which a capture's process is ended.
    var memoryLimit: Int64
    /// Seconds without any sign of progress after which it is ended.
    var patience: Double
    /// Says why running captures have to end now, or nil.
    var hurry: @Sendable () -> String?
    /// Where processes that were given up are noted.
    var hung: HungProcesses
    /// What recorded the captures that were tried.
    let origins = CaptureOrigins()

    /// Runs a job in a child process of the same binary. A child that is killed or traps is a failed capture.
    func launch(_ job: CaptureJob, _ progress: @escaping @Sendable (RunProgress) -> Void) async -> CaptureEnding {
        let watch = ChildWatch()
        defer { origins.note(watch.origin, of: job.input) }
        let before = ResultBefore(job)
        switch await runUnlessStuck(job, watch, progress) {
        case .ended(let lastWord?, _):
            // It holds, whatever ended the process afterwards.
            return lastWord.taking(atLeast: watch.mostBytes)
        case .ended(nil, let status):
            Leftovers.sweepBehind(job.input.id, in: StateFolder(output: job.output))
            return Self.ending(watch, before, orElse: Self.crash(status, watch.lastWords))
        case .stuck(let lastWord):
            hung.note()
            if let lastWord { return lastWord.taking(atLeast: watch.mostBytes) }
            // Nothing it has made is touched, and nobody else can take the capture while it holds the lock.
            let words =
                "its process was killed and does not end: it waits for a disk or a share that is slow, or does not answer"
            return Self.ending(watch, before, orElse: Problem(.environment, words), noting: words)
        case .notRun(let error):
            return .failed(
                Problem(
                    .environment, "cannot run a process for the capture: \(error)", notes: [before.whatBecameOfIt],
                    fix:
                        "let this user have more processes (ulimit -u, a container's pids.max), or run fewer with --jobs"
                ))
        }
    }

    /// How a job ended that did not say so itself.
    /// - Parameters:
    ///   - crash: what to say where nobody ended it.
    ///   - words: what else there is to say of an end that was asked for.
    private static func ending(
        _ watch: ChildWatch, _ before: ResultBefore, orElse crash: @autoclosure () -> Problem,
        noting words: String? = nil
    ) -> CaptureEnding {
        switch watch.reason {
        case .left(let why)?:
            return .left(LeftReason([why.text, words ?? before.newResult].compactMap(\.self).joined(separator: "; ")))
        case .failed(let problem)?:
            let reached = problem.reached(watch.progress)
            return .failed((words.map(reached.noting) ?? reached).noting(before.whatBecameOfIt))
        case let reason?: return reason
        case nil: return .failed(crash().reached(watch.progress).noting(before.whatBecameOfIt))
        }
    }

    private enum End: Sendable {
        /// By the child's own last word; nil when it died without one.
        case ended(CaptureEnding?, TerminationStatus)
        case notRun(any Error)
        /// It was killed, or has said its last word, and stays: it waits in the kernel for a disk that does not answer.
        case stuck(CaptureEnding?)
    }

    /// Seconds that a killed process has to end.
    private static let grace = 5

    private func runUnlessStuck(
        _ job: CaptureJob, _ watch: ChildWatch, _ progress: @escaping @Sendable (RunProgress) -> Void
    ) async -> End {
        // Whichever comes first counts: the wait for a process that does not end cannot be cancelled.
        let (ends, end) = AsyncStream<End>.makeStream()
        Task {
            do {
                let (lastWord, status) = try await run(job, watch, progress) { end.yield(.stuck($0)) }
                end.yield(.ended(lastWord, status))
            } catch { end.yield(.notRun(error)) }
        }
        for await first in ends { return first }
        return .stuck(nil)
    }

    /// - Parameter stuck: is called, with the child's last word, when it should have ended and does not.
    /// - Returns: how the job ended, by the child's own last word; nil when it died without one.
    private func run(
        _ job: CaptureJob, _ watch: ChildWatch, _ progress: @escaping @Sendable (RunProgress) -> Void,
        stuck: @escaping @Sendable (CaptureEnding?) -> Void
    ) async throws -> (lastWord: CaptureEnding?, status: TerminationStatus) {
        let text = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
        var options = PlatformOptions()
        // A session of its own: Ctrl-C reaches the parent alone, and ending the session ends the child's ffmpeg too.
        options.createSession = true
        let ended = try await Subprocess.run(
            .path(FilePath(RunningBinary.startable)),
            arguments: Arguments(
                executablePathOverride: RunningBinary.path, remainingValues: [CaptureChildCommand.name]),
            environment: .inherit.updating(["SWIFT_BACKTRACE": Self.crashReport]), platformOptions: options,
            input: .inputWriter, output: .sequence, error: .sequence
        ) { execution in
            let child = execution.processIdentifier.value
            return try await withThrowingTaskGroup(of: CaptureEnding?.self) { group in
                group.addTask { try await Self.listen(execution.standardOutput, watch, progress) }
                group.addTask {
                    for try await part in execution.standardError { watch.noteErrors(part) }
                    return nil
                }
                group.addTask {
                    // A child that died before it read its job says more by its end than the broken pipe does. Stdin
                    // stays open: when it ends, the child takes this process to have ended.
                    _ = try? await execution.standardInputWriter.write(text + "\n")
                    return nil
                }
                // On a thread of its own: its limits hold although a terminal that takes no output holds up all tasks.
                guard DetachedThread.start({ guardChild(child, watch, stuck: stuck) }) else {
                    ProcessSession.end(child)
                    throw Errno(rawValue: EAGAIN)
                }
                defer { watch.noteOver() }
                var lastWord: CaptureEnding?
                for try await part in group { lastWord = part ?? lastWord }
                // A child without a last word died, and may have left an ffmpeg that hangs.
                if lastWord == nil { ProcessSession.end(child) }
                // Its pipes are closed, but another file may keep it from ending.
                let overdue = Task { [lastWord] in
                    if (try? await Task.sleep(for: .seconds(Self.grace))) != nil { stuck(lastWord) }
                }
                return (lastWord, overdue)
            }
        }
        let (lastWord, overdue) = ended.closureResult
        overdue.cancel()
        return (lastWord, ended.terminationStatus)
    }

    private static func listen(
        _ output: SubprocessOutputSequence, _ watch: ChildWatch, _ progress: (RunProgress) -> Void
    ) async throws -> CaptureEnding? {
        var ending: CaptureEnding?
        // Lines end at line feeds alone and may have any length: a capture's name may hold what Unicode calls a line
        // end, and each of its frames may have a warning.
        for try await line in output.strings(separatedBy: .unicodeScalarSequence(["\n"]), bufferingPolicy: .unbounded) {
            watch.noteLife()
            switch try? JSONDecoder().decode(CaptureEvent.self, from: Data(line.utf8)) {
            case .progress(let step)?:
                watch.noteProgress(step)
                progress(step)
            case .recognised(let origin)?: watch.noteOrigin(origin)
            case .ended(let end)?: ending = end
            case .working?, nil: break
            }
        }
        return ending
    }

    /// Looks at the child five times a second, until its pipes are closed.
    private func guardChild(_ pid: pid_t, _ watch: ChildWatch, stuck: @Sendable (CaptureEnding?) -> Void) {
        while true {
            usleep(useconds_t(ChildWatch.tick * 1e6))
            if watch.isOver { return }
            // While this process's own output waits, so do the tasks that listen to the child: then its silence says nothing.
            if !Console.wouldWait(STDOUT_FILENO) && !Console.wouldWait(STDERR_FILENO) { watch.noteTick() }
            let used = ProcessSession.residentBytes(of: pid) ?? 0
            watch.noteMemory(used)
            var reason: CaptureEnding?
            if let why = hurry() {
                reason = .left(LeftReason(why))
            } else if used > memoryLimit {
                reason = .failed(
                    Problem(
                        .environment, "the capture took more than \(Console.size(memoryLimit)) of memory",
                        fix: "raise the limit with --capture-memory, make voxels larger, mask what is far "
                            + "away, or leave out stages that gather the whole cloud; or see with  scanmill inspect  whether "
                            + "the intrinsics are right"
                    ).ofPipeline())
            } else if watch.silence > patience {
                reason = .failed(
                    Problem(
                        .environment, "the capture made no progress for \(Int(patience)) s and was killed",
                        fix:
                            "the disk or ffmpeg may hang; allow more time with --patience, and see with  scanmill inspect  "
                            + "whether the intrinsics and the depth are right"))
            }
            if let reason {
                watch.noteEnd(reason)
                ProcessSession.end(pid)
                sleep(UInt32(Self.grace))
                if !watch.isOver { stuck(nil) }
                return
            }
        }
    }

    /// What a child that ended without a last word most likely died of.
    private static func crash(_ status: TerminationStatus, _ words: [String]) -> Problem {
        switch status {
        case .signaled(let signal) where signal == SIGKILL:
            return Problem(
                .environment, "the capture's process was killed",
                fix: "the machine may have run out of memory: try fewer captures side by side with --jobs")
        case .signaled(let signal) where signal == SIGXCPU:
            return Problem(
                .environment, "the capture's process took more processor time than it may",
                fix: "raise the limit: `ulimit -t`, or LimitCPU= of the systemd unit")
        case .signaled(let signal) where !crashSignals.contains(signal):
            return Problem(
                .environment, "the capture's process was killed by signal \(signal)",
                fix: "find out what sent it, and run the same command again")
        default:
            return Problem(
                .tool, "the capture's process ended unexpectedly (\(status.words))", notes: words,
                fix: "this is a bug in ScanMill: please report it with the capture's format and these lines")
        }
    }

    /// Those that a program's own mistake raises. Any other was sent from outside.
    private static let crashSignals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

    /// How much Swift's runtime says about a trap: what whoever fixes it needs, and no more.
    private static let crashReport =
        "enable=yes,color=no,demangle=yes,sanitize=no,interactive=no,threads=crashed,registers=none,images=none,limit=12"
        + (RunningBinary.backtracer.map { ",swift-backtrace=\($0)" } ?? "")
}

/// Whether processes that wait in the kernel for a disk were given up: whoever reads from it next would wait, too.
final class HungProcesses: Sendable {
    private let isNoted = Mutex(false)

    func note() { isNoted.withLock { $0 = true } }
    var areThere: Bool { isNoted.withLock { $0 } }
}

/// What recorded each capture, as far as the processes have found out.
final class CaptureOrigins: Sendable {
    private let known = Mutex<[CaptureInput: CaptureOrigin]>([:])

    func note(_ origin: CaptureOrigin?, of input: CaptureInput) { known.withLock { $0[input] = origin } }
    subscript(_ input: CaptureInput) -> CaptureOrigin? { known.withLock { $0[input] } }
}

extension Problem {
    /// Adds how far a capture's process was when it last said so.
    fileprivate func reached(_ progress: RunProgress?) -> Problem {
        guard let progress else { return self }
        // Several frames are under way at once, in any of the pass's stages.
        return noting(
            "it had done \(progress.frame) of \(progress.frameCount.counted("frame")) of the pass that begins with "
                + progress.stage)
    }
}

extension CaptureEnding {
    /// Counts ffmpeg's memory too, which the capture's own process does not know.
    fileprivate func taking(atLeast bytes: Int64) -> CaptureEnding {
        guard case .done(var summary) = self else { return self }
        summary.peakBytes = max(summary.peakBytes ?? 0, bytes)
        return .done(summary)
    }
}
