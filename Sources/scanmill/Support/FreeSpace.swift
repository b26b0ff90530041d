import Glibc
import ScanPipeline

/// Free bytes on a path's filesystem.
enum FreeSpace {
    /// - Returns: nil where the filesystem does not say.
    static func bytes(at path: String) -> Int64? {
        var facts = statvfs()
        var path = path
        // If OUT does not exist yet, its nearest parent that does is asked.
        while statvfs(path, &facts) != 0 {
            if errno != ENOENT { return nil }
            let parent = FileSystem.parent(of: path)
            if parent == path { return nil }
            path = parent
        }
        // Some filesystems of programs answer with zeros.
        if facts.f_blocks == 0 { return nil }
        // Some network filesystems say more than there can be.
        let (bytes, overflow) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return overflow ? .max : Int64(clamping: bytes)
    }
}
