import ScanModel

/// One capture on its way through a pipeline: its passes, one after the other, and what they have left so far.
struct CaptureRun {
    let runner: Runner
    private let resources: RunResources
    let input: CaptureInput
    let output: OutputFolder
    var steps: [Pipeline.Step]
    let notes: [StageNotes]
    let memos: [Memo]
    var capture: Capture
    /// What earlier passes left of each frame, beside its facts.
    var traces: [FrameTrace] = []
    private var inputs: [Receipt.Input] = []
    var files: [String: OptionFile] = [:]
    private var statuses: [PathKey: KnownDigests.Entry] = [:]
    private var besides: [String: FolderContents] = [:]
    /// What the capture was like before anything in it was opened.
    private let beginning: InputSnapshot
    private var tools: [String: String] = [:]
    private var key = ResultKey(text: "")
    /// Streams whose length has been checked to their end.
    var checkedTracks: Set<String> = []
    var passNumber = 0
    /// Passes over the frames: those that are done, and those that will follow the one that runs.
    var walks = (done: 0, left: 0)
    /// What was warned of when last all frames of a pass were through, or a stage had come to its end.
    var settledWarnings: [String] = []
    /// Frames that an earlier attempt found to be bad when it was too late to drop them.
    let leftOut: [Int: Drop]
    let spoilt = SpoiltFrames()
    /// Digests that another attempt need not take again.
    private(set) var learned = KnownDigests()
    /// How another attempt may succeed, where this one was given up for it.
    var retry: Retry?

    enum Retry {
        /// Another run might have made something else of the pictures, as ``TrackEnd/isChance`` says.
        case withOneVideoThread
        /// These frames turned out to be bad after a stage had gathered them.
        case without([Int: Drop])
    }

    /// - Parameter leftOut: frames that are dropped before any stage but the reader sees them, by their indices.
    init(
        runner: Runner, _ resources: RunResources, input: CaptureInput, output: OutputFolder,
        leavingOut leftOut: [Int: Drop]
    ) {
        self.runner = runner
        self.resources = resources
        self.input = input
        self.output = output
        self.leftOut = leftOut
        steps = runner.pipeline.steps
        notes = steps.map { _ in StageNotes() }
        memos = steps.map { _ in Memo() }
        capture = Capture(id: input.id)
        capture.resources = resources
        beginning = runner.takesDigests ? InputSnapshot(of: input) : InputSnapshot()
    }

    /// - Returns: false when `isDone` said that there is nothing to do.
    mutating func execute(unless isDone: (Runner.Opened) throws(Problem) -> Bool) throws(Problem) -> Bool {
        var next = 0
        while next < steps.count {
            let plan = plan(from: next)
            passNumber += 1
            walks.left = walkCount(from: plan.steps.upperBound)
            try run(plan)
            // The first pass is the reader's.
            if next == 0 {
                runner.recognised(CaptureOrigin(format: capture.format, device: capture.device))
                capture.resources = resources
                settledWarnings = warnings
                try check()
                // Without the frames: whoever keeps this would otherwise co-own the list, which a pass would copy.
                var opened = Runner.Opened(
                    key: key, inputs: inputs, tools: tools, capture: capture, statuses: statuses,
                    folders: beginning.folders,
                    besides: besides, options: optionsBesideThePipeline(), span: span)
                opened.capture.frames = []
                if try isDone(opened) { return false }
                try leaveOutSpoiltFrames()
                try checkStreamsInTime(from: plan.steps.upperBound)
            }
            next = plan.steps.upperBound
            settledWarnings = warnings
            try requireFrames()
        }
        return true
    }

    private var span: ClosedRange<Int64>? {
        let times = capture.frames.compactMap(\.timestamp)
        return times.min().flatMap { first in times.max().map { first...$0 } }
    }

    /// How many passes from a step on look at frames one by one.
    private func walkCount(from first: Int) -> Int {
        var (next, count) = (first, 0)
        while next < steps.count {
            let plan = plan(from: next)
            count += plan.walksFrames ? 1 : 0
            next = plan.steps.upperBound
        }
        return count
    }

