import Synchronization

/// The calls that wait until bytes are on the disk. One may take many minutes, on a slow share or where other programs have
/// left much unwritten, and nothing moves meanwhile that would count as a sign of life.
package enum DiskWait {
    private struct Calls {
        /// How many calls there have been.
        var count = 0
        /// When each of them began that has not returned.
        var begins: [Int: SuspendingClock.Instant] = [:]
    }

    private static let calls = Mutex(Calls())

    /// How long a call counts as a sign of life: a disk that does not answer is not waited for all night.
    package static let most = Duration.seconds(3600)

    static func during<Answer>(_ call: () -> Answer) -> Answer {
        // A clock that stands still while the machine sleeps.
        let begin = SuspendingClock.now
        let number = calls.withLock { calls in
            calls.count += 1
            calls.begins[calls.count] = begin
            return calls.count
        }
        defer { calls.withLock { $0.begins[number] = nil } }
        return call()
    }

    /// Whether a call waits that counts as a sign of life.
    package static var isUnderWay: Bool {
        let now = SuspendingClock.now
        return calls.withLock { $0.begins.values.contains { now - $0 < most } }
    }
}
