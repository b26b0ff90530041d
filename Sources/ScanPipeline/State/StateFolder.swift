import Glibc
import ScanModel

/// `OUT/.scanmill`: everything with a clock, a host or a process in it. All of it but the owner and the trash may be
/// deleted, which costs work, never a result. Where two names cannot be exchanged in one step, the trash holds the
/// older result of a runner that was killed while replacing it.
public struct StateFolder: Sendable, Hashable {
    /// OUT, as the user gave it, but for slashes behind it.
    public let output: String
    public var path: String { "\(output)/\(Self.name)" }

    public static let name = ".scanmill"

    public init(output: String) { self.output = String(output.withoutSlashBehind) }

    /// Where a capture's result belongs.
    package func place(_ id: String) -> ResultPlace { ResultPlace("\(output)/\(id)") }

    var work: String { "\(path)/work" }
    var trash: String { "\(path)/trash" }
    var failures: String { "\(path)/failures" }
    var inputs: String { "\(path)/inputs" }
    package var thumbnails: String { "\(path)/thumbnails" }
    package var drawings: String { "\(path)/drawings" }
    public var runs: String { "\(path)/runs" }
    var locks: String { "\(path)/locks" }
    /// One for all ids that are one name to the disk, which may give each spelling a file of its own all the same.
    public func lock(_ id: String) -> String { lock(id, ignoringCase: ignoresCase) }
    func lock(_ id: String, ignoringCase ignoreCase: Bool) -> String {
        "\(locks)/\(OutputNames(ignoreCase: ignoreCase).key(id))"
    }
    /// Where the failure note of a capture lies. An id that cannot name a result may be no name for a file either: its
    /// digest then takes its place.
    public func failure(_ id: String) -> String {
        OutputFolder.defect(ofID: id) == nil ? "\(failures)/\(id).json" : failureByDigest(id)
    }
    /// Where it lies if the disk does not take the id as a name, or has another capture's note under it.
    func failureByDigest(_ id: String) -> String { "\(failures)/\(Digest.of(id).hex).json" }
    package func inputs(_ id: String) -> String { "\(inputs)/\(id).json" }
    package var owner: String { "\(path)/\(Self.ownerName)" }
    static let ownerName = "owner.json"

    /// Whether OUT's disk is known to ignore case: the owner's file, which every run makes, answers to other letters.
    var ignoresCase: Bool { FileSystem.exists("\(output)/\(Self.name.uppercased())/\(Self.ownerName.uppercased())") }

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
                Digest.of(id).hex == name
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
}
