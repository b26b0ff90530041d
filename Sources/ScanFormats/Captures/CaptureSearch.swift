import ScanModel

/// Finds captures below a folder.
public enum CaptureSearch {
    /// A capture's id and path.
    public typealias Found = (id: String, path: String)

    /// Folders deeper than this below the one that was named are not looked into.
    private static let depthLimit = 16

    /// - Parameters:
    ///   - path: a capture, or a folder in which captures are searched. The search stops at a capture, and passes over
    ///     hidden folders and over results (whatever holds a `receipt.json`), unless they are what was named.
    ///   - output: a folder that is not looked into: the results of this or an earlier run.
    /// - Returns: the captures, sorted by path; none when the folder holds none.
    public static func captures(at path: String, skipping output: String? = nil) throws(Problem) -> [Found] {
        let tree = try CaptureFormats.tree(at: path)
        if CaptureFormats.recognise(tree) != nil { return [(tree.name, path)] }
        var found: [Found] = []
        let skipped = output.map { CaptureFolder(path: $0).identity } ?? nil
        search(CaptureFolder(path: path), skipped, 0, &found)
        return found
    }

    private static func search(
        _ folder: CaptureFolder, _ skipped: CaptureFolder.Identity?, _ depth: Int, _ found: inout [Found]
    ) {
        guard depth < depthLimit else { return }
        for entry in folder.entries(in: "") where entry.kind == .folder && !entry.name.hasPrefix(".") {
            let below = CaptureFolder(path: "\(folder.path)/\(entry.name)")
            if let skipped, below.identity == skipped { continue }
            if below.byteCount(of: "receipt.json") != nil { continue }
            if CaptureFormats.recognise(below) != nil {
                found.append((below.name, below.path))
            } else {
                search(below, skipped, depth + 1, &found)
            }
        }
    }
}
