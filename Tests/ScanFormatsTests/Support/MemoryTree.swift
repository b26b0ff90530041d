import ScanFormats
import ScanModel
import Synchronization

/// A capture's files in memory, which counts what is read of them.
final class MemoryTree: CaptureTree {
    let name = "memory"
    private let files: [String: [UInt8]]
    private let chunk: Int
    private let count = Mutex(0)

    /// - Parameter chunk: the most that one read returns.
    init(_ files: [String: [UInt8]], chunk: Int = .max) {
        self.files = files
        self.chunk = chunk
    }

    /// Bytes read so far, of all files.
    var bytesRead: Int { count.withLock(\.self) }

    func entries(in folder: String) -> [CaptureEntry] {
        files.filter { folder.isEmpty && !$0.key.contains("/") }.sorted { $0.key < $1.key }
            .map { CaptureEntry(name: $0.key, kind: .file(byteCount: Int64($0.value.count))) }
    }

    func open(_ file: String) throws(Problem) -> any ByteSource {
        guard let bytes = files[file] else { throw Problem(.input, "there is no such file").at(file: file) }
        return Counted(MemorySource(bytes, name: file, chunk: chunk), self)
    }

    func location(of file: String) -> FileLocation? { nil }

    private final class Counted: ByteSource {
        let name: String
        let byteCount: Int64
        private let inner: MemorySource
        private let tree: MemoryTree

        init(_ inner: MemorySource, _ tree: MemoryTree) {
            (name, byteCount) = (inner.name, inner.byteCount)
            self.inner = inner
            self.tree = tree
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let got = inner.read(into: buffer)
            tree.count.withLock { $0 += got }
            return got
        }
    }
}
