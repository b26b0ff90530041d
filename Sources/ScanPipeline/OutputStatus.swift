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
        /// It was in a run's plan, is still there, and has neither a result nor a failure note.
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
        var programs = programs
        let state = StateFolder(output: output)
        let published = Set(state.published.map { Array($0.utf8) })
        let unfinished = state.unfinished
        let planned = Self.planned(state)
        let ids = (state.published + state.failed + planned.map(\.id)).distinctByBytes
        let places = Dictionary(planned.map { (Array($0.id.utf8), $0.input) }, uniquingKeysWith: { $1 })
        let owner = state.owningPipeline
        var makers: [Digest: String] = [:]
        var made: Set<[UInt8]>?
        entries = ids.compactMap { id in
            if CaptureLock.isHeld(id, in: state) { return Entry(id: id, standing: .running) }
            if let note = FailureNote.load(id, in: state) {
                return Entry(
                    id: id, standing: .failed, cause: note.problem.summary,
                    hasOlderResult: published.contains(Array(id.utf8)))
            }
            guard published.contains(Array(id.utf8)) else {
                // Such as a name that a capture had while it arrived.
                if let place = places[Array(id.utf8)], !FileSystem.exists(place) { return nil }
                if unfinished.contains(id) {
                    return Entry(id: id, standing: .neverRun, cause: "it was begun and not finished")
                }
                let everMade = made ?? Self.made(state)
                made = everMade
                return Entry(id: id, standing: everMade.contains(Array(id.utf8)) ? .resultGone : .neverRun)
            }
            let known = ResultState.load(id, in: state)
            if let known, let owner {
                // One pipeline has one name: a receipt of each is enough.
                let maker = makers[known.pipeline] ?? PublishedResult(id, in: output)?.pipelineName
                makers[known.pipeline] = maker
                if let maker, maker != owner {
                    return Entry(
                        id: id, standing: .stale,
                        cause: "the pipeline `\(maker)` made it, and the folder is `\(owner)`'s now")
                }
            }
            // Nothing could be made of it anew: the result is all that there is, and not behind anything.
            if let known, !FileSystem.exists(known.input) {
                return Entry(id: id, standing: .done, cause: "\(known.input) is gone", isCaptureGone: true)
            }
            if let known,
                case .stale(let why) = known.standing(
                    of: known.input, pipeline: known.pipeline, result: "\(output)/\(id)", programs: &programs)
            {
                return Entry(id: id, standing: .stale, cause: why)
            }
            return Entry(id: id, standing: .done)
        }
    }

    /// The ids of captures of which any run that is remembered made a result.
    private static func made(_ state: StateFolder) -> Set<[UInt8]> {
        var ids: Set<[UInt8]> = []
        for run in FileSystem.names(in: state.runs) {
            let outcome = StateFolder.read("\(state.runs)/\(run)/\(RunRecord.outcomeName)")
            for capture in outcome?["captures"]?.array ?? [] where RunRecord.kind(of: capture) == .done {
                if let id = capture["id"]?.string { ids.insert(Array(id.utf8)) }
            }
        }
        return ids
    }

    /// The captures of all plans that are remembered, the oldest plan first.
    private static func planned(_ state: StateFolder) -> [(id: String, input: String)] {
        FileSystem.names(in: state.runs).flatMap { run -> [(id: String, input: String)] in
            guard let plan = StateFolder.read("\(state.runs)/\(run)/\(RunRecord.planName)") else { return [] }
            // Where relative paths start.
            let folder = plan["command"]?["folder"]?.string ?? "."
            return (plan["captures"]?.array ?? []).compactMap { capture in
                guard let id = capture["id"]?.string, let input = capture["input"]?.string else { return nil }
                return (id, FileSystem.path(input, from: folder))
            }
        }
    }
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
