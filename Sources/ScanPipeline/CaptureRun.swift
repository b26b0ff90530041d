import ScanModel

/// One capture on its way through a pipeline: its passes, one after the other, and what they have left so far.
struct CaptureRun {
    private let runner: Runner
    private let input: CaptureInput
    private let output: OutputFolder
    private var steps: [Pipeline.Step]
    private let notes: [StageNotes]
    private var capture: Capture
    /// What earlier passes left of each frame, beside its facts.
    private var traces: [FrameTrace] = []
    private var inputs: [Receipt.Input] = []
    private var files: [String: OptionFile] = [:]
    private var statuses: [String: KnownDigests.Entry] = [:]
    private var besides: [String: FolderContents] = [:]
    /// What the capture's folders were like before anything in them was opened.
    private let folders: [String: FileSystem.Status]
    private var tools: [String: String] = [:]
    private var key = ResultKey(text: "")
    /// Streams whose length has been checked to their end.
    private var settled: Set<String> = []
    private var passNumber = 0

    init(runner: Runner, input: CaptureInput, output: OutputFolder) {
        self.runner = runner
        self.input = input
        self.output = output
        steps = runner.pipeline.steps
        notes = steps.map { _ in StageNotes() }
        capture = Capture(id: input.id)
        folders = runner.takesDigests ? Self.folders(of: input) : [:]
    }

    /// - Returns: false when `isDone` said that there is nothing to do.
    mutating func execute(unless isDone: (Runner.Opened) throws(Problem) -> Bool) throws(Problem) -> Bool {
        var next = 0
        while next < steps.count {
            let plan = PassPlan.next(from: next, of: steps)
            passNumber += 1
            try run(plan)
            // The first pass is the reader's.
            if next == 0 {
                capture.decodingThreads = runner.workers
                try check()
                // Without the frames: whoever keeps this would else be a second owner of the list, which a pass would copy.
                var opened = Runner.Opened(
                    key: key, inputs: inputs, tools: tools, capture: capture, statuses: statuses, folders: folders,
                    besides: besides, options: optionsBesideThePipeline())
                opened.capture.frames = []
                if try isDone(opened) { return false }
                try settleBeforeChoosing(from: plan.steps.upperBound)
            }
            next = plan.steps.upperBound
            try requireFrames()
        }
        return true
    }

    /// Once it is known what the capture holds: the order check, and the digests of the files that will be used.
    private mutating func check() throws(Problem) {
        if let lack = OrderCheck.firstLack(of: capture, in: steps) { throw lack }
        steps = OrderCheck.decide(steps, for: capture.channels)
        try requireFrames()
        try checkBadFrames()
        let used = used
        noteLosses()
        let listed = runner.takesDigests ? capture.files : []
        let isNeeded = { (file: InputFile) in file.channels.isEmpty || !file.channels.isDisjoint(with: used) }
        let needed = listed.filter(isNeeded)
        let others = listed.filter { !isNeeded($0) && !$0.channels.isDisjoint(with: Channel.payload) }
        let looked = wallClock()
        let taken = try runner.clock.measureDigests { () throws(Problem) in
            try InputDigests.take(
                needed, from: capture.source, besides: folders(of: others), workers: runner.workers,
                known: runner.knownDigests)
        }
        inputs = taken.inputs
        statuses = taken.statuses
        besides = taken.folders
        output.trust(taken.known.settled(at: looked))
        for step in steps {
            do throws(Problem) {
                for path in step.uses.files where files[path] == nil { try take(path) }
                tools.merge(try step.stage.toolVersions(for: capture)) { $1 }
            } catch { throw error.inStage(step.label) }
        }
        tools.merge(try capture.source.toolVersions(for: used)) { $1 }
        key = ResultKey.make(inputs: inputs, pipeline: runner.pipeline, capture: capture, tools: tools)
    }