    /// Once it is known what the capture holds: checks that this is enough, and settles what its result is made from.
    ///
    /// The order matters: what the steps read decides which files are digested, damage that only this shows drops
    /// frames, and the key names the frames that are left.
    private mutating func check() throws(Problem) {
        // Whatever is wrong with all frames explains why the capture lacks what they would have had.
        try requireFrames()
        if let lack = CaptureCheck.firstLack(of: capture, in: steps) { throw lack }
        steps = CaptureCheck.decide(steps, for: capture.channels)
        // With the capture's id in them, names may be equal that were different in the pipeline's file.
        if let mistake = ClaimCheck.mistakes(in: steps, id: capture.id).first {
            throw mistake.problem.inStage(steps[mistake.step].label)
        }
        capture.findings["channels"] = .of(capture.channels.map(\.name).sorted())
        try leaveOutSparseFrames()
        try checkBadFrames()
        noteLosses()
        try takeDigests()
        try takeOptionsAndTools()
        key = ResultKey.make(inputs: inputs, pipeline: runner.pipeline, capture: capture, tools: tools)
    }

    /// Drops the frames that an earlier attempt found to be bad too late. The key stays that of the capture as it was
    /// found, whatever its stages find out.
    private mutating func leaveOutSpoiltFrames() throws(Problem) {
        if leftOut.isEmpty { return }
        for (index, drop) in leftOut where capture.frames.indices.contains(index) && !capture.frames[index].isDropped {
            capture.frames[index].drop = drop
        }
        try checkBadFrames()
        try requireFrames()
        let stages = Set(leftOut.values.map(\.stage)).subtracting([steps[0].label]).sorted().map { "`\($0)`" }
        capture.warnings.append(
            "\(leftOut.count.counted("frame")) turned out to be bad when stages had gathered what they make of it: the "
                + "capture was run again from the start to leave \(leftOut.count == 1 ? "it" : "them") out"
                + (stages.isEmpty ? "" : "; with \(stages.listed) above those stages that is not needed"))
    }

    /// Leaves out the frames for which the app did not keep a channel that is used, and drops those that have lost it.
    private mutating func leaveOutSparseFrames() throws(Problem) {
        let used = steps.flatMap(\.uses.roles).reduce(into: Set()) { $0.formUnion($1.takesUp) }
        for (channel, sparse) in capture.sparse.sorted(by: { $0.key.name < $1.key.name }) where used.contains(channel) {
            for (index, reason) in sparse.lost.sorted(by: { $0.key < $1.key }) {
                if capture.onBadFrame == .fail { throw .badFrame(index, reason, readBy: steps[0].label) }
                capture.drop(index, whileReading: reason, isBad: true)
            }
            // Whatever else is wrong with them is no loss.
            for index in sparse.without where capture.frames[index].drop?.isBad != false {
                capture.frames[index].drop = Drop(whileReading: sparse.reason)
            }
            if sparse.without.isEmpty { continue }
            let name = channel.plainName
            let end = "\(sparse.reason); a pipeline without \(name) takes them too"
            if sparse.isByRule {
                notes[0].note("frames without \(name) are left out, since the pipeline uses it: \(end)")
            } else {
                let count = sparse.without.count.counted(of: capture.frames.count, "frame", "is", "are")
                notes[0].warn("\(count) left out, since the pipeline uses \(name): \(end)")
            }
        }
        try requireFrames()
    }

    /// Takes the digests of the capture's files that the steps use, and looks into the folders of the others.
    private mutating func takeDigests() throws(Problem) {
        let used = used
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
        try drop(taken.damagedFrames)
        inputs = taken.inputs
        // The reader parsed its files before their digests were taken.
        statuses = taken.statuses
        for (path, status) in beginning.files { statuses[path]?.status = status }
        besides = taken.folders
        learned = taken.known.settled(at: looked)
        output.trust(learned)
    }

