import Glibc
import ScanModel

/// A result as it stands in OUT, by its receipt.
public struct PublishedResult: Sendable {
    public let id: String
    public let path: String
    /// The receipt.
    public let receipt: JSONValue
    /// Its bytes.
    private let text: [UInt8]

    /// - Returns: nil when there is no result, or its receipt cannot be read.
    public init?(_ id: String, in output: String) { self.init(at: "\(output)/\(id)") }

    /// The same by the result's folder, whose name is the id.
    init?(at path: String) {
        self.path = path
        id = String(path.pathName ?? "")
        guard let found = FileSystem.look(at: path, { Self.readReceipt(in: path) }, isGood: { $0 != nil }) else {
            return nil
        }
        (text, receipt) = found
    }

    private static func readReceipt(in folder: String) -> (text: [UInt8], receipt: JSONValue)? {
        let path = ResultPlace(folder).receipt
        guard let text = try? FileSystem.bytes(of: path, limit: 256 << 20),
            let receipt = try? JSONValue.parse(text, file: path)
        else { return nil }
        return (text, receipt)
    }

    public var key: ResultKey? { receipt["key"]?.string.map(ResultKey.init) }

    /// A file that the receipt lists.
    public struct File: Sendable {
        public let path: String
        public let byteCount: Int64
        /// The digits of its digest; in a damaged receipt any text, which is no file's.
        let sha256: String

        init?(_ json: JSONValue) {
            guard let path = json["path"]?.string, let byteCount = json["bytes"]?.integer,
                let sha256 = json["sha256"]?.string
            else { return nil }
            self.path = path
            self.byteCount = byteCount
            self.sha256 = sha256
        }
    }

    /// The listed files.
    public var files: [File] { (receipt["files"]?.array ?? []).compactMap(File.init) }

    /// Whether this pipeline made it, whatever options with defaults newer versions have.
    func isMade(by pipeline: Pipeline) -> Bool {
        PipelineChange.changes(from: receipt["pipeline"], to: pipeline).isEmpty
    }

    /// The name of the pipeline that made it.
    var pipelineName: String? { receipt["pipeline"]?["name"]?.string }

    /// Bytes of all listed files.
    public var byteCount: Int64 { Self.sum(files.map(\.byteCount)) }

    /// Bytes of the input files that the result was made from.
    public var inputBytes: Int64 { Self.sum((receipt["inputs"]?.array ?? []).compactMap { $0["bytes"]?.integer }) }

    /// Of sizes, capped at the largest number: a damaged receipt may list anything.
    package static func sum(_ sizes: [Int64]) -> Int64 {
        sizes.reduce(0) { sum, size in
            let (larger, isTooLarge) = sum.addingReportingOverflow(max(0, size))
            return isTooLarge ? .max : larger
        }
    }

    /// The digits of the digests of what it was made of.
    var inputDigests: Set<String> {
        // Of a damaged receipt each one counts that is there: what is not known to be of a capture is another's.
        Set((receipt["inputs"]?.array ?? []).compactMap { $0["sha256"]?.string })
    }

    /// How many frames it has.
    var framesKept: Int? { receipt["frames"]?["kept"]?.integer.flatMap { Int(exactly: $0) } }

    /// Whether it is of a damaged copy's whole frames, or parts of the copy were missing.
    var lacksSomething: Bool { receipt[Receipt.salvagedKey]?.bool == true || receipt[Receipt.lostKey] != nil }

    /// Whether all files are there with their sizes.
    public var isWhole: Bool { firstLoss == nil }

    /// The words of a command that choose a capture; an id with a dash in front would pass for an option.
    package static func only(_ id: String) -> [String] { id.hasPrefix("-") ? ["--only=\(id)"] : ["--only", id] }

    /// The options with which a run takes this result's place, whatever stands against that.
    static func wayToReplace(_ id: String) -> String {
        (only(id).map(ShellWord.quoted) + ["--replace"]).joined(separator: " ")
    }

    /// What to do about a result that a run sees to be damaged, by its receipt or by the sizes of its files.
    private static let wayOfRuns = "the next run makes it again, if its capture is still there"

    /// What to do about one that only its bytes show to be damaged, which runs do not read.
    private var wayToMakeAgain: String {
        "make it again with  scanmill run … \(Self.only(id).map(ShellWord.quoted).joined(separator: " ")) --force"
    }

    /// What reading all of a result has shown.
    public struct Verification: Sendable {
        /// What is wrong, one problem per file; none for a sound result.
        public var defects: [Problem]
        /// The files that others have put into it, by their paths in it.
        public var added: [String] = []
        /// Whether its receipt is damaged, or a file is missing or has another size, so that the next run makes the
        /// result again.
        public internal(set) var isSeenByRuns = false
        /// Whether a run may pass over it, although it is damaged, unless it is told to make it again.
        public internal(set) var needsForce = false

        public init(defects: [Problem] = []) { self.defects = defects }
    }

    /// Reads every file of a result. If a run replaces it meanwhile, this begins again with the new one. Of one that was
    /// moved away meanwhile, nothing is said.
    public static func verify(_ id: String, in output: String) -> Verification {
        let folder = "\(output)/\(id)"
        let found = FileSystem.look(
            at: folder,
            { PublishedResult(id, in: output)?.verification() ?? Verification(defects: [unreadable(folder)]) },
            isGood: \.defects.isEmpty)
        return FileSystem.leads(folder) ? found : Verification()
    }

