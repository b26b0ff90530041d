import FoundationEssentials
import Glibc
import ScanModel
import ScanPipeline
import Synchronization

/// What happens, one JSON object per line, with the time and the run's name.
final class RunLog: Sendable {
    private let path: String
    private let run: String
    private let handle: Int32
    /// Why something that should have been written was not.
    private let failure = Mutex<Int32?>(nil)

    /// - Parameter run: the run's name, as ``RunRecord/newName()`` makes it.
    /// - Throws: a problem when the file cannot be opened.
    init(path: String, run: String) throws(Problem) {
        self.path = path
        self.run = run
        // Opened without waiting: a pipe that nobody reads would keep the night from beginning.
        handle = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0o666)
        if handle < 0 { throw FileSystem.openProblem("cannot open the log", path: path, code: errno) }
        _ = fcntl(handle, F_SETFL, O_APPEND)
    }

    deinit { close(handle) }

    /// Whether somebody could not write the last line to its end, as on a full disk: this run or another one.
    private var endsInsideALine: Bool {
        guard let size = FileSystem.regularSize(of: path), size > 0 else { return false }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var last = UInt8(ascii: "\n")
        return pread(file, &last, 1, off_t(size - 1)) == 1 && last != UInt8(ascii: "\n")
    }

    func write(_ event: String, _ facts: JSONObject) {
        var object: JSONObject = [
            "time": .string(Date().formatted(.iso8601)), "run": .string(run), "event": .string(event),
        ]
        object.merge(facts)
        let line = JSONWriter.visibleText(.object(object), pretty: false) + [UInt8(ascii: "\n")]
        failure.withLock { failure in
            // One call per line, so that lines of several runs do not mix.
            let written = FileSystem.write((endsInsideALine ? [UInt8(ascii: "\n")] : []) + line, to: handle)
            failure = failure ?? written.error
        }
    }

    /// - Throws: a problem when the file lacks something that happened.
    func requireWhole() throws(Problem) {
        guard let failure = failure.withLock(\.self) else { return }
        throw Problem.system("the log is not complete", path: FileSystem.absolute(path), code: failure)
    }
}