    /// The files that options name, and the versions of the programs that the result is made with.
    private mutating func takeOptionsAndTools() throws(Problem) {
        for step in steps {
            do throws(Problem) {
                for path in step.uses.files { try take(path, for: step) }
                tools.merge(try step.stage.toolVersions(for: capture)) { $1 }
            } catch { throw error.inStage(step.label) }
        }
        tools.merge(try capture.source.toolVersions(for: used)) { $1 }
    }

    /// Drops frames whose own files are damaged in ways that only reading them to their ends shows, as in an archive.
    private mutating func drop(_ damaged: [Int: Problem]) throws(Problem) {
        if damaged.isEmpty { return }
        for (index, problem) in damaged {
            capture.drop(index, whileReading: problem.oneLine, isBad: true, fix: problem.fix)
        }
        try requireFrames()
        try checkBadFrames()
    }

    /// Warns of what an incomplete copy lacks that stages would have used but do not insist on, and of what is there
    /// that no stage uses, where somebody will miss it.
    private mutating func noteLosses() {
        // As each step finds it: a step above may have made what the capture lacks, or removed what it has.
        var available = capture.channels
        var (missed, kept): (Set<Channel>, Set<Channel>) = ([], [])
        for step in runner.pipeline.steps {
            for role in step.uses.roles {
                // Nor is missed what it derives itself.
                let derived = role.derives.filter { available.contains($0.from) }.map(\.made)
                // Nor what it would only have passed on in another shape.
                missed.formUnion(role.reads.subtracting(available).subtracting(derived).subtracting(role.changes))
                kept.formUnion(role.takesUp.intersection(available))
                role.update(&available)
            }
        }
        let lost = capture.remedies.filter { missed.contains($0.key) }
        for (channel, remedy) in lost.sorted(by: { $0.key.name < $1.key.name }) {
            capture.warnings.append("\(capture.absences[channel] ?? channel.name): \(remedy)")
        }
        let regrets = capture.regrets.filter { !kept.contains($0.key) }
        capture.warnings += regrets.sorted { $0.key.name < $1.key.name }.map(\.value)
    }

