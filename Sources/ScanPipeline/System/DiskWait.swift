import Synchronization

/// The calls that wait until bytes are on the disk. One may take many minutes, on a slow share or where other programs have
/// left much unwritten, and nothing moves meanwhile that would count as a sign of life.
package enum DiskWait {
    /// When each call began that has not returned.
    private static let begins = Mutex<[UInt64: SuspendingClock.Instant]>([:])

    /// How long a call counts as a sign of life: a disk that does not answer is not waited for all night.
    package static let most = Duration.seconds(3600)

    static func during<Answer>(_ call: () -> Answer) -> Answer {
        // A clock that stands still while the machine sleeps.
        let begin = SuspendingClock.now
        let number = begins.withLock { begins in
            var number = UInt64.random(in: .min ... .max)
            while begins[number] != nil { number &+= 1 }
            begins[number] = begin
            return number
        }
        defer { begins.withLock { $0[number] = nil } }
        return call()
    }

    /// Whether a call waits that counts as a sign of life.
    package static var isUnderWay: Bool {
        let now = SuspendingClock.now
        return begins.withLock { $0.values.contains { now - $0 < most } }
    }
}
