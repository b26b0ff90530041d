import Dispatch
import Glibc
import ScanModel
import Synchronization

/// SIGINT, SIGTERM and SIGHUP during a run. The first one lets no further capture begin and gives the running ones, or
/// what follows them, five seconds; a second one ends everything at once. SIGHUP, which a terminal sends when it is
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

    /// Begins to listen.
    func listen() {
        // Nothing runs yet: this is the first call, which no signal handler may make.
        Follower.kill()
        for number in Self.numbers {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in received(number) }
            source.resume()
            sources.append(source)
        }
        // A reader that went away is no reason to die.
        signal(SIGPIPE, SIG_IGN)
    }

    private func received(_ number: Int32) {
        let isSecond = state.withLock { state in
            if state.first != nil { return true }
            state.first = (number, .now)
            return false
        }
        if isSecond {
            Self.endAtOnce(number)
        }
        // From here on the next signal ends the process directly: a busy machine may hold up the queue that calls this.
        for number in Self.numbers { signal(number) { StopSignal.endAtOnce($0) } }
        let what =
            state.withLock(\.isBehindCaptures)
            ? "no capture is running; what is left to do has 5 seconds"
            : "no further capture is begun; running ones have 5 seconds"
        printer.withLock { $0 }("\(Self.name(number)): \(what). Again to end at once.")
    }

    /// Called by a signal handler. The children end with their stdin, which ends with this process; what follows the
    /// captures has none.
    private static func endAtOnce(_ number: Int32) -> Never {
        Follower.kill()
        _exit(ExitStatus.signals + number)
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
