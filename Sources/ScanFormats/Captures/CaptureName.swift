import ScanModel

/// What a capture in a folder is called, and its result after it: as its folder, but where every capture's folder is called
/// alike.
///
/// It follows from where the folder lies alone, never from what else is run: otherwise a night of two captures and one of
/// three would write different results.
enum CaptureName {
    /// - Parameters:
    ///   - result: as ``result(around:)``. Writers call their folders alike (`nerf`, `colmap`, `7-scenes/seq-01`) in the
    ///     result of every capture, so what lies in a result is called after that.
    ///   - format: the capture's; some datasets number their recordings anew in each scene, whose name comes first then.
    static func of(_ folder: CaptureFolder, in result: CaptureFolder?, format: String) -> String {
        if let result { return result.name }
        guard CaptureFormats.format(named: format)?.isNumber(folder.name) == true, let scene = folder.above else {
            return folder.name
        }
        return "\(scene.name)-\(folder.name)"
    }

    /// The result that a folder is, or in which it lies.
    static func result(around folder: CaptureFolder) -> CaptureFolder? {
        var next: CaptureFolder? = folder
        while let folder = next {
            if CaptureSearch.isResult(folder) { return folder }
            next = folder.above
        }
        return nil
    }
}
