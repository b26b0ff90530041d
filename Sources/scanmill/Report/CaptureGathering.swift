import ScanModel
import ScanPipeline

/// Gathers what is known of each capture: from its receipt, its failure note, what the run says of it, and how it stands
/// in OUT now.
struct CaptureGathering {
    private let state: StateFolder
    private let run: RunFacts?
    private let results: [String]
    private let failures: [String]
    private let published: ListedResults
    private let failed: Set<PathKey>
    private let standings: [PathKey: OutputStatus.Entry]
    /// The digest of the run's resolved pipeline.
    private let wanted: Digest?
    /// The second in which the run began, if it has said how it went.
    private let began: Int64?

    /// - Parameter run: the run that is reported on.
    init(_ state: StateFolder, _ run: RunFacts?) {
        self.state = state
        self.run = run
        (results, failures) = (state.published, state.failed)
        let names = OutputNames(of: state.output)
        published = ListedResults(results, names)
        failed = Set(failures.map(PathKey.init))
        // What is out of date for `status` is not ready here.
        let entries = OutputStatus(output: state.output, programs: .installed, names: names).entries
        standings = Dictionary(entries.map { (PathKey($0.id), $0) }, uniquingKeysWith: { first, _ in first })
        wanted = run?.pipeline.map(Digest.of)
        began = run.flatMap { $0.course == .ended ? $0.began : nil }.flatMap { RunRecord.second(ofStamp: $0[...]) }
    }

    /// Sorted by id.
    func captures() -> [CaptureFacts] {
        // A result is listed under its folder's own name, however the run spelt the id; a failed capture under its own
        // id.
        let named = (run?.entries ?? []).map {
            (id: $0.ended == .failed ? $0.id : published.name(of: $0.id), entry: $0)
        }
        let entries = Dictionary(grouping: named, by: { PathKey($0.id) }).mapValues { $0.map { $0.entry } }
        let unreadable = standings.values.filter { $0.standing == .unreadable }.map(\.id)
        let ids = (results + failures + unreadable + named.map { $0.id }).distinctByBytes
        let all = ids.flatMap { claims(to: $0, by: entries[PathKey($0)] ?? []) }
        return Parallel.map(all.count) { capture(all[$0]) }
    }

    private func capture(_ claim: Claim) -> CaptureFacts {
        let (id, entry) = (claim.id, claim.entry)
        let isPublished = claim.includesResult && published.contains(id)
        let hasFailed = failed.contains(PathKey(id))
        let note = claim.includesNote && hasFailed ? FailureNote.load(id, in: state) : nil
        // Where there is a note, that is how its capture stands.
        let standing = claim.includesNote || !hasFailed ? standings[PathKey(id)] : nil
        var capture = CaptureFacts(id: id)
        // Comparing is not running, and what another runner works on is not this one's.
        if let entry, entry.ended != .upToDate, entry.ended != .busy {
            (capture.share, capture.reason) = (entry.share, entry.reason)
        }
        if isPublished, let result = PublishedResult(id, in: state.output) { capture.take(receipt: result.receipt) }
        if let origin = note?.origin { (capture.format, capture.device) = (origin.format, origin.device) }
        // If there is a result, it was made from other bytes.
        if let note, claim.includesResult { capture.pictureKey = note.fingerprint.text }
        capture.input = entry?.input ?? note?.input ?? state.knownInput(of: id)
        capture.isGone = capture.input.map { FileSystem.isGone(run?.place(of: $0) ?? $0) } ?? false
        capture.judge(entry, note, isPublished: isPublished)
        markIfFromBefore(&capture, note, isPublished: isPublished)
        capture.doubt(entry, standing, pipeline: wanted)
        // Damage that left the receipt its time and size, so that `status` does not see it.
        if capture.status == .ready, isPublished, !capture.hasResult { capture.requireForce() }
        if claim.includesResult, capture.status != .failed, let standing, standing.standing == .stale,
            standing.isCaptureGone
        {
            capture.lose(standing)
        }
        return capture
    }
}

extension CaptureGathering {
    /// A capture to be shown, and what is its own of the files that OUT has under its name.
    private struct Claim {
        let id: String
        /// What the run says of it.
        var entry: RunOutcome.Entry?
        /// Whether the result is its own; only then are small pictures kept of it.
        var includesResult = true
        var includesNote = true
    }

    /// The captures of one name, each as the run counted it: one that cannot be begun, such as a link that leads
    /// nowhere, may have the name of another, whose result is there.
    /// - Parameter entries: what the run says of each.
    private func claims(to id: String, by entries: [RunOutcome.Entry]) -> [Claim] {
        guard entries.count > 1 else { return [Claim(id: id, entry: entries.first)] }
        let noted = FailureNote.load(id, in: state).flatMap { place(of: $0.input, among: entries) }
        // The result belongs to the one that made it, or found it up to date: in this run, or else in an earlier one.
        let owner =
            entries.firstIndex(where: \.isFine)
            ?? state.knownInput(of: id).flatMap { place(of: $0, among: entries) } ?? noted ?? 0
        return entries.enumerated().map { index, entry in
            Claim(id: id, entry: entry, includesResult: index == owner, includesNote: index == noted ?? owner)
        }
    }

    /// The place in a list of the capture with an absolute path.
    private func place(of path: String, among entries: [RunOutcome.Entry]) -> Int? {
        entries.firstIndex { entry in
            let input = entry.input.map { FileSystem.absolute(run?.place(of: $0) ?? $0) }
            return input.map(PathKey.init) == PathKey(path)
        }
    }

