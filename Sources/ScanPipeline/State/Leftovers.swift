import Glibc
import ScanModel

/// What runners that were killed left behind: work folders, and older results that they had moved away.
public enum Leftovers {
    /// Removes what is left of one capture. Only called under the capture's lock, when nobody else can be working in
    /// them. An older result whose place is still empty is put back.
    static func sweep(_ id: String, in state: StateFolder) {
        for path in doomed(of: id, in: state) { FileSystem.removeTree(path) }
    }

    /// Sweeps after a runner that was ended, unless another one has the capture by now.
    public static func sweepBehind(_ id: String, in state: StateFolder) {
        guard let lock = try? CaptureLock(id, in: state), lock.isReal else { return }
        withExtendedLifetime(lock) { sweep(id, in: state) }
    }

    /// Takes what is left of one capture away, which is quick. Called as ``sweep(_:in:)`` is.
    /// - Returns: what is to be removed, which may take long and needs no lock.
    private static func doomed(of id: String, in state: StateFolder) -> [String] {
        // Compared by bytes, as its lock's name is.
        let isOf = { (other: String?) in other?.utf8.elementsEqual(id.utf8) == true }
        let works = StateFolder.ownNames(in: state.work).filter {
            isOf(StateFolder.id(ofWorkName: $0)) && isForsaken($0, in: state)
        }
        let old = StateFolder.ownNames(in: state.trash).filter { isOf(StateFolder.id(ofTrashName: $0)) }
        if works.isEmpty && old.isEmpty { return [] }
        let place = state.place(id)
        if let newest = newest(of: old, in: state), !place.holdsResult {
            guard place.obstacle == nil, rename("\(state.trash)/\(newest)", place.path) == 0 else { return [] }
        }
        // One of them may be a result that was just replaced: it stays until the new name is durable.
        guard (try? FileSystem.syncFolder(state.output)) != nil else { return [] }
        let paths = works.map { "\(state.work)/\($0)" } + old.map { "\(state.trash)/\($0)" }
        return paths.compactMap { doom($0, of: id, in: state) }
    }

    /// Of older results by their names in the trash, the one that was moved away last.
    private static func newest(of old: [String], in state: StateFolder) -> String? {
        old.max { age("\(state.trash)/\($0)") < age("\(state.trash)/\($1)") }
    }

    /// When a folder was given the name that it has.
    private static func age(_ path: String) -> Int64 { FileSystem.status(of: path)?.changed ?? 0 }

    /// Removes a folder that nobody needs any more.
    static func removeForGood(_ path: String, of id: String, in state: StateFolder) {
        if let doomed = doom(path, of: id, in: state) { FileSystem.removeTree(doomed) }
    }

    /// Gives a folder that is to be removed a name that nobody else knows: in the trash it might be put back if removing it
    /// is cut short; and if a work folder's runner is alive after all, the name that it would publish is gone first, so
    /// that nothing is taken out of its result.
    /// - Returns: the new path; nil where the folder is gone.
    private static func doom(_ path: String, of id: String, in state: StateFolder) -> String? {
        if !FileSystem.exists(path) { return nil }
        let doomed = "\(state.work)/\(StateFolder.workName(id))"
        _ = try? FileSystem.makeFolders(state.work)
        return rename(path, doomed) == 0 ? doomed : nil
    }

    /// Whether nobody can be working in a work folder whose capture's lock was free. Where locks do not reach other machines,
    /// as on some network shares, it says nothing of theirs: those stay until nothing in them has changed for a day.
    private static func isForsaken(_ name: String, in state: StateFolder) -> Bool {
        if StateFolder.host(ofWorkName: name) == StateFolder.host { return true }
        let changes = FileSystem.reachable(from: "\(state.work)/\(name)").compactMap { $0.status?.changed }
        return (changes.max() ?? .min) < wallClock() - 86_400_000_000_000
    }

    // MARK: - Of all captures

    /// The paths of leftovers, by what becomes of them.
    public struct Found: Sendable {
        public var removed: [String] = []
        /// Older results, whose own places were empty.
        public var putBack: [String] = []
        /// Those that cannot be removed.
        public var left: [String] = []

        public var isEmpty: Bool { removed.isEmpty && putBack.isEmpty && left.isEmpty }
    }

