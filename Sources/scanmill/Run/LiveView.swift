import FoundationEssentials
import Glibc
import ScanModel
import ScanPipeline
import Synchronization

/// The lines at the bottom of a terminal during a run: one per running capture, and one for all.
final class LiveView: Sendable {
    private struct State: Sendable {
        var running: [(id: String, progress: RunProgress?)] = []
        /// Those that ended, and how many of these failed.
        var done = 0
        var failed = 0
        /// The columns that each line of the view takes, as it stands there now.
        var drawn: [Int] = []
        var lastDrawn = ContinuousClock.now - .seconds(1)
    }

    private let state = Mutex(State())
    private let count: Int
    private let alreadyFailed: Int
    private let isOn: Bool
    private let start = ContinuousClock.now

    /// Whether stderr is a terminal that can move its cursor, and stdout does not go to a program such as `tee`, which
    /// writes to the same terminal: the view would erase its lines.
    static var isPossible: Bool {
        isatty(STDERR_FILENO) == 1 && !isPiped(STDOUT_FILENO)
            && !["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "")
    }

    private static func isPiped(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// - Parameters:
    ///   - count: how many captures run.
    ///   - alreadyFailed: how many besides them are known to have failed: the end of the run counts these, too.
    init(count: Int, alreadyFailed: Int, isOn: Bool) {
        self.count = count
        self.alreadyFailed = alreadyFailed
        self.isOn = isOn
    }

    func began(_ id: String) { change(atOnce: true) { $0.running.append((id, nil)) } }

    func progress(_ id: String, _ progress: RunProgress) {
        change { state in
            if let index = state.running.firstIndex(where: { $0.id == id }) { state.running[index].progress = progress }
        }
    }

    func ended(_ id: String, hasFailed: Bool) {
        change(atOnce: true) { state in
            state.running.removeAll { $0.id == id }
            state.done += 1
            if hasFailed { state.failed += 1 }
        }
    }

    /// One that begins again later.
    func putBack(_ id: String) { change(atOnce: true) { state in state.running.removeAll { $0.id == id } } }

    /// Writes lines that stay, above the view.
    func withoutView(_ body: () -> Void) {
        guard isOn else { return body() }
        state.withLock { state in
            Self.write(erasure(&state))
            body()
            draw(&state)
        }
    }

    func close() {
        guard isOn else { return }
        state.withLock { Self.write(erasure(&$0)) }
    }

    private func change(atOnce: Bool = false, _ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            // Five updates a second are enough for people, however many the captures send.
            guard isOn, atOnce || ContinuousClock.now - state.lastDrawn > .milliseconds(200), Self.canDraw else {
                return
            }
            draw(&state)
        }
    }

    /// To wait for a terminal would hold up the captures.
    private static var canDraw: Bool { !Console.wouldWait(STDERR_FILENO) }

    private func draw(_ state: inout State) {
        state.lastDrawn = .now
        let size = Self.terminalSize
        // A line that is too long, or one line too many, would stay on the terminal for ever.
        let shown = state.running.prefix(max(0, size.rows - 2))
        let ids = shown.map { Self.name($0.id) }
        let widest = ids.map(\.columns).max() ?? 0
        let running = zip(ids, shown).map { "\($0.padded(to: widest)) \(Self.text($1.progress))" }
        let lines = (running + [total(state)]).map {
            Self.cut($0, to: size.columns)
        }
        let text = erasure(&state) + lines.joined(separator: "\n") + "\n"
        state.drawn = lines.map(\.columns)
        Self.write(text)
    }

    /// Moves the cursor to the first line of the view and clears to the end of the screen.
    private func erasure(_ state: inout State) -> String {
        if state.drawn.isEmpty { return "" }
        defer { state.drawn = [] }
        // Most terminals that were made narrower have wrapped the lines that no longer fit.
        let columns = Self.terminalSize.columns
        let rows = state.drawn.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
        return "\u{1B}[\(rows)A\u{1B}[J"
    }

    /// A capture's name, in at most 24 columns.
    private static func name(_ id: String) -> String {
        let id = Console.visible(id)
        return id.columns > 24 ? cut(id, to: 23) + "…" : id
    }

    private static func text(_ progress: RunProgress?) -> String {
        guard let progress, progress.frameCount > 0 else { return "[\(bar(0))] opening" }
        let share = Double(progress.frame) / Double(progress.frameCount)
        return "[\(bar(share))] \(progress.stage), frame \(progress.frame) of \(progress.frameCount)"
    }

    private func total(_ state: State) -> String {
        let failed = alreadyFailed + state.failed
        let text =
            "\(alreadyFailed + state.done) of \((alreadyFailed + count).counted("capture"))"
            + (failed > 0 ? ", \(failed) failed" : "")
        guard
            let left = Self.secondsLeft(
                after: (ContinuousClock.now - start) / .seconds(1), done: state.done,
                running: state.running.map { $0.progress?.share ?? 0 }, of: count)
        else { return text }
        return "\(text), about \(Self.time(left)) left"
    }

    /// Goes by what is done so far, which includes the finished part of running captures.
    /// - Parameter running: the share of each, 0 to 1.
    /// - Returns: nil as long as too little is done to tell.
    static func secondsLeft(after seconds: Double, done: Int, running: [Double], of count: Int) -> Double? {
        let work = Double(done) + running.reduce(0, +)
        guard work >= 0.05, done < count, seconds >= 1 else { return nil }
        return seconds / work * max(0, Double(count) - work)
    }

    /// Asked each time, since people change it. Where it is not known, it is the classic 80 × 24.
    private static var terminalSize: TerminalSize {
        TerminalSize(of: STDERR_FILENO) ?? TerminalSize(columns: 80, rows: 24)
    }

    private static func cut(_ line: String, to columns: Int) -> String {
        var left = columns
        return String(
            line.prefix { character in
                left -= character.columns
                return left >= 0
            })
    }

    private static func bar(_ share: Double) -> String {
        let filled = min(20, Int((share * 20).rounded(.down)))
        return String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
    }

    private static func time(_ seconds: Double) -> String {
        let minutes = Int(seconds) / 60
        if minutes >= 60 { return "\(minutes / 60) h \(minutes % 60) min" }
        return minutes > 0 ? "\(minutes) min" : "\(Int(seconds)) s"
    }

    private static func write(_ text: String) { Console.raw(text, to: STDERR_FILENO) }
}
