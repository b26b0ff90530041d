import ScanModel

/// What the files and folders of a capture were like at one moment. What is added beside a capture, or beside a file
/// that an option names, does not concern it.
struct InputSnapshot {
    /// Every folder of the capture, empty ones too. Also the path that was named: it may be an archive, whose parts
    /// have no status of their own.
    private(set) var folders: [PathKey: FileSystem.Status] = [:]
    /// The files in them.
    private(set) var files: [PathKey: FileSystem.Status] = [:]

    /// Of nothing.
    init() {}

    init(of input: CaptureInput) {
        for entry in FileSystem.reachable(from: input.path) {
            // Its name is not text: there never was anything under the mended one.
            if FileSystem.isMended(entry.path) { continue }
            if entry.isFolder || entry.path == input.path { folders[PathKey(entry.path)] = entry.status }
            if !entry.isFolder { files[PathKey(entry.path)] = entry.status }
        }
    }

    /// A path that now leads to something else.
    var changed: String? {
        let all = folders.merging(files) { folder, _ in folder }.sorted { $0.key < $1.key }
        return all.first { FileSystem.status(of: $0.key.path)?.hasBytes(of: $0.value) != true }?.key.path
    }
}
