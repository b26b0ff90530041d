import ScanModel
import Synchronization

/// That a run is at work in OUT: from when it takes OUT until its last capture has ended, or it was killed.
public final class RunHold: Sendable {
    /// Nil where no lock can be made.
    private let lock: Mutex<StateLock?>

    /// - Throws: fault `environment` when another process keeps runs from beginning for longer than `patience`.
    package init(in state: StateFolder, patience: Duration = StateLock.patience) throws(Problem) {
        let found: StateLock?
        do throws(Problem) { found = try StateLock(ofRunsIn: state, patience: patience) } catch {
            lock = Mutex(nil)
            return
        }
        guard let found else { throw StateLock.notFree(StateLock.runs(of: state), after: patience) }
        lock = Mutex(found)
    }

    public func release() { lock.withLock { $0 = nil } }

    /// Whether any run is at work in OUT now, as far as its filesystem has locks.
    package static func isHeld(in state: StateFolder) -> Bool { StateLock.isHeldByRuns(in: state) == true }
}
