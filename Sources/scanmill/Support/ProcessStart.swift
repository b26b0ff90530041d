import Glibc

/// What every process of the tool settles before anything else.
enum ProcessStart {
    static func prepare() {
        holdStandardStreams()
        // A file that grows past the shell's limit (ulimit -f) is then an error with a name, as on a full disk.
        // Programs that are started get the default back.
        signal(SIGXFSZ, SIG_IGN)
        // Some supervisors ignore it, and that outlives `exec`: our children's exit statuses would then be lost.
        signal(SIGCHLD, SIG_DFL)
        // Swift's runtime would call Ctrl-\ a crash, and wait for a key.
        if !isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
    }

    /// Whether a signal is ignored, as who started this process may have asked for.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Opens /dev/null in place of standard streams that are closed: else the next file would take their place, and get
    /// the messages that are meant for them.
    private static func holdStandardStreams() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
            let null = open("/dev/null", O_RDWR)
            if null >= 0 && null != stream {
                dup2(null, stream)
                close(null)
            }
        }
    }
}
