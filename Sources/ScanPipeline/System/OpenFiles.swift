internal import CLinux
import ScanModel

/// The files and pipes that the process of a batch may have open at once. When none are left, no further process can be
/// started, and the whole batch ends.
public enum OpenFiles {
    /// Raises the limit as far as the system lets it, also for the processes that are started from now on.
    /// - Returns: how many captures fit below it side by side.
    /// - Throws: a problem where not even one does: the library that starts processes hangs or crashes there.
    public static func raiseLimit() throws(Problem) -> Int {
        let limit = sm_raise_open_files()
        if limit < 0 { return .max }
        if let lack = lack(below: Int(limit)) { throw lack }
        return captures(below: Int(limit))
    }

    /// What is wrong with a limit; nil where a capture fits below it.
    package static func lack(below limit: Int) -> Problem? {
        guard limit < others else { return nil }
        return Problem(
            .environment, "only \(limit) files may be open at once, and a run needs \(others)",
            fix: "raise the limit, such as with  ulimit -n 1024")
    }

    /// How many captures fit below a limit.
    package static func captures(below limit: Int) -> Int { max(1, (limit - others) / perCapture) }

    /// Three pipes, the process itself and, while it starts, the other ends of the pipes and one more pipe.
    private static let perCapture = 10
    /// What is open besides: standard streams, the log, what is read and written between captures.
    private static let others = 64
}
