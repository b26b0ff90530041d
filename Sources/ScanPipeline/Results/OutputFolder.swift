internal import CLinux
import Glibc
import ScanModel
import Synchronization

/// The folder that one capture's results are written to, invisible until it is whole.
///
/// Files go to `OUT/.scanmill/work/<id>.<host>.<pid>.<random>/` and are made durable; ``publish(receipt:allow:)`` writes the
/// receipt last and gives the folder its name in one rename. Until then nothing is under `OUT/<id>`, and what was there
/// before stays as it is.
public final class OutputFolder: Sendable {
    /// OUT, as the user gave it.
    public let root: String
    public let id: String
    /// The folder while it is worked on.
    public let workPath: String
    /// Folders above the work folder that were not there before, the outermost first.
    private let madeFolders: [String]
    let durability: Durability
    private let exchange: @Sendable (_ a: String, _ b: String) -> Int32
    private let state = Mutex(State())

    private struct State {
        var files: [String: Receipt.File] = [:]
        var folders: Set<String> = []
        /// Published or given up: the work folder is no longer this one's to remove.
        var isDone = false
        var isPublished = false
        /// Of the receipt, which keeps it when the folder gets its name.
        var receipt: FileSystem.Status?
        /// Digests of input files, for copies of them.
        var known = KnownDigests()
    }

    /// Uses these digests when one of their files is copied whole, instead of taking them again.
    package func trust(_ known: KnownDigests) { state.withLock { $0.known = known } }

    /// - Throws: a problem when the id cannot be a folder's name, when what stands at `OUT/<id>` is not a result, or when
    ///   the folders cannot be made.
    public convenience init(root: String, id: String) throws(Problem) {
        try self.init(root: root, id: id) { sm_exchange($0, $1) }
    }

    /// - Parameter exchange: swaps two names in one step, or fails with ENOSYS or EINVAL as on filesystems that cannot.
    package init(
        root: String, id: String, exchange: @escaping @Sendable (_ a: String, _ b: String) -> Int32
    ) throws(Problem) {
        self.root = root
        self.id = id
        self.exchange = exchange
        if root.isEmpty { throw Problem(.usage, "the output folder has no name") }
        if let defect = Self.defect(ofID: id) { throw defect }
        workPath = "\(StateFolder(output: root).work)/\(StateFolder.workName(id))"
        madeFolders = try FileSystem.makeFolders(root)
        durability = try Durability(of: root)
        if let obstacle = place.obstacle { throw obstacle }
        try FileSystem.makeFolders(workPath)
    }

    /// One that is not made and takes no file, for opening a capture only.
    init(unmadeFor id: String) throws(Problem) {
        self.id = id
        (root, workPath, madeFolders) = ("", "", [])
        exchange = { _, _ in -1 }
        durability = try Durability(of: "/")
        state.withLock { $0.isDone = true }
    }

    deinit { if !state.withLock(\.isDone) { abandon() } }

