import ScanModel

/// Runs captures side by side, each in a process of its own, and goes on when one fails.
public struct Batch: Sendable {
    /// Starts a child process for a job, passes on what it says, and returns how it ended. It never throws: a crash is
    /// an ending like any other.
    public typealias Launcher = @Sendable (CaptureJob, @escaping @Sendable (RunProgress) -> Void) async -> CaptureEnding

    /// Why no further capture may begin, or nil: asked before each.
    public typealias Gate = @Sendable () -> String?

    private let launch: Launcher
    private let gate: Gate

    public init(gate: @escaping Gate = { nil }, launch: @escaping Launcher) {
        self.launch = launch
        self.gate = gate
    }

    /// How the cores are spread: over captures first, and over frames inside one when there are more cores than captures.
    /// - Parameters:
    ///   - memory: for all captures together, bytes; nil if there is no limit.
    ///   - perCapture: what each may take of it, bytes.
    ///   - most: how many captures can run at once, whatever the cores and the memory are.
    public static func spread(
        cores: Int, captures: Int, memory: Int64? = nil, perCapture: Int64 = 1, most: Int = .max
    ) -> (sideBySide: Int, workers: Int) {
        var sideBySide = max(1, min(cores, captures, most))
        if let memory { sideBySide = max(1, min(sideBySide, Int(clamping: memory / max(1, perCapture)))) }
        return (sideBySide, max(1, cores / sideBySide))
    }

    /// - Parameters:
    ///   - sideBySide: how many captures run at once.
    ///   - make: the job for a capture.
    ///   - began: called once a capture, when it first begins; one that turns out to be busy comes again without it.
    ///   - ended: called once a capture, in the order they end, one at a time.
    /// - Returns: the outcomes in the order of the inputs.
    public func run(
        _ inputs: [CaptureInput], sideBySide: Int, make: @Sendable (CaptureInput) -> CaptureJob,
        began: (CaptureInput) -> Void = { _ in },
        progress: @escaping @Sendable (CaptureInput, RunProgress) -> Void = { _, _ in },
        ended: (CaptureOutcome) -> Void
    ) async -> [CaptureOutcome] {
        let launch = launch
        let start = ContinuousClock.now
        var begins: [Int: Double] = [:]
        var outcomes: [Int: CaptureOutcome] = [:]
        // Captures that another runner works on come again at the end: by then it may have finished them.
        var queue = Array(inputs.indices)
        var triedAgain: Set<Int> = []
        await withTaskGroup(of: (Int, CaptureEnding).self) { group in
            var running = 0
            while !queue.isEmpty || running > 0 {
                if !queue.isEmpty && running < sideBySide {
                    let number = queue.removeFirst()
                    let input = inputs[number]
                    if let reason = gate() {
                        let outcome = CaptureOutcome(input: input, ending: .notBegun(reason))
                        outcomes[number] = outcome
                        ended(outcome)
                        continue
                    }
                    let job = make(input)
                    if !triedAgain.contains(number) { began(input) }
                    begins[number] = Self.seconds(since: start)
                    group.addTask { (number, await launch(job) { progress(input, $0) }) }
                    running += 1
                } else if let (number, ending) = await group.next() {
                    running -= 1
                    if ending == .busy, triedAgain.insert(number).inserted {
                        queue.append(number)
                        continue
                    }
                    let begin = begins[number] ?? 0
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
