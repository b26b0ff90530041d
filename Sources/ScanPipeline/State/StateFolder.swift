import Glibc
import ScanModel

/// `OUT/.scanmill`: everything with a clock, a host or a process in it. All of it but the owner and the trash may be
/// deleted, which costs work, never a result. Where two names cannot be exchanged in one step, the trash holds the
/// older result of a runner that was killed while replacing it.
public struct StateFolder: Sendable, Hashable {
    /// OUT, as the user gave it.
    public let output: String
    public var path: String { "\(output)/\(Self.name)" }

    public static let name = ".scanmill"

    public init(output: String) { self.output = output }

    /// Where a capture's result belongs.
    func place(_ id: String) -> ResultPlace { ResultPlace("\(output)/\(id)") }

    var work: String { "\(path)/work" }
    var trash: String { "\(path)/trash" }
    var failures: String { "\(path)/failures" }
    var inputs: String { "\(path)/inputs" }
    package var thumbnails: String { "\(path)/thumbnails" }
    package var drawings: String { "\(path)/drawings" }
    public var runs: String { "\(path)/runs" }
    var locks: String { "\(path)/locks" }
    public func lock(_ id: String) -> String { "\(locks)/\(id)" }
    /// Where the failure note of a capture lies. An id that cannot name a result may be no name for a file either: its
    /// digest then takes its place.
    public func failure(_ id: String) -> String {
        let name = OutputFolder.defect(ofID: id) == nil ? id : Digest.of(id).hex
        return "\(failures)/\(name).json"
    }
    package func inputs(_ id: String) -> String { "\(inputs)/\(id).json" }
    package var owner: String { "\(path)/owner.json" }

    private var parts: [String] { [work, trash, failures, inputs, thumbnails, drawings, runs, locks] }

    /// Its parts that are links, perhaps to where others keep files, too: they are used as they are, and nothing behind them
    /// is ever swept.
    public var linkedParts: [String] { parts.filter { FileSystem.isFolder($0) && !FileSystem.isFolderItself($0) } }

    /// - Throws: fault `environment` when a part that may be swept cannot be listed: it would pass for an empty one.
    func requireListable() throws(Problem) {
        for part in parts where FileSystem.isFolderItself(part) { _ = try FileSystem.list(part) }
    }

    /// The names in one of its parts, or in a folder of one, that may be swept: none behind a link.
    package static func ownNames(in part: String) -> [String] {
        FileSystem.isFolderItself(part) ? FileSystem.names(in: part) : []
    }

    /// A work folder's name begins with the id and ends with `.<host>.<pid>.<random>`, none of which has a dot.
    static func workName(_ id: String) -> String { "\(id).\(host).\(getpid()).\(FileSystem.randomName())" }

