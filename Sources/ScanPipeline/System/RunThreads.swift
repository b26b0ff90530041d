import Glibc
import ScanModel

/// The threads that a run needs beside those of its captures. Where the system gives none, what waits for them waits for
/// ever, and no signal ends it.
public enum RunThreads {
    /// Those that start processes and read from them.
    private static let needed = 4

    /// Starts as many as a run needs, and lets them end.
    /// - Throws: a problem when the system refuses one.
    public static func require() throws(Problem) {
        var threads: [pthread_t] = []
        var error: Int32 = 0
        // All at once: each waits for the gate, which is opened when the last one has been asked for.
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        defer { gate.deallocate() }
        pthread_mutex_init(gate, nil)
        pthread_mutex_lock(gate)
        while threads.count < needed, error == 0 {
            var thread = pthread_t()
            error = pthread_create(
                &thread, nil,
                { pointer in
                    let gate = pointer?.assumingMemoryBound(to: pthread_mutex_t.self)
                    if let gate, pthread_mutex_lock(gate) == 0 { pthread_mutex_unlock(gate) }
                    return nil
                }, gate)
            if error == 0 { threads.append(thread) }
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        pthread_mutex_destroy(gate)
        guard error != 0 else { return }
        throw Problem(
            .environment, "the system refuses the threads that a run needs: \(systemText(error))",
            fix: "let this user have more processes and memory (ulimit -u and -v, a container's pids.max)")
    }
}
