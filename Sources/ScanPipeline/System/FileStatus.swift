import Glibc

extension FileSystem {
    /// What tells whether a file or folder has changed. All times are nanoseconds since 1970.
    package struct Status: Hashable, Sendable {
        /// 0 for a folder: its size says nothing of what is in it, and ntfs-3g changes it when a folder is only looked at.
        var byteCount: Int64
        /// When its bytes changed. Copying and unpacking tools set it as they like.
        package var modified: Int64
        /// When anything about it changed, which nobody can set.
        var changed: Int64
        /// Its number on its filesystem (the inode).
        var file: Int64

        /// Whether nothing differs but the time that nobody can set, which new permissions and links change too.
        func isSame(as other: Status) -> Bool {
            hasBytes(of: other) && file == other.file
        }

        /// Whether it may be the same file with the same bytes, as far as its size and modification time tell.
        func hasBytes(of other: Status) -> Bool { byteCount == other.byteCount && modified == other.modified }

        /// Whether a change after `time` would show: it had been unchanged for 2 s, so that no change can hide within
        /// one tick of the clock. `modified` is not consulted: writing moves both times, and setting `modified`, even
        /// to a future time, moves `changed`.
        func isSettled(at time: Int64) -> Bool {
            let (before, isOverflow) = time.subtractingReportingOverflow(2_000_000_000)
            return !isOverflow && changed < before
        }

        /// All of it in one line.
        var text: String { "\(byteCount) \(modified) \(changed) \(file)" }
    }

    /// What the kernel knows a file or folder by, whatever path leads to it.
    package struct Identity: Hashable, Sendable {
        private let device: UInt64
        private let file: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            file = UInt64(status.st_ino)
        }
    }
}

extension FileSystem.Status {
    init(_ status: stat) {
        self.init(
            byteCount: status.st_mode & S_IFMT == S_IFDIR ? 0 : Int64(status.st_size),
            modified: Self.nanoseconds(status.st_mtim), changed: Self.nanoseconds(status.st_ctim),
            file: Int64(truncatingIfNeeded: status.st_ino))
    }

    /// Since 1970. A file may have any date; those outside the years 1678 to 2261 become the nearest within.
    static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, isOutside) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        return isOutside || isBeyond ? (time.tv_sec < 0 ? .min : .max) : sum
    }
}
