import ScanModel

/// How every capture stands that was ever run into a folder.
public struct OutputStatus: Sendable {
    public enum Standing: String, Sendable, CaseIterable {
        /// It has a result that a run would leave as it is, or could not make again because the capture is gone.
        case done
        /// It has a result, and its files have changed since.
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
    /// Where the captures lay when they were planned.
    private let places: [[UInt8]: String]
    /// Why the newest run did not come to them.
    private let reasons: [[UInt8]: String]
    private let owner: String?
    /// By pipeline, the name of the one that made a result: one pipeline has one name, so that a receipt of each is enough.
    private var makers: [Digest: String] = [:]
    private lazy var made = RunRecord.made(in: state)

    init(output: String, programs: ProgramVersions) {
        self.output = output
        self.programs = programs
        state = StateFolder(output: output)
        let results = state.published
        let planned = RunRecord.planned(in: state)
        published = Set(results.map(\.bytes))
        unfinished = state.unfinished
        let left = RunRecord.left(in: state)
        let known = planned + left.map { ($0.id, $0.input) }
        places = Dictionary(known.map { ($0.id.bytes, $0.input) }, uniquingKeysWith: { $1 })
        reasons = Dictionary(left.map { ($0.id.bytes, $0.why) }, uniquingKeysWith: { $1 })
        owner = state.owningPipeline
        ids = (results + state.failed + known.map(\.id)).distinctByBytes
    }

    /// - Returns: nil for an id that nothing stands behind any more, such as a name that a capture had while it arrived.
    mutating func entry(of id: String) -> OutputStatus.Entry? {
        if CaptureLock.isHeld(id, in: state) { return .init(id: id, standing: .running) }
        let isPublished = published.contains(id.bytes)
        if let note = FailureNote.load(id, in: state) {
            return .init(id: id, standing: .failed, cause: note.problem.summary, hasOlderResult: isPublished)
        }
        return isPublished ? entry(ofResult: id) : entry(withoutResult: id)
    }

    private mutating func entry(withoutResult id: String) -> OutputStatus.Entry? {
        if let place = places[id.bytes], FileSystem.isGone(place) { return nil }
        if unfinished.contains(id) {
            return .init(id: id, standing: .neverRun, cause: "it was begun and not finished")
        }
        if FileSystem.isLinkToNothing("\(output)/\(id)") {
            return .init(id: id, standing: .resultGone, cause: "it is a link to a folder that is not there")
        }
        if made.contains(id.bytes) { return .init(id: id, standing: .resultGone) }
        return .init(id: id, standing: .neverRun, cause: reasons[id.bytes])
    }

    private mutating func entry(ofResult id: String) -> OutputStatus.Entry {
        guard let known = ResultState.load(id, in: state) else { return .init(id: id, standing: .done) }
        // Nothing could be made of it anew: the result is all that there is, and not behind anything.
        if FileSystem.isGone(known.input) {
            return .init(id: id, standing: .done, cause: "\(known.input) is gone", isCaptureGone: true)
        }
        if let owner, let maker = maker(of: id, known), maker != owner {
            return .init(
                id: id, standing: .stale, cause: "the pipeline `\(maker)` made it, and the folder is `\(owner)`'s now")
        }
        let standing = known.standing(
            of: known.input, pipeline: known.pipeline, result: "\(output)/\(id)", programs: &programs)
        switch standing {
        case .stale(let why): return .init(id: id, standing: .stale, cause: why)
        case .another(isOlder: true): return .init(id: id, standing: .stale, cause: "an older result was put back")
        case .another, .unsure, .upToDate: return .init(id: id, standing: .done)
        }
    }

    private mutating func maker(of id: String, _ known: ResultState) -> String? {
        if case .other = known.relation(to: "\(output)/\(id)") { return PublishedResult(id, in: output)?.pipelineName }
        let maker = makers[known.pipeline] ?? PublishedResult(id, in: output)?.pipelineName
        makers[known.pipeline] = maker
        return maker
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
