import ScanModel

/// The state of every capture that was ever run into a folder.
public struct OutputStatus: Sendable {
    public enum Standing: String, Sendable, CaseIterable {
        /// It has a whole result that a run would leave as it is, or could not make again because the capture is gone.
        case done
        /// It has a result that is no longer whole, or the capture's files have changed since, or a later run was to make
        /// another one.
        case stale
        case failed
        /// It has no result, or failed over an older one, and the newest run that named it was asked to leave it out.
        case excluded
        case running
        /// A run knew of it, it is still there, and has neither a result nor a failure note.
        case neverRun = "never run"
        /// A run made its result, which is no longer in the folder; the capture is.
        case resultGone = "result gone"
        /// Nobody can tell whether it has a result, or whether that is whole: its folder may not be looked into, or the disk
        /// fails.
        case unreadable
    }

    public struct Entry: Sendable, Hashable {
        public var id: String
        public var standing: Standing
        public var cause: String?
        /// It has a result, and the capture that it was made of is no longer where it was.
        public var isCaptureGone = false
        /// It failed, whether or not a run left it out since, and there is an earlier result.
        public var hasOlderResult = false
        /// There is a result, but not what a run would make now, whatever else is said of the capture.
        public var isBehind = false
        /// It is done, and only the whole frames of a damaged copy were kept.
        public var isSalvaged = false
        /// It is done, and even a quiet run warned of what is wrong with the capture or its copy.
        public var isDoubtful = false
    }

    /// Sorted by id.
    public private(set) var entries: [Entry]

    /// - Parameter programs: what a run would make results with now.
    public init(output: String, programs: ProgramVersions) {
        self.init(output: output, programs: programs, names: OutputNames(of: output))
    }

    /// - Parameter names: how OUT's disk tells names apart.
    package init(output: String, programs: ProgramVersions, names: OutputNames) {
        var reading = StatusReading(output: output, programs: programs, names: names)
        entries = reading.ids.compactMap { reading.entry(of: $0) }
    }
}

/// Finds out how one capture after the other stands.
private struct StatusReading {
    /// All that have a result or a failure note, or were in a plan.
    let ids: [String]
    private let state: StateFolder
    private var programs: ProgramVersions
    private let published: ListedResults
    /// Why nobody can read a result's receipt, or tell whether something is a result that may be one.
    private let obstacles: [PathKey: Problem]
    private let unfinished: Set<PathKey>
    private let failed: Set<PathKey>
    private let ignoreCase: Bool
    private var history: RunHistory
    private let owner: String?
    /// Pipelines by their digests, each from the receipt of a result that it made.
    private var makers: [Digest: JSONValue] = [:]
    /// In words.
    private var changes: [Change: String] = [:]
    private lazy var made = RunRecord.made(in: state)

    /// What decides how a result's recipe differs from what was asked for; many results have the same.
    private struct Change: Hashable {
        /// The pipeline that made the result, and its format.
        let maker: Digest
        let format: String
        /// The run that was to make another one.
        let run: Int
    }

    init(output: String, programs: ProgramVersions, names: OutputNames) {
        self.programs = programs
        state = StateFolder(output: output)
        let (results, obscure) = (state.results, state.obscure)
        history = RunHistory(in: state)
        let published = ListedResults(results.map(\.id), names)
        self.published = published
        let shut = results.compactMap { id, problem in problem.map { (id: id, problem: $0) } } + obscure
        obstacles = Dictionary(shut.map { (PathKey($0.id), $0.problem) }, uniquingKeysWith: { first, _ in first })
        unfinished = Set(state.unfinished.map(PathKey.init))
        let failed = state.failed
        self.failed = Set(failed.map(PathKey.init))
        ignoreCase = names.ignoreCase
        owner = state.owningPipeline
        // What failed did so by its own name; of a result that it had to leave alone, the folder's name tells.
        let planned = history.ids.map(published.name)
        ids = (results.map(\.id) + obscure.map(\.id) + failed + planned).distinctByBytes
    }