    /// Tells what earlier runs left from what this one did, or another at the same time: a path that leads nowhere fails
    /// without having begun.
    private func markIfFromBefore(_ capture: inout CaptureFacts, _ note: FailureNote?, isPublished: Bool) {
        guard capture.share == nil, let began else { return }
        if capture.status == .failed {
            guard let second = note.map({ $0.when / 1_000_000_000 }), second < began else { return }
            capture.isFromBefore = true
            capture.tried = RunMoment(second: second)
        } else if isPublished, let time = FileSystem.modified("\(state.output)/\(capture.id)/\(Receipt.fileName)") {
            capture.isFromBefore = time / 1_000_000_000 < began
        }
    }
}

extension CaptureFacts {
    /// Decides by what was left of the capture's last attempt.
    fileprivate mutating func judge(_ entry: RunOutcome.Entry?, _ note: FailureNote?, isPublished: Bool) {
        if let note {
            // One that was left out for what is wrong with it is no news.
            fate = entry?.ended == .excluded ? .waiting(Wait()) : .failed(Failure(problem: note.problem))
        } else if let problem = entry?.problem, isPublished, problem.leavesNewResult(of: id) {
            warnings.append("\(problem.summary), after its result had been published")
        } else if let problem = entry?.problem {
            fate = .failed(Failure(problem: problem))
        } else if !isPublished {
            fate = entry?.ended == .failed ? .failed(Failure()) : .waiting(Wait())
        }
    }

    /// Says why it waits, if it has no result, or an older one where a newer one is still to be made: a run was stopped
    /// before its turn, or its files have changed. Nor is a result ready of which nobody can tell whether it is whole.
    /// - Parameters:
    ///   - entry: what the run says of it.
    ///   - standing: its state in OUT.
    ///   - wanted: the digest of the run's resolved pipeline.
    fileprivate mutating func doubt(
        _ entry: RunOutcome.Entry?, _ standing: OutputStatus.Entry?, pipeline wanted: Digest?
    ) {
        var wait = Wait(isExcluded: entry?.ended == .excluded)
        switch fate {
        case .waiting:
            wait.why = Self.lack(entry, standing)
            wait.hadResult = [.done, .upToDate].contains(entry?.ended) || standing?.standing == .resultGone
        case .ready:
            guard let why = flaw(entry, standing, pipeline: wanted) else { return }
            wait.why = why
            wait.hadResult = true
        case .look, .failed: return
        }
        // The run may have called its result up to date before it could no longer be read, or was removed.
        if let standing, standing.standing == .unreadable {
            wait.why = standing.cause
            wait.isUnreadable = true
        } else if let standing, standing.standing == .resultGone {
            wait.why = standing.cause ?? wait.why
        }
        fate = .waiting(wait)
    }

    /// Why there is no result.
    private static func lack(_ entry: RunOutcome.Entry?, _ standing: OutputStatus.Entry?) -> String? {
        // What was left half done by a run that never said how it went.
        if entry?.ended == .left, let standing, standing.standing == .running { return standing.whyWaiting }
        if [.done, .upToDate].contains(entry?.ended) { return "the result that was made is gone" }
        return entry?.whyWaiting
    }

    /// Why the result that is there is not what the run was meant to make; nil if it is.
    private func flaw(
        _ entry: RunOutcome.Entry?, _ standing: OutputStatus.Entry?, pipeline wanted: Digest?
    ) -> String? {
        if let entry, entry.ended == .excluded, standing?.isBehind == true { return entry.whyWaiting }
        if let standing, standing.isBehind || standing.standing == .unreadable { return standing.whyWaiting }
        if let entry, [.left, .arriving, .busy, .excluded].contains(entry.ended), pipeline != wanted,
            standing?.isCaptureGone != true
        {
            return entry.whyWaiting
        }
        return nil
    }

    /// Treats a result as failed whose receipt cannot be read, though a run would take it for up to date.
    fileprivate mutating func requireForce() {
        let problem = Problem(
            .environment, "the receipt cannot be read",
            fix: "make the result again with  scanmill run … "
                + CommandWords.line(PublishedResult.only(id) + ["--force"])
        ).at(file: "\(id)/\(Receipt.fileName)")
        fate = .failed(Failure(problem: problem, damage: .unnoticed))
    }

    /// Treats a result as lost that is no longer whole and cannot be made again.
    fileprivate mutating func lose(_ standing: OutputStatus.Entry) {
        let problem = Problem(
            .environment, "the result is no longer whole, and its capture is gone",
            notes: standing.cause.map { [$0] } ?? [],
            fix: "put back the result from a copy, or the capture, and run again; or remove the result's folder"
        ).at(file: id)
        fate = .failed(Failure(problem: problem, damage: .lost))
    }
}

extension OutputStatus.Entry {
    fileprivate var whyWaiting: String { cause ?? (standing == .running ? "it is being run" : standing.rawValue) }
}

extension RunOutcome.Entry {
    fileprivate var whyWaiting: String {
        guard ended == .excluded else { return cause ?? ended.rawValue }
        return cause.map { "\($0): --exclude-unsuited left it out" } ?? "--exclude left it out"
    }
}

extension StateFolder {
    /// The path of a capture when its result was published, from the root.
    fileprivate func knownInput(of id: String) -> String? {
        StateFolder.read(inputs(id))?["input"]?.string
    }
}
