import ScanModel

/// What the files that lie directly in a folder are like, folded into one digest: for files of which only that matters, be
/// they ten thousand.
struct FolderContents: Hashable, Sendable {
    /// Of names, sizes and times.
    let digest: Digest
    /// The last change of any of them, nanoseconds since 1970.
    private let changed: Int64

    init(of folder: String) {
        var text = ""
        var changed = Int64.min
        let now = wallClock()
        for name in FileSystem.names(in: folder) {
            guard let status = FileSystem.status(of: "\(folder)/\(name)") else { continue }
            text += "\(name) \(status.byteCount) \(status.modified) \(status.changed) \(status.file)\n"
            changed = max(changed, status.lastChange(by: now))
        }
        digest = Digest.of(Array(text.utf8))
        self.changed = changed
    }

    /// Whether a change of any of them after `time` would show.
    func isSettled(at time: Int64) -> Bool { FileSystem.Status.isSettled(changed, at: time) }
}
