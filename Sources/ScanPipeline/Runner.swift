import ScanModel

/// How far a run is; sent often, meant for a progress line.
public struct RunProgress: Sendable, Hashable {
    /// The first stage of the pass that is running, by its label.
    public var stage: String
    public var pass: Int
    public var frame: Int
    public var frameCount: Int
}

/// Takes one capture through a pipeline into an output folder.
///
/// The bytes that come out are the same for any number of workers.
public struct Runner: Sendable {
    public let pipeline: Pipeline
    /// Threads that work on frames; 1 is serial throughout.
    public let workers: Int
    /// What the receipt calls the tool: name and version.
    public let tool: String
    private let report: @Sendable (RunProgress) -> Void

    public init(
        pipeline: Pipeline, workers: Int, tool: String, report: @escaping @Sendable (RunProgress) -> Void = { _ in }
    ) {
        self.pipeline = pipeline
        self.workers = workers
        self.tool = tool
        self.report = report
    }

    /// Runs everything and writes all files of the result, except the receipt, into `output`.
    /// - Returns: the receipt, for ``OutputFolder/publish(receipt:)``.
    /// - Throws: the first problem that stops the capture; nothing is published then.
    public func run(_ input: CaptureInput, into output: OutputFolder) throws(Problem) -> Receipt {
        var run = Run(runner: self, input: input, output: output)
        try run.execute()
        return try run.receipt()
    }

    fileprivate func tell(_ progress: RunProgress) { report(progress) }
}

/// The state of one capture on its way.
private struct Run {
    let runner: Runner
    let input: CaptureInput
    let output: OutputFolder
    var steps: [Pipeline.Step]
    let notes: [StageNotes]
    var capture: Capture
    var inputs: [Receipt.Input] = []
    /// Streams whose length has been checked to their end.
    var settled: Set<String> = []
    var passNumber = 0

    init(runner: Runner, input: CaptureInput, output: OutputFolder) {
        self.runner = runner
        self.input = input
        self.output = output
        steps = runner.pipeline.steps
        notes = steps.map { _ in StageNotes() }
        capture = Capture(id: input.id)
    }

    mutating func execute() throws(Problem) {
        var next = 0
        while next < steps.count {
            let hadFrames = capture.channels.contains(.frames)
            let plan = PassPlan.next(from: next, of: steps)
            passNumber += 1
            try run(plan)
            next = plan.steps.upperBound
            if !hadFrames && capture.channels.contains(.frames) { try check(from: next) }
            if capture.channels.contains(.frames) { try requireFrames() }
        }
    }

    /// Once it is known what the capture holds: the order check, and the digests of the files that will be used.
    private mutating func check(from next: Int) throws(Problem) {
        if let lack = OrderCheck.firstLack(of: capture, in: steps) { throw lack }
        steps = OrderCheck.decide(steps, for: capture.channels)
        try requireFrames()
        try checkBadFrames()
        let used = steps.reduce(into: Set<Channel>()) { $0.formUnion($1.uses.reads) }
        let files = capture.files.filter { $0.channels.isEmpty || !$0.channels.isDisjoint(with: used) }
        inputs = try InputDigests.take(files, from: capture.source, workers: runner.workers)
        try settleBeforeChoosing(from: next)
    }

    /// A stage that chooses among all frames must know which ones the streams really hold. When its choice comes before
    /// the pass that opens them, they are walked once beforehand.
    private mutating func settleBeforeChoosing(from next: Int) throws(Problem) {
        guard let chooser = steps[next...].firstIndex(where: { $0.uses.finish.drops }) else { return }
        var later: Set<Channel> = []
        var first = next
        while first < steps.count {
            let plan = PassPlan.next(from: first, of: steps)
            if plan.steps.lowerBound > chooser { later.formUnion(plan.sourceChannels) }
            first = plan.steps.upperBound
        }
        let earlier = PassPlan.next(from: next, of: steps).sourceChannels
        let streams: Set<Channel> = [.recordedDepth, .recordedConfidence]
        let unsettled = later.intersection(streams).subtracting(earlier)
        if !unsettled.isEmpty { try walk(channels: unsettled, steps: [], isWanted: false) }
    }

