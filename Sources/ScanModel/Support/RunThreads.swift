import Glibc

/// The threads that a process of a run needs beside its first. Where the system gives none, what waits for them waits for
/// ever, and no signal ends it.
public enum RunThreads {
    /// Of the run itself: those that wait for captures, start their processes and read from them.
    private static let needed = 6

    /// Starts as many as a run itself needs, and lets them end.
    /// - Throws: fault `environment` when the system refuses one.
    public static func require() throws(Problem) { try require(needed) }

    /// The same for a capture's own process.
    /// - Parameter workers: how many frames it may work on at once.
    package static func require(workers: Int) throws(Problem) {
        // However many are asked for, no more run than there are cores. The first thread is one of them; in its place
        // there may be one that reads what a program writes.
        try require(min(workers, sysconf(Int32(_SC_NPROCESSORS_ONLN))), orElse: ", or use fewer with --jobs")
    }

    /// The same for starting a program.
    package static func requireForProgram() throws(Problem) {
        // One waits for its end, and one hands it over.
        try require(3)
    }

    /// What to do where the system refuses threads or processes.
    package static let fix =
        "let this user have more processes and memory (ulimit -u and -v, a container's pids.max)"

    private static func require(_ needed: Int, orElse remedy: String = "") throws(Problem) {
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
            fix: fix + remedy)
    }
}