    /// Reads a file that an option names, unless a step above has.
    /// - Parameter path: as the option has it.
    private mutating func take(_ path: String, for step: Pipeline.Step) throws(Problem) {
        let name = OptionFile.name(path, input)
        // What one step does without, another may need.
        if files[name]?.bytes != nil { return }
        let file = try OptionFile(path, of: capture, input, for: step)
        files[name] = file
        guard let bytes = file.bytes else { return }
        let digest = Digest.of(bytes)
        // Of a file that is an input anyway, what it was like before the reader opened it counts.
        if let location = file.location, let status = file.status, statuses[PathKey(location)] == nil {
            let isPart = capture.source.location(of: name)?.range != nil
            statuses[PathKey(location)] = KnownDigests.Entry(status: status, digest: isPart ? nil : digest)
        }
        if inputs.contains(where: { $0.path == name }) { return }
        inputs.append(Receipt.Input(path: name, byteCount: Int64(bytes.count), digest: digest))
        inputs.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// A problem that ended the run, with all that is known of its cause.
    func explaining(_ problem: Problem) -> Problem { cause(of: recallingWarnings(in: placing(problem))) }

    /// With the whole path of a file that an option named and that lies outside the capture: messages show other paths
    /// as below the capture.
    private func placing(_ problem: Problem) -> Problem {
        guard let named = problem.place.file, let location = files[named]?.location,
            capture.source.location(of: named)?.path != location
        else { return problem }
        var placed = problem
        placed.place.file = FileSystem.absolute(location)
        return placed
    }

    /// What to say where the capture could not be opened and has changed since.
    private func cause(of problem: Problem) -> Problem {
        guard problem.fault == .input, passNumber == 1, key.text.isEmpty, let changed = beginning.changed else {
            return problem
        }
        return Runner.Opened.changed(changed).noting(problem.oneLine)
    }

    /// The folders in which these files lie. Archives are files, whose times are known anyway.
    private func folders(of files: [InputFile]) -> [String] {
        let places = files.compactMap { capture.source.location(of: $0.path) }.filter { $0.range == nil }
        return Set(places.map { FileSystem.parent(of: $0.path) }).sorted()
    }

    /// The locations of files that options name and the capture does not hold, there or not, by their names.
    private func optionsBesideThePipeline() -> [String: String] {
        files.compactMapValues(\.location).filter { capture.source.location(of: $0.key)?.path != $0.value }
    }

    func requireFrames() throws(Problem) {
        guard capture.frames.allSatisfy(\.isDropped) else { return }
        if capture.frames.isEmpty { throw Problem(.input, "the capture holds no frames") }
        // Reasons that differ only in their numbers count as one.
        let reasons = Dictionary(grouping: capture.frames.compactMap(\.drop)) {
            "\($0.stage): \($0.reason)".withoutNumbers
        }
        let most = reasons.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.prefix(3)
        let isUnread = capture.frames.allSatisfy { $0.drop?.stage == steps[0].label || $0.drop?.isBad == true }
        throw Problem(
            .input, "no frame is left of \(capture.frames.count)",
            notes: most.compactMap { _, drops in
                drops.first.map {
                    "\(drops.count) × \($0.stage): \($0.reason)\(Set(drops).count > 1 ? ", and the like" : "")"
                }
            },
            fix: isUnread
                ? "see what is wrong with it with  scanmill inspect \(ShellWord.quoted(input.path))"
                : "loosen the stage that dropped them"
        ).ofPipeline(!isUnread)
    }

    /// What the steps read of the capture.
    private var used: Set<Channel> { steps.reduce(into: []) { $0.formUnion($1.uses.reads) } }

    func checkBadFrames() throws(Problem) {
        if let problem = capture.excessOfBadFrames(using: used, readBy: steps[0].label) { throw problem }
    }

    private static let mostWarnings = 1000

    /// What has been warned of so far, by the reader and by the stages.
    var warnings: [String] {
        var warnings = capture.warnings
        // What the pipeline allows is not what the capture should be like.
        for problem in capture.forgiven where !warnings.contains(problem.oneLine) {
            // The first note has the counts.
            warnings.append(([problem.oneLine] + problem.notes.prefix(1)).joined(separator: ": "))
        }
        for (step, notes) in zip(steps, notes) { warnings += notes.warnings.map { "\(step.label): \($0)" } }
        return warnings
    }

    /// What was wrong before a capture failed may be why it did. Frames that were still on their way add nothing: how
    /// far they had come depends on the workers.
    private func recallingWarnings(in problem: Problem) -> Problem {
        guard problem.fault == .input else { return problem }
        var problem = problem
        let earlier = settledWarnings.filter { !$0.contains(problem.summary) }
        problem.notes += earlier.prefix(Self.mostRecalled).map { "warned before: \($0)" }
        let others = earlier.count - Self.mostRecalled
        return others > 0 ? problem.noting("warned before: \(others) more") : problem
    }

    private static let mostRecalled = 5

    func receipt() throws(Problem) -> Receipt {
        var warnings = warnings
        // Each of a million pictures may earn a warning, and the batch keeps the warnings of all its captures.
        let surplus = warnings.count - Self.mostWarnings
        if surplus > 0 { warnings = warnings.prefix(Self.mostWarnings) + ["and \(surplus.counted("more warning"))"] }
        return Receipt(
            tool: runner.tool, key: key, tools: tools, capture: capture, pipeline: runner.pipeline.resolved,
            inputs: inputs,
            stages: zip(steps, notes).map { step, notes in
                Receipt.StageReport(label: step.label, options: step.options, counts: notes.json)
            }, files: output.files, warnings: warnings,
            notes: zip(steps, notes).flatMap { step, notes in notes.remarks.map { "\(step.label): \($0)" } })
    }
}