    /// Why an id cannot be the name of a folder below OUT; nil when it can.
    public static func defect(ofID id: String) -> Problem? {
        let fix = "rename the capture"
        if id.isEmpty { return Problem(.input, "the capture has no name", fix: fix) }
        if id.hasPrefix(".") {
            return Problem(.input, "`\(id)` cannot be a capture's id: it begins with a dot", fix: fix)
        }
        // MultiScan names a capture's files after it, and the receipt's name is taken.
        if "\(id).json" == Receipt.fileName || id == Receipt.fileName {
            return Problem(
                .input, "`\(id)` cannot be a capture's id: its files could not be told from the receipt", fix: fix)
        }
        if id.utf8.count > 200 {
            return Problem(.input, "the capture's id is \(id.utf8.count) bytes long, more than 200", fix: fix)
        }
        if id.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f || $0 == "/" }) {
            return Problem(.input, "the capture's id holds a control character or a slash", fix: fix)
        }
        return nil
    }

    public var publishedPath: String { "\(root)/\(id)" }
    private var place: ResultPlace { ResultPlace(publishedPath) }

    /// Whether an earlier result stands there.
    public var hasPublishedResult: Bool { place.holdsResult }

    /// Begins a file. Its folders are made.
    /// - Parameter path: relative, without `..`.
    public func create(_ path: String) throws(Problem) -> OutputFile {
        try OutputFile(self, path: path, fullPath: try prepare(path))
    }

    /// Writes a whole file.
    public func write(_ bytes: [UInt8], to path: String) throws(Problem) {
        let file = try create(path)
        try file.write(bytes)
        try file.close()
    }

    /// Copies bytes from elsewhere on disk.
    /// - Parameter name: what messages call the file that is copied.
    public func copy(_ location: FileLocation, name: String, to path: String) throws(Problem) {
        let input = try RegularFile(location.path, name: name, fault: .input)
        let file = try create(path)
        if location.range == nil, try copyKnown(location.path, input, name: name, to: file) { return }
        try input.read(location.range) { (bytes) throws(Problem) in try file.write(bytes) }
        try file.close()
    }

    /// Copies a file whose digest is known, inside the kernel.
    /// - Returns: false when the file is still empty: the digest is not known, or the kernel cannot.
    private func copyKnown(
        _ path: String, _ input: borrowing RegularFile, name: String, to file: OutputFile
    ) throws(Problem) -> Bool {
        // Of the file that is open: the name may lead to another one meanwhile.
        guard let status = FileSystem.status(of: input.descriptor),
            let digest = state.withLock({ $0.known.digest(of: path, status) })
        else { return false }
        guard try file.copy(input, digest: digest) else { return false }
        // The digest is that of the bytes before; they must still be the same. Permissions and links change without
        // them, as when a backup links all files at night.
        let now = FileSystem.status(of: input.descriptor)
        if now == status { return true }
        if let now, now.isSame(as: status), try input.digest() == digest { return true }
        discard(file.path)
        // The frame is not bad: the capture was not whole yet.
        throw Problem(
            .environment, "the file was changed while it was copied", fix: "wait until it is whole, and run again"
        ).at(file: name)
    }

    /// Copies what a source still holds: bytes that lie nowhere on disk as such.
    public func copy(_ source: any ByteSource, to path: String) throws(Problem) {
        let file = try create(path)
        let buffer = CopyBuffer.allocate()
        defer { buffer.deallocate() }
        while true {
            let count = try source.read(into: buffer)
            if count == 0 { break }
            try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        try file.close()
    }

    /// The real path for a file that another program writes; ``adopt(_:)`` lists it afterwards.
    public func externalPath(for path: String) throws(Problem) -> String { try prepare(path) }

    /// Takes over a file that another program wrote: it is made durable and listed.
    public func adopt(_ path: String) throws(Problem) {
        let file = try RegularFile(try prepare(path), name: absolute(path), fault: .environment)
        try durability.add(file.descriptor, path: "\(publishedPath)/\(path)")
        list(Receipt.File(path: path, byteCount: file.byteCount, digest: try file.digest()))
    }

    /// A path for a scratch file of this capture, never published: removed with the work folder.
    public func scratchPath(_ name: String) throws(Problem) -> String {
        try requireMade()
        try FileSystem.makeFolder(scratchFolder)
        return "\(scratchFolder)/\(name)"
    }

    private var scratchFolder: String { "\(workPath)/\(Self.scratchName)" }
    private static let scratchName = ".scratch"

    /// Takes a file back: its frame turned out to be bad.
    public func discard(_ path: String) {
        unlink("\(workPath)/\(path)")
        state.withLock { _ = $0.files.removeValue(forKey: path) }
    }

    /// What messages call a file of the result: there, a path without a leading slash is a file of the capture.
    func absolute(_ path: String) -> String { FileSystem.absolute("\(publishedPath)/\(path)") }

    /// Whether a file is whole.
    public func holds(_ path: String) -> Bool { state.withLock { $0.files[path] != nil } }

    /// Files that are whole, sorted by path.
    public var files: [Receipt.File] {
        state.withLock { $0.files.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) } }
    }

    /// Whether this attempt's result has its name. It may then still be unknown whether a power cut would undo that.
    public var isPublished: Bool { state.withLock(\.isPublished) }

    /// The status of the receipt that this attempt published. Another one's may stand there by now.
    package var receiptStatus: FileSystem.Status? { state.withLock(\.receipt) }

    /// Writes the receipt, makes everything durable, and gives the folder its name.
    /// - Parameter allow: asked just before the name is given; when it throws, nothing is published.
    public func publish(receipt: [UInt8], allow: () throws(Problem) -> Void = {}) throws(Problem) {
        let listed = Set(files.map(\.path)).union([Receipt.fileName])
        try write(receipt, to: Receipt.fileName)
        let status = FileSystem.status(of: "\(workPath)/\(Receipt.fileName)")
        state.withLock { $0.receipt = status }
        FileSystem.removeTree(scratchFolder)
        try durability.flush(path: publishedPath)
        try makeNamesDurable(workPath, as: "", keeping: listed)
        try FileSystem.syncForFAT(FileSystem.parent(of: workPath))
        try allow()
        let replaced = try giveName()
        state.withLock {
            $0.isDone = true
            $0.isPublished = true
        }
        // The new name is durable before the older result goes. Where that fails, the older one stays for the next run's
        // sweep: a power cut may bring it back.
        for folder in [publishedPath] + replaced { try FileSystem.syncForFAT(folder) }
        try FileSystem.syncFolder(root)
        try FileSystem.syncForFAT(FileSystem.parent(of: workPath))
        for folder in madeFolders { try FileSystem.syncFolder(FileSystem.parent(of: folder)) }
        for folder in replaced { Leftovers.removeForGood(folder, of: id, in: StateFolder(output: root)) }
    }

    /// Takes back all files that were written so far, for another attempt.
    func beginAgain() throws(Problem) {
        FileSystem.removeTree(workPath)
        state.withLock { state in
            state.files = [:]
            state.folders = []
        }
        try FileSystem.makeFolders(workPath)
    }

    /// Gives up: nothing of this attempt stays.
    public func abandon() {
        let wasDone = state.withLock { state in
            defer { state.isDone = true }
            return state.isDone
        }
        if wasDone { return }
        FileSystem.removeTree(workPath)
    }

    /// Makes the names in a folder durable, the innermost first, so that a name is durable only after what it names.
    /// What the receipt does not list is removed: a file that a stage gave up, and folders without files.
    private func makeNamesDurable(_ folder: String, as path: String, keeping listed: Set<String>) throws(Problem) {
        for name in try FileSystem.list(folder) {
            let inner = "\(folder)/\(name)"
            if FileSystem.isFolderItself(inner) {
                try makeNamesDurable(inner, as: "\(path)\(name)/", keeping: listed)
                // This removes only an empty folder.
                rmdir(inner)
            } else if !listed.contains(path + name) {
                unlink(inner)
            }
        }
        try FileSystem.syncFolder(folder)
    }

    /// Renames the work folder to its published name.
    ///
    /// An exchange replaces an older result with nothing in between. Where the filesystem has none, the older result is
    /// moved away first: a reader may then find no result for a moment, but never half of one. A runner killed in that
    /// moment leaves the older one in the trash, from which ``Leftovers/sweep(_:in:isLocked:)`` puts it back. Whoever
    /// puts it back while this one is still alive makes it begin again. Another runner that publishes the same capture
    /// meanwhile has the same bytes, so it does not matter whose stays.
    /// - Returns: what was replaced, to be removed.
    private func giveName() throws(Problem) -> [String] {
        let trash = StateFolder(output: root).trash
        var replaced: [String] = []
        while rename(workPath, publishedPath) != 0 {
            let code = errno
            // sshfs says EPERM where an older result is in the way.
            let isInTheWay =
                [ENOTEMPTY, EEXIST, ENOTDIR].contains(code)
                || code == EPERM && replaced.isEmpty && FileSystem.isFolderItself(publishedPath)
            guard isInTheWay else { throw puttingBack(replaced.last, for: cannotRename(code)) }
            if let obstacle = place.obstacle { throw obstacle }
            try requireReplaceable()
            if exchange(workPath, publishedPath) == 0 { return replaced + [workPath] }
            let refusal = errno
            if refusal == EINTR { continue }
            // A disk that is full, or fails, may do so again between two steps, with nothing in the result's place.
            if [EIO, ENOSPC, EDQUOT, EROFS, EUCLEAN, ESTALE].contains(refusal) { throw cannotRename(refusal) }
            try FileSystem.makeFolders(trash)
            let old = "\(trash)/\(StateFolder.trashName(id))"
            if rename(publishedPath, old) == 0 {
                replaced.append(old)
            } else if errno != ENOENT {
                let code = errno
                var problem = Problem.system(
                    "cannot move the older result away", path: FileSystem.absolute(publishedPath), code: code)
                if code == EXDEV {
                    problem.fix = "\(trash) leads to another filesystem: make it a folder of \(root) itself"
                }
                throw problem
            }
        }
        return replaced
    }

    private func cannotRename(_ code: Int32) -> Problem {
        Problem.system("cannot rename to", path: FileSystem.absolute(publishedPath), code: code)
    }

    /// Puts an older result back, if there is one, where the new one cannot be.
    /// - Returns: the problem, with where the older one is if that fails.
    private func puttingBack(_ old: String?, for problem: Problem) -> Problem {
        // Another runner may have put one there meanwhile.
        guard let old, rename(old, publishedPath) != 0, !place.holdsResult else { return problem }
        return problem.noting("the older result is in \(FileSystem.absolute(old)); the next run puts it back")
    }

    /// - Throws: a problem when an earlier result cannot be replaced, though it may be kept.
    func requireReplaceable() throws(Problem) {
        if let obstacle = place.obstacleToReplacing { throw obstacle }
    }

    func list(_ file: Receipt.File) {
        // The receipt cannot list itself.
        if file.path != Receipt.fileName { state.withLock { $0.files[file.path] = file } }
    }

    private func requireMade() throws(Problem) {
        if workPath.isEmpty { throw Problem(.tool, "a capture that is only opened has no place for files") }
    }

    private func prepare(_ path: String) throws(Problem) -> String {
        try requireMade()
        let parts = path.allPathParts
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.utf8.contains(0) }) else {
            throw Problem(.tool, "an output path leaves its folder").at(file: path)
        }
        if parts.first == Self.scratchName[...] {
            throw Problem(
                .usage, "a result cannot hold \(Self.scratchName), which is removed when it is published",
                fix: "give the file another name"
            ).at(file: path)
        }
        if parts.count > 1 {
            for depth in 1..<parts.count {
                let folder = parts[..<depth].joined(separator: "/")
                if state.withLock({ $0.folders.contains(folder) }) { continue }
                try FileSystem.makeFolder("\(workPath)/\(folder)")
                state.withLock { _ = $0.folders.insert(folder) }
            }
        }
        return "\(workPath)/\(path)"
    }
}
