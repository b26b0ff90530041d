import ScanModel

/// How every capture stands that was ever run into a folder.
public struct OutputStatus: Sendable {
    public enum Standing: String, Sendable, CaseIterable {
        case done
        /// It has a result, and its files have changed since.
        case stale
        case failed
        case running
        /// It was in a run's plan, is still there, and has neither a result nor a failure note.
        case neverRun = "never run"
    }

    public struct Entry: Sendable, Hashable {
        public var id: String
        public var standing: Standing
        public var cause: String?
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
        entries = ids.compactMap { id in
            if CaptureLock.isHeld(id, in: state) { return Entry(id: id, standing: .running) }
            if let note = FailureNote.load(id, in: state) {
                return Entry(id: id, standing: .failed, cause: note.problem.summary)
            }
            guard published.contains(Array(id.utf8)) else {
                // Such as a name that a capture had while it arrived.
                if let place = places[Array(id.utf8)], !FileSystem.exists(place) { return nil }
                return Entry(
                    id: id, standing: .neverRun, cause: unfinished.contains(id) ? "it was begun and not finished" : nil)
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
            if let known,
                case .stale(let why) = known.standing(
                    of: known.input, pipeline: known.pipeline, result: "\(output)/\(id)", programs: &programs)
            {
                return Entry(id: id, standing: .stale, cause: why)
            }
            return Entry(id: id, standing: .done)
        }
    }

    /// The captures of all plans that are remembered, the oldest plan first.
    private static func planned(_ state: StateFolder) -> [(id: String, input: String)] {
        FileSystem.names(in: state.runs).flatMap { run -> [(id: String, input: String)] in
            guard let plan = StateFolder.read("\(state.runs)/\(run)/plan.json") else { return [] }
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