    private static func unreadable(_ folder: String) -> Problem {
        Problem(
            .environment, "the receipt cannot be read",
            fix: "let the user who runs scanmill read it; if it is damaged, run the capture again"
        ).at(file: ResultPlace(folder).receipt)
    }

    /// What is wrong with a result whose receipt is not sound.
    static let damagedReceipt = "\(Receipt.fileName) of the result is damaged"

    /// By its seal; what earlier versions wrote has none.
    var isReceiptSound: Bool { ReceiptSeal.isUnbroken(text) ?? (receipt[ReceiptSeal.key] == nil) }

    private func verification() -> Verification {
        var found = Verification()
        // What a run sees by itself it makes again as a whole.
        let isIncomplete = if case .certain? = firstLoss { true } else { false }
        found.isSeenByRuns = !isReceiptSound || isIncomplete
        let way = found.isSeenByRuns ? Self.wayOfRuns : wayToMakeAgain
        if !isReceiptSound {
            found.defects.append(
                Problem(.environment, "the receipt holds other bytes than were written", fix: way)
                    .at(file: ResultPlace(path).receipt))
        }
        for file in files {
            let full = "\(path)/\(file.path)"
            do throws(Problem) { try verify(file, at: full) } catch {
                var defect = error.at(file: full)
                if defect.fix == nil {
                    defect.fix = way
                    found.needsForce = !found.isSeenByRuns
                }
                found.defects.append(defect)
            }
        }
        do throws(Problem) { found.added = try Self.addedFiles(in: path) } catch { found.defects.append(error) }
        return found
    }

    /// Reads one file.
    private func verify(_ file: File, at full: String) throws(Problem) {
        if file.path.pathParts.contains("..") {
            throw Problem(.environment, "the receipt lists files outside the result, which were not read")
        }
        var status = stat()
        guard stat(full, &status) == 0 else {
            let code = errno
            if FileSystem.isAbsence(code) {
                throw Problem(.environment, "a file of the result is missing", fix: Self.wayOfRuns)
            }
            throw Problem.system("cannot look at this path", path: full, code: code)
        }
        let size = Int64(status.st_size)
        guard size == file.byteCount else {
            throw Problem(
                .environment, "a file of the result has \(size.counted("byte")) instead of \(file.byteCount)",
                fix: Self.wayOfRuns)
        }
        guard try FileSystem.digest(of: full).hex == file.sha256 else {
            throw Problem(.environment, "a file of the result holds other bytes than were written")
        }
    }

    /// A result that is made again is replaced as a whole, with what others have put into it, such as what was trained
    /// from it.
    /// - Throws: a problem with fault `usage` when its folder holds such files. Hidden ones, which systems put everywhere,
    ///   do not count. With fault `environment` when nobody can tell, because a folder in it cannot be listed, or
    ///   nothing says which files are of the result.
    static func requireNothingAdded(at folder: String) throws(Problem) {
        let look = FileSystem.look(
            at: folder, { Result { () throws(Problem) in try addedFiles(in: folder) } },
            isGood: { (try? $0.get().isEmpty) == true })
        let added: [String]
        do throws(Problem) { added = try look.get() } catch {
            var problem = error.noting("the result to be replaced may hold files that do not belong to it")
            problem.fix = problem.fix.map { "\($0), or \(wayToLetGo(of: folder))" } ?? wayToLetGo(of: folder)
            throw problem
        }
        if added.isEmpty { return }
        throw Problem(
            .usage, "the result to be replaced holds files that do not belong to it: \(added.listed(most: 5))",
            fix: "move them out of \(ShellWord.quoted(folder)), or \(wayToLetGo(of: folder))")
    }

    private static func wayToLetGo(of folder: String) -> String {
        "replace them too with  \(wayToReplace(folder.lastPart))"
    }

    /// Whether systems put such a file or folder everywhere. They may not let anybody look into it.
    private static func isOfSystem(_ name: String) -> Bool {
        name.hasPrefix(".") || ["@eaDir", "Thumbs.db", "desktop.ini", "Icon\r"].contains(name)
    }

    private static func addedFiles(in folder: String) throws(Problem) -> [String] {
        guard try FileSystem.isThere(ResultPlace(folder).receipt) else { return [] }
        let own = try ownFiles(of: folder)
        // With the folders that they lie in: a link in the place of one leads to what was moved.
        var known = own
        for path in own {
            var above = FileSystem.parent(of: path)
            while above != ".", known.insert(above).inserted { above = FileSystem.parent(of: above) }
        }
        return try FileSystem.tree(folder, where: { !isOfSystem($0) }).filter { !known.contains($0) }
    }

    /// The files of the result that stands in a folder. A receipt that is damaged, or cannot be read, may leave out some of
    /// them: then those count, too, that the result is known to have had when it was made.
    private static func ownFiles(of folder: String) throws(Problem) -> Set<String> {
        let result = PublishedResult(at: folder)
        let listed = Set((result?.files ?? []).map(\.path) + [Receipt.fileName])
        if let result, result.isReceiptSound { return listed }
        let known = ResultState.load(folder.lastPart, in: StateFolder(output: FileSystem.parent(of: folder)))
        if let known { return listed.union(known.outputs.keys) }
        if result != nil { return listed }
        let receipt = ResultPlace(folder).receipt
        try RegularFile(receipt, name: receipt, fault: .environment).read { _ in }
        throw Problem(
            .environment, "the receipt is damaged, so it is unknown which files belong to the result to be replaced",
            fix: "move what others have put there out of \(ShellWord.quoted(folder)) and remove it"
        ).at(file: receipt)
    }
}