    /// Says what an incomplete copy lacks, where no stage insists on it: of what stages would have used, had it been there.
    private mutating func noteLosses() {
        let used: Set<Channel> = runner.pipeline.steps.reduce(into: []) { $0.formUnion($1.uses.reads) }
        let lost = capture.remedies.filter { used.contains($0.key) }
        for (channel, remedy) in lost.sorted(by: { $0.key.name < $1.key.name }) {
            capture.warnings.append("\(capture.absences[channel] ?? channel.name): \(remedy)")
        }
    }

    /// Reads a file that an option names.
    private mutating func take(_ path: String) throws(Problem) {
        let file = try OptionFile(path, of: capture, input)
        files[path] = file
        let digest = Digest.of(file.bytes)
        if let location = file.location, let status = file.status {
            statuses[location] = KnownDigests.Entry(status: status, digest: digest)
        }
        if inputs.contains(where: { $0.path == path }) { return }
        inputs.append(Receipt.Input(path: path, byteCount: Int64(file.bytes.count), digest: digest))
        inputs.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// With the whole path of a file that an option named and that does not lie in the capture: messages show others below
    /// it.
    func placing(_ problem: Problem) -> Problem {
        guard let named = problem.place.file, let location = files[named]?.location,
            capture.source.location(of: named)?.path != location
        else { return problem }
        var placed = problem
        placed.place.file = FileSystem.absolute(location)
        return placed
    }

    /// All folders of a capture, those too that hold nothing of it yet; and what was named, which may be an archive whose
    /// files lie nowhere as such. What comes beside a capture, or beside a file that an option names, does not concern it.
    private static func folders(of input: CaptureInput) -> [String: FileSystem.Status] {
        FileSystem.reachable(from: input.path, statusesOfFiles: false).reduce(into: [:]) { folders, entry in
            if entry.isFolder || entry.path == input.path { folders[entry.path] = entry.status }
        }
    }

    /// The folders in which these files lie. Archives are files, whose times are known anyway.
    private func folders(of files: [InputFile]) -> [String] {
        let places = files.compactMap { capture.source.location(of: $0.path) }.filter { $0.range == nil }
        return Set(places.map { FileSystem.parent(of: $0.path) }).sorted()
    }

    /// Where the files lie that options name and the capture does not hold, by the names that the options give them.
    private func optionsBesideThePipeline() -> [String: String] {
        files.compactMapValues(\.location).filter { capture.source.location(of: $0.key)?.path != $0.value }
    }

    /// A stage that chooses among all frames must know which ones the streams really hold. When its choice comes before
    /// the pass that opens them, they are walked once beforehand.
    private mutating func settleBeforeChoosing(from next: Int) throws(Problem) {
        guard let chooser = steps[next...].firstIndex(where: { $0.uses.finish.drops }) else { return }
        var unsettled: Set<Channel> = []
        var opened: Set<Channel> = []
        var first = next
        while first < steps.count {
            let plan = PassPlan.next(from: first, of: steps)
            if first > chooser {
                unsettled.formUnion(plan.sourceChannels)
            } else {
                opened.formUnion(plan.sourceChannels)
            }
            first = plan.steps.upperBound
        }
        unsettled.formIntersection([.recordedDepth, .recordedConfidence])
        unsettled.subtract(opened)
        if !unsettled.isEmpty { try walk(channels: unsettled, steps: [], isWanted: false) }
    }

    private mutating func run(_ plan: PassPlan) throws(Problem) {
        let available = availability()
        var contexts: [Int: StageContext] = [:]
        for index in plan.replayed + plan.steps { contexts[index] = context(index, available[index], plan) }
        var folds: [Int: any RunningFold] = [:]
        for index in plan.steps {
            guard let stage = steps[index].stage as? any FoldStage, let context = contexts[index] else { continue }
            folds[index] = try runner.clock.measure(index) { () throws(Problem) in
                try Self.begin(stage, context, label: steps[index].label)
            }
        }
        contexts = contexts.mapValues(\.withoutFrames)
        if plan.walksFrames {
            let line = lineSteps(plan, contexts, folds)
            try walk(
                channels: plan.sourceChannels, steps: line, isWanted: true, label: steps[plan.steps.lowerBound].label)
            try checkBadFrames()
        }
        for index in plan.steps {
            let step = steps[index]
            // The end of a pass sees the capture as it is now: a fold above may just have made its cloud.
            let context = context(index, capture.channels.union(available[index]), plan).withoutFrames
            do throws(Problem) {
                try runner.clock.measure(index) { () throws(Problem) in
                    if let fold = folds[index] { try fold.end(&capture, context) }
                    if let stage = step.stage as? any CaptureStage { try stage.finish(&capture, in: context) }
                }
            } catch { throw error.inStage(step.label) }
        }
    }

    /// The channels that are there when each step's turn comes.
    private func availability() -> [Set<Channel>] {
        var available = capture.channels
        return steps.map { step in
            let before = available
            for role in step.uses.roles {
                available.formUnion(role.made(from: available))
                available.subtract(role.removes)
            }
            return before
        }
    }

    /// What a step is told. What it counts while it is only replayed goes nowhere.
    private func context(_ index: Int, _ available: Set<Channel>, _ plan: PassPlan) -> StageContext {
        StageContext(
            label: steps[index].label, capture: capture, input: input, output: output, available: available,
            reads: steps[index].uses.reads, wanted: readLater(than: index, in: plan),
            workers: runner.workers, files: files,
            notes: plan.steps.contains(index) ? notes[index] : StageNotes())
    }

    /// What the steps of a pass behind `index` read of the frames.
    private func readLater(than index: Int, in plan: PassPlan) -> Set<Channel> {
        (plan.replayed + plan.steps).filter { $0 > index }.reduce(into: []) {
            $0.formUnion(steps[$1].uses.frame.reads.union(steps[$1].uses.fold.reads))
        }
    }

    /// The steps of a pass in order, with the release of each channel behind its last use.
    private func lineSteps(
        _ plan: PassPlan, _ contexts: [Int: StageContext], _ folds: [Int: any RunningFold]
    ) -> [FrameLine.Step] {
        let source = capture.source
        let channels = plan.sourceChannels
        let clock = runner.clock
        var result = [frameStep(0) { (frame) throws(Problem) in try source.prepare(&frame, for: channels) }]
        for index in plan.replayed + plan.steps {
            guard let context = contexts[index] else { continue }
            if let stage = steps[index].stage as? any FrameStage {
                result.append(
                    frameStep(index) { (frame) throws(Problem) in try stage.process(&frame, in: context) })
            }
            if let fold = folds[index] {
                result.append(
                    FrameLine.Step(isOrdered: true) { (frame) throws(Problem) in
                        try clock.measure(index) { () throws(Problem) in try fold.take(&frame, context) }
                    })
            }
            let released = lastUses(of: index, in: plan)
            if !released.isEmpty {
                result.append(
                    FrameLine.Step(isOrdered: false) { frame in for channel in released { frame.release(channel) } })
            }
        }
        return result
    }

    /// The payload channels that a step touches and none behind it reads.
    private func lastUses(of index: Int, in plan: PassPlan) -> Set<Channel> {
        let uses = steps[index].uses
        return uses.frame.reads.union(uses.frame.possible).union(uses.fold.reads).intersection(Channel.payload)
            .subtracting(readLater(than: index, in: plan))
    }

    /// A parallel step. A problem with the frame's own data drops the frame, where the capture's rule allows that.
    private func frameStep(
        _ index: Int, _ body: @escaping @Sendable (inout Frame) throws(Problem) -> Void
    ) -> FrameLine.Step {
        let label = steps[index].label
        let clock = runner.clock
        let rule = capture.onBadFrame
        let output = output
        return FrameLine.Step(isOrdered: false) { (frame) throws(Problem) in
            if frame.facts.isDropped { return }
            do throws(Problem) {
                try clock.measure(index) { () throws(Problem) in try body(&frame) }
            } catch {
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
        channels: Set<Channel>, steps line: [FrameLine.Step], isWanted: Bool, label: String? = nil
    ) throws(Problem) {
        let tracks = try capture.source.tracks(for: channels, of: capture)
        // Streams are the reader's, whichever pass walks them.
        let clock = runner.clock
        let trackSteps = tracks.map { track in
            FrameLine.Step(isOrdered: true) { (frame) throws(Problem) in
                try clock.measure(0) { () throws(Problem) in
                    try track.advance(&frame, isWanted: isWanted && !frame.facts.isDropped)
                }
            }
        }
        let isSettled = tracks.allSatisfy { settled.contains($0.name) }
        // Once every stream's length is known, nothing behind the last kept frame has to be inflated again.
        let count = isSettled ? (capture.frames.lastIndex { !$0.isDropped } ?? -1) + 1 : capture.frames.count
        // Moved, not shared: a list with two owners would be copied at its first change.
        let box = FrameBox(frames: capture.frames, traces: traces)
        capture.frames = []
        traces = []
        let label = label ?? steps[0].label
        let pass = passNumber
        let runner = runner
        let frameLine = FrameLine(
            count: count, steps: trackSteps + line, workers: runner.workers, begin: box.frame(at:),
            done: { position, frame in
                box.take(frame, at: position)
                runner.tell(RunProgress(stage: label, pass: pass, frame: position + 1, frameCount: count))
            })
        try frameLine.run()
        (capture.frames, traces) = (box.frames, box.traces)
        try settle(tracks.filter { !settled.contains($0.name) })
    }

    private mutating func settle(_ tracks: [any FrameTrack]) throws(Problem) {
        let listed = capture.frames.count
        for track in tracks {
            let end = try runner.clock.measure(0) { () throws(Problem) in try track.finish() }
            settled.insert(track.name)
            for warning in end.warnings where !capture.warnings.contains(warning) { capture.warnings.append(warning) }
            capture.forgiven += end.forgiven
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
            notes: most.map { "\($0.value) × \($0.key)" },
            fix: capture.frames.allSatisfy { $0.drop?.stage == steps[0].label }
                ? "see what is wrong with it with  scanmill inspect \(ShellWord.quoted(input.path))"
                : "loosen the stage that dropped them")
    }

    /// What the steps read of the capture.
    private var used: Set<Channel> { steps.reduce(into: []) { $0.formUnion($1.uses.reads) } }

    private func checkBadFrames() throws(Problem) {
        if let problem = capture.excessOfBadFrames(using: used, readBy: steps[0].label) { throw problem }
    }

    func receipt() throws(Problem) -> Receipt {
        var warnings = capture.warnings
        // What the pipeline allows is not what the capture should be like.
        for warning in capture.forgiven.map(\.oneLine) where !warnings.contains(warning) { warnings.append(warning) }
        for (step, notes) in zip(steps, notes) { warnings += notes.warnings.map { "\(step.label): \($0)" } }
        return Receipt(
            tool: runner.tool, key: key, tools: tools, capture: capture, pipeline: runner.pipeline.resolved,
            inputs: inputs,
            stages: zip(steps, notes).map { step, notes in
                Receipt.StageReport(label: step.label, name: step.name, options: step.options, counts: notes.json)
            }, files: output.files, warnings: warnings,
            notes: zip(steps, notes).flatMap { step, notes in notes.remarks.map { "\(step.label): \($0)" } })
    }

    private static func begin<S: FoldStage>(
        _ stage: S, _ context: StageContext, label: String
    ) throws(Problem) -> any RunningFold {
        do throws(Problem) {
            return FoldBox(stage: stage, label: label, fold: try stage.begin(context))
        } catch { throw error.inStage(label) }
    }
}
