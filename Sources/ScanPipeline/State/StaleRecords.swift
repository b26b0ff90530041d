import ScanModel

/// What `OUT/.scanmill` keeps of runs and captures, and nobody needs any more. All of it can be made again.
package enum StaleRecords {
    /// All that ``forget(in:)`` would remove.
    static func foreseen(in state: StateFolder) -> [String] {
        unnamed(in: state) + oldRuns(in: state) + (GoneCaptures(in: state).map { Array($0.kept) } ?? [])
    }

    /// - Returns: the paths that were to go.
    static func forget(in state: StateFolder) -> [String] {
        let unnamed = unnamed(in: state)
        unnamed.forEach(FileSystem.removeTree)
        return unnamed + forgetOldRuns(in: state) + forgetGoneCaptures(in: state)
    }

    /// Small files that were never given their names.
    private static func unnamed(in state: StateFolder) -> [String] {
        var found: [String] = []
        let folders = [state.failures, state.inputs, state.thumbnails, state.drawings]
        let runs = StateFolder.ownNames(in: state.runs).map { "\(state.runs)/\($0)" }
        // OUT's state as a whole may lie elsewhere.
        let names = [(state.path, FileSystem.names(in: state.path))]
        for (folder, names) in names + (folders + runs).map({ ($0, StateFolder.ownNames(in: $0)) }) {
            for name in names where name.hasPrefix(".") {
                let path = "\(folder)/\(name)"
                // Another runner may be writing it just now.
                guard let status = FileSystem.status(of: path), status.modified < wallClock() - 3_600_000_000_000 else {
                    continue
                }
                found.append(path)
            }
        }
        return found
    }

    // MARK: - Runs

    /// How many runs are remembered, with their reports.
    package static let rememberedRuns = 100

    /// Removes the records of the oldest runs, but for those that may still be going on.
    /// - Parameter name: of a run that stays, whatever its clock says.
    @discardableResult
    static func forgetOldRuns(in state: StateFolder, besides name: String? = nil) -> [String] {
        let old = oldRuns(in: state, besides: name)
        old.forEach(FileSystem.removeTree)
        return old
    }

    private static func oldRuns(in state: StateFolder, besides name: String? = nil) -> [String] {
        if !FileSystem.isFolderItself(state.runs) { return [] }
        return RunRecord.names(in: state).dropLast(rememberedRuns).filter { $0 != name && !mayGoOn($0, state) }
            .map { "\(state.runs)/\($0)" }
    }

    /// Whether a run began within a week and has not said how it went.
    private static func mayGoOn(_ run: String, _ state: StateFolder) -> Bool {
        let (now, week) = (wallClock(), 7 * 86_400_000_000_000 as Int64)
        guard let plan = FileSystem.modified("\(state.runs)/\(run)/\(RunRecord.planName)") else { return false }
        return (now - week...now).contains(plan)
            && !FileSystem.exists("\(state.runs)/\(run)/\(RunRecord.outcomeName)")
    }

    // MARK: - Captures

    /// Removes what was kept for captures that are gone: digests, small pictures and locks, which would pile up where
    /// results are moved away every morning.
    /// - Returns: the paths that were to go, without the locks, which take up no room to speak of.
    @discardableResult
    static func forgetGoneCaptures(in state: StateFolder) -> [String] {
        guard let gone = GoneCaptures(in: state) else { return [] }
        var forgotten: [String] = []
        for path in gone.kept {
            FileSystem.removeTree(path)
            forgotten.append(path)
        }
        for id in StateFolder.ownNames(in: state.locks) where !id.hasPrefix(".") && gone.includes(id) {
            _ = StateLock.remove(id, in: state)
        }
        return forgotten
    }
}

/// The captures that have neither a result, even one without its receipt, nor a failure note.
private struct GoneCaptures {
    private let state: StateFolder
    /// What was kept of all captures, listed first: another runner saves it when its result is already there.
    private let listed: [(folder: String, name: String)]
    private let names: OutputNames
    /// The ids of the captures that are not gone, by what the disk tells them apart by.
    private let present: Set<PathKey>

    /// Nil where OUT cannot be listed: a share that went away does not tell what is gone.
    init?(in state: StateFolder) {
        self.state = state
        listed = [state.inputs, state.thumbnails, state.drawings].flatMap { folder in
            StateFolder.ownNames(in: folder).map { (folder: folder, name: $0) }
        }
        guard let names = try? FileSystem.list(state.output) else { return nil }
        // Where a result cannot be swapped, it is in the trash for a moment.
        let away = FileSystem.names(in: state.trash).compactMap(StateFolder.id(ofTrashName:))
        let disk = OutputNames(of: state.output)
        self.names = disk
        present = Set((names + state.failed + away).map { PathKey(disk.key($0)) })
    }

    func includes(_ id: String) -> Bool { !present.contains(PathKey(names.key(id))) }

    /// Their digests and small pictures. Lazy, so that each is looked at right before it goes.
    var kept: some Sequence<String> {
        listed.lazy.compactMap { folder, name -> String? in
            guard !name.hasPrefix("."), let id = [".json", ".jpg"].firstNonNil({ StateFolder.name(name, before: $0) }),
                includes(id),
                // Another runner may have published it meanwhile.
                !StateLock.isHeld(id, in: state), !FileSystem.exists("\(state.output)/\(id)")
            else { return nil }
            return "\(folder)/\(name)"
        }
    }
}