    /// Where its result is, or would be.
    private func folder(of id: String) -> String { state.place(id).path }

    /// - Returns: nil for an id that nothing is left of, such as a name that a capture had while it arrived.
    mutating func entry(of id: String) -> OutputStatus.Entry? {
        // It may have been published since they were listed.
        let isPublished =
            published.contains(id) || (published.name(of: id) == id && state.place(id).holdsResult)
        if StateLock.isHeld(id, in: state, ignoringCase: ignoreCase) {
            return .init(
                id: id, standing: .running, isBehind: isPublished && entry(ofResult: id).standing != .done)
        }
        if failed.contains(PathKey(id)), let note = FailureNote.load(id, in: state) {
            return .init(
                id: id, standing: isExcluded(id) ? .excluded : .failed, cause: note.problem.summary,
                hasOlderResult: isPublished, isBehind: isPublished)
        }
        if let obstacle = obstacles[PathKey(id)] {
            return .init(id: id, standing: .unreadable, cause: obstacle.summary)
        }
        guard isPublished else { return entry(withoutResult: id) }
        // A run may replace it during the look.
        let found = FileSystem.look(
            at: folder(of: id), { entry(ofResult: id) }, isGood: { $0.standing == .done })
        if found.standing == .done { return telling(found) }
        return FileSystem.exists(folder(of: id)) ? found : entry(withoutResult: id)
    }

    /// With what its receipt says of it.
    private func telling(_ done: OutputStatus.Entry) -> OutputStatus.Entry {
        let doubts = ReceiptDoubts(ofResultIn: folder(of: done.id))
        var entry = done
        (entry.isSalvaged, entry.isDoubtful) = (doubts.isSalvaged, doubts.isDoubtful)
        return entry
    }

    private mutating func entry(withoutResult id: String) -> OutputStatus.Entry? {
        if let place = history.place(of: id), FileSystem.isGone(place) { return nil }
        // That a result was lost is told all the same.
        if isExcluded(id), !made.contains(PathKey(id)) { return .init(id: id, standing: .excluded) }
        if unfinished.contains(PathKey(id)) {
            return .init(id: id, standing: .neverRun, cause: "it was begun and not finished")
        }
        if FileSystem.isLinkToNothing(folder(of: id)) {
            return .init(id: id, standing: .resultGone, cause: "it is a link to a folder that is not there")
        }
        if made.contains(PathKey(id)) {
            // The next run makes it again only where its place is empty.
            return .init(id: id, standing: .resultGone, cause: state.place(id).obstacle?.summary)
        }
        return .init(id: id, standing: .neverRun, cause: history.ending(of: id)?.why)
    }

    /// Whether the newest run that named it was asked to leave it out.
    private mutating func isExcluded(_ id: String) -> Bool { history.ending(of: id)?.ended == .excluded }

    private mutating func entry(ofResult id: String) -> OutputStatus.Entry {
        guard let known = ResultState.load(id, in: state) else { return entry(ofUnknownResult: id) }
        let result = folder(of: id)
        // It may have been moved, and been planned from there since.
        let places = [known.input, history.place(of: id)].compactMap(\.self)
        guard let input = places.first(where: { !FileSystem.isGone($0) }) else {
            let loss = known.relation(to: result) == .same ? known.firstLoss(in: result) : examined(id).loss
            return entry(ofResultWithoutCapture: id, loss: loss, place: known.input)
        }
        if let made = recipe(of: id, known), let why = doubt(about: id, made, known) { return stale(id, why) }
        let standing = known.standing(of: input, pipeline: known.pipeline, result: result, programs: &programs)
        switch standing {
        case .stale(let why), .outdated(let why):
            let left = history.ending(of: id)?.why.map { "; the last run left it: \($0)" } ?? ""
            return stale(id, why + left)
        case .unreadable(let why): return .init(id: id, standing: .unreadable, cause: why)
        case .another(isOlder: true): return stale(id, "an older result was put back")
        // Of a capture at another place nothing was compared, but what is missing from the result itself can be seen.
        case .unsure where input != known.input: return entry(id, lacking: known.firstLoss(in: result))
        case .another, .unsure, .upToDate: return .init(id: id, standing: .done)
        }
    }

