import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import Synchronization

/// The child's side of a capture's process: reads a job from stdin, runs it, and writes one event per line to stdout.
struct CaptureChildCommand: ParsableCommand {
    static let name = "run-one-capture"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    func run() throws {
        Self.leaveSignalsToParent()
        guard let line = readLine(strippingNewline: true) else { throw ExitCode(ExitStatus.usage) }
        let job = try JSONDecoder().decode(CaptureJob.self, from: Data(line.utf8))
        Self.endWithParent()
        Allocator.keepFreedFrames()
        Self.tellOfWork()
        let ticker = ProgressTicker()
        do throws(Problem) {
            let ending = try CaptureWork.run(
                job, library: .builtIn, tool: Tool.nameAndVersion, report: { ticker.tell($0) },
                recognised: { Self.say(.recognised($0)) })
            Self.say(.ended(ending))
        } catch {
            Self.say(.ended(.failed(error)))
        }
    }

    /// Signals that ask for an end may reach all processes of a run, as with `killall`: the parent decides what becomes
    /// of its captures. Not ignored, since ffmpeg would inherit that.
    private static func leaveSignalsToParent() {
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number) { _ in } }
    }

    /// When the parent is gone, however it ended, stdin ends: then this process and its ffmpeg end too, so that no
    /// orphan goes on writing.
    private static func endWithParent() {
        DetachedThread.start {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                // Swift's crash handler interrupts all threads, and goes on after its report.
                if count == 0 || (count < 0 && errno != EINTR) { break }
            }
            ProcessSession.endOwn()
        }
    }

    /// Reports work while no frame goes by: when a large file is digested, a video encoded, or a cloud written, and while
    /// the disk takes in what was written.
    private static func tellOfWork() {
        DetachedThread.start {
            var seen = Heartbeat.count
            while true {
                sleep(1)
                let now = Heartbeat.count
                if now != seen || DiskWait.isUnderWay { say(.working) }
                seen = now
            }
        }
    }

    /// Whether the last word has been said.
    private static let hasEnded = Mutex(false)

    /// Writes one line at a time: a line longer than the pipe's buffer takes several calls, and several threads call
    /// this. Nothing comes after the last word.
    fileprivate static func say(_ event: CaptureEvent) {
        guard let data = try? JSONEncoder().encode(event) else { return }
        hasEnded.withLock { hasEnded in
            if hasEnded { return }
            if case .ended = event { hasEnded = true }
            Console.raw(Array(data) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
        }
    }
}

/// Sends progress at most ten times a second, and the end of each pass: no other word of it may come for long.
private final class ProgressTicker: Sendable {
    private let last = Mutex(ContinuousClock.now - .seconds(1))

    func tell(_ progress: RunProgress) {
        let isDue = last.withLock { last in
            let now = ContinuousClock.now
            guard now - last > .milliseconds(100) || progress.frame == progress.frameCount else { return false }
            last = now
            return true
        }
        if isDue { CaptureChildCommand.say(.progress(progress)) }
    }
}
