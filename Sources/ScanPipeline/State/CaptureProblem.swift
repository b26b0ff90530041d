import Glibc
import ScanModel

/// What became of a capture's result, as a note of the problem that it failed with.
extension Problem {
    /// - Parameter older: what became of an earlier result, as `is unchanged`; nil where there is none.
    package static func nothingPublished(of id: String, older: String?) -> String {
        "nothing was published for \(id)" + (older.map { "; the last good result \($0)" } ?? "")
    }

    /// Of a capture whose process was ended between giving its result its name and saying so.
    package static func newResult(of id: String) -> String {
        "the new result of \(id) was published just before, and is whole"
    }

    /// Whether the problem says that of a capture.
    package func leavesNewResult(of id: String) -> Bool { notes.contains(Self.newResult(of: id)) }
}

/// A capture's problem, as people are shown it.
extension Problem {
    /// With the capture as its place if it names no file. A usage mistake is not a capture's.
    package func placed(in capture: String) -> Problem {
        place.file == nil && fault != .usage ? at(file: capture) : self
    }

    /// The whole text of a capture's problem.
    package func message(ofCapture path: String) -> String {
        let placed = placed(in: path)
        return placed.message(root: FileSystem.root(ofFilesOf: path, besides: placed.place.file))
    }
}

extension Problem {
    /// Of a file in OUT that the system does not open: what root has run by hand, nightly runs of another user cannot
    /// replace.
    /// - Parameter code: the system's error.
    func inOutput(_ code: Int32) -> Problem {
        guard code == EACCES else { return self }
        var problem = self
        problem.fix =
            "another user, such as root, has run captures into this folder: have root give all of it back with  chown "
            + "-R USER: OUT"
        return problem
    }
}
