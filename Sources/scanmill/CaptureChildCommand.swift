import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import Synchronization

/// The child's side of a capture's process: reads a job from stdin, runs it, and says one event a line on stdout.
struct CaptureChildCommand: ParsableCommand {
    static let name = "run-one-capture"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    func run() throws {
        guard let line = readLine(strippingNewline: true) else { throw ExitCode(ExitStatus.usage) }
        let job = try JSONDecoder().decode(CaptureJob.self, from: Data(line.utf8))
        Self.endWithParent()
        Allocator.keepFreedFrames()
        Self.tellOfWork()
        let ticker = ProgressTicker()
        do throws(Problem) {
            let ending = try CaptureWork.run(job, library: .builtIn, tool: Tool.nameAndVersion) { ticker.tell($0) }
            Self.say(.ended(ending))
        } catch {
            Self.say(.ended(.failed(error)))
        }
    }

    /// When the parent is gone, however it went, stdin ends: then this process and its ffmpeg go too, so that no orphan
    /// writes on.
    private static func endWithParent() {
        DetachedThread.start {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                // Swift's crash handler interrupts all threads, and goes on after its report.
                if count == 0 || (count < 0 && errno != EINTR) { break }
            }
            ProcessSession.endOthers(than: getpid())
            kill(getpid(), SIGKILL)
        }
    }

    /// Says that bytes are read or written where no frame goes by: a large file is digested, a video encoded, a cloud
    /// written.
    private static func tellOfWork() {
        DetachedThread.start {
            var seen = Heartbeat.count
            while true {
                sleep(1)
                let now = Heartbeat.count
                if now != seen { say(.working) }
                seen = now
            }
        }
    }

    /// Whether the last word has been said.
    private static let hasEnded = Mutex(false)

    /// One line after the other: a line that is longer than the pipe takes several calls, and this is said on several
    /// threads. Nothing comes after the last word.
    fileprivate static func say(_ event: CaptureEvent) {
        guard let data = try? JSONEncoder().encode(event) else { return }
        hasEnded.withLock { hasEnded in
            if hasEnded { return }
            if case .ended = event { hasEnded = true }
            Console.raw(Array(data) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
        }
    }
}

/// Sends progress at most ten times a second.
private final class ProgressTicker: Sendable {
    private let last = Mutex(ContinuousClock.now - .seconds(1))

    func tell(_ progress: RunProgress) {
        let isDue = last.withLock { last in
            let now = ContinuousClock.now
            guard now - last > .milliseconds(100) else { return false }
            last = now
            return true
        }
        if isDue { CaptureChildCommand.say(.progress(progress)) }
    }
}