    private mutating func run(_ plan: PassPlan) throws(Problem) {
        var contexts: [Int: StageContext] = [:]
        var available = capture.channels
        for step in steps[..<plan.steps.lowerBound] {
            for role in step.uses.roles { available.formUnion(role.made(from: available)) }
        }
        for index in plan.steps {
            contexts[index] = context(index, available, plan)
            for role in steps[index].uses.roles { available.formUnion(role.made(from: available)) }
        }
        var folds: [Int: any RunningFold] = [:]
        for index in plan.steps {
            guard let stage = steps[index].stage as? any FoldStage, let context = contexts[index] else { continue }
            folds[index] = try Self.begin(stage, context, label: steps[index].label)
        }
        contexts = contexts.mapValues(\.withoutFrames)
        if plan.walksFrames {
            let line = lineSteps(plan, contexts, folds, available)
            try walk(channels: plan.sourceChannels, steps: line, isWanted: true, label: steps[plan.steps.lowerBound].label)
            try checkBadFrames()
        }
        for index in plan.steps {
            let step = steps[index]
            // The end of a pass sees the capture as it is now: a fold above may just have made its cloud.
            let context = context(index, capture.channels.union(contexts[index]?.available ?? []), plan).withoutFrames
            do throws(Problem) {
                if let fold = folds[index] { try fold.end(&capture, context) }
                if let stage = step.stage as? any CaptureStage { try stage.finish(&capture, in: context) }
            } catch { throw error.inStage(step.label) }
        }
    }

    private func context(_ index: Int, _ available: Set<Channel>, _ plan: PassPlan, isReplay: Bool = false) -> StageContext {
        let running = plan.replayed + Array(plan.steps)
        let later = running.filter { $0 > index }
        let wanted = later.reduce(into: Set<Channel>()) {
            $0.formUnion(steps[$1].uses.frame.reads.union(steps[$1].uses.fold.reads))
        }
        return StageContext(
            label: steps[index].label, capture: capture, input: input, output: output, available: available,
            reads: steps[index].uses.reads, wanted: wanted, notes: isReplay ? StageNotes() : notes[index])
    }

    /// The steps of a pass in order, with the release of each channel behind its last use.
    private func lineSteps(
        _ plan: PassPlan, _ contexts: [Int: StageContext], _ folds: [Int: any RunningFold], _ available: Set<Channel>
    ) -> [FrameLine.Step] {
        let running = plan.replayed + Array(plan.steps)
        var result: [FrameLine.Step] = []
        let source = capture.source
        let channels = plan.sourceChannels
        result.append(
            frameStep("read") { (frame) throws(Problem) in try source.prepare(&frame, for: channels) })
        for (order, index) in running.enumerated() {
            let step = steps[index]
            let isReplay = index < plan.steps.lowerBound
            if let stage = step.stage as? any FrameStage {
                let context = contexts[index] ?? context(index, available, plan, isReplay: isReplay).withoutFrames
                result.append(
                    frameStep(step.label) { (frame) throws(Problem) in try stage.process(&frame, in: context) })
            }
            if let fold = folds[index], let context = contexts[index] {
                result.append(FrameLine.Step(isOrdered: true) { (frame) throws(Problem) in try fold.take(&frame, context) })
            }
            let released = lastUses(of: running[order], in: running)
            if !released.isEmpty {
                result.append(
                    FrameLine.Step(isOrdered: false) { frame in for channel in released { frame.release(channel) } })
            }
        }
        return result
    }

    /// The payload channels that no running step after `index` reads.
    private func lastUses(of index: Int, in running: [Int]) -> [Channel] {
        let uses = steps[index].uses
        let touched = uses.frame.reads.union(uses.frame.possible).union(uses.fold.reads).intersection(Channel.payload)
        let later = running.filter { $0 > index }.reduce(into: Set<Channel>()) {
            $0.formUnion(steps[$1].uses.frame.reads.union(steps[$1].uses.fold.reads))
        }
        return touched.subtracting(later).sorted { $0.name < $1.name }
    }

    /// A parallel step. A problem with the frame's own data drops the frame, where the capture's rule allows that.
    private func frameStep(
        _ label: String, _ body: @escaping @Sendable (inout Frame) throws(Problem) -> Void
    ) -> FrameLine.Step {
        let rule = capture.onBadFrame
        let output = output
        return FrameLine.Step(isOrdered: false) { (frame) throws(Problem) in
            if frame.facts.isDropped { return }
            do throws(Problem) { try body(&frame) } catch {
                let problem = error.inFrame(frame.facts.index).inStage(label)
                guard problem.fault == .input, rule == .drop else { throw problem }
                if frame.isTaken {
                    throw problem.noting(
                        "an earlier stage has already taken this frame, so it cannot be dropped any more")
                }
                frame.files.forEach(output.discard)
                frame.facts.drop = Drop(stage: label, reason: error.oneLine, isBad: true)
            }
        }
    }

