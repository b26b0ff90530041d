import ArgumentParser
import FoundationEssentials
import Glibc
import ScanModel
import Synchronization

/// What people and programs read. Stdout is data, stderr is messages.
enum Console {
    static func out(_ text: String) { raw(text.withControlsShown(besides: "\n\t") + "\n", to: STDOUT_FILENO) }
    static func error(_ text: String) { raw(text.withControlsShown(besides: "\n\t") + "\n", to: STDERR_FILENO) }
    static func out(_ json: JSONValue) { raw(JSONWriter.visibleText(json), to: STDOUT_FILENO) }

    /// Says what is odd, and ends nothing.
    static func warn(_ problem: Problem) { error(problem.message(as: "warning")) }

    /// Without line breaks, and with nothing that steers a terminal.
    static func visible(_ text: String) -> String { text.withControlsShown() }

    /// Whether a write would wait: a terminal takes no output after Ctrl-S or while its connection stands still, nor does a
    /// pipe whose reader stands still.
    static func wouldWait(_ descriptor: Int32) -> Bool {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&room, 1, 0) == 0
    }

    /// Writes at once and in full: nothing is left in a buffer when the process is killed.
    static func raw(_ text: String, to descriptor: Int32) { raw(Array(text.utf8), to: descriptor) }
    static func raw(_ bytes: [UInt8], to descriptor: Int32) {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                // A non-blocking pipe, as some programs make theirs, says that it is full.
                if errno == EAGAIN {
                    var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&room, 1, -1)
                    continue
                }
                // That the reader has seen enough is no failure.
                if descriptor == STDOUT_FILENO && errno != EPIPE { lost.store(errno, ordering: .relaxed) }
                return
            }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Why something that was written to stdout did not get there: 0, or an `errno`. A batch goes on all the same, but
    /// says so at its end.
    private static let lost = Atomic<Int32>(0)

    /// Whether something that should have been printed is lost, for those who must know before it is said.
    static var hasLostOutput: Bool { lost.load(ordering: .relaxed) != 0 }

    /// - Throws: exit code 3 when something that should have been printed is lost.
    static func requireOutput() throws {
        // Said once, however often this is called.
        let code = lost.exchange(0, ordering: .relaxed)
        if code == 0 { return }
        error("error: what was printed is not complete: \(systemText(code))")
        throw ExitCode(ExitStatus.environment)
    }

    static func size(_ bytes: Int64) -> String {
        var value = Double(bytes)
        var unit = "B"
        // What would be rounded to 1000.0 of a unit is 1.0 of the next one.
        for next in ["kB", "MB", "GB", "TB"] where value >= (unit == "B" ? 1000 : 999.95) {
            (value, unit) = (value / 1000, next)
        }
        return unit == "B" ? "\(bytes) B" : "\(value.rounded(decimals: 1)) \(unit)"
    }

    /// Runs something whose problem ends the command with the exit code of its fault.
    static func orExit<Value>(_ body: () throws(Problem) -> Value) throws -> Value {
        do throws(Problem) { return try body() } catch { throw exitCode(saying: error) }
    }

    /// Says a problem that ends the command.
    /// - Returns: the exit code of its fault.
    static func exitCode(saying problem: Problem) -> ExitCode {
        Console.error(problem.message())
        return ExitCode(ExitStatus.of(problem))
    }
}

extension String {
    /// With spaces behind it, for columns.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - columns)) }
}
