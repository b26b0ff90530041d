import ScanModel

/// One capture on its way through a pipeline: its passes, one after the other, and what they have left so far.
struct CaptureRun {
    let runner: Runner
    private let resources: RunResources
    let input: CaptureInput
    let output: OutputFolder
    /// Frames that an earlier attempt found to be bad when it was too late to drop them.
    let leftOut: [Int: Drop]
    var steps: [Pipeline.Step]
    let notes: [StageNotes]
    let memos: [Memo]
    var capture: Capture
    /// What earlier passes left of each frame, beside its facts.
    var traces: [FrameTrace] = []
    /// What an incomplete copy has lost, where a stage would have used it.
    var losses: [Receipt.Loss] = []
    /// Those of the capture's warnings that say what a stage would have used, and could use if the capture or the
    /// pipeline were mended.
    var lacks: [String] = []

    // What the result is made from.

    /// What the capture was like before anything in it was opened.
    let beginning: InputSnapshot
    /// Nil until the reader has opened the capture, and all that decides its result has been looked at.
    private var opened: OpenedCapture?
    /// The files that options name, by their names.
    var files: [String: OptionFile] = [:]
    /// Digests that another attempt need not take again.
    var learned = KnownDigests()

    // How far it is.

    /// Streams whose length has been checked to their end.
    var checkedTracks: Set<String> = []
    var passNumber = 0
    /// Passes over the frames: those that are done, and those that will follow the one that runs.
    var walks = (done: 0, left: 0)
    /// What was warned of when last all frames of a pass were through, or a stage had come to its end.
    var settledWarnings: [String] = []
    let spoilt = SpoiltFrames()
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

    /// - Returns: nil when `isDone` said that there is nothing to do.
    mutating func execute(unless isDone: (OpenedCapture) throws(Problem) -> Bool) throws(Problem) -> Receipt? {
        // The first pass is the reader's.
        var next = try runPass(from: 0)
        runner.recognised(CaptureOrigin(format: capture.format, device: capture.device))
        capture.resources = resources
        let opened = try settle()
        self.opened = opened
        if try isDone(opened) { return nil }
        try leaveOutSpoiltFrames()
        try checkStreamsInTime(from: next)
        settledWarnings = warnings
        try requireFrames()
        while next < steps.count {
            next = try runPass(from: next)
            try requireFrames()
        }
        return receipt(opened)
    }

    /// Runs the pass that begins with step `first`.
    /// - Returns: the step after it.
    private mutating func runPass(from first: Int) throws(Problem) -> Int {
        let plan = plan(from: first)
        passNumber += 1
        walks.left = walkCount(from: plan.steps.upperBound)
        try run(plan)
        return plan.steps.upperBound
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

    // MARK: - Whether frames are left

    func requireFrames() throws(Problem) {
        guard capture.frames.allSatisfy(\.isDropped) else { return }
        if capture.frames.isEmpty { throw Problem(.input, "the capture holds no frames") }
        // Reasons that differ only in their numbers count as one.
        let reasons = Dictionary(grouping: capture.frames.compactMap(\.drop)) {
            "\($0.stage): \($0.reason)".withoutNumbers
        }
        let most = reasons.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.prefix(3)
        // The last stage that chose is the one that left nothing: what the others leave reaches it.
        let choices = Dictionary(
            grouping: capture.frames.compactMap(\.drop).filter { $0.stage != steps[0].label && !$0.isBad }, by: \.stage)
        let last = steps.last { choices[$0.label] != nil }
        let count = last.flatMap { choices[$0.label]?.count } ?? 0
        throw Problem(
            .input, "no frame is left of \(capture.frames.count)",
            notes: most.compactMap { _, drops in
                drops.first.map {
                    "\(drops.count) × \($0.stage): \($0.reason)\(Set(drops).count > 1 ? ", and the like" : "")"
                }
            },
            fix: last.map {
                "loosen `\($0.label)`, which dropped \(count < capture.frames.count ? "the last \(count)" : "them")"
            } ?? "see what is wrong with it with  scanmill inspect \(ShellWord.quoted(path: input.path))"
        ).ofPipeline(last != nil)
    }

    func checkBadFrames() throws(Problem) {
        let used = used.subtracting(steps.idleSources)
        if let problem = capture.excessOfBadFrames(using: used, readBy: steps[0].label) { throw problem }
    }

    /// What the steps read of the capture.
    var used: Set<Channel> { steps.reduce(into: []) { $0.formUnion($1.uses.reads) } }

    // MARK: - What it leaves

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

    private func receipt(_ opened: OpenedCapture) -> Receipt {
        var warnings = warnings
        // Each of a million pictures may earn a warning, and the batch keeps the warnings of all its captures.
        let surplus = warnings.count - Self.mostWarnings
        if surplus > 0 { warnings = warnings.prefix(Self.mostWarnings) + ["and \(surplus.counted("more warning"))"] }
        return Receipt(
            tool: runner.tool, key: opened.key, tools: opened.tools, capture: capture,
            pipeline: runner.pipeline.resolved, inputs: opened.inputs,
            stages: zip(steps, notes).map { step, notes in
                Receipt.StageReport(label: step.label, options: step.options, counts: notes.json)
            }, files: output.files, warnings: warnings,
            grave: lacks + zip(steps, notes).flatMap { step, notes in notes.spoiling.map { "\(step.label): \($0)" } },
            losses: losses,
            notes: zip(steps, notes).flatMap { step, notes in notes.remarks.map { "\(step.label): \($0)" } })
    }

    private static let mostWarnings = 1000

    // MARK: - Why it failed

    /// A problem that ended the run, with all that is known of its cause.
    func explaining(_ problem: Problem) -> Problem {
        cause(of: recallingWarnings(in: puttingSpoiltFirst(in: placing(outlasting(problem)))))
    }

    /// Turns a stage's usage mistake into a problem of this capture with this pipeline: it fails again until one of the
    /// two changes, while other captures may pass. This comes last, because frames are dropped for problems of the
    /// capture.
    private func outlasting(_ problem: Problem) -> Problem {
        // What stands in the result's place is no step's.
        guard problem.fault == .usage, problem.place.stage != nil else { return problem }
        var lasting = problem.ofPipeline()
        lasting.fault = .input
        return lasting
    }

    /// A stage that selects by position, such as a crop, may fail only because the poses or the scale are wrong, and a
    /// stage above has warned of that. Then this is to be mended first. The fix names only the stage that warned: its
    /// warning may hold measured numbers, and failures are grouped by equal fixes.
    private func puttingSpoiltFirst(in problem: Problem) -> Problem {
        let places: Set<Channel> = [.points, .cloud, .mesh, .box]
        guard problem.fault == .input, problem.place.file == nil,
            let failed = steps.first(where: { $0.label == problem.place.stage }),
            !failed.uses.touches.isDisjoint(with: places),
            let above = zip(steps, notes).first(where: { !$1.spoiling.isEmpty })?.0
        else { return problem }
        let first = "first fix what `\(above.label)` warns about (the report shows it)"
        var problem = problem
        problem.fix = problem.fix.map { "\(first); if it fails all the same, \($0)" } ?? first
        return problem
    }

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
        guard problem.fault == .input, opened == nil, let changed = beginning.changed else { return problem }
        return OpenedCapture.changed(changed).noting(problem.oneLine)
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
}
