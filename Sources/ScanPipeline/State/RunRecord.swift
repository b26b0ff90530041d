import ScanModel

/// `OUT/.scanmill/runs/<when>-<random>/`: what one run was asked to do and how it went.
public struct RunRecord: Sendable {
    private let state: StateFolder
    private let pipeline: Pipeline
    public let path: String
    /// The folder's name.
    public let name: String
    /// Whether the folder could be made.
    private let isWritten: Bool

    /// The names of the files in a run's folder: what was to be done, how it went, and the page that reports it.
    package static let planName = "plan.json"
    package static let outcomeName = "outcome.json"
    package static let pageName = "report.html"

    /// A name for a run that begins now.
    package static func newName() -> String { "\(stamp(wallClock()))-\(FileSystem.randomName())" }

    /// Writes `plan.json`. A record that cannot be written is left out: the results do not need it.
    /// - Parameter name: as ``newName()`` makes it; nil for one of now.
    public init(
        state: StateFolder, pipeline: Pipeline, formats: FormatRevisions = FormatRevisions(), inputs: [CaptureInput],
        command: Command? = nil, name: String? = nil
    ) {
        self.state = state
        self.pipeline = pipeline
        self.name = name ?? Self.newName()
        path = "\(state.runs)/\(self.name)"
        var plan = Recipe(of: pipeline, formats: formats).json
        plan["began"] = .string(Self.stamp(wallClock()))
        plan["command"] = command?.json
        plan["captures"] = .array(inputs.map { .object(["id": .string($0.id), "input": .string($0.path)]) })
        isWritten = (try? StateFolder.write(.object(plan), to: "\(path)/\(Self.planName)")) != nil
    }

    /// Keeps a failure until the capture has a result.
    /// - Parameters:
    ///   - origin: what recorded the capture, where that was found out.
    ///   - fingerprint: ``FailureNote/fingerprint(of:pipeline:programs:)``, from before the capture was tried.
    ///   - now: takes it again. A capture that changed meanwhile may have failed for that: the note then stops no run
    ///     from trying.
    public func note(
        _ outcome: CaptureOutcome, of origin: CaptureOrigin? = nil, fingerprint: Digest, now: (() -> Digest)? = nil
    ) throws(Problem) {
        try note(outcome, of: origin) {
            let isSame = now.map { $0() == fingerprint } ?? true
            return isSame ? .of(fingerprint) : .changedMeanwhile
        }
    }

    /// - Parameter fingerprint: asked for only where there is a failure to keep.
    private func note(
        _ outcome: CaptureOutcome, of origin: CaptureOrigin? = nil, fingerprint: () -> FailureNote.Fingerprint
    ) throws(Problem) {
        guard case .failed(let problem) = outcome.ending else { return }
        if (try? requireFolder()) == nil { return }
        // Results that another pipeline has taken over are not this run's to find fault with.
        if (try? state.foreignOwner(for: pipeline)) != nil { return }
        // The capture has its result, whatever ended its process afterwards.
        if problem.leavesNewResult(of: outcome.input.id) {
            FailureNote.remove(outcome.input.id, in: state)
            return
        }
        try FailureNote(
            id: outcome.input.id, input: FileSystem.absolute(outcome.input.path), origin: origin,
            problem: FailureNote.lasting(problem, of: outcome.input), fingerprint: fingerprint(), when: wallClock()
        ).save(in: state)
    }

    /// Keeps why captures cannot be run at all, such as two of one name. A note that cannot be written is left out: the
    /// next run says the same again.
    public func noteRefused(_ outcomes: [CaptureOutcome]) {
        for outcome in outcomes {
            try? note(outcome) { outcome.input.isThere ? .changedMeanwhile : .leadsNowhere }
        }
    }

    /// Writes `outcome.json`.
    /// - Parameter outcomes: of the captures that ran, and of all others that the run was about.
    public func end(_ outcomes: [CaptureOutcome], seconds: Double) throws(Problem) {
        try requireFolder()
        try StateFolder.write(
            .object([
                "ended": .string(Self.stamp(wallClock())), "seconds": .number(seconds),
                "captures": .array(outcomes.map { .object($0.record) }),
            ]), to: "\(path)/\(Self.outcomeName)")
        StaleRecords.forgetOldRuns(in: state, besides: name)
        StaleRecords.forgetGoneCaptures(in: state)
    }

    /// - Throws: fault `environment` where OUT has gone, and the run's folder and the owner's name with it: what is written
    ///   would lie where nobody looks for it.
    private func requireFolder() throws(Problem) {
        guard isWritten else { return }
        let isThere = try FileSystem.isThere(path)
        if !isThere && state.owningPipeline == nil {
            throw state.anotherFolder(without: "\(StateFolder.name)/runs/\(name)")
        }
    }

    // MARK: - What is kept of runs

    /// What a run was to do, and how it went; nil where that is not known (yet).
    package static func plan(of run: String, in state: StateFolder) -> JSONValue? {
        StateFolder.read("\(state.runs)/\(run)/\(planName)")
    }

    package static func outcome(of run: String, in state: StateFolder) -> RunOutcome? {
        StateFolder.read("\(state.runs)/\(run)/\(outcomeName)").map(RunOutcome.init)
    }

    /// The names of all runs' folders, the oldest first.
    package static func names(in state: StateFolder) -> [String] {
        let now = wallClock()
        let runs = FileSystem.names(in: state.runs)
            .filter { !$0.hasPrefix(".") && FileSystem.isFolder("\(state.runs)/\($0)") }
            .map { (time: time(of: planName, in: $0, state, by: now) ?? .longAgo, name: $0) }
        return runs.sorted { ($0.time, $0.name) < ($1.time, $1.name) }.map(\.name)
    }

    /// The captures of a plan, and their paths as given.
    package static func captures(ofPlan plan: JSONValue?) -> [(id: String, input: String)] {
        (plan?["captures"]?.array ?? []).compactMap { capture in
            guard let id = capture["id"]?.string, let input = capture["input"]?.string else { return nil }
            return (id, input)
        }
    }

    /// Where a path of a run leads: relative ones start in the folder where it was begun.
    static func place(_ input: String, by plan: JSONValue?) -> String {
        FileSystem.path(input, from: plan?["command"]?["folder"]?.string ?? ".")
    }

    /// The ids of captures that any remembered run made a result of, or found one of.
    static func made(in state: StateFolder) -> Set<PathKey> {
        var ids: Set<PathKey> = []
        for run in names(in: state) {
            for capture in outcome(of: run, in: state)?.captures ?? []
            where [.done, .upToDate].contains(capture.ended) {
                ids.insert(PathKey(capture.id))
            }
        }
        return ids
    }

    /// Whether a run was to make results with this recipe, by the first bytes of its plan alone: plans may name many captures.
    static func isOf(_ recipe: Recipe, _ run: String, in state: StateFolder) -> Bool {
        let path = "\(state.runs)/\(run)/\(planName)"
        guard let file = try? RegularFile(path, name: path, fault: .environment) else { return false }
        return recipe.isSame(asPlanWithHead: String(decoding: file.beginning(Recipe.headLength), as: UTF8.self))
    }
}
