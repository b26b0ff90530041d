import ScanModel

/// Finds captures below a folder.
public enum CaptureSearch {
    /// A capture's id and path.
    public typealias Found = (id: String, path: String)

    /// Something below a folder that may be a capture, but cannot be looked at.
    public struct Unreadable: Sendable {
        public var name: String
        public var path: String
        public var problem: Problem
    }

    /// Folders deeper than this below the one that was named are not looked into.
    private static let depthLimit = 16

    /// - Parameters:
    ///   - path: a capture (a folder, an archive or a file), or a folder in which captures are searched. The search stops at a
    ///     capture, and passes over hidden folders and over results (whatever holds a `receipt.json`), unless they are
    ///     what was named. Links are followed; a folder to which several lead is searched once.
    ///   - output: a folder that is not looked into: the results of this or an earlier run.
    /// - Returns: the captures, sorted by their path's parts; none when the folder holds none.
    public static func captures(at path: String, skipping output: String? = nil) throws(Problem) -> [Found] {
        var unreadable: [Unreadable] = []
        return try captures(at: path, skipping: output, unreadable: &unreadable)
    }

    /// The same, and what could not be looked at on the way.
    public static func captures(
        at path: String, skipping output: String?, unreadable: inout [Unreadable]
    ) throws(Problem) -> [Found] {
        let tree = try CaptureFormats.tree(at: path)
        if CaptureFormats.recognise(tree) != nil { return [(tree.name, path)] }
        var found: [Found] = []
        let skipped = output.flatMap { CaptureFolder(path: $0).identity }
        let folder = CaptureFolder(path: path)
        var closed = Set([skipped, folder.identity].compactMap(\.self))
        search(folder, &closed, 0, &found, &unreadable)
        return found
    }

    /// File names under which apps export captures as ZIP archives. Others are looked at only when they are named.
    private static let archiveExtensions = [".zip", ".r3d"]

    /// - Parameter closed: folders that are not to be looked into, or were already; links may lead in circles.
    private static func search(
        _ folder: CaptureFolder, _ closed: inout Set<CaptureFolder.Identity>, _ depth: Int, _ found: inout [Found],
        _ unreadable: inout [Unreadable]
    ) {
        guard depth < depthLimit else { return }
        if let obstacle = folder.obstacle {
            unreadable.append(Unreadable(name: folder.name, path: folder.path, problem: obstacle))
            return
        }
        for entry in folder.entries(in: "") where !entry.name.hasPrefix(".") {
            if entry.byteCount != nil { found += file("\(folder.path)/\(entry.name)") }
            if entry.kind == .other(CaptureEntry.notText) {
                let problem = Problem(.input, "a name is not UTF-8, so what it names was left out", fix: "rename it")
                let path = "\(folder.path)/\(entry.name)"
                unreadable.append(Unreadable(name: entry.name, path: path, problem: problem))
            }
            guard entry.kind == .folder else { continue }
            let below = CaptureFolder(path: "\(folder.path)/\(entry.name)")
            guard let identity = below.identity, !closed.contains(identity) else { continue }
            if below.byteCount(of: "receipt.json") != nil { continue }
            if CaptureFormats.recognise(below) != nil {
                found.append((below.name, below.path))
            } else {
                closed.insert(identity)
                search(below, &closed, depth + 1, &found, &unreadable)
            }
        }
    }

    /// A file that is a capture, or holds one, or that is damaged, so that it fails by its name instead of being passed
    /// over.
    private static func file(_ path: String) -> [Found] {
        if SensCapture.isNamed(path), let single = try? OneFile(path: path) { return [(single.name, path)] }
        return archive(path)
    }

    private static func archive(_ path: String) -> [Found] {
        guard archiveExtensions.contains(where: { path.lowercased().hasSuffix($0) }), ZipArchive.isArchive(path) else {
            return []
        }
        guard let archive = try? ZipArchive(path: path) else { return [(ZipArchive.name(of: path), path)] }
        return CaptureFormats.recognise(archive) == nil ? [] : [(archive.name, path)]
    }
}