    /// Walks over all source frames once.
    private mutating func walk(
        channels: Set<Channel>, steps line: [FrameLine.Step], isWanted: Bool, label: String = "read"
    ) throws(Problem) {
        let tracks = try capture.source.tracks(for: channels, of: capture)
        let trackSteps = tracks.map { track in
            FrameLine.Step(isOrdered: true) { (frame) throws(Problem) in
                try track.advance(&frame, isWanted: isWanted && !frame.facts.isDropped)
            }
        }
        let isSettled = tracks.allSatisfy { settled.contains($0.name) }
        // Once every stream's length is known, nothing behind the last kept frame has to be inflated again.
        let count = isSettled ? (capture.frames.lastIndex { !$0.isDropped } ?? -1) + 1 : capture.frames.count
        // Moved, not shared: a list with two owners would be copied at its first change.
        let facts = FrameBox(capture.frames)
        capture.frames = []
        let pass = passNumber
        let runner = runner
        let frameLine = FrameLine(
            count: count, steps: trackSteps + line, workers: runner.workers, begin: { Frame(facts.frames[$0]) },
            done: { position, frame in
                facts.frames[position] = frame.facts
                runner.tell(RunProgress(stage: label, pass: pass, frame: position + 1, frameCount: count))
            })
        try frameLine.run()
        capture.frames = facts.frames
        try settle(tracks.filter { !settled.contains($0.name) })
    }

    private mutating func settle(_ tracks: [any FrameTrack]) throws(Problem) {
        let listed = capture.frames.count
        for track in tracks {
            let end = try track.finish()
            settled.insert(track.name)
            for warning in end.warnings where !capture.warnings.contains(warning) { capture.warnings.append(warning) }
            for index in listed..<(listed + end.extraFrames) where index >= capture.frames.count {
                var extra = FrameFacts(index: index)
                extra.drop = Drop(stage: steps[0].label, reason: end.reason)
                capture.frames.append(extra)
            }
        }
    }

    private func requireFrames() throws(Problem) {
        guard capture.frames.allSatisfy(\.isDropped) else { return }
        if capture.frames.isEmpty { throw Problem(.input, "the capture holds no frames") }
        var reasons: [String: Int] = [:]
        for frame in capture.frames { reasons[frame.drop.map { "\($0.stage): \($0.reason)" } ?? "", default: 0] += 1 }
        let most = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
        throw Problem(
            .input, "no frame is left of \(capture.frames.count)",
            notes: most.map { "\($0.value) × \($0.key)" }, fix: "loosen the stage that dropped them")
    }

    private func checkBadFrames() throws(Problem) {
        if let problem = capture.excessOfBadFrames { throw problem }
    }

    func receipt() throws(Problem) -> Receipt {
        var warnings = capture.warnings
        for (step, notes) in zip(steps, notes) { warnings += notes.warnings.map { "\(step.label): \($0)" } }
        let inputs = notes.reduce(inputs) { list, notes in list + notes.inputs.filter { !list.contains($0) } }
        return Receipt(
            tool: runner.tool, capture: capture, pipeline: runner.pipeline.resolved, inputs: inputs,
            stages: zip(steps, notes).map { step, notes in
                Receipt.StageReport(label: step.label, name: step.name, options: step.options, counts: notes.json)
            }, files: output.files, warnings: warnings)
    }

    private static func begin<S: FoldStage>(
        _ stage: S, _ context: StageContext, label: String
    ) throws(Problem) -> any RunningFold {
        do throws(Problem) {
            return FoldBox(stage: stage, label: label, fold: try stage.begin(context))
        } catch { throw error.inStage(label) }
    }
}

/// The frames' facts while a pass runs. `begin` and `done` of the line touch it, one worker at a time.
private final class FrameBox: @unchecked Sendable {
    var frames: [FrameFacts]
    init(_ frames: [FrameFacts]) { self.frames = frames }
}

/// A fold stage with what it has gathered so far.
private protocol RunningFold: Sendable {
    func take(_ frame: inout Frame, _ context: StageContext) throws(Problem)
    func end(_ capture: inout Capture, _ context: StageContext) throws(Problem)
}

/// Not a mutex: the line hands frames to an ordered step one at a time, and orders memory between workers by its lock.
private final class FoldBox<S: FoldStage>: RunningFold, @unchecked Sendable {
    private let stage: S
    private let label: String
    private var state: S.Fold?

    init(stage: S, label: String, fold: S.Fold) {
        self.stage = stage
        self.label = label
        state = fold
    }

    func take(_ frame: inout Frame, _ context: StageContext) throws(Problem) {
        // Out of the box while it is changed, so that what it holds is never copied.
        guard !frame.facts.isDropped, var fold = state.take() else { return }
        defer { state = fold }
        do throws(Problem) { try stage.fold(&frame, into: &fold, in: context) } catch {
            throw error.inFrame(frame.facts.index).inStage(label)
        }
        frame.isTaken = true
    }

    func end(_ capture: inout Capture, _ context: StageContext) throws(Problem) {
        guard let fold = state.take() else { return }
        try stage.end(fold, &capture, in: context)
    }
}
