import Glibc
import ScanModel

/// Where commands that are no run make what they write: a sample, pictures of an inspection. It lies in `.scanmill/work` of
/// the folder for which it is meant until it is whole, as a run's does, but no pipeline owns that folder.
public struct ScratchFolder: Sendable {
    private let state: StateFolder

    /// - Parameter folder: for which something is made.
    public init(in folder: String) { state = StateFolder(output: folder) }

    /// Removes what such commands left there that were killed, and the folders around it if nothing else lies in them. Where a
    /// pipeline owns the folder, its runs do that.
    /// - Returns: the paths that were removed.
    @discardableResult
    public func tidy() -> [String] {
        if FileSystem.exists(state.owner) { return [] }
        let left = FileSystem.names(in: state.work).filter(Self.isForsaken).map { "\(state.work)/\($0)" }
        left.forEach(FileSystem.removeTree)
        for path in [state.work, state.path] { rmdir(path) }
        return left
    }

    /// Whether the process is gone that made a work folder. Of another machine's, nobody here can tell.
    private static func isForsaken(_ name: String) -> Bool {
        guard StateFolder.host(ofWorkName: name) == StateFolder.host,
            let process = StateFolder.process(ofWorkName: name)
        else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }
}
