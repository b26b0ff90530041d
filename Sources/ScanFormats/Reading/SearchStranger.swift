extension CaptureSearch {
    /// The kind, by extension, of a file among the captures that cannot be read as one.
    public enum Stranger: Hashable, Sendable, CaseIterable {
        /// Packed in another format than ZIP.
        case archive
        /// A copy that is still incomplete, as browsers and copy programs name it.
        case unfinished
        /// A video by itself, which is one where videos are asked for.
        case video
        /// The two halves of a whole sphere, as 360° cameras film it.
        case sphere

        package init?(_ path: String) {
            let name = path.lowercased().pathName ?? ""
            let parts = name.split(separator: ".").suffix(2)
            // While copying, rsync calls it `.scan.zip.X7y2Qa`, Syncthing `.syncthing.scan.zip.tmp`; what a Mac has
            // left in the cloud is called `.scan.zip.icloud`.
            let isHiddenCopy = name.hasPrefix(".") && parts.last?.count == 6
            if isHiddenCopy || parts.last == "tmp" {
                guard let packed = parts.first, ["zip", "r3d", "sens"].contains(packed) else { return nil }
                self = .unfinished
                return
            }
            switch parts.last ?? "" {
            case "tar", "tgz", "tbz", "txz", "7z", "rar": self = .archive
            case "gz", "bz2", "xz", "zst":
                guard let packed = parts.first, ["tar", "sens", "zip", "r3d"].contains(packed) else { return nil }
                self = .archive
            case "crdownload", "download", "opdownload", "part", "filepart", "partial", "aria2", "!sync", "!qb":
                self = .unfinished
            case "insv", "360": self = .sphere
            default:
                guard VideoFileCapture.isNamed(path) else { return nil }
                self = .video
            }
        }
    }
}
