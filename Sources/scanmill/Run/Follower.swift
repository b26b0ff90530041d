import Glibc
import Subprocess
import Synchronization
import SystemPackage

/// A program that runs after a run has ended, and is ended early if a signal to stop comes meanwhile or came before.
enum Follower {
    /// The process id of the one that runs, which leads its process group; 0 for none. Only one runs at a time.
    private static let leader = Atomic<pid_t>(0)

    /// Kills the one that runs, with its process group. A signal handler may call this, if something else has before: the
    /// first use of a global may wait for a lock.
    static func kill() {
        let leader = Self.leader.load(ordering: .relaxed)
        if leader > 0 { _ = Glibc.kill(-leader, SIGKILL) }
    }

    /// - Parameters:
    ///   - grace: how long it has after the signal, which is passed on to it, or from its start where the signal had
    ///     ended the run; nil ends it at once.
    ///   - limit: how long it has in all; nil for as long as it takes.
    static func run<Output: OutputProtocol, Errors: ErrorOutputProtocol>(
        _ program: FilePath, _ arguments: Arguments, environment: Environment, output: Output, error: Errors,
        stop: StopSignal, grace: Duration? = nil, limit: Duration? = nil
    ) async throws -> ExecutionResult<Void, Output, Errors> {
        var options = PlatformOptions()
        // A session of its own: signals come only from here, and whatever it started ends with it.
        options.createSession = true
        // A signal that ended the run is not for this program, which has yet to do its work.
        let isLate = stop.caught != nil
        var watch: Task<Void, Never>?
        defer {
            watch?.cancel()
            Self.leader.store(0, ordering: .relaxed)
        }
        let ended = try await Subprocess.run(
            .path(program), arguments: arguments, environment: environment, platformOptions: options, input: .none,
            output: output, error: error
        ) { execution in
            let leader = execution.processIdentifier.value
            Self.leader.store(leader, ordering: .relaxed)
            watch = Task { await end(leader, when: stop, grace, limit, passesOn: !isLate) }
        }
        // What it started may take longer to end than it does.
        if stop.caught != nil { await watch?.value }
        return ended
    }

    private static func end(
        _ leader: pid_t, when stop: StopSignal, _ grace: Duration?, _ limit: Duration?, passesOn: Bool
    ) async {
        do {
            let latest = limit.map { ContinuousClock.now + $0 }
            var signal = stop.caught
            while signal == nil {
                if let latest, .now >= latest { break }
                try await Task.sleep(for: .milliseconds(100))
                signal = stop.caught
            }
            if let grace, let signal {
                if passesOn { Glibc.kill(-leader, signal) }
                let end = ContinuousClock.now + grace
                while ProcessSession.isAlive(leader), .now < end { try await Task.sleep(for: .milliseconds(100)) }
            }
            if ProcessSession.isAlive(leader) { ProcessSession.end(leader) }
        } catch {
            // It has ended on its own.
        }
    }
}
