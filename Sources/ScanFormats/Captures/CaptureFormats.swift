import Glibc
import ScanModel

/// The formats that `read` knows.
public enum CaptureFormats {
    /// In the order in which they are asked: the most specific first.
    public static let all: [any CaptureFormat.Type] = [
        MultiScanCapture.self,
        SensCapture.self,
        ScanNetRawCapture.self,
        ScanNetFolder.self,
        SevenScenesSequence.self,
        NeRFCaptureProject.self,
        StrayScannerCapture.self,
        PolycamCapture.self,
        ScanNetPPCapture.self,
        ARKitScenesCapture.self,
        ThreeDScannerCapture.self,
        TUMCapture.self,
        Record3DCapture.self,
        TransformsDataset.self,
        COLMAPCapture.self,
        PLYCapture.self,
        VideoFileCapture.self,
        PictureFolderCapture.self,
    ]

    /// What `read` calls them.
    public static let names = all.map { $0.name }

    /// The format that `read` calls by this name; nil where there is none.
    public static func format(named name: String) -> (any CaptureFormat.Type)? { all.first { $0.name == name } }

    /// The answer of the first format that recognises the tree; where none does, of the first whose remains these are.
    /// Plain pictures come last, since many damaged captures hold them too. Anything may lie beside a `.sens` file, so it
    /// yields to every recording that is not another form of a ScanNet scan.
    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        let tree = listedOnce(tree)
        let apps = all.filter { $0 != PictureFolderCapture.self }
        for format in apps {
            guard let recognition = format.recognise(tree) else { continue }
            return format == SensCapture.self ? others(than: format.name, in: tree).first ?? recognition : recognition
        }
        for format in apps {
            if let recognition = format.remains(of: tree) { return recognition }
        }
        return PictureFolderCapture.recognise(tree)
    }

    /// For callers that ask all formats in turn.
    static func listedOnce(_ tree: any CaptureTree) -> any CaptureTree {
        (tree as? CaptureFolder).map(ListedFolder.init) ?? tree
    }

    /// Calls `body` with a tree that lists each of a folder's folders once. The tree may be kept; its lists are not.
    public static func listingOnce<Value>(
        _ tree: any CaptureTree, _ body: (any CaptureTree) throws(Problem) -> Value
    ) throws(Problem) -> Value {
        let listed = listedOnce(tree)
        defer { (listed as? ListedFolder)?.forget() }
        return try body(listed)
    }

    /// The format that recognises the tree.
    /// - Throws: when none does, when several captures share the folder, and when an archive holds files that cannot be
    ///   unpacked.
    public static func format(
        of tree: any CaptureTree
    ) throws(Problem) -> (format: any CaptureFormat.Type, recognition: Recognition) {
        guard let recognition = recognise(tree), let format = format(named: recognition.format) else {
            throw unrecognised(tree)
        }
        try requireUnpackable(tree)
        try requireOne(in: tree)
        return (format, recognition)
    }

    /// A reader would take what cannot be unpacked for missing.
    /// - Throws: when the tree is an archive with such files.
    public static func requireUnpackable(_ tree: any CaptureTree) throws(Problem) {
        if let problem = (tree as? ZipArchive)?.obstacle { throw problem }
    }

    /// Where a capture's files share a name, several captures can lie in one folder. None is taken for the whole.
    /// - Throws: when several do.
    public static func requireOne(in tree: any CaptureTree) throws(Problem) {
        let tree = listedOnce(tree)
        // Called for every capture of a batch, after its files have already been looked into once.
        if Set(all.flatMap { $0.likelyNames(in: tree) }).count < 2 { return }
        let names = Set(all.flatMap { $0.names(in: tree) }).sorted()
        if names.count < 2 { return }
        throw Problem(
            .input, "\(names.count) captures lie in one folder",
            notes: ["they are \(names.map(\.distinctly).listed(most: 8))"],
            fix: "make a folder for each, and move its files there")
    }

    /// The recordings of other formats whose files lie at the top of the same tree: they are not read.
    /// - Parameter format: the one that is read.
    static func others(than format: String, in tree: any CaptureTree) -> [Recognition] {
        guard let card = Self.format(named: format)?.card, card.origin != .derived else { return [] }
        let tree = listedOnce(tree)
        return all.filter { other in
            switch other.card.origin {
            case .recording: other.name != format
            case .form: other.card.origin != card.origin
            case .derived: false
            }
        }.compactMap { $0.recognise(tree) }
    }

    /// The problem with a tree that no format recognises.
    static func unrecognised(_ tree: any CaptureTree) -> Problem {
        if let archive = tree as? ZipArchive, let problem = archive.obstacle { return problem }
        let entries = tree.entries(in: "").map(\.name.distinctly)
        return Problem(
            .input, noCapture,
            notes: [entries.isEmpty ? emptiness(of: tree) : "it holds \(entries.listed(most: 8))"],
            fix: wayToNameWhole(of: tree) ?? TransformsDataset.wayToReadPart(in: tree)
                ?? PictureFolder.wayToRead(in: tree) ?? VideoFileCapture.wayToName(in: tree) ?? wayToUnpack(tree)
                ?? "`scanmill formats` lists what is read")
    }

    /// What to do about a folder that is a part of a recording, such as the one with its depth.
    private static func wayToNameWhole(of tree: any CaptureTree) -> String? {
        guard let path = (tree as? CaptureFolder)?.path,
            let whole = CaptureSearch.recording(around: CaptureFolder.realPath(path))
        else { return nil }
        return "name the capture that it is a part of: \(whole)"
    }

    /// What to do about archives in which no capture was found: what is packed twice is not read.
    private static func wayToUnpack(_ tree: any CaptureTree) -> String? {
        let inFolders = tree.entries(in: "").filter { $0.kind == .folder }.prefix(8).flatMap { folder in
            tree.entries(in: folder.name)
        }
        guard
            let packed = (tree.entries(in: "") + inFolders).first(where: { entry in
                entry.byteCount != nil && ZipArchive.isNamed(entry.name)
            })
        else { return nil }
        return tree is ZipArchive
            ? "unpack it: archives within an archive, such as \(packed.name), are not read"
            : "no capture is in \(packed.name): name that file itself to see what it holds"
    }

    private static func emptiness(of tree: any CaptureTree) -> String {
        let hidden = (tree as? CaptureFolder)?.hiddenNames ?? []
        return hidden.isEmpty
            ? "the folder is empty" : "the folder holds hidden files alone: \(hidden.listed(most: 8))"
    }

    /// The tree at a path: a folder, a ZIP archive, or a file that is a capture by itself.
    /// - Throws: when there is nothing that could be a capture, or the archive cannot be trusted, holds several, or is one
    ///   part of a download whose others lie beside it.
    public static func tree(at path: String, limits: ArchiveLimits = ArchiveLimits()) throws(Problem)
        -> any CaptureTree
    {
        switch CaptureFolder.kind(at: path) {
        case .folder?: return CaptureFolder(path: path)
        case .file?:
            if ZipArchive.isArchive(path) || ZipArchive.isNamed(path) {
                if let problem = DownloadParts.problem(of: path) { throw problem.at(file: path) }
                let archive = try ZipArchive(path: path, limits: limits)
                do throws(Problem) { return try archive.onlyCapture() ?? archive } catch { throw error.at(file: path) }
            }
            let single = try OneFile(path: path)
            let formats: [any CaptureFormat.Type] = [SensCapture.self, PLYCapture.self, VideoFileCapture.self]
            if formats.contains(where: { $0.recognise(single) != nil }) { return single }
            throw Problem(
                .input, "this file is not a capture in a format that ScanMill reads",
                fix: wayToName
            ).at(file: path)
        case .other(let what)?:
            let entry = CaptureEntry(name: path.lastPart, kind: .other(what))
            throw (entry.isLost ? entry.loss : Problem(.input, "this is \(what.words)")).at(file: path)
        case .outOfReach(let code)?: throw .system("cannot look at this path", path: path, code: code)
        case nil:
            var status = stat()
            if lstat(path, &status) != 0, errno != ENOENT {
                throw Problem.system("cannot look at this path", path: path, code: errno, fault: .input)
            }
            throw Problem(.input, "there is nothing at this path", fix: "check the path").at(file: path)
        }
    }

    /// What is said of a tree that no format recognises.
    package static let noCapture = "this is not a capture in a format that ScanMill reads"

    /// What to do about a file that is no capture by itself.
    package static let wayToName = "name the capture's folder, or its ZIP archive"
}
