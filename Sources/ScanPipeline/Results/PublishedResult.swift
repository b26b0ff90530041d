import Glibc
import ScanModel

/// A result as it stands in OUT, by its receipt.
public struct PublishedResult: Sendable {
    public let id: String
    public let path: String
    /// The receipt.
    public let receipt: JSONValue

    /// - Returns: nil when there is no result, or its receipt cannot be read.
    public init?(_ id: String, in output: String) { self.init(at: "\(output)/\(id)") }

    /// The same by the result's folder, whose name is the id.
    init?(at path: String) {
        self.path = path
        id = String(path.pathName ?? "")
        let found = FileSystem.look(
            at: path, { StateFolder.read("\(path)/\(Receipt.fileName)") }, isGood: { $0 != nil })
        guard let receipt = found else { return nil }
        self.receipt = receipt
    }

    public var key: ResultKey? { receipt["key"]?.string.map(ResultKey.init) }

    /// The listed files: path, size, digest.
    public var files: [OutputFolder.Entry] {
        (receipt["files"]?.array ?? []).compactMap { file in
            guard let path = file["path"]?.string, let size = file["bytes"]?.integer,
                let digest = file["sha256"]?.string
            else { return nil }
            return OutputFolder.Entry(path: path, byteCount: size, digest: Digest(hex: digest))
        }
    }

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

    /// The digests of what it was made of.
    var inputDigests: Set<Digest> {
        Set((receipt["inputs"]?.array ?? []).compactMap { $0["sha256"]?.string.map { Digest(hex: $0) } })
    }

    /// Whether a result stands in a folder, however sound: its receipt is there.
    static func stands(in folder: String) -> Bool { look(into: folder).stands }

    /// The same, and why its receipt cannot be read where that is so.
    static func look(into folder: String) -> (stands: Bool, obstacle: Problem?) {
        FileSystem.look(at: folder, { lookOfTheMoment(into: folder) }, isGood: { $0.obstacle == nil })
    }

    private static func lookOfTheMoment(into folder: String) -> (stands: Bool, obstacle: Problem?) {
        let path = "\(folder)/\(Receipt.fileName)"
        guard FileSystem.regularSize(of: path) != nil else { return (false, nil) }
        do throws(Problem) {
            let file = try RegularFile(path, name: path, fault: .environment)
            let beginning = file.beginning(ReceiptMark.length)
            if beginning.isEmpty { try file.read { _ in } }
            // A damaged one counts where one is known to have stood.
            return (ReceiptMark.isOurs(beginning) || stood(in: folder), nil)
        } catch {
            // That it may not be read, or that the disk does not give it back, does not make it a stranger's.
            return (true, error)
        }
    }

    /// Why nobody can tell whether a result stands in a folder: it may not be entered, or the disk fails. Nil where that can
    /// be told.
    static func obscurity(of folder: String) -> Problem? {
        var status = stat()
        if stat("\(folder)/\(Receipt.fileName)", &status) == 0 { return nil }
        let code = errno
        if isAbsence(code) { return nil }
        return Problem.system(
            "cannot tell whether a result stands here", path: FileSystem.absolute(folder), code: code)
    }

    /// Whether looking at a path ended with an error by which there is certainly nothing. By all others there may be.
    static func isAbsence(_ code: Int32) -> Bool { [ENOENT, ENOTDIR, ELOOP].contains(code) }

    /// What is wrong with a result that is known to have been put into a folder and whose receipt is not found.
    /// - Throws: fault `environment` when nobody can tell whether it is there.
    package static func loss(of folder: String) throws(Problem) -> Problem {
        if let obscurity = obscurity(of: folder) { throw obscurity }
        if FileSystem.isLinkToNothing(folder) { return linkToNothing(folder) }
        let receipt = "\(folder)/\(Receipt.fileName)"
        if try FileSystem.isThere(receipt) {
            return Problem(
                .environment, "this is no receipt of a result, which is left alone",
                fix: "put the receipt back, or remove the folder: the next run makes it again"
            ).at(file: receipt)
        }
        return Problem(
            .usage, "the result that stands here has lost its \(Receipt.fileName), and is left alone",
            fix: "put the receipt back, or remove the folder: the next run makes it again"
        ).at(file: folder)
    }

    /// Results may be moved to another disk, with links to them in their place. The disk may not be there tonight.
    package static func linkToNothing(_ folder: String) -> Problem {
        Problem(
            .environment, "the result is a link to a folder that is not there",
            fix: "mount the disk that it leads to; without the link, the next run makes the result again"
        ).at(file: folder)
    }

    /// Whether a result is known to have been put into a folder.
    static func stood(in folder: String) -> Bool {
        let id = folder.pathName.map(String.init) ?? ""
        return FileSystem.exists(StateFolder(output: FileSystem.parent(of: folder)).inputs(id))
    }

    /// The result that a folder is, or in which it lies.
    /// - Parameter path: from the root, without links; it need not be there yet.
    package static func folder(around path: String) -> String? {
        var folder = path
        while folder != "/" && folder != "." {
            if stands(in: folder) { return folder }
            folder = FileSystem.parent(of: folder)
        }
        return nil
    }

