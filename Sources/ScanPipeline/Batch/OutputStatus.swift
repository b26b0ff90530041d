import ScanModel

/// How every capture stands that was ever run into a folder.
public struct OutputStatus: Sendable {
    public enum Standing: String, Sendable, CaseIterable {
        /// It has a result that a run would leave as it is, or could not make again because the capture is gone.
        case done
        /// It has a result, and its files have changed since, or a later run was to make another one.
        case stale
        case failed
        case running
        /// A run knew of it, it is still there, and has neither a result nor a failure note.
        case neverRun = "never run"
        /// A run made its result, which is no longer in the folder; the capture is.
        case resultGone = "result gone"
    }

    public struct Entry: Sendable, Hashable {
        public var id: String
        public var standing: Standing
        public var cause: String?
        /// It has a result, and the capture that it was made of is no longer where it was.
        public var isCaptureGone = false
        /// It failed, and a result of before stands.
        public var hasOlderResult = false
        /// A result stands that is not what a run would make now, whatever else is said of the capture.
        public var isBehind = false
    }

    /// Sorted by id.
    public private(set) var entries: [Entry]

    /// - Parameter programs: what a run would make results with now.
    public init(output: String, programs: ProgramVersions) {
        var reading = StatusReading(output: output, programs: programs)
        entries = reading.ids.compactMap { reading.entry(of: $0) }
    }
}

/// Finds out how one capture after the other stands.
private struct StatusReading {
    let output: String
    /// All that have a result or a failure note, or were in a plan.
    let ids: [String]
    private let state: StateFolder
    private var programs: ProgramVersions
    // Ids are compared by their bytes; see ``distinctByBytes``.
    private let published: Set<[UInt8]>
    private let unfinished: Set<String>
    private var history: RunHistory
    private let owner: String?
    /// By pipeline, as it stands in the receipt of one that it made.
    private var makers: [Digest: JSONValue] = [:]
    /// By the pipeline that made a result and the run that was to make another, the difference in words.
    private var changes: [Digest: [Int: String]] = [:]
    private lazy var made = RunRecord.made(in: state)

    init(output: String, programs: ProgramVersions) {
        self.output = output
        self.programs = programs
        state = StateFolder(output: output)
        let results = state.published
        history = RunHistory(in: state)
        published = Set(results.map(\.bytes))
        unfinished = state.unfinished
        owner = state.owningPipeline
        ids = (results + state.failed + history.ids).distinctByBytes
    }

    /// - Returns: nil for an id that nothing stands behind any more, such as a name that a capture had while it arrived.
    mutating func entry(of id: String) -> OutputStatus.Entry? {
        let isPublished = published.contains(id.bytes)
        if CaptureLock.isHeld(id, in: state) {
            return .init(
                id: id, standing: .running, isBehind: isPublished && entry(ofResult: id).standing == .stale)
        }
        if let note = FailureNote.load(id, in: state) {
            return .init(
                id: id, standing: .failed, cause: note.problem.summary, hasOlderResult: isPublished,
                isBehind: isPublished)
        }
        return isPublished ? entry(ofResult: id) : entry(withoutResult: id)
    }

    private mutating func entry(withoutResult id: String) -> OutputStatus.Entry? {
        if let place = history.place(of: id), FileSystem.isGone(place) { return nil }
        if unfinished.contains(id) {
            return .init(id: id, standing: .neverRun, cause: "it was begun and not finished")
        }
        if FileSystem.isLinkToNothing("\(output)/\(id)") {
            return .init(id: id, standing: .resultGone, cause: "it is a link to a folder that is not there")
        }
        if made.contains(id.bytes) { return .init(id: id, standing: .resultGone) }
        return .init(id: id, standing: .neverRun, cause: history.ending(of: id)?.why)
    }

    private mutating func entry(ofResult id: String) -> OutputStatus.Entry {
        guard let known = ResultState.load(id, in: state) else { return entry(ofUnknownResult: id) }
        // Nothing could be made of it anew: the result is all that there is, and not behind anything.
        if FileSystem.isGone(known.input) {
            return .init(id: id, standing: .done, cause: "\(known.input) is gone", isCaptureGone: true)
        }
        let maker = maker(of: id, known)
        if let owner, let name = maker?.pipeline["name"]?.string, name != owner {
            return stale(id, "the pipeline `\(name)` made it, and the folder is `\(owner)`'s now")
        }
        if let maker, let change = change(of: id, maker.pipeline, maker.digest) { return stale(id, change) }
        let standing = known.standing(
            of: known.input, pipeline: known.pipeline, result: "\(output)/\(id)", programs: &programs)
        switch standing {
        case .stale(let why):
            let left = history.ending(of: id)?.why.map { "; the last run left it: \($0)" } ?? ""
            return stale(id, why + left)
        case .another(isOlder: true): return stale(id, "an older result was put back")
        case .another, .unsure, .upToDate: return .init(id: id, standing: .done)
        }
    }

    /// What is known of its files was deleted, or the result was copied here. Its receipt is read only for a capture that a
    /// run left.
    private mutating func entry(ofUnknownResult id: String) -> OutputStatus.Entry {
        guard history.isLeft(id), let place = history.place(of: id), !FileSystem.isGone(place),
            let pipeline = PublishedResult(id, in: output)?.receipt["pipeline"],
            let change = change(of: id, pipeline, nil)
        else { return .init(id: id, standing: .done) }
        return stale(id, change)
    }

    private func stale(_ id: String, _ cause: String) -> OutputStatus.Entry {
        .init(id: id, standing: .stale, cause: cause, isBehind: true)
    }

    /// How the pipeline that made a result differs from that of the newest run that named the capture, and why that run did
    /// not come to it. A run that was stopped leaves results of another pipeline behind, which look finished.
    /// - Parameter digest: stands for the pipeline, where many results have it.
    private mutating func change(of id: String, _ pipeline: JSONValue, _ digest: Digest?) -> String? {
        guard let (run, wanted) = history.wanted(id, besides: pipeline) else { return nil }
        let known = digest.flatMap { changes[$0]?[run] }
        let text = known ?? PipelineChange.text(from: pipeline, to: wanted)
        if let digest { changes[digest, default: [:]][run] = text }
        return history.whyLeft(id, by: run).map { "\(text); \($0)" } ?? text
    }

    /// The pipeline that made a result, resolved, and the digest for which it stands; nil where the receipt cannot be read.
    private mutating func maker(of id: String, _ known: ResultState) -> (pipeline: JSONValue, digest: Digest?)? {
        let read = { [output] in PublishedResult(id, in: output)?.receipt["pipeline"] }
        if case .other = known.relation(to: "\(output)/\(id)") { return read().map { ($0, nil) } }
        // One receipt is enough for all that it made.
        let maker = makers[known.pipeline] ?? read()
        makers[known.pipeline] = maker
        return maker.map { ($0, known.pipeline) }
    }
}

extension String {
    fileprivate var bytes: [UInt8] { Array(utf8) }
}

extension Sequence<String> {
    /// Each once, sorted by their bytes: to Swift, names that differ in Unicode's composition alone are equal, and on disk
    /// they are two.
    package var distinctByBytes: [String] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.reduce(into: []) { names, name in
            if names.last?.utf8.elementsEqual(name.utf8) != true { names.append(name) }
        }
    }
}
