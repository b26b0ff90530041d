import ScanModel

/// What a run would do with each capture, and why. Making a plan writes nothing.
public struct BatchPlan: Sendable {
    public enum Decision: Sendable, Hashable {
        /// It runs, for this reason.
        case run(String)
        /// Nothing seems to have changed, but for this reason only its digests tell.
        case compare(String)
        case upToDate
        /// It failed, and nothing about it has changed since.
        case failedBefore(Problem)
        /// It would fail: because of what is in its result's place, or before its first frame.
        case obstructed(Problem)
        case arriving

        /// Whether a process is started for the capture, even if only to compare digests.
        var isToRun: Bool {
            switch self {
            case .run, .compare, .obstructed: true
            case .upToDate, .failedBefore, .arriving: false
            }
        }
    }

    public struct Entry: Sendable {
        public var input: CaptureInput
        public var decision: Decision
        /// Whether there is a result already, and the capture has not changed since, as far as that is certain.
        public var isRemake = false
    }

    public struct Rules: Sendable {
        /// Run everything, whatever results are there.
        public var isForced = false
        /// Try captures again whose input was at fault.
        public var triesAgain = false
        /// A capture that changed within so many seconds is still arriving; 0 never waits.
        public var settleSeconds: Int64 = 0
        /// Let results go that hold what others put into them.
        public var replaces = false
        /// Whether anybody reads why captures run. If not, no receipt is read for that: what only it would tell is
        /// compared.
        public var explains = true

        public init() {}
    }

    public private(set) var entries: [Entry] = []
    /// Captures that are not waited for although they changed at a time in the future.
    public private(set) var fromTheFuture: [CaptureInput] = []
    private let pipeline: Pipeline
    private let pipelineDigest: Digest
    private let state: StateFolder
    private let rules: Rules

    /// - Parameters:
    ///   - programs: what a run would make results with now.
    ///   - now: nanoseconds since 1970.
    public init(
        _ inputs: [CaptureInput], pipeline: Pipeline, output: String, rules: Rules, programs: ProgramVersions,
        now: Int64 = wallClock()
    ) {
        var programs = programs
        (self.pipeline, self.rules) = (pipeline, rules)
        pipelineDigest = pipeline.digest
        state = StateFolder(output: output)
        let unfinished = Set(state.unfinished.map(PathKey.init))
        for input in inputs {
            var entry = decide(input, &programs, isUnfinished: unfinished.contains(PathKey(input.id)))
            // What would not run need not be waited for, nor looked at.
            if rules.settleSeconds > 0, entry.decision.isToRun {
                switch Arrival(of: input.path, by: now, rules.settleSeconds) {
                case .over: break
                case .goingOn: entry.decision = .arriving
                case .unclear: fromTheFuture.append(input)
                }
            }
            entries.append(entry)
        }
    }

    /// Opens each capture that would run, as its run begins: what the pipeline cannot do with it shows before the night.
    /// - Parameter runner: of the pipeline.
    public mutating func refuse(whatFailsToOpenWith runner: Runner) {
        let toRun = entries.indices.filter { if case .run = entries[$0].decision { true } else { false } }
        let inputs = toRun.map { entries[$0].input }
        let refusals = Parallel.map(inputs.count) { runner.refusal(of: inputs[$0]) }
        for (index, refusal) in zip(toRun, refusals) {
            if let refusal { entries[index].decision = .obstructed(refusal) }
        }
    }

    // MARK: - What it comes to

    /// The captures that get a process: those that run, those that will turn out to be up to date or not, and those
    /// that something keeps from running, to say so. New and changed captures come first, so that a night that is too
    /// short is not spent on making again what an update of ScanMill or of ffmpeg has outdated.
    public var toRun: [CaptureInput] {
        news + entries.filter { $0.decision.isToRun && $0.isRemake }.map(\.input)
    }

    /// Those of them that have no result, or have changed since it was made.
    public var news: [CaptureInput] { entries.filter { $0.decision.isToRun && !$0.isRemake }.map(\.input) }

    /// Those of them that are certain to run: digests may tell of the others that there is nothing to do, and of some it
    /// is known what keeps them from running.
    public var certainToRun: [CaptureInput] {
        entries.compactMap { entry in if case .run = entry.decision { entry.input } else { nil } }
    }

    /// Whether any is certain to run.
    public var willRun: Bool { !certainToRun.isEmpty }

    /// All others, as they stand.
    public var waiting: [CaptureOutcome] {
        entries.compactMap { entry in
            switch entry.decision {
            case .run, .compare, .obstructed: nil
            case .upToDate: CaptureOutcome(input: entry.input, ending: .upToDate)
            case .failedBefore(let problem): CaptureOutcome(input: entry.input, ending: .failedBefore(problem))
            case .arriving: CaptureOutcome(input: entry.input, ending: .arriving)
            }
        }
    }

    /// The captures that are waited for.
    public var arriving: [CaptureInput] { entries.filter { $0.decision == .arriving }.map(\.input) }

    // MARK: - Why

    /// Why a capture is run, in the words of a plan that explains: what this one left out is read from the older result's
    /// receipt now.
    /// - Returns: nil where it is not run, or something keeps it from running.
    public func reason(of entry: Entry) -> String? {
        let id = entry.input.id
        switch entry.decision {
        case .run(let reason):
            guard !rules.explains, !rules.isForced, let known = ResultState.load(id, in: state),
                known.pipeline != pipelineDigest
            else { return reason }
            return change(from: known, id) ?? reason
        case .compare(let doubt):
            let isKnown = rules.explains || ResultState.load(id, in: state) != nil
            return isKnown ? doubt : change(fromUnknown: id) ?? doubt
        case .upToDate, .failedBefore, .obstructed, .arriving: return nil
        }
    }

