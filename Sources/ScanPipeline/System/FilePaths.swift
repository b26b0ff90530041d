import Glibc
import ScanModel

/// What paths mean.
extension FileSystem {
    /// A path that means the same from everywhere and has one spelling: messages show other paths as below the capture.
    package static func absolute(_ path: String) -> String {
        if path.isAbsolutePath { return plain(path) }
        guard let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return plain("\(String(cString: folder))/\(path)")
    }

    /// An absolute path without `.`, empty names, and `..` where that leads back out of a folder: after a link it leads
    /// elsewhere, and stays.
    private static func plain(_ path: String) -> String {
        var plain = ""
        for name in path.pathParts where name != "." {
            if name == ".." && isFolderItself(plain.isEmpty ? "/" : plain) && plain.pathName != ".." {
                plain = String(plain.lastSlash.map { plain[..<$0] } ?? "")
            } else {
                plain += "/\(name)"
            }
        }
        return plain.isEmpty ? "/" : plain
    }

    /// A path that starts in a folder, unless it is absolute.
    package static func path(_ path: String, from folder: String) -> String {
        path.isAbsolutePath ? path : "\(folder)/\(path)"
    }

    /// - Parameter path: with or without a slash after a folder's name.
    package static func parent(of path: String) -> String {
        let path = path.withoutSlashBehind
        guard let slash = path.lastSlash else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// What messages put before the names of a capture's files: only its folder where the capture is the file itself, and
    /// nothing where the name is the capture's own path.
    package static func root(ofFilesOf capture: String, besides file: String?) -> String {
        guard let file else { return capture }
        if capture.utf8.elementsEqual(file.utf8) { return "" }
        if isFolder(capture) { return capture }
        let parts = capture.pathParts.suffix(file.pathParts.count)
        let isTail = parts.elementsEqual(file.pathParts) { $0.utf8.elementsEqual($1.utf8) }
        return isTail ? parent(of: capture) : capture
    }

    /// Whether a real path is that of a folder or leads into it.
    package static func lies(_ path: String, in folder: String) -> Bool {
        path.utf8.elementsEqual(folder.utf8) || folder == "/" || path.lies(below: folder)
    }

    /// A path without links; for one that is not there yet, where it would be made: through dangling links, and with
    /// `..` resolved. Nil when it cannot be followed.
    package static func realPath(_ path: String) -> String? {
        var existing = path.isEmpty ? "." : String(path.withoutSlashBehind)
        var rest: [Substring] = []
        var links = 0
        // After a folder that is not there yet, ".." cancels it.
        var ups = 0
        while access(existing, F_OK) != 0 {
            let name = existing.pathName ?? ""
            let above = parent(of: existing)
            // A file would be made where the link leads.
            if let target = target(ofLink: existing) {
                links += 1
                if links > mostLinks { return nil }
                existing = target.isAbsolutePath ? target : "\(above)/\(target)"
                continue
            }
            if above == existing { break }
            if name == ".." {
                ups += 1
            } else if ups > 0 {
                ups -= 1
            } else if name != "." {
                rest.insert(name, at: 0)
            }
            existing = above
        }
        existing += String(repeating: "/..", count: ups)
        guard let resolved = realpath(existing, nil) else { return nil }
        defer { free(resolved) }
        let start = String(cString: resolved)
        return rest.reduce(start == "/" && !rest.isEmpty ? "" : start) { "\($0)/\($1)" }
    }

    /// As many links in a row as the kernel follows.
    private static let mostLinks = 40

    /// The target that a link names; nil for anything else.
    private static func target(ofLink path: String) -> String? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &text, text.count)
        guard count > 0, count < text.count else { return nil }
        return text[..<count].withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