    /// What is known of its files was deleted, or the result was copied here: its receipt is all that there is to go by.
    private mutating func entry(ofUnknownResult id: String) -> OutputStatus.Entry {
        let (result, loss) = examined(id)
        if let place = history.place(of: id), FileSystem.isGone(place) {
            return entry(ofResultWithoutCapture: id, loss: loss, place: place)
        }
        if let result, let why = doubt(about: id, Recipe(result.receipt["pipeline"]), nil) { return stale(id, why) }
        return entry(id, lacking: loss)
    }

    private func entry(_ id: String, lacking loss: ResultLoss?) -> OutputStatus.Entry {
        switch loss {
        case .certain(let what)?: stale(id, what)
        case .possible(let what)?: .init(id: id, standing: .unreadable, cause: what)
        case nil: .init(id: id, standing: .done)
        }
    }

    /// The capture is gone, so that nothing could be made anew: the result is all that there is, and not behind anything.
    /// - Parameters:
    ///   - loss: what is wrong with it.
    ///   - place: where the capture was.
    private func entry(ofResultWithoutCapture id: String, loss: ResultLoss?, place: String) -> OutputStatus.Entry {
        var entry = entry(id, lacking: loss)
        let gone = "\(place) is gone"
        entry.cause = entry.cause.map { "\($0), and \(gone)" } ?? gone
        entry.isCaptureGone = true
        entry.isBehind = false
        return entry
    }

    /// The result by its own receipt, nil if that is damaged; and what is wrong with it, nil for a whole one.
    private func examined(_ id: String) -> (result: PublishedResult?, loss: ResultLoss?) {
        guard let result = PublishedResult(id, in: state.output), result.isReceiptSound else {
            return (nil, .certain(PublishedResult.damagedReceipt))
        }
        return (result, result.firstLoss)
    }

    private func stale(_ id: String, _ cause: String) -> OutputStatus.Entry {
        .init(id: id, standing: .stale, cause: cause, isBehind: true)
    }

    /// Why a result is not what the folder is for, or what the newest run that named the capture was to make.
    /// - Parameter known: what is known of the result's files.
    private mutating func doubt(about id: String, _ made: Recipe, _ known: ResultState?) -> String? {
        if let owner, let name = made.pipeline?["name"]?.string, name != owner {
            return "the pipeline `\(name)` made it, and the folder is `\(owner)`'s now"
        }
        return change(of: id, made, known)
    }

    /// How a result's recipe differs from that of the newest run that named the capture, and why that run did not come
    /// to it. A run that was stopped leaves behind results of another pipeline, or of another version of ScanMill, that
    /// look finished.
    private mutating func change(of id: String, _ made: Recipe, _ known: ResultState?) -> String? {
        guard let (run, wanted) = history.wanted(id, besides: made) else { return nil }
        let change = made.digest.flatMap { maker in known.map { Change(maker: maker, format: $0.format, run: run) } }
        let text = change.flatMap { changes[$0] } ?? made.change(to: wanted)
        if let change { changes[change] = text }
        return history.whyLeft(id, by: run).map { "\(text); \($0)" } ?? text
    }

    /// What a result was made with; nil where the receipt cannot be read.
    private mutating func recipe(of id: String, _ known: ResultState) -> Recipe? {
        let read = { [state] in PublishedResult(id, in: state.output)?.receipt["pipeline"] }
        if case .other = known.relation(to: folder(of: id)) { return read().map { Recipe($0) } }
        // One receipt is enough for all that the pipeline made.
        let maker = makers[known.pipeline] ?? read()
        makers[known.pipeline] = maker
        return maker.map { Recipe($0, known) }
    }
}