    /// Only a run writes into a result, by replacing it whole.
    /// - Parameters:
    ///   - path: the path to be written.
    ///   - what: what is to be written there: "the pictures".
    /// - Throws: a problem with fault `usage` when the path is a result's, or lies in one.
    package static func requireOutside(_ path: String, _ what: String) throws(Problem) {
        guard let place = FileSystem.realPath(path), let result = folder(around: place) else { return }
        throw Problem(
            .usage, "\(what) would be written into the result \(result)", fix: "name another folder"
        ).at(file: path)
    }

    /// Whether all files are there with their sizes.
    public var isWhole: Bool { firstLoss == nil }

    /// The words of a command that choose a capture; an id with a dash in front would pass for an option.
    package static func only(_ id: String) -> [String] { id.hasPrefix("-") ? ["--only=\(id)"] : ["--only", id] }

    private var wayToMakeAgain: String {
        "make it again with  scanmill run … \(Self.only(id).map(ShellWord.quoted).joined(separator: " ")) --force"
    }

    /// Reads every file of a result. If a run replaces it meanwhile, this begins again with the new one.
    /// - Returns: what is wrong, one problem per file; none for a sound result, and for one that was moved away meanwhile.
    public static func verify(_ id: String, in output: String) -> [Problem] {
        let folder = "\(output)/\(id)"
        let problems = FileSystem.look(
            at: folder, { PublishedResult(id, in: output)?.defects() ?? [unreadable(folder)] }, isGood: \.isEmpty)
        return FileSystem.leads(folder) ? problems : []
    }

    private static func unreadable(_ folder: String) -> Problem {
        Problem(
            .environment, "the receipt cannot be read",
            fix: "let the user who runs scanmill read it; if it is damaged, run the capture again"
        ).at(file: "\(folder)/\(Receipt.fileName)")
    }

    /// What is wrong with a result whose receipt is not sound.
    static let damagedReceipt = "\(Receipt.fileName) of the result is damaged"

    /// By its seal; what earlier versions wrote has none.
    var isReceiptSound: Bool {
        let file = "\(path)/\(Receipt.fileName)"
        guard let text = try? FileSystem.bytes(of: file, limit: 256 << 20) else { return false }
        if let isUnbroken = ReceiptSeal.isUnbroken(text) { return isUnbroken }
        return receipt[ReceiptSeal.key] == nil
    }

    private func defects() -> [Problem] {
        var problems: [Problem] = []
        if !isReceiptSound {
            problems.append(
                Problem(
                    .environment, "the receipt holds other bytes than were written", fix: wayToMakeAgain
                ).at(file: "\(path)/\(Receipt.fileName)"))
        }
        for file in files {
            let full = "\(path)/\(file.path)"
            do throws(Problem) {
                if file.path.pathParts.contains("..") {
                    throw Problem(.environment, "the receipt lists what lies outside the result, and was not read")
                }
                var status = stat()
                guard stat(full, &status) == 0 else {
                    let code = errno
                    if Self.isAbsence(code) { throw Problem(.environment, "a file of the result is missing") }
                    throw Problem.system("cannot look at this path", path: full, code: code)
                }
                let size = Int64(status.st_size)
                guard size == file.byteCount else {
                    throw Problem(
                        .environment, "a file of the result has \(size.counted("byte")) instead of \(file.byteCount)")
                }
                guard try FileSystem.digest(of: full) == file.digest else {
                    throw Problem(.environment, "a file of the result holds other bytes than were written")
                }
            } catch {
                var problem = error.at(file: full)
                problem.fix = problem.fix ?? wayToMakeAgain
                problems.append(problem)
            }
        }
        for stranger in strangers {
            problems.append(
                Problem(
                    .environment, "a file stands in the result that its receipt does not list",
                    fix: "move it elsewhere, if nobody needs it there"
                ).at(file: "\(path)/\(stranger)"))
        }
        return problems
    }

    /// The files in the folder that the receipt does not list.
    private var strangers: [String] {
        let listed = Set(files.map(\.path) + [Receipt.fileName])
        return FileSystem.tree(path).filter { !listed.contains($0) }
    }

    /// A result that is made again is replaced as a whole, with what others have put into it, such as what was trained
    /// from it.
    /// - Throws: a problem with fault `usage` when its folder holds such files. Hidden ones, which systems put everywhere,
    ///   do not count.
    static func requireNothingAdded(at folder: String) throws(Problem) {
        let added = FileSystem.look(
            at: folder,
            { () -> [String] in
                // A damaged receipt does not tell what is of the result.
                guard let result = PublishedResult(at: folder), result.isReceiptSound else { return [] }
                return result.strangers.filter { path in
                    !path.allPathParts.contains { $0.hasPrefix(".") || $0 == "@eaDir" }
                        && !["Thumbs.db", "desktop.ini", "Icon\r"].contains(path.lastPart)
                        // A link in the place of a folder leads to what was moved.
                        && !result.files.contains { $0.path.hasPrefix("\(path)/") }
                }
            }, isGood: \.isEmpty)
        if added.isEmpty { return }
        throw Problem(
            .usage, "the result to be replaced holds files that are not of it: \(added.listed(most: 5))",
            fix: "move them out of \(ShellWord.quoted(folder)), or let them go with  "
                + "\(Self.only(folder.lastPart).map(ShellWord.quoted).joined(separator: " ")) --replace")
    }
}
