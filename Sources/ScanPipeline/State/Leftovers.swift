import Glibc
import ScanModel

/// What runners that were killed left behind: work folders, and older results that they had moved away.
public enum Leftovers {
    /// Removes what is left of one capture. Only called under the capture's lock, when nobody else can be working in
    /// them. An older result whose place is still empty is put back.
    static func sweep(_ id: String, in state: StateFolder) {
        for path in doomed(of: id, in: state) { FileSystem.removeTree(path) }
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

    /// Sweeps after a runner that was ended, unless another one has the capture by now.
    public static func sweepBehind(_ id: String, in state: StateFolder) {
        guard let lock = try? CaptureLock(id, in: state), lock.isReal else { return }
        withExtendedLifetime(lock) { sweep(id, in: state) }
    }

    /// When a folder was given the name that it has.
    private static func age(_ path: String) -> Int64 { FileSystem.status(of: path)?.changed ?? 0 }

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
        found.removed += unnamed(in: state) + oldRuns(in: state) + keptOfGoneCaptures(in: state, isRemoved: false)
        return found
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

    /// Removes what no runner works on any more: work folders whose capture's lock is free, and the trash.
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
        let unnamed = unnamed(in: state)
        unnamed.forEach(FileSystem.removeTree)
        paths += unnamed + forgetOldRuns(in: state) + forgetGoneCaptures(in: state)
        let gone = paths.filter { !FileSystem.exists($0) }
        return Found(
            removed: gone.filter { !putBack.contains($0) }, putBack: gone.filter(putBack.contains),
            left: paths.filter(FileSystem.exists))
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

    /// Removes what was kept for captures that no longer have a result, even one without its receipt, or a failure
    /// note: digests, small pictures and locks, which would pile up where results are moved away every morning. All can
    /// be made again.
    @discardableResult
    static func forgetGoneCaptures(in state: StateFolder) -> [String] {
        keptOfGoneCaptures(in: state, isRemoved: true)
    }

    private static func keptOfGoneCaptures(in state: StateFolder, isRemoved: Bool) -> [String] {
        // Listed first: another runner saves what it keeps when its result is already there.
        let kept = [state.inputs, state.thumbnails, state.drawings].flatMap { folder in
            StateFolder.ownNames(in: folder).map { (folder, $0) }
        }
        // An OUT that cannot be listed, such as a share that went away, does not tell what is gone.
        guard let names = try? FileSystem.list(state.output) else { return [] }
        // Where a result cannot be swapped, it is in the trash for a moment.
        let away = FileSystem.names(in: state.trash).compactMap(StateFolder.id(ofTrashName:))
        // By their bytes, as file names are.
        let here = Set((names + state.failed + away).map(\.bytes))
        var found: [String] = []
        for (folder, name) in kept where !name.hasPrefix(".") {
            guard let id = [".json", ".jpg"].firstNonNil({ StateFolder.name(name, before: $0) }),
                !here.contains(id.bytes)
            else { continue }
            // Another runner may have published it meanwhile.
            if CaptureLock.isHeld(id, in: state) || FileSystem.exists("\(state.output)/\(id)") { continue }
            let path = "\(folder)/\(name)"
            if isRemoved { FileSystem.removeTree(path) }
            found.append(path)
        }
        if !isRemoved { return found }
        for id in StateFolder.ownNames(in: state.locks) where !id.hasPrefix(".") && !here.contains(id.bytes) {
            // Not reported: it takes up no room to speak of.
            _ = CaptureLock.remove(id, in: state)
        }
        return found
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
}
