import ScanModel

extension CaptureTree {
    /// The picture that a path in a dataset's description means, relative to `folder`. The extension may be left out.
    /// - Returns: nil when there is no such file.
    /// - Throws: when the path leads out of the capture.
    func picture(_ path: String, in folder: String = "") throws(Problem) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).filter { $0 != "." }
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part != ".." && part.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\\") }
        }
        guard isPlain, !parts.isEmpty else {
            throw Problem(.input, "`file_path` leads out of the capture: \(String(reflecting: path))")
        }
        let plain = (folder.isEmpty ? "" : "\(folder)/") + parts.joined(separator: "/")
        for file in [plain] + PictureFolder.extensions.flatMap({ ["\(plain).\($0)", "\(plain).\($0.uppercased())"] })
        where byteCount(of: file) != nil {
            guard holds(file) else { throw Problem(.input, "`file_path` is a link that leads out of the capture") }
            return file
        }
        return nil
    }
}

extension CameraIntrinsics {
    /// The camera for a picture of this size, when that is the same view resized.
    /// - Throws: when the shape is another.
    func fitted(to size: PixelSize) throws(Problem) -> CameraIntrinsics {
        if size == PixelSize(width, height) { return self }
        let shapes = (Double(width) / Double(height), Double(size.width) / Double(size.height))
        guard abs(shapes.0 / shapes.1 - 1) < 0.01 else {
            throw Problem(.input, "the picture is \(size), and its intrinsics are for \(width)×\(height)")
        }
        return resized(width: size.width, height: size.height)
    }
}