    /// This machine's name, as it appears in the names of work folders.
    package static var host: String {
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count - 1)
        return hostWord(String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// - Parameter name: a machine's, however long.
    package static func hostWord(_ name: String) -> String {
        // A name on disk has at most 255 bytes, and the id may have 200 of them. The ends of long names, such as those of pods,
        // tell them apart.
        let plain = name.replacing(".", with: "-")
        if plain.utf8.count <= 24 { return plain }
        return "\(String(decoding: plain.utf8.prefix(11), as: UTF8.self))-\(Digest.of(name).hex.prefix(12))"
    }

    /// By bytes: some characters that an id may end with make one with a dot behind them.
    private static func parts(ofWorkName name: String) -> [String]? {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count > 3 ? parts.map { String(Substring($0)) } : nil
    }

    static func host(ofWorkName name: String) -> String? { parts(ofWorkName: name).map { $0[$0.count - 3] } }

    static func process(ofWorkName name: String) -> pid_t? {
        parts(ofWorkName: name).flatMap { pid_t($0[$0.count - 2]) }
    }

    package static func id(ofWorkName name: String) -> String? {
        parts(ofWorkName: name)?.dropLast(3).joined(separator: ".")
    }

    /// The name in the trash of a result that another one replaces: the id, and `.<random>`, which has no dot.
    static func trashName(_ id: String) -> String { "\(id).\(FileSystem.randomName())" }

    static func id(ofTrashName name: String) -> String? {
        name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[..<$0]) }
    }

    /// What stands before an extension in the name of a small file; nil where it has another one. By bytes, as in
    /// ``parts(ofWorkName:)``.
    static func name(_ file: String, before ending: String) -> String? {
        let end = ending.utf8
        return file.utf8.suffix(end.count).elementsEqual(end) ? String(Substring(file.utf8.dropLast(end.count))) : nil
    }

    /// The ids that have a result: folders of OUT with a receipt.
    public var published: [String] { results.map(\.id) }

    /// The same, each with why its receipt cannot be read where that is so.
    var results: [(id: String, problem: Problem?)] {
        FileSystem.names(in: output).compactMap { id in
            if id.hasPrefix(".") { return nil }
            let found = place(id).look()
            return found.holdsResult ? (id, found.problem) : nil
        }
    }

    /// The ids whose folder holds no receipt any more, though results of these ids were made here, and what is wrong.
    public var lost: [(id: String, problem: Problem)] {
        FileSystem.names(in: output).compactMap { id in
            id.hasPrefix(".") ? nil : place(id).loss.map { (id, $0) }
        }
    }

    /// The folders of OUT that may hold a result, though nobody can tell: their names, and why.
    public var obscure: [(id: String, problem: Problem)] {
        FileSystem.names(in: output).compactMap { id in
            id.hasPrefix(".") || SystemFolders.names.contains(id) ? nil : place(id).obscurity.map { (id, $0) }
        }
    }

    /// The ids that a runner works on, or was killed while working on.
    var unfinished: [String] { FileSystem.names(in: work).compactMap(Self.id(ofWorkName:)).distinctByBytes }

    /// The ids with a failure note.
    public var failed: [String] {
        FileSystem.names(in: failures).compactMap { file in
            guard let name = Self.name(file, before: ".json") else { return nil }
            // It may be a digest, and then the note says of what.
            guard name.utf8.count == 64, let id = Self.read("\(failures)/\(file)")?["id"]?.string,
                failure(id).utf8.elementsEqual("\(failures)/\(file)".utf8)
            else { return name }
            return id
        }
    }

    /// - Throws: a problem with fault `usage` when nothing was run into OUT: a mistyped path must not pass for an empty one.
    ///   Copied results are enough, without anything else that was beside them. With fault `environment` when it may
    ///   not be read.
    public func requireOutput() throws(Problem) {
        // What only another user may read, or nobody any more, must not pass for nothing.
        for folder in [output, path] where FileSystem.isFolder(folder) { _ = try FileSystem.list(folder) }
        if FileSystem.exists(owner) || !published.isEmpty { return }
        if let first = obscure.first { throw first.problem.noting("nothing else in \(output) is a result") }
        let lack =
            FileSystem.isFolder(output)
            ? "nothing has been run into this folder"
            : FileSystem.exists(output) ? "this is not a folder" : "there is no folder at this path"
        throw Problem(.usage, lack, fix: "name the folder that `scanmill run … -o` was given").at(file: output)
    }

    /// What is wrong with a folder that was made for a run's results, and that no run has put any capture into.
    public var noCaptureWasRun: Problem {
        Problem(
            .usage, "no capture has been run into this folder yet",
            fix: "run again when there are captures, or name another folder"
        ).at(file: output)
    }

    // MARK: - Small files

    /// Writes a small file in one step: others see the old one or the new one. Not made durable: what lies here can be
    /// made again.
    package static func write(_ json: JSONValue, to path: String) throws(Problem) {
        try FileSystem.makeFolders(FileSystem.parent(of: path))
        try FileSystem.replace(path, with: JSONWriter.text(json))
    }

    /// What a small file holds; nil when it is missing or damaged, which costs work and nothing else.
    package static func read(_ path: String) -> JSONValue? {
        guard let bytes = try? FileSystem.bytes(of: path, limit: 256 << 20) else { return nil }
        return try? JSONValue.parse(bytes, file: path)
    }

    // MARK: - The owner

    /// OUT belongs to the first pipeline that published there, by its name: results of two pipelines in one folder
    /// would replace each other by turns. Where the owner's name is lost, it is taken from the results.
    /// - Throws: a problem with fault `usage` when it belongs to another one and `replacing` is not set, or when results could
    ///   not be renamed from `.scanmill` into it.
    public func claim(for pipeline: Pipeline, replacing: Bool) throws(Problem) {
        try requirePlace()
        if try belongs(to: pipeline, replacing: replacing) { return }
        // OUT's own name must survive a power cut too, or nothing in it does.
        for made in try FileSystem.makeFolders(output) { try FileSystem.syncFolder(FileSystem.parent(of: made)) }
        for made in try FileSystem.makeFolders(path) { try FileSystem.syncFolder(FileSystem.parent(of: made)) }
        // Of two pipelines that begin at the same moment, the second finds the first one's name.
        let lock = try CaptureLock(ownerOf: self)
        defer { withExtendedLifetime(lock) {} }
        if try belongs(to: pipeline, replacing: replacing) { return }
        let json = JSONValue.object(["pipeline": .string(pipeline.name)])
        try FileSystem.replace(owner, with: JSONWriter.text(json), isDurable: true)
    }

    /// - Throws: a problem when no run can publish here, whatever its pipeline is: with fault `usage` when results could not be
    ///   renamed from `.scanmill` into OUT, with fault `environment` when OUT is no folder.
    public func requirePlace() throws(Problem) {
        var status = stat()
        let isOther = stat(output, &status) == 0 ? status.st_mode & S_IFMT != S_IFDIR : errno == ENOTDIR
        if isOther { throw FileSystem.fileInTheWay(of: output) }
        try requireOneFilesystem()
    }

    /// - Throws: a problem with fault `environment` when results cannot be renamed into OUT, whatever may be written in
    ///   `.scanmill`: captures would be processed for nothing.
    public func requireWritable() throws(Problem) {
        if faccessat(AT_FDCWD, output, W_OK | X_OK, AT_EACCESS) == 0 { return }
        let code = errno
        guard [EACCES, EROFS].contains(code) else { return }
        throw .system("cannot write into the folder", path: FileSystem.absolute(output), code: code)
    }

    /// A link to another disk would let every capture be processed, and none be published.
    private func requireOneFilesystem() throws(Problem) {
        var (outer, inner) = (stat(), stat())
        guard stat(output, &outer) == 0, stat(path, &inner) == 0, outer.st_dev != inner.st_dev else { return }
        throw Problem(
            .usage, "it lies on another filesystem than the results, which are renamed out of it when they are whole",
            fix: "move it into \(output), or put all of \(output) on the other filesystem"
        ).at(file: path)
    }

    /// - Returns: false when there is no owner yet, or another one that is to be replaced.
    private func belongs(to pipeline: Pipeline, replacing: Bool) throws(Problem) -> Bool {
        let owner = try ownerName()
        if replacing || owner == pipeline.name { return owner == pipeline.name }
        guard let name = owner ?? maker(besides: pipeline) else { return false }
        throw Problem(
            .usage, "\(hold(of: name)), not \(published.isEmpty ? "to" : "of") `\(pipeline.name)`",
            fix: Self.wayPastOwner)
    }

    /// What makes OUT another pipeline's, as a sentence.
    /// - Parameter owner: the other pipeline's name, from ``foreignOwner(for:)``.
    public func hold(of owner: String) -> String {
        // A pipeline that was run first by mistake may have published nothing.
        published.isEmpty
            ? "\(output) belongs to the pipeline `\(owner)`, without any result in it"
            : "\(output) holds results of the pipeline `\(owner)`"
    }

    private static let wayPastOwner = "choose another folder with -o, or replace the results with  --replace"

    /// - Throws: a problem with fault `usage` when another pipeline has taken OUT over since it was claimed; with fault
    ///   `environment` when OUT is another folder by now, as below a mount point whose disk went away: results would go
    ///   where nobody looks for them.
    func requireOwner(_ pipeline: Pipeline) throws(Problem) {
        guard let name = try ownerName() else {
            throw anotherFolder(without: "\(Self.name)/owner.json")
        }
        if name == pipeline.name { return }
        throw Problem(
            .usage, "the pipeline `\(name)` has taken the results over from `\(pipeline.name)`",
            fix: Self.wayPastOwner
        ).at(file: output)
    }

    /// What a run says when it finds another folder in OUT's place, as below a mount point whose disk went away.
    func anotherFolder(without file: String) -> Problem {
        Problem(
            .environment, "this is not the folder that the run began with",
            notes: ["\(file), which the run found or wrote there, is gone"],
            fix: "mount it again, or put it back, and run again"
        ).at(file: output)
    }

    /// - Throws: when there is an owner, and nobody can say which.
    private func ownerName() throws(Problem) -> String? {
        guard try FileSystem.isThere(owner) else { return nil }
        var problem = Problem(
            .environment, "it cannot be read to which pipeline the results belong",
            fix: "let the user who runs scanmill read it"
        ).at(file: FileSystem.absolute(owner))
        do throws(Problem) {
            let bytes = try FileSystem.bytes(of: owner, limit: 1 << 20)
            if let name = (try? JSONValue.parse(bytes, file: owner))?["pipeline"]?.string { return name }
        } catch { throw problem.noting(error.summary) }
        problem.fix = "it is damaged: remove it, and the next run takes the results for those of its pipeline"
        throw problem
    }

    /// Whose results are in OUT where nobody owns it, as in a copy without `.scanmill`: the receipts say so.
    /// - Returns: nil when there are none, or some are the pipeline's own.
    private func maker(besides pipeline: Pipeline) -> String? {
        var first: String?
        for id in published {
            guard let name = PublishedResult(id, in: output)?.pipelineName else { continue }
            if name == pipeline.name { return nil }
            first = first ?? name
        }
        return first
    }

    /// The name of the pipeline to which OUT belongs, as far as that can be read.
    var owningPipeline: String? { (try? ownerName()) ?? nil }

    /// What ``claim(for:replacing:)`` would say, without writing anything.
    /// - Throws: when there is an owner, and nobody can say which.
    public func foreignOwner(for pipeline: Pipeline) throws(Problem) -> String? {
        guard let name = try ownerName() ?? maker(besides: pipeline), name != pipeline.name else { return nil }
        return name
    }
}