    /// What ``collect(in:)`` would do, as far as a look can tell: nothing is changed, and no lock is taken.
    /// - Throws: as that does where it cannot look.
    public static func foreseen(in state: StateFolder) throws(Problem) -> Found {
        try state.requireListable()
        let putBack = restorable(in: state)
        var found = Found()
        for (path, id) in works(in: state) where id.map({ !CaptureLock.isHeld($0, in: state) }) ?? false {
            found.removed.append(path)
        }
        for (path, id) in trash(in: state) where id.map({ !CaptureLock.isHeld($0, in: state) }) ?? true {
            if putBack.contains(path) {
                found.putBack.append(path)
            } else if let id, state.place(id).obstacle != nil {
                found.left.append(path)
            } else {
                found.removed.append(path)
            }
        }
        found.removed += StaleRecords.foreseen(in: state)
        return found
    }

    /// Removes what no runner works on any more: work folders whose capture's lock is free, and the trash; and records
    /// that are stale.
    /// - Throws: fault `environment` when a part of `OUT/.scanmill` cannot be listed, or a lock not be taken.
    public static func collect(in state: StateFolder) throws(Problem) -> Found {
        try state.requireListable()
        let putBack = restorable(in: state)
        var paths = try collectWork(in: state)
        for (path, id) in trash(in: state) {
            if let id {
                // Where there are no locks, what was replaced for good belongs to nobody any more.
                guard let lock = try CaptureLock(id, in: state), !lock.isReal, state.place(id).holdsResult else {
                    continue
                }
                removeForGood(path, of: id, in: state)
            } else {
                FileSystem.removeTree(path)
            }
            paths.append(path)
        }
        paths += StaleRecords.forget(in: state)
        let gone = paths.filter { !FileSystem.exists($0) }
        return Found(
            removed: gone.filter { !putBack.contains($0) }, putBack: gone.filter(putBack.contains),
            left: paths.filter(FileSystem.exists))
    }

    /// Removes the work folders that no runner works in any more, whether or not their capture is run again, and puts
    /// back older results whose place is empty. Does nothing at all where there are none.
    /// - Returns: the paths that were to go.
    @discardableResult
    public static func collectWork(in state: StateFolder) throws(Problem) -> [String] {
        var (paths, doomed): ([String], [String]) = ([], [])
        // A capture's leftovers are taken away at once.
        var swept: Set<[UInt8]> = []
        for (path, id) in works(in: state) + trash(in: state) {
            if let id, swept.contains(id.bytes) {
                paths.append(path)
                continue
            }
            // Its runner may have done with it by now.
            guard let id, let lock = try CaptureLock(id, in: state), lock.isReal, FileSystem.exists(path) else {
                continue
            }
            withExtendedLifetime(lock) { doomed += Self.doomed(of: id, in: state) }
            swept.insert(id.bytes)
            paths.append(path)
        }
        // Without the locks: who wants to run one of these captures need not wait.
        for path in doomed { FileSystem.removeTree(path) }
        return paths
    }

    /// The work folders in which nobody works who does not hold their capture's lock, each with its id.
    private static func works(in state: StateFolder) -> [(path: String, id: String?)] {
        StateFolder.ownNames(in: state.work).filter { isForsaken($0, in: state) }.map {
            ("\(state.work)/\($0)", StateFolder.id(ofWorkName: $0))
        }
    }

    /// What was moved away for new results, each with its capture's id.
    private static func trash(in state: StateFolder) -> [(path: String, id: String?)] {
        StateFolder.ownNames(in: state.trash).map { ("\(state.trash)/\($0)", StateFolder.id(ofTrashName: $0)) }
    }

    /// What of the trash ``doomed(of:in:)`` puts back.
    private static func restorable(in state: StateFolder) -> Set<String> {
        let old = Dictionary(grouping: StateFolder.ownNames(in: state.trash)) { StateFolder.id(ofTrashName: $0)?.bytes }
        let paths = old.compactMap { id, names -> String? in
            guard let id else { return nil }
            let place = state.place(String(decoding: id, as: UTF8.self))
            if place.holdsResult || place.obstacle != nil { return nil }
            return newest(of: names, in: state).map { "\(state.trash)/\($0)" }
        }
        return Set(paths)
    }
}
