import ScanModel

/// A capture that is a single file, such as `.sens`.
public struct OneFile: CaptureTree, Hashable {
    public let path: String
    public let name: String
    /// The only name in the tree.
    public let file: String
    private let byteCount: Int64

    /// - Throws: when there is no such file.
    public init(path: String) throws(Problem) {
        self.path = path
        file = path.lastPart
        name = path.nameWithoutExtension
        byteCount = try FileSource(path: path, name: file).byteCount
    }

    public func entries(in folder: String) -> [CaptureEntry] {
        folder.isEmpty ? [CaptureEntry(name: file, kind: .file(byteCount: byteCount))] : []
    }

    public func open(_ file: String) throws(Problem) -> any ByteSource {
        guard file == self.file else { throw Problem(.input, "there is no such file").at(file: file) }
        return try FileSource(path: path, name: file)
    }

    public func location(of file: String) -> FileLocation? {
        file == self.file ? FileLocation(path: path) : nil
    }
}
