import Glibc
import ScanModel

/// A folder in which a run found captures, and what disk it was on then. The disk may go away in the night: its captures
/// are then neither damaged nor moved.
public struct SourceFolder: Sendable, Hashable, Codable {
    /// From the root.
    private let path: String
    private let device: UInt64
    private let file: UInt64

    /// - Parameter path: of the folder as it is now.
    /// - Returns: nil where it cannot be looked at.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.path = FileSystem.absolute(path)
        (device, file) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    /// As it is when a capture is begun: a disk that came back may have another number, and is read like the first.
    var renewed: SourceFolder {
        guard let now = SourceFolder(path), now != self, !FileSystem.isGone(path) else { return self }
        return now
    }

    /// What to say of a capture in it that failed, where the folder is no longer the one that it was; nil where it is, or
    /// nobody can tell.
    var loss: Problem? {
        var status = stat()
        let summary: String
        if stat(path, &status) != 0 {
            if errno == EACCES { return nil }
            summary = "the folder of the captures is gone, perhaps with its disk"
        } else if status.st_dev != device || status.st_ino != file && FileSystem.isGone(path) {
            // Filesystems without inode numbers of their own number a folder anew now and then, but what is in it stays.
            summary = "the captures' folder is another one now, perhaps because its disk is gone"
        } else {
            return nil
        }
        return Problem(
            .environment, summary, fix: "mount the disk again, or put the folder back, and run again"
        ).at(file: path)
    }
}

/// The folders in which a run finds its captures, each looked at once.
package struct SourceFolders {
    /// What was named on the command line.
    private let named: Set<PathKey>
    private var known: [PathKey: SourceFolder?] = [:]

    package init(named paths: [String]) { named = Set(paths.map { PathKey(String($0.withoutSlashBehind)) }) }

    /// The folder that was named and in which a capture was found; the folder around a capture that was itself named.
    /// - Parameter capture: its path, which begins with the name.
    package mutating func folder(of capture: String) -> SourceFolder? {
        let around = FileSystem.parent(of: capture)
        var folder = around
        while !named.contains(PathKey(folder)) {
            let above = FileSystem.parent(of: folder)
            if above == folder {
                folder = around
                break
            }
            folder = above
        }
        if let found = known[PathKey(folder)] { return found }
        let found = SourceFolder(folder)
        known.updateValue(found, forKey: PathKey(folder))
        return found
    }
}
