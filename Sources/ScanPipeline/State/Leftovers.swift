import Glibc
import ScanModel

/// What runners that were killed left behind: work folders, and older results that they had moved away.
public enum Leftovers {
    /// What tells whether anybody may still need a folder.
    package struct Rule: Sendable {
        /// Whether somebody else who worked on a capture would hold its lock: not where the filesystem has none.
        let hasLocks: Bool
        /// Nanoseconds since 1970.
        let now: Int64

        package init(hasLocks: Bool, now: Int64 = wallClock()) {
            self.hasLocks = hasLocks
            self.now = now
        }

        init(in state: StateFolder) { self.init(hasLocks: StateLock.areReal(in: state)) }

        /// Whether nobody can be working in a work folder whose capture's lock was free. Where locks do not reach other
        /// machines, as on some network shares, it says nothing of theirs: those stay until they are old.
        fileprivate func isForsaken(work path: String) -> Bool {
            let host = path.pathName.flatMap { StateFolder.host(ofWorkName: String($0)) }
            return (hasLocks && host == StateFolder.host) || isOld(path)
        }

        /// Whether a result in the trash, whose place another one has, is of no use to the runner that moved it there.
        fileprivate func isForsaken(trash path: String) -> Bool { hasLocks || isOld(path) }

        /// Whether nothing in a folder has changed for a day.
        private func isOld(_ path: String) -> Bool {
            let changes = FileSystem.reachable(from: path).compactMap { $0.status?.changed }
            return (changes.max() ?? .min) < now - 86_400_000_000_000
        }
    }

    /// Removes what is left of one capture. An older result whose place is still empty is put back.
    /// - Parameter isLocked: whether the caller holds the capture's lock, so that nobody else can be working on it. Where the
    ///   filesystem has no locks, only what is old is removed.
    static func sweep(_ id: String, in state: StateFolder, isLocked: Bool) {
        let (works, old) = (paths(works(in: state), of: id), paths(trash(in: state), of: id))
        takeAway(works, old, of: id, in: state, Rule(hasLocks: isLocked)).forEach(remove)
    }

    /// Sweeps after a runner that was ended, unless another one has the capture by now.
    public static func sweepBehind(_ id: String, in state: StateFolder) {
        guard let lock = try? StateLock(id, in: state) else { return }
        withExtendedLifetime(lock) { sweep(id, in: state, isLocked: lock.isReal) }
    }

    /// Something that was to go.
    private struct Leftover {
        enum Fate {
            /// An older result, which has its place again.
            case putBack
            /// It has a name that nobody else knows, and is to be removed.
            case doomed(at: String)
            /// It was left where it is, or is gone.
            case stays
        }

        /// Where it was found.
        let path: String
        let fate: Fate
    }

    /// Takes what is left of one capture away, which is quick. Removing it may take long, and needs no lock.
    ///
    /// An older result is put back whether or not its runner may still be alive. That harms nobody: a folder is only ever
    /// renamed to a place that is empty, and a runner that comes to fill it finds it taken, and moves the older result
    /// away again.
    /// - Parameters:
    ///   - works: its work folders.
    ///   - old: its older results in the trash.
    private static func takeAway(
        _ works: [String], _ old: [String], of id: String, in state: StateFolder, _ rule: Rule
    ) -> [Leftover] {
        // Whether a folder is forsaken may take a look at all that is in it.
        var (settled, others): ([Leftover], [String]) = ([], works.filter(rule.isForsaken(work:)))
        if others.isEmpty && old.isEmpty { return [] }
        let place = state.place(id)
        if let newest = newest(of: old), !place.holdsResult {
            let isBack = place.obstacle == nil && rename(newest, place.path) == 0
            settled = isBack ? [Leftover(path: newest, fate: .putBack)] : staying(old)
            if isBack { others += old.filter { $0 != newest && rule.isForsaken(trash: $0) } }
        } else {
            others += old.filter(rule.isForsaken(trash:))
        }
        // One of them may be a result that was just replaced: it stays until the new name is durable.
        do {
            try FileSystem.syncForFAT(place.path)
            try FileSystem.syncFolder(state.output)
        } catch { return settled + staying(others) }
        return settled
            + others.map { path in
                let doomed = doom(path, of: id, in: state)
                return Leftover(path: path, fate: doomed.map { .doomed(at: $0) } ?? .stays)
            }
    }

    private static func staying(_ paths: [String]) -> [Leftover] { paths.map { Leftover(path: $0, fate: .stays) } }

    /// Removes what was taken away.
    private static func remove(_ leftover: Leftover) {
        if case .doomed(let place) = leftover.fate { FileSystem.removeTree(place) }
    }

    /// Of older results in the trash, the one that was moved away last.
    private static func newest(of old: [String]) -> String? { old.max { age($0) < age($1) } }

    /// When a folder was given the name that it has.
    private static func age(_ path: String) -> Int64 { FileSystem.status(of: path)?.changed ?? 0 }

    /// Removes a folder that nobody needs any more.
    static func removeForGood(_ path: String, of id: String, in state: StateFolder) {
        if let doomed = doom(path, of: id, in: state) { FileSystem.removeTree(doomed) }
    }

