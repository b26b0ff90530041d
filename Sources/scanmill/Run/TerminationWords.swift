import Glibc
import Subprocess

extension TerminationStatus {
    /// How a process ended, for people: `exit code 1`, `signal 9, Killed`.
    var words: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signaled(let signal): "signal \(signal), \(String(cString: strsignal(signal)))"
        }
    }
}
