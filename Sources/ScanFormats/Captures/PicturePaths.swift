import ScanModel

extension CaptureTree {
    /// The picture that a path in a dataset's description means, relative to `folder`. The extension may be left out.
    /// - Returns: nil when there is no such file.
    /// - Throws: when the path leads out of the capture.
    func picture(_ path: String, in folder: String = "") throws(Problem) -> String? {
        let full = folder.isEmpty ? path : "\(folder)/\(path)"
        let endings = PictureFolder.extensions.flatMap { [".\($0)", ".\($0.uppercased())"] }
        for ending in [""] + endings {
            if let file = try file(named: full + ending) { return file }
        }
        return nil
    }
}
