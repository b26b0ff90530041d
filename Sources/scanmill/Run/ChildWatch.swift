import ScanPipeline
import Subprocess
import Synchronization

/// What is known of a running child.
final class ChildWatch: Sendable {
    private struct State: Sendable {
        var ticksOfSilence = 0
        var mostBytes: Int64 = 0
        var progress: RunProgress?
        var origin: CaptureOrigin?
        var reason: CaptureEnding?
        var words: [UInt8] = []
        var isOver = false
    }

    private let state = Mutex(State())

    /// Seconds between two looks at the child.
    static let tick = 0.2

    /// It has given a sign of life.
    func noteLife() { state.withLock { $0.ticksOfSilence = 0 } }

    func noteProgress(_ progress: RunProgress) { state.withLock { $0.progress = progress } }

    /// How far it was when it last said so.
    var progress: RunProgress? { state.withLock(\.progress) }

    func noteOrigin(_ origin: CaptureOrigin) { state.withLock { $0.origin = origin } }

    /// What recorded its capture, once it has said so.
    var origin: CaptureOrigin? { state.withLock(\.origin) }

    /// Notes what it and its ffmpeg take at the moment.
    func noteMemory(_ bytes: Int64) { state.withLock { $0.mostBytes = max($0.mostBytes, bytes) } }

    /// The most that both were seen to take.
    var mostBytes: Int64 { state.withLock(\.mostBytes) }

    /// A tick has gone by.
    func noteTick() { state.withLock { $0.ticksOfSilence += 1 } }

    /// Its pipes are closed: there is nothing to watch any more.
    func noteOver() { state.withLock { $0.isOver = true } }

    var isOver: Bool { state.withLock(\.isOver) }

    /// Keeps the end of what it writes to stderr.
    func noteErrors(_ part: SubprocessOutputSequence.Buffer) {
        let bytes = part.withUnsafeBytes { Array($0) }
        state.withLock { $0.words = ($0.words + bytes).suffix(16_384) }
    }

    /// It is about to be ended from here; the first reason counts.
    func noteEnd(_ reason: CaptureEnding) { state.withLock { $0.reason = $0.reason ?? reason } }

    /// Seconds without a sign, counted in ticks and not by a clock: while the machine sleeps or this process is
    /// stopped, a clock goes on, but nobody can give a sign.
    var silence: Double { state.withLock { Double($0.ticksOfSilence) * Self.tick } }

    /// Why it was ended from here; nil of one that ended by itself.
    var reason: CaptureEnding? { state.withLock(\.reason) }

    /// What it wrote to stderr last; of a crash report, the reason and the first frames in the tool's own code.
    var lastWords: [String] {
        let lines = String(decoding: state.withLock(\.words), as: UTF8.self).split(separator: "\n").map(String.init)
        let isCrash = { (line: String) in
            line.contains("Program crashed") || line.hasPrefix("Thread ") && line.hasSuffix(" crashed:")
        }
        guard let crash = lines.lastIndex(where: isCrash) else { return lines.suffix(3) }
        let reason = lines[..<crash].suffix(8).filter {
            $0.contains("Fatal error") || $0.contains("Swift runtime failure")
        }.map { $0.trimmingCharacters(of: "* ") }
        // Not all of the tool's own frames have a place in the sources.
        let frames = lines[crash...].filter {
            ($0.contains(" at /") || $0.contains(" in scanmill")) && !$0.contains("<compiler-generated>")
        }
        return reason + [lines[crash].trimmingCharacters(of: "* ")]
            + frames.prefix(3).map { $0.trimmingCharacters(of: " ") }
    }
}

extension String {
    fileprivate func trimmingCharacters(of set: String) -> String {
        String(drop(while: set.contains).dropLast(while: set.contains))
    }
}
