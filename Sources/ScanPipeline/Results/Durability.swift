internal import CLinux
import Glibc
import ScanModel
import Synchronization

/// Makes the files of one result survive a power cut: the first few one by one, and when there are more of them, the others
/// all at once before the result appears.
///
/// Every fsync waits for the disk and its journal, so that a thousand of them take from half a second to half a minute;
/// `syncfs` does the same for all files in one go. It also writes what other programs have left unwritten on that
/// filesystem, and reports when that failed, so a result of a few files does without.
final class Durability: Sendable {
    /// How many files are worth an fsync each.
    static let fewFiles = 4

    /// Open for as long as files are written: `syncfs` reports what went wrong since then.
    private let folder: Int32
    private let usesSyncfs: Bool
    private let fileCount = Mutex(0)

    /// - Parameter folder: one on the filesystem that the files are written to.
    init(of folder: String) throws(Problem) {
        self.folder = try FileSystem.openFolder(folder)
        usesSyncfs = Self.tellsOfFailures(self.folder)
    }

    deinit { close(folder) }

    /// Takes a file that was written completely.
    func add(_ file: Int32, path: String) throws(Problem) {
        let number = fileCount.withLock { count in
            count += 1
            return count
        }
        if !usesSyncfs || number <= Self.fewFiles { try FileSystem.sync(file, path: path) }
    }

    /// After this, every file that was added is durable. A failure is reported once only: the result must be given up
    /// then.
    /// - Parameter path: the result's, for messages.
    func flush(path: String) throws(Problem) {
        guard usesSyncfs, fileCount.withLock({ $0 > Self.fewFiles }) else { return }
        try FileSystem.waitForDisk(path: path) { sm_sync_filesystem(folder) }
    }

    /// Whether `syncfs` waits for everything and reports what could not be written, on filesystems that are known to:
    /// since Linux 5.8 for data, since 5.17 for the journal too. Network and FUSE filesystems and overlays may not.
    private static func tellsOfFailures(_ folder: Int32) -> Bool {
        var system = utsname()
        guard uname(&system) == 0 else { return false }
        let release = withUnsafeBytes(of: system.release) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let version = release.split(whereSeparator: { !$0.isNumber }).prefix(2).compactMap { Int($0) }
        guard version.count == 2, !version.lexicographicallyPrecedes([5, 17]) else { return false }
        // As in linux/magic.h; ext2, ext3 and ext4 share one number.
        let (ext, xfs, btrfs): (Int64, Int64, Int64) = (0xef53, 0x5846_5342, 0x9123_683e)
        return [ext, xfs, btrfs].contains(sm_filesystem_type(folder))
    }
}
