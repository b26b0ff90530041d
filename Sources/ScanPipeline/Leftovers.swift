import ScanModel

/// Work folders of runners that were killed.
public enum Leftovers {
    /// Removes those of one capture. Only called under the capture's lock, when nobody else can be working in them.
    static func sweep(_ id: String, in state: StateFolder) {
        let names = FileSystem.names(in: state.work).filter { StateFolder.id(ofWorkName: $0) == id }
        if names.isEmpty { return }
        // One of them may be a result that was just replaced: it stays until the new name is durable.
        guard (try? FileSystem.syncFolder(state.output)) != nil else { return }
        for name in names { FileSystem.removeTree("\(state.work)/\(name)") }
    }

    /// Removes what no runner works on any more: work folders whose capture's lock is free, and the trash.
    /// - Returns: the paths that were removed.
    public static func collect(in state: StateFolder) throws(Problem) -> [String] {
        var removed = try collectWork(in: state)
        for name in FileSystem.names(in: state.trash) {
            FileSystem.removeTree("\(state.trash)/\(name)")
            removed.append("\(state.trash)/\(name)")
        }
        return removed + collectUnnamed(in: state) + forgetOldRuns(in: state)
    }

    /// Removes small files that were never given their names.
    private static func collectUnnamed(in state: StateFolder) -> [String] {
        var removed: [String] = []
        let folders = ["failures", "inputs", "thumbnails"].map { "\(state.path)/\($0)" }
        let runs = FileSystem.names(in: state.runs).map { "\(state.runs)/\($0)" }
        for folder in [state.path] + folders + runs {
            for name in FileSystem.names(in: folder) where name.hasPrefix(".") {
                let path = "\(folder)/\(name)"
                // Another runner may be writing it just now.
                guard let status = FileSystem.status(of: path), status.modified < wallClock() - 3_600_000_000_000 else {
                    continue
                }
                FileSystem.removeTree(path)
                removed.append(path)
            }
        }
        return removed
    }

    /// How many runs are remembered, with their reports.
    public static let rememberedRuns = 100

    /// Removes the records of the oldest runs.
    /// - Parameter name: of a run that stays, whatever its clock says.
    @discardableResult
    static func forgetOldRuns(in state: StateFolder, besides name: String? = nil) -> [String] {
        // Their names begin with the time.
        let old = FileSystem.names(in: state.runs).dropLast(rememberedRuns).filter { $0 != name }
            .map { "\(state.runs)/\($0)" }
        for path in old { FileSystem.removeTree(path) }
        return old
    }

    /// Removes the work folders that no runner works in any more, whether or not their capture is run again. Does nothing
    /// at all where there are none.
    @discardableResult
    public static func collectWork(in state: StateFolder) throws(Problem) -> [String] {
        var removed: [String] = []
        for name in FileSystem.names(in: state.work) {
            guard let id = StateFolder.id(ofWorkName: name), let lock = try CaptureLock(id, in: state), lock.isReal
            else { continue }
            withExtendedLifetime(lock) { sweep(id, in: state) }
            removed.append("\(state.work)/\(name)")
        }
        return removed
    }
}
