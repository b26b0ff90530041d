import ScanModel
import Synchronization

/// A folder that is examined many times in turn, by many formats and while one is opened: each of its folders is listed
/// once, however many files it holds. What arrives meanwhile is not seen.
final class ListedFolder: CaptureTree {
    private let folder: CaptureFolder
    /// Keyed by bytes, since two names that Swift holds equal (composed and decomposed letters) are two folders on disk.
    /// Nil once nothing is kept any more.
    private let listed = Mutex<[[UInt8]: [CaptureEntry]]?>([:])
    /// The names of each folder in which one was looked for, by what they say.
    private let spellings = Mutex<[[UInt8]: [String: String]]?>([:])

    init(_ folder: CaptureFolder) { self.folder = folder }

    var name: String { folder.name }
    var nameAbove: String? { folder.nameAbove }

    func entries(in path: String) -> [CaptureEntry] {
        let key = Array(path.utf8)
        if let known = listed.withLock({ $0?[key] }) { return known }
        let entries = folder.entries(in: path)
        listed.withLock { $0?[key] = entries }
        return entries
    }

    func spelling(of name: String, in folder: String) -> String? {
        let key = Array(folder.utf8)
        if let known = spellings.withLock({ $0?[key] }) { return known[name] }
        let names = Dictionary(entries(in: folder).map { ($0.name, $0.name) }) { first, _ in first }
        spellings.withLock { $0?[key] = names }
        return names[name]
    }

    /// Drops the lists, and keeps no others.
    func forget() {
        listed.withLock { $0 = nil }
        spellings.withLock { $0 = nil }
    }

    func entry(_ path: String) -> CaptureEntry? { isAbsent(path) ? nil : folder.entry(path) }
    func open(_ file: String) throws(Problem) -> any ByteSource { try folder.open(file) }
    func location(of file: String) -> FileLocation? { folder.location(of: file) }
    func holds(_ file: String) -> Bool { folder.holds(file) }
    var trouble: Problem? { folder.trouble }

    /// Whether the list of the folder, where it is held, tells that a path leads nowhere. Every format looks for names of
    /// its own in each folder of a search, most of which hold no capture.
    private func isAbsent(_ path: String) -> Bool {
        // `..` leads elsewhere.
        guard let first = path.pathParts.first, !first.hasPrefix("."), folder.trouble == nil,
            let entries = listed.withLock({ $0?[[]] }), entries.count <= Self.fewEntries
        else { return false }
        // Some filesystems do not tell capitals from small letters.
        let name = first.lowercased()
        return !entries.contains { $0.name.lowercased() == name }
    }

    /// Of more, comparing takes longer than asking the disk.
    private static let fewEntries = 50
}
