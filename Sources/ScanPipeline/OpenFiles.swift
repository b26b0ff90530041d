internal import CLinux

/// The files and pipes that the process of a batch may have open at once. Where there are none left, no further process can
/// be started, and the whole batch ends.
public enum OpenFiles {
    /// Raises the limit as far as the system lets it, also for the processes that are started from now on.
    /// - Returns: how many captures fit below it side by side.
    public static func raiseLimit() -> Int {
        let limit = sm_raise_open_files()
        return limit < 0 ? .max : captures(below: Int(limit))
    }

    /// How many captures fit below a limit.
    package static func captures(below limit: Int) -> Int { max(1, (limit - others) / perCapture) }

    /// Three pipes, the process itself and, while it starts, the other ends of the pipes and one more pipe.
    private static let perCapture = 10
    /// What is open besides: standard streams, the log, what is read and written between captures.
    private static let others = 64
}
