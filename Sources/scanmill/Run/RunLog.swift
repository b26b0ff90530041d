import FoundationEssentials
import Glibc
import ScanModel
import ScanPipeline
import Synchronization

/// What happens, one JSON object per line, with the time.
final class RunLog: Sendable {
    private struct State: Sendable {
        /// Whether the file ends inside a line, which a full disk cut short.
        var isTorn: Bool
        /// Why something that should have been written was not.
        var failure: Int32?
    }

    private let path: String
    private let handle: Int32
    private let state: Mutex<State>

    /// - Throws: a problem when the file cannot be opened.
    init(path: String) throws(Problem) {
        self.path = path
        // Opened without waiting: a pipe that nobody reads would keep the night from beginning.
        handle = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0o666)
        let code = errno
        if handle >= 0 { _ = fcntl(handle, F_SETFL, O_APPEND) }
        state = Mutex(State(isTorn: Self.endsInsideALine(path)))
        if handle < 0 { throw FileSystem.openProblem("cannot open the log", path: path, code: code) }
    }

    deinit { close(handle) }

    /// Whether an earlier run could not write its last line to the end.
    private static func endsInsideALine(_ path: String) -> Bool {
        guard let size = FileSystem.regularSize(of: path), size > 0 else { return false }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var last = UInt8(ascii: "\n")
        return pread(file, &last, 1, off_t(size - 1)) == 1 && last != UInt8(ascii: "\n")
    }

    func write(_ event: String, _ facts: JSONObject) {
        var object: JSONObject = ["time": .string(Date().formatted(.iso8601)), "event": .string(event)]
        object.merge(facts)
        let line = JSONWriter.visibleText(.object(object), pretty: false) + [UInt8(ascii: "\n")]
        state.withLock { state in
            // One call per line, so that lines of several runs do not mix.
            let (written, failure) = FileSystem.write((state.isTorn ? [UInt8(ascii: "\n")] : []) + line, to: handle)
            if written > 0 { state.isTorn = failure != nil }
            state.failure = state.failure ?? failure
        }
    }

    /// - Throws: a problem when the file lacks something that happened.
    func requireWhole() throws(Problem) {
        guard let failure = state.withLock(\.failure) else { return }
        throw Problem.system("the log is not complete", path: FileSystem.absolute(path), code: failure)
    }
}
