import Dispatch
import Glibc
import ScanModel
import Synchronization

/// SIGINT, SIGTERM and SIGHUP during a run. The first one lets no further capture begin and gives the running ones, or
/// what follows them, five seconds; a later one ends everything at once. SIGHUP, which a terminal sends when it is
/// closed, is ignored if it was ignored before, as by `nohup`.
final class StopSignal: @unchecked Sendable {
    private struct State: Sendable {
        var first: (signal: Int32, at: ContinuousClock.Instant)?
        /// No capture runs, and none would begin: what follows them does, if anything.
        var isBehindCaptures = false
    }

    private let state = Mutex(State())
    private let printer = Mutex<@Sendable (String) -> Void> { Console.error($0) }
    /// Only changed by `listen`, before anything runs.
    private var sources: [any DispatchSourceSignal] = []
    /// Less than the five seconds that are announced: ending takes some of them.
    private static let grace = Duration.seconds(4)
    /// Asked for before `listen` changes what a signal does.
    private static let numbers = [SIGINT, SIGTERM] + (ProcessStart.isIgnored(SIGHUP) ? [] : [SIGHUP])

    /// When the first one came, by ``now``; long ago before it. Signal handlers may take no lock.
    private static let firstAt = Atomic<Int64>(0)
    /// Nanoseconds. What comes so soon behind the first one has the same cause: `timeout` signals its child and then its
    /// whole group, and a terminal that closes signals the shell, which passes it on, and its jobs.
    private static let oneCause: Int64 = 300_000_000

    /// Begins to listen.
    func listen() {
        // Nothing runs yet: these are the first uses, which no signal handler may make.
        Follower.kill()
        Self.firstAt.store(0, ordering: .relaxed)
        for number in Self.numbers {
            // What the signal does is left to libdispatch, which sees to it on a thread of its own: until then one that
            // was ignored here would be lost, and so it ends this process, which has done nothing yet.
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in received(number) }
            source.resume()
            sources.append(source)
        }
    }

    private func received(_ number: Int32) {
        let isFirst = state.withLock { state in
            if state.first != nil { return false }
            state.first = (number, .now)
            Self.firstAt.store(Self.now, ordering: .relaxed)
            return true
        }
        guard isFirst else { return Self.receivedAgain(number) }
        // From here on a signal is looked at directly: a busy machine may hold up the queue that calls this.
        for number in Self.numbers { signal(number) { StopSignal.receivedAgain($0) } }
        let what =
            state.withLock(\.isBehindCaptures)
            ? "no capture is running; what is left to do has 5 seconds"
            : "no more captures will start; those running have 5 seconds"
        let text = "\(Self.name(number)): \(what). Send it again to stop at once."
        // A terminal that takes no output, as after Ctrl-S, would hold up the queue, and with it the next signal.
        DetachedThread.start { [self] in printer.withLock { $0 }(text) }
    }

    /// Called by a signal handler. The children end with their stdin, which ends with this process; what follows the
    /// captures has none.
    private static func receivedAgain(_ number: Int32) {
        if now - firstAt.load(ordering: .relaxed) < oneCause { return }
        Follower.kill()
        _exit(ExitStatus.signals + number)
    }

    /// Nanoseconds of a clock that nobody sets, for signal handlers.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// From now on a signal is for what follows the captures.
    func capturesHaveEnded() { state.withLock { $0.isBehindCaptures = true } }

    /// Prints what is said about a signal through `printer`, past lines that are being redrawn.
    func speak(through printer: @escaping @Sendable (String) -> Void) { self.printer.withLock { $0 = printer } }

    /// The signal that came.
    var caught: Int32? { state.withLock { $0.first?.signal } }

    /// Why no capture may begin.
    var reason: String? { state.withLock { $0.first.map { "stopped by \(Self.name($0.signal))" } } }

    /// Why running captures have to end now.
    var hurry: String? {
        state.withLock { state in
            guard let first = state.first, ContinuousClock.now - first.at > Self.grace else { return nil }
            return "stopped by \(Self.name(first.signal)) while it ran"
        }
    }

    /// 129, 130 or 143 after a signal.
    var exitCode: Int32? { state.withLock { $0.first.map { ExitStatus.signals + $0.signal } } }

    private static func name(_ number: Int32) -> String {
        switch number {
        case SIGHUP: "SIGHUP"
        case SIGINT: "SIGINT"
        default: "SIGTERM"
        }
    }
}
