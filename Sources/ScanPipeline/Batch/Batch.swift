import ScanModel

/// Runs captures side by side, each in a process of its own, and goes on when one fails.
public struct Batch: Sendable {
    /// Starts a child process for a job, passes on what it says, and returns how it ended. It never throws: a crash is
    /// an ending like any other.
    public typealias Launcher = @Sendable (CaptureJob, @escaping @Sendable (RunProgress) -> Void) async -> CaptureEnding

    /// Why no further capture may begin, or nil: asked before each.
    public typealias Gate = @Sendable () -> LeftReason?

    private let launch: Launcher
    private let gate: Gate

    public init(gate: @escaping Gate = { nil }, launch: @escaping Launcher) {
        self.launch = launch
        self.gate = gate
    }

    /// - Parameters:
    ///   - cores: how many captures run at once, and with how many threads each.
    ///   - make: the job for a capture that may have this many threads.
    ///   - began: called when a capture begins, with whether that is for the second time.
    ///   - putBack: called when another runner turns out to work on a capture, which begins again at the end.
    ///   - ended: called once per capture, in the order they end, one at a time.
    /// - Returns: the outcomes in the order of the inputs.
    public func run(
        _ inputs: [CaptureInput], on cores: CoreShares, make: (CaptureInput, Int) -> CaptureJob,
        began: (CaptureInput, _ isAgain: Bool) -> Void = { _, _ in },
        putBack: (CaptureInput) -> Void = { _ in },
        progress: @escaping @Sendable (CaptureInput, RunProgress) -> Void = { _, _ in },
        ended: (CaptureOutcome) -> Void
    ) async -> [CaptureOutcome] {
        let launch = launch
        let start = ContinuousClock.now
        var outcomes: [Int: CaptureOutcome] = [:]
        // Captures that another runner works on are retried at the end: by then it may have finished them.
        var queue = Array(inputs.indices)
        var triedAgain: Set<Int> = []
        await withTaskGroup(of: (Int, CaptureEnding).self) { group in
            // When each capture that runs began, and its threads.
            var running: [Int: (begin: Double, workers: Int)] = [:]
            while !queue.isEmpty || !running.isEmpty {
                if !queue.isEmpty && running.count < cores.sideBySide {
                    let workers = cores.next(taken: running.values.map(\.workers), waiting: queue.count)
                    let number = queue.removeFirst()
                    let input = inputs[number]
                    if let reason = gate() {
                        let outcome = CaptureOutcome(input: input, ending: .left(reason))
                        outcomes[number] = outcome
                        ended(outcome)
                        continue
                    }
                    let job = make(input, workers)
                    began(input, triedAgain.contains(number))
                    running[number] = (Self.seconds(since: start), workers)
                    group.addTask { (number, await launch(job) { progress(input, $0) }) }
                } else if let (number, ending) = await group.next() {
                    let begin = running.removeValue(forKey: number)?.begin ?? 0
                    if ending == .busy, triedAgain.insert(number).inserted {
                        queue.append(number)
                        putBack(inputs[number])
                        continue
                    }
                    let outcome = CaptureOutcome(
                        input: inputs[number], ending: ending,
                        span: CaptureOutcome.Span(begin: begin, seconds: Self.seconds(since: start) - begin))
                    outcomes[number] = outcome
                    ended(outcome)
                }
            }
        }
        return inputs.indices.compactMap { outcomes[$0] }
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - start) / .seconds(1)
    }
}
