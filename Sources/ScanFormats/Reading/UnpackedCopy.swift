import ScanModel

/// A folder into which an archive may have been unpacked: the two then hold the same capture.
package enum UnpackedCopy {
    /// What the capture in an archive holds and a folder lacks, or has as something else or with another size. Bytes are
    /// not compared, and what else the folder holds makes no difference.
    /// - Parameters:
    ///   - folder: a capture's folder.
    ///   - archive: the path of a ZIP archive.
    ///   - limits: for the archive.
    /// - Returns: paths in the capture; none for an unpacked copy. Nil where one of the two cannot be looked into, or the
    ///   archive does not hold one capture.
    package static func missing(from folder: String, of archive: String, limits: ArchiveLimits) -> [String]? {
        guard case .folder? = CaptureFolder.kind(at: folder),
            let opened = try? ZipArchive(path: archive, limits: limits),
            let packed = try? opened.onlyCapture()
        else { return nil }
        let unpacked = CaptureFolder(path: folder)
        var missing: [String] = []
        func compare(_ folder: String) {
            for entry in packed.entries(in: folder) {
                let path = entry.name.path(in: folder)
                if entry.kind == .folder {
                    compare(path)
                } else if entry.kind != unpacked.entry(path)?.kind {
                    missing.append(path)
                }
            }
        }
        compare("")
        return missing
    }
}
