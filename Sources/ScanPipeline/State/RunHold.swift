import ScanModel
import Synchronization

/// That a run is at work in OUT: from when it takes OUT until its last capture has ended, or it was killed.
public final class RunHold: Sendable {
    /// Nil where no lock can be made.
    private let lock: Mutex<StateLock?>

    package init(in state: StateFolder) { lock = Mutex((try? StateLock(ofRunsIn: state)) ?? nil) }

    public func release() { lock.withLock { $0 = nil } }

    /// Whether any run is at work in OUT now, as far as its filesystem has locks.
    package static func isHeld(in state: StateFolder) -> Bool { StateLock.isHeldByRuns(in: state) == true }

    /// Whether certainly no run is at work in OUT.
    static func isFree(in state: StateFolder) -> Bool { StateLock.isHeldByRuns(in: state) == false }
}