    /// Gives a folder that is to be removed a name that nobody else knows: in the trash it might be put back if removing it
    /// is cut short; and if a work folder's runner is alive after all, the name that it would publish is gone first, so
    /// that nothing is taken out of its result.
    /// - Returns: the new path; nil where the folder is gone, or cannot be moved.
    private static func doom(_ path: String, of id: String, in state: StateFolder) -> String? {
        if !FileSystem.exists(path) { return nil }
        let doomed = "\(state.work)/\(StateFolder.workName(id))"
        _ = try? FileSystem.makeFolders(state.work)
        return rename(path, doomed) == 0 ? doomed : nil
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

    /// What ``collect(in:_:)`` would do, as far as a look can tell: nothing is changed, and no lock is taken.
    /// - Throws: as that does where it cannot look.
    package static func foreseen(in state: StateFolder, _ rule: Rule? = nil) throws(Problem) -> Found {
        try state.requireListable()
        let rule = rule ?? Rule(in: state)
        let putBack = restorable(in: state)
        var found = Found()
        for (path, id) in works(in: state) where id.map({ !StateLock.isHeld($0, in: state) }) ?? false {
            if rule.isForsaken(work: path) { found.removed.append(path) }
        }
        for (path, id) in trash(in: state) where id.map({ !StateLock.isHeld($0, in: state) }) ?? true {
            if putBack.contains(path) {
                found.putBack.append(path)
            } else if let id, state.place(id).obstacle != nil {
                found.left.append(path)
            } else if id == nil || rule.isForsaken(trash: path) {
                found.removed.append(path)
            }
        }
        found.removed += StaleRecords.foreseen(in: state)
        return found
    }

    /// Removes what no runner works on any more: work folders whose capture's lock is free, and the trash; and records
    /// that are stale. Where the filesystem has no locks, folders only if they are old.
    /// - Parameter rule: nil for what OUT's filesystem gives.
    /// - Throws: fault `environment` when a part of `OUT/.scanmill` cannot be listed, or a lock not be taken.
    package static func collect(in state: StateFolder, _ rule: Rule? = nil) throws(Problem) -> Found {
        try state.requireListable()
        var leftovers = try clear(in: state, rule)
        let nameless = trash(in: state).filter { $0.id == nil }.map(\.path)
        nameless.forEach(FileSystem.removeTree)
        leftovers += staying(nameless + StaleRecords.forget(in: state))
        var found = Found()
        for leftover in leftovers {
            let path = leftover.path
            // What was to be removed may have resisted.
            switch leftover.fate {
            case .putBack: found.putBack.append(path)
            case .doomed(let place) where FileSystem.exists(place): found.left.append(place)
            case .stays where FileSystem.exists(path): found.left.append(path)
            case .doomed, .stays: found.removed.append(path)
            }
        }
        return found
    }

    /// Removes the work folders that no runner works in any more, whether or not their capture is run again, and puts
    /// back older results whose place is empty. Does nothing at all where there are none.
    /// - Returns: the paths that were to go.
    @discardableResult
    package static func collectWork(in state: StateFolder, _ rule: Rule? = nil) throws(Problem) -> [String] {
        try clear(in: state, rule).map(\.path)
    }

    private static func clear(in state: StateFolder, _ rule: Rule?) throws(Problem) -> [Leftover] {
        let rule = rule ?? Rule(in: state)
        var leftovers: [Leftover] = []
        // A capture's leftovers are taken away at once.
        let works = works(in: state).filter { rule.isForsaken(work: $0.path) }
        let old = trash(in: state)
        // Both are listed once: after a bad night they hold thousands.
        let (worksOf, oldOf) = (pathsByID(works), pathsByID(old))
        for id in (works + old).compactMap(\.id).distinctByBytes {
            guard let lock = try StateLock(id, in: state) else { continue }
            let rule = Rule(hasLocks: rule.hasLocks && lock.isReal, now: rule.now)
            // Before the lock was taken, a runner may have published from one and emptied the other; or it was killed when
            // it had just moved a result there, which has to come back.
            let works = (worksOf[PathKey(id)] ?? []).filter(FileSystem.exists)
            let old =
                state.place(id).holdsResult
                ? (oldOf[PathKey(id)] ?? []).filter(FileSystem.exists) : paths(trash(in: state), of: id)
            withExtendedLifetime(lock) { leftovers += takeAway(works, old, of: id, in: state, rule) }
        }
        // Without the locks: who wants to run one of these captures need not wait.
        leftovers.forEach(remove)
        return leftovers
    }

    /// All work folders, each with its capture's id.
    private static func works(in state: StateFolder) -> [(path: String, id: String?)] {
        StateFolder.ownNames(in: state.work).map { ("\(state.work)/\($0)", StateFolder.id(ofWorkName: $0)) }
    }

    /// What was moved away for new results, each with its capture's id.
    private static func trash(in state: StateFolder) -> [(path: String, id: String?)] {
        StateFolder.ownNames(in: state.trash).map { ("\(state.trash)/\($0)", StateFolder.id(ofTrashName: $0)) }
    }

    /// Those of one capture. Ids are compared by bytes, as the names of locks are.
    private static func paths(_ leftovers: [(path: String, id: String?)], of id: String) -> [String] {
        leftovers.filter { $0.id?.utf8.elementsEqual(id.utf8) == true }.map(\.path)
    }

    /// Those of each capture; without those that have no id.
    private static func pathsByID(_ leftovers: [(path: String, id: String?)]) -> [PathKey: [String]] {
        leftovers.reduce(into: [:]) { paths, leftover in
            if let id = leftover.id { paths[PathKey(id), default: []].append(leftover.path) }
        }
    }

    /// What of the trash ``takeAway(_:_:of:in:_:)`` puts back.
    private static func restorable(in state: StateFolder) -> Set<String> {
        let paths = pathsByID(trash(in: state)).compactMap { id, old -> String? in
            let place = state.place(id.path)
            return place.holdsResult || place.obstacle != nil ? nil : newest(of: old)
        }
        return Set(paths)
    }
}
