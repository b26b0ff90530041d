import Glibc
import ScanModel

/// Where commands other than runs make what they write: a sample, pictures of an inspection. Until it is whole, it lies
/// in `.scanmill/work` of the folder it is meant for, as a run's does, but no pipeline owns that folder.
public struct ScratchFolder: Sendable {
    private let state: StateFolder

    /// - Parameter folder: for which something is made.
    public init(in folder: String) { state = StateFolder(output: folder) }

    /// What such commands left there when they were killed. Where a pipeline owns the folder, its runs remove that.
    private var forsaken: [String] {
        if FileSystem.exists(state.owner) { return [] }
        return StateFolder.ownNames(in: state.work).filter(isForsaken).map { "\(state.work)/\($0)" }
    }

    /// What ``tidy()`` would remove.
    public var foreseen: Leftovers.Found { Leftovers.Found(removed: forsaken) }

    /// Removes what such commands left there, and the folders around it if nothing else is in them.
    @discardableResult
    public func tidy() -> Leftovers.Found {
        if FileSystem.exists(state.owner) { return Leftovers.Found() }
        let forsaken = forsaken
        forsaken.forEach(FileSystem.removeTree)
        for path in [state.work, state.path] { rmdir(path) }
        return Leftovers.Found(
            removed: forsaken.filter { !FileSystem.exists($0) }, left: forsaken.filter(FileSystem.exists))
    }

    /// Why something is still there, after ``tidy()``: its makers may still be writing to it. Nil where there is nothing,
    /// or a pipeline owns the folder.
    public var unfinished: Problem? {
        if FileSystem.exists(state.owner) || FileSystem.names(in: state.work).isEmpty { return nil }
        return Problem(
            .usage, "a `sample` or an `inspect` may still be at work here",
            notes: ["it counts as left over once its process is gone and nothing in it has changed for an hour"],
            fix: "run this again then, or remove it by hand"
        ).at(file: state.work)
    }

    /// Whether the process that made a work folder is gone, and nothing in it has changed for an hour: containers may
    /// share a name and not know of each other's processes. About another machine's, nobody here can tell.
    private func isForsaken(_ name: String) -> Bool {
        guard StateFolder.host(ofWorkName: name) == StateFolder.host,
            let process = StateFolder.process(ofWorkName: name)
        else { return false }
        if kill(process, 0) == 0 || errno != ESRCH { return false }
        let changes = FileSystem.reachable(from: "\(state.work)/\(name)").compactMap { $0.status?.modified }
        return (changes.max() ?? .min) < wallClock() - 3_600_000_000_000
    }
}
