import ScanModel

/// How every capture stands that was ever run into a folder.
public struct OutputStatus: Sendable {
    public enum Standing: String, Sendable, CaseIterable {
        case done
        /// It has a result, and its files have changed since.
        case stale
        case failed
        case running
        /// It was in a run's plan and has neither a result nor a failure note.
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
        let ids = (state.published + state.failed + Self.planned(state)).distinctByBytes
        entries = ids.map { id in
            if CaptureLock.isHeld(id, in: state) { return Entry(id: id, standing: .running) }
            if let note = FailureNote.load(id, in: state) {
                return Entry(id: id, standing: .failed, cause: note.problem.summary)
            }
            guard published.contains(Array(id.utf8)) else {
                return Entry(
                    id: id, standing: .neverRun, cause: unfinished.contains(id) ? "it was begun and not finished" : nil)
            }
            let known = ResultState.load(id, in: state)
            if let known,
                case .stale(let why) = known.standing(
                    of: known.input, pipeline: known.pipeline, result: "\(output)/\(id)", programs: &programs)
            {
                return Entry(id: id, standing: .stale, cause: why)
            }
            return Entry(id: id, standing: .done)
        }
    }

    private static func planned(_ state: StateFolder) -> [String] {
        var ids: [String] = []
        for run in FileSystem.names(in: state.runs) {
            let captures = StateFolder.read("\(state.runs)/\(run)/plan.json")?["captures"]?.array ?? []
            ids += captures.compactMap { $0["id"]?.string }
        }
        return ids
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

extension BatchPlan {
    /// How many captures have this decision.
    public func count(_ decision: Decision) -> Int { entries.count { $0.decision == decision } }

    /// The captures that cannot run for what stands in the place of their results.
    public var obstructed: [CaptureInput] {
        entries.compactMap { entry in if case .obstructed = entry.decision { entry.input } else { nil } }
    }

    /// How many are passed over because they failed before, or would fail.
    public var cannotRun: Int {
        entries.count { entry in
            switch entry.decision {
            case .failedBefore, .obstructed: true
            case .run, .compare, .upToDate, .arriving: false
            }
        }
    }
}

extension PublishedResult {
    /// Bytes of all published files.
    public var byteCount: Int64 { files.reduce(0) { $0 + $1.byteCount } }

    /// Bytes of the input files that the result was made from.
    public var inputBytes: Int64 { (receipt["inputs"]?.array ?? []).reduce(0) { $0 + ($1["bytes"]?.integer ?? 0) } }
}