    /// How the pipeline differs from the one that made a result, in words; nil where no receipt tells.
    /// - Parameter known: what is known of the result, which another pipeline made.
    private func change(from known: ResultState, _ id: String) -> String? {
        PublishedResult(id, in: state.output).map {
            PipelineChange.text(from: $0.receipt["pipeline"], to: pipeline, revisions: known.revisions)
        }
    }

    /// The same for a result of whose files nothing is known: its receipt still tells what it was made with. Nil also
    /// where nothing differs.
    private func change(fromUnknown id: String) -> String? {
        guard let published = PublishedResult(id, in: state.output), !published.isMade(by: pipeline) else { return nil }
        return PipelineChange.text(from: published.receipt["pipeline"], to: pipeline, revisions: nil)
    }

    // MARK: - Failure notes

    /// Removes the failure notes that no longer apply: of captures that are up to date, since another attempt failed
    /// and the result is what is asked for now; of captures that are gone; and those that cannot be read.
    /// - Returns: whether there were any.
    @discardableResult
    public func forgetPastFailures() -> Bool {
        var areForgotten = false
        let decisions = Dictionary(
            entries.map { (PathKey($0.input.id), $0.decision) }, uniquingKeysWith: { first, _ in first })
        for id in state.failed {
            let isPast =
                decisions[PathKey(id)].map { $0 == .upToDate }
                // A damaged note does not say that anything failed.
                ?? FailureNote.load(id, in: state).map(\.isPast) ?? true
            guard isPast else { continue }
            FailureNote.remove(id, in: state)
            if !FailureNote.isKept(id, in: state) { areForgotten = true }
        }
        return areForgotten
    }

    // MARK: - The decision

    private func decide(_ input: CaptureInput, _ programs: inout ProgramVersions, isUnfinished: Bool) -> Entry {
        let place = state.place(input.id)
        if let obstacle = place.obstacle { return Entry(input: input, decision: .obstructed(obstacle)) }
        // The look for an obstacle has shown whose it is.
        let hasResult = FileSystem.exists(place.receipt)
        var entry = Entry(input: input, decision: .upToDate, isRemake: hasResult)
        if rules.isForced {
            entry.decision = run(into: place, because: "asked for with --force")
            return entry
        }
        var reason: String?
        var doubt: String?
        if hasResult, let known = ResultState.load(input.id, in: state) {
            switch known.standing(
                of: input.path, pipeline: pipelineDigest, options: OptionFile.allBesidePipeline(pipeline, input),
                result: place.path, programs: &programs)
            {
            case .upToDate: return entry
            case .stale(let why): (reason, entry.isRemake) = (why, false)
            case .outdated(let why) where known.pipeline == pipelineDigest || !rules.explains: reason = why
            case .outdated(let why): reason = change(from: known, input.id) ?? why
            // What cannot be looked at can be replaced all the same.
            case .unreadable(let why): reason = why
            case .unsure(let why): doubt = why
            case .another: doubt = "another result stands in its place"
            }
        } else if hasResult, rules.explains {
            reason = change(fromUnknown: input.id)
        }
        let note = FailureNote.load(input.id, in: state)
        if let note, !rules.triesAgain {
            let fingerprint = FailureNote.fingerprint(of: input, pipeline: pipeline, programs: programs)
            if note.stands(for: fingerprint) {
                entry.decision = .failedBefore(note.problem)
                return entry
            }
        }
        if let reason {
            entry.decision = run(into: place, because: reason)
        } else if hasResult {
            // What failed since may be mended, and the result be right for what is there again.
            entry.decision = .compare(doubt ?? "its digests are not known")
        } else if let note {
            entry.decision = .run("it failed before: \(note.problem.summary)")
        } else if isUnfinished {
            entry.decision = .run(
                StateLock.isHeld(input.id, in: state) ? "another run works on it" : "it was never finished")
        } else {
            entry.decision = .run("new")
        }
        return entry
    }

    private func run(into place: ResultPlace, because reason: String) -> Decision {
        if let obstacle = place.obstacleToReplacing { return .obstructed(obstacle) }
        // A run looks by itself, when the capture's turn comes.
        if rules.explains && !rules.replaces {
            do throws(Problem) { try PublishedResult.requireNothingAdded(at: place.path) } catch {
                return .obstructed(error)
            }
        }
        return .run(reason)
    }
}

/// Whether a capture is still being copied, by when anything in it changed.
private enum Arrival {
    case over
    /// Something changed a moment ago.
    case goingOn
    /// Something changed at a time in the future, and nothing a moment ago.
    case unclear

    init(of path: String, by now: Int64, _ settleSeconds: Int64) {
        self = .over
        for status in FileSystem.reachable(from: path).compactMap(\.status) {
            // Unpacking or copying may give a file any time, even one in the future: then the time counts that nobody
            // can set.
            let time = status.modified > now ? status.changed : status.modified
            // For files from long before 1970 the difference may overflow.
            let age = now.subtractingReportingOverflow(time)
            let seconds = (age.overflow ? .max : age.partialValue) / 1_000_000_000
            // A time further ahead comes from another clock: what changes now has the time of now. Waiting would last
            // for ever.
            if seconds <= -settleSeconds {
                self = .unclear
            } else if seconds < settleSeconds {
                self = .goingOn
                return
            }
        }
    }
}
