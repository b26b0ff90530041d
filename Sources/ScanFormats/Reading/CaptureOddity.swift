extension CaptureEntry {
    /// What is neither a file that can be read nor a folder.
    public enum Oddity: Hashable, Sendable {
        case pipe, socket, device
        case linkToNothing, linkInACircle
        /// What has a name that is not UTF-8: no string leads to it.
        case notText
        /// A file that an inspection goes on without, since it cannot be read.
        case setAside
        /// In an archive, of which none is made a file.
        case archivedLink, archivedDevice
        /// A file in an archive with a password.
        case encrypted
        /// A file in an archive, packed by this method, which libzip does not unpack.
        case packed(String)

        /// As messages call it, after "is".
        public var words: String {
            switch self {
            case .pipe: "a pipe, not a file"
            case .socket: "a socket, not a file"
            case .device: "a device, not a file"
            case .linkToNothing: "a link to nothing"
            case .linkInACircle: "a link that leads in a circle"
            case .notText: "a name that is not UTF-8"
            case .setAside: "unreadable (see the problems)"
            case .archivedLink: "a link, which is not followed inside an archive"
            case .archivedDevice: "a device or a pipe in its archive"
            case .encrypted: "a file that is encrypted in its archive"
            case .packed(let method): "a file that its archive holds packed with \(method)"
            }
        }
    }
}
