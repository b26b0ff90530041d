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
        case is ZipArchive: of(archive: path, format: format)
        default: tree.name
        }
    }

    /// The name of a capture in a folder.
    /// - Parameters:
    ///   - result: as ``result(around:)``. Writers give their folders the same names (`nerf`, `colmap`,
    ///     `7-scenes/seq-01`) in every capture's result, so what lies in a result is named after it.
    ///   - format: the capture's.
    static func of(_ folder: CaptureFolder, in result: CaptureFolder?, format: String) -> String {
        result?.name ?? usual(folder.name, in: folder.above, format)
    }

    /// The name of a capture in an archive.
    static func of(archive path: String, format: String?) -> String {
        usual(ZipArchive.name(of: path), in: CaptureFolder(path: path).above, format)
    }

    private static func usual(_ name: String, in scene: CaptureFolder?, _ format: String?) -> String {
        guard let scene, let format = format.flatMap(CaptureFormats.format(named:)) else { return name }
        return format.id(of: name, in: scene.name) ?? name
    }

    /// The result that a folder is or lies in.
    static func result(around folder: CaptureFolder) -> CaptureFolder? {
        var next: CaptureFolder? = folder
        while let folder = next {
            if CaptureSearch.isResult(folder) { return folder }
            next = folder.above
        }
        return nil
    }
}
