import Dispatch
import Glibc
import Synchronization

/// Says once whether a program has started. Until it starts, its ends of its pipes are held here.
package final class Launch: Sendable {
    private let outcome = Mutex<Result<pid_t, any Error>?>(nil)
    private let isKnown = DispatchSemaphore(value: 0)
    /// Nil once they have been taken or closed.
    private let ends: Mutex<[Int32]?>
    /// Seconds. Starting a program takes milliseconds, even on a busy machine.
    package static let limit = 60

    /// - Parameter ends: the descriptors of its input, output and errors, which belong to the launch from now on.
    package init(_ ends: [Int32]) { self.ends = Mutex(ends) }

    deinit { closeEnds() }

    /// The descriptors for whoever starts the program and then closes them; nil where nobody waits for it any more: by
    /// then, their numbers may be those of other files.
    package func takeEnds() -> [Int32]? { ends.withLock { $0.take() } }

    func report(_ result: Result<pid_t, any Error>) {
        outcome.withLock { $0 = $0 ?? result }
        isKnown.signal()
    }

    /// - Returns: nil where nothing was heard of it for so many seconds; if it has not begun to start by then, it never
    ///   will.
    package func wait(seconds: Int = limit) -> Result<pid_t, any Error>? {
        _ = isKnown.wait(timeout: .now() + .seconds(seconds))
        let known = outcome.withLock { $0 }
        if known == nil { closeEnds() }
        return known
    }

    private func closeEnds() { for end in takeEnds() ?? [] { close(end) } }
}
