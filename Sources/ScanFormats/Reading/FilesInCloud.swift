import ScanModel

extension Capture {
    /// Warns of files that are still in iCloud: in the place of such an `a.jpg` a Mac has a hidden `.a.jpg.icloud`, which
    /// copies with the rest, and every reader takes the file for missing.
    public mutating func noteFilesInCloud(in tree: any CaptureTree) {
        let used = files.map(\.path.folderPath) + frames.compactMap { $0.pictureFile?.folderPath }
        let top = tree.entries(in: "").filter { $0.kind == .folder }.map(\.name)
        let awaited = Set([""] + used + top).sorted().flatMap { folder in
            Self.placeholders(in: folder, of: tree).map { $0.path(in: folder) }.filter { tree.entry($0) == nil }
        }
        guard let first = awaited.first else { return }
        let what =
            awaited.count == 1
            ? "\(first.shortened) is still in iCloud"
            : "\(awaited.count) files are still in iCloud, such as \(first.shortened)"
        warnings.append("\(what): download the folder on the Mac, and copy the capture again")
    }

    /// The names of the files that placeholders in a folder on disk stand for.
    private static func placeholders(in folder: String, of tree: any CaptureTree) -> [String] {
        // Nothing in an archive lies in a place of its own.
        guard let place = tree.location(of: folder), place.range == nil else { return [] }
        let end = ".icloud"
        return CaptureFolder(path: place.path).hiddenNames.filter { $0.hasSuffix(end) && $0.count > 1 + end.count }
            .map { String($0.dropFirst().dropLast(end.count)) }
    }
}
