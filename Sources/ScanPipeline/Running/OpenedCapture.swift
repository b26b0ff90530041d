import ScanModel

/// What is known of a capture before its first frame: what its result is made from.
package struct OpenedCapture: Sendable {
    let key: ResultKey
    /// The files that the steps use, with those that options name; the result's key holds their digests.
    let inputs: [Receipt.File]
    /// The versions of the programs that it will need.
    let tools: [String: String]
    /// Its facts, without its frames.
    let capture: Capture
    /// What the files on disk were like before they were read, by their paths.
    let statuses: [PathKey: KnownDigests.Entry]
    /// What the capture's folders were like before anything in them was opened.
    let folders: [PathKey: FileSystem.Status]
    /// What lies in the folders of files that no stage uses, and by which the reader may have decided something.
    let besides: [String: FolderContents]
    /// The locations of files that options name and the capture does not hold, there or not, by their names.
    let options: [String: String]
    /// When its first and its last frame were taken, nanoseconds; nil where it has no times.
    let span: ClosedRange<Int64>?

    /// The file that was read may not be the one that was digested, or be half of one and half of the other.
    /// - Throws: a problem when anything is not as it was before it was read.
    func requireUnchanged() throws(Problem) {
        if let path = changed { throw Self.changed(path) }
    }

    /// - Parameter path: one that now leads to something else.
    static func changed(_ path: String) -> Problem {
        Problem(
            .environment, "the capture was changed while it was read", notes: ["\(path) is not as it was"],
            fix: "run again when it is whole; --settle leaves captures alone that are still being copied")
    }

    static func gone(_ path: String) -> Problem {
        Problem(
            .environment, "the capture was moved away after the run had found it",
            fix: "run again with the place where it is now"
        ).at(file: path)
    }

    /// The first path, in the order of their bytes, that now leads to something else.
    private var changed: String? {
        let files = statuses.filter { key, known in
            let path = key.path
            guard let now = FileSystem.status(of: path) else { return true }
            if now == known.status { return false }
            if !now.hasBytes(of: known.status) { return true }
            // Permissions and links change without the bytes, and times can be set back after the bytes changed.
            // Filesystems without inode numbers of their own (exFAT, many shares) number a file anew when they have
            // forgotten it.
            return known.digest.map { (try? FileSystem.digest(of: path)) != $0 } ?? (now.file != known.status.file)
        }
        let folders = folders.filter { key, known in FileSystem.status(of: key.path)?.hasBytes(of: known) != true }
        return (files.map(\.key) + folders.map(\.key)).min()?.path
    }
}
