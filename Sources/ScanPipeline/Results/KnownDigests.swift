/// Digests of input files that were taken earlier, valid while size and time of change stay the same.
package struct KnownDigests: Sendable {
    struct Entry: Hashable, Sendable {
        var status: FileSystem.Status
        /// Of the whole file; nil for an archive, of which only parts were read.
        var digest: Digest?
    }

    /// By path on disk, as it was given or from the root.
    var entries: [PathKey: Entry] = [:]

    package init() {}

    /// Those of files that were settled at `time`.
    func settled(at time: Int64) -> KnownDigests {
        KnownDigests(entries: entries.filter { $0.value.status.isSettled(at: time) })
    }

    init(entries: [PathKey: Entry]) { self.entries = entries }

    func digest(of path: String, _ status: FileSystem.Status) -> Digest? {
        let known = entries[PathKey(path)] ?? entries[PathKey(FileSystem.absolute(path))]
        return known.flatMap { $0.status == status ? $0.digest : nil }
    }
}
