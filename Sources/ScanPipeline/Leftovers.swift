import ScanModel

/// Work folders of runners that were killed.
public enum Leftovers {
    /// Removes those of one capture. Only called under the capture's lock, when nobody else can be working in them.
    static func sweep(_ id: String, in state: StateFolder) {
        for name in FileSystem.names(in: state.work) where StateFolder.id(ofWorkName: name) == id {
            FileSystem.removeTree("\(state.work)/\(name)")
        }
    }

    /// Removes what no runner works on any more: work folders whose capture's lock is free, and the trash.
    /// - Returns: the paths that were removed.
    public static func collect(in state: StateFolder) throws(Problem) -> [String] {
        var removed: [String] = []
        for name in FileSystem.names(in: state.work) {
            guard let id = StateFolder.id(ofWorkName: name), let lock = try CaptureLock(id, in: state), lock.isReal else { continue }
            withExtendedLifetime(lock) { FileSystem.removeTree("\(state.work)/\(name)") }
            removed.append("\(state.work)/\(name)")
        }
        for name in FileSystem.names(in: state.trash) {
            FileSystem.removeTree("\(state.trash)/\(name)")
            removed.append("\(state.trash)/\(name)")
        }
        return removed
    }
}
