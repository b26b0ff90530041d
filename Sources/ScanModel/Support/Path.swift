/// Paths taken apart as the kernel does it: by bytes. To Swift, a slash with a combining mark after it is one
/// character, not a slash, and names that differ only in Unicode normalization are equal; on disk, neither is true.
extension StringProtocol where SubSequence == Substring {
    /// The names between the slashes, without empty ones.
    package var pathParts: [Substring] { self[...].utf8.split(separator: slash).map(Substring.init) }

    /// The same, with the empty names that come from doubled slashes and from slashes at either end.
    package var allPathParts: [Substring] {
        self[...].utf8.split(separator: slash, omittingEmptySubsequences: false).map(Substring.init)
    }

    /// The last of the names; nil where there is none.
    package var pathName: Substring? { pathParts.last }

    /// The last of the names; the path itself where there is none.
    package var lastPart: String { String(pathName ?? self[...]) }

    /// The last of the names without its extension; a dot that begins it begins none.
    package var nameWithoutExtension: String {
        let name = lastPart
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }

    package var lastSlash: Index? { self[...].utf8.lastIndex(of: slash) }

    /// Whether the path starts at the root.
    package var isAbsolutePath: Bool { utf8.first == slash }

    package var endsInSlash: Bool { self[...].utf8.last == slash }

    /// The path from where `folder`'s begins, for one that begins in `folder`; "" is the place where both begin.
    package func path(in folder: String) -> String { folder.isEmpty ? String(self) : "\(folder)/\(self)" }

    /// Whether the path leads below a folder, if both are spelled alike.
    package func lies(below folder: some StringProtocol) -> Bool {
        let rest = utf8.dropFirst(folder.utf8.count)
        return rest.first == slash && utf8.starts(with: folder.utf8)
    }

    /// Without trailing slashes; the root stays.
    package var withoutSlashBehind: Substring {
        var path = self[...]
        while path.utf8.count > 1 && path.endsInSlash { path = path[..<path.utf8.index(before: path.endIndex)] }
        return path
    }
}

private let slash = UInt8(ascii: "/")
