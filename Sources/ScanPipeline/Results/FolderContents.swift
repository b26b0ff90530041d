import ScanModel

/// What the files that lie directly in a folder are like, folded into one digest: for files of which only that matters,
/// even ten thousand of them.
struct FolderContents: Hashable, Sendable {
    /// Of names, sizes and times.
    let digest: Digest
    /// Of the one that changed last; nil for an empty folder.
    private let latest: FileSystem.Status?

    init(of folder: String) {
        var text = ""
        var latest: FileSystem.Status?
        for (name, facts) in FileSystem.statuses(in: folder) {
            guard let status = facts.map(FileSystem.Status.init) else { continue }
            text += "\(name) \(status.text)\n"
            if status.changed > latest?.changed ?? .min { latest = status }
        }
        digest = Digest.of(text)
        self.latest = latest
    }

    /// Whether a change of any of them after `time` would show.
    func isSettled(at time: Int64) -> Bool { latest?.isSettled(at: time) ?? true }
}
