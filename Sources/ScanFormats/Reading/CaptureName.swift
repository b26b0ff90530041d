import ScanModel

/// What a capture, and its result after it, is called: like its folder or archive, unless every capture's folder has
/// the same name.
///
/// It follows only from where the capture lies, never from what else is run: otherwise a night of two captures and one
/// of three would write different results.
enum CaptureName {
    /// The name of the capture to which a path leads.
    static func of(_ tree: any CaptureTree, at path: String, format: String) -> String {
        switch tree {
        case let folder as CaptureFolder: of(folder, in: result(around: folder), format: format)
        case let archive as ZipArchive: of(archive: path, top: archive.top, format: format)
        default: tree.name
        }
    }

    /// The name of a capture in a folder.
    /// - Parameters:
    ///   - result: as ``result(around:)``. Writers give their folders the same names (`nerf`, `colmap`,
    ///     `7-scenes/seq-01`) in every capture's result, so what lies in a result is named after it.
    ///   - format: the capture's.
    static func of(_ folder: CaptureFolder, in result: CaptureFolder?, format: String) -> String {
        result?.name ?? usual(folder.name, in: folder.above?.name, format) ?? folder.name
    }

    /// The name of a capture in an archive, which stands for the scene where the capture's folder is called alike in
    /// every scene: `chess.zip` with `chess/seq-01` is `chess-seq-01`.
    /// - Parameter top: the capture's folder in the archive.
    static func of(archive path: String, top: String, format: String?) -> String {
        let name = path.nameWithoutExtension
        return usual(name, in: CaptureFolder(path: path).above?.name, format)
            ?? usual(top.lastPart, in: name, format) ?? name
    }

    private static func usual(_ name: String, in scene: String?, _ format: String?) -> String? {
        guard let scene, let format = format.flatMap(CaptureFormats.format(named:)) else { return nil }
        return format.id(of: name, in: scene)
    }

    /// The result that a folder is or lies in.
    static func result(around folder: CaptureFolder) -> CaptureFolder? {
        var next: CaptureFolder? = folder
        while let folder = next {
            if CaptureSearch.isResult(around: folder) { return folder }
            next = folder.above
        }
        return nil
    }
}
