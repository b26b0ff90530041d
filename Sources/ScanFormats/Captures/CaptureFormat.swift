import ScanModel

/// A layout of captures on disk: recognises a folder or an archive by its content, and opens it as a capture with light
/// frames.
public protocol CaptureFormat: Sendable {
    static var card: FormatCard { get }
    /// Why this tree is a capture of this format, or nil when it is not. Cheap: a few names and the start of a file.
    static func recognise(_ tree: any CaptureTree) -> Recognition?
    /// For a format whose files share a name: the names of the captures that lie side by side in a folder, of those that
    /// have any stream.
    static func names(in tree: any CaptureTree) -> [String]
    /// All of ``names(in:)``, and maybe more: what the folder's listing alone tells, without a look into any file.
    static func likelyNames(in tree: any CaptureTree) -> [String]
    static func open(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture
}

extension CaptureFormat {
    public static var name: String { card.name }

    public static func names(in tree: any CaptureTree) -> [String] { [] }

    public static func likelyNames(in tree: any CaptureTree) -> [String] { names(in: tree) }
}

/// What people read about a format: the tables in the docs are made from this.
public struct FormatCard: Sendable {
    /// As `read` takes it under `format`.
    public var name: String
    /// One sentence.
    public var summary: String
    /// The channels that a capture of this format can have.
    public var reads: [Channel]
    /// What the format holds and `read` passes over, a few words each.
    public var passesOver: [String]
    /// The stage that writes the format, as it stands in a pipeline; nil where none does.
    public var writer: String?
    /// What the writer leaves out or the format cannot hold, a few words each.
    public var writingLoses: [String]
    /// Raised by the format's author when what it reads changes, so that captures are processed again.
    public var revision: Int

    public init(
        name: String, summary: String, reads: [Channel], passesOver: [String] = [], writer: String? = nil,
        writingLoses: [String] = [], revision: Int = 1
    ) {
        self.name = name
        self.summary = summary
        self.reads = reads
        self.passesOver = passesOver
        self.writer = writer
        self.writingLoses = writingLoses
        self.revision = revision
    }
}

/// What made a format say "mine".
public struct Recognition: Hashable, Sendable {
    public var format: String
    public var reason: String
    /// The one folder in which the capture's files lie, where the app makes one: it may look like a capture itself, and is
    /// the same one.
    public var folder: String?

    public init(format: String, reason: String, folder: String? = nil) {
        self.format = format
        self.reason = reason
        self.folder = folder
    }
}

/// How `read` deals with what is not as it should be.
public struct ReadRules: Hashable, Sendable {
    public enum Mismatch: String, CaseIterable, Sendable { case auto, shortest, fail }
    public enum Truncated: String, CaseIterable, Sendable {
        case fail
        case keepWhole = "keep-whole"
    }

    /// Streams of different lengths.
    public var mismatch = Mismatch.auto
    /// A packed stream that ends early.
    public var truncated = Truncated.fail
    /// A frame whose own data is bad.
    public var onBadFrame = BadFrameRule.drop
    /// The share of bad frames above which the capture fails.
    public var badFrameLimit = 0.05
    /// What a capture may hold; more is refused before memory is taken for it. Frames, of any stream: an hour at 60 a
    /// second has 216,000.
    public var maxFrames = 250_000
    /// Bytes of a camera line.
    public var maxLine = 1_000_000
    /// Pixels of a picture, of a video's frame, of a depth map.
    public var maxPicturePixels = PictureLimits.standard.pixels
    /// Points of a model that a capture brings along.
    public var maxPoints = 50_000_000
    /// Whether a capture without camera lines fails. Nothing can be made of one, but it can be looked at.
    public var needsCameras = true
    /// What an archive may hold.
    public var archive = ArchiveLimits()

    public init() {}

    /// For looking at a capture: goes on wherever that is possible, and notes what it passed over in
    /// ``Capture/forgiven`` and ``TrackEnd/forgiven``.
    public static var forgiving: ReadRules {
        var rules = ReadRules()
        rules.mismatch = .shortest
        rules.truncated = .keepWhole
        rules.needsCameras = false
        return rules
    }

    var pictureLimits: PictureLimits { PictureLimits(pixels: maxPicturePixels) }

    /// - Parameter stream: what there are so many of, as messages call it: "pictures".
    /// - Throws: when these are more than a capture may have.
    func check(frames: Int, of stream: String) throws(Problem) {
        if frames <= maxFrames { return }
        throw Problem(
            .input, "there are more than \(maxFrames) \(stream)",
            fix: "if that is right, allow more with  --set read.max-frames=\(max(frames, 2 * maxFrames))")
    }

    /// - Throws: when a picture of this size is larger than allowed.
    func check(_ size: PixelSize, of stream: String) throws(Problem) {
        if size.width <= maxPicturePixels / max(1, size.height) { return }
        throw Problem(
            .input, "the \(stream) is \(size), more than \(maxPicturePixels) pixels",
            fix: "if that is right, allow more with  --set read.max-picture-pixels=\(size.width * size.height)")
    }

    /// How far streams may differ in length before the capture fails under `auto`: 3 frames, or 1 % of the longest.
    public func tolerance(longest: Int) -> Int { max(3, longest / 100) }

    /// The smallest number of frames beyond `frames` that ``tolerance(longest:)`` does not allow.
    func firstExcess(over frames: Int) -> Int {
        var excess = 1
        while excess <= tolerance(longest: frames + excess) { excess += 1 }
        return excess
    }

    /// Decides what different numbers of frames mean.
    /// - Parameters:
    ///   - counts: the streams, as messages call them, with their numbers of frames.
    ///   - goesOn: the last of them was not read to its end, and has at least so many.
    /// - Returns: the number of frames to use: the shortest stream's.
    /// - Throws: when the rule does not allow the difference; all counts are named.
    public func reconcile(
        _ counts: [(stream: String, frames: Int)], goesOn: Bool = false
    ) throws(Problem) -> Int {
        let shortest = counts.map(\.frames).min() ?? 0
        let longest = counts.map(\.frames).max() ?? 0
        let difference = longest - shortest
        let isAllowed =
            switch mismatch {
            case .auto: difference <= tolerance(longest: longest)
            case .shortest: true
            case .fail: difference == 0
            }
        if isAllowed { return shortest }
        let limit = mismatch == .fail ? "none" : "at most \(tolerance(longest: longest))"
        let named = counts.map { "\($0.stream): \($0.frames)" }.joined(separator: ", ")
        throw Problem(
            .input, "the streams differ in length by \(goesOn ? "at least " : "")\(difference) frames",
            notes: [named + (goesOn ? " or more" : ""), "allowed is \(limit)"],
            fix: "copy the capture again, or use the frames that all streams have with  --set read.mismatch=shortest")
    }

    /// What the default rules would have thrown for these numbers of frames, which these rules allow.
    func forgiven(_ counts: [(stream: String, frames: Int)], goesOn: Bool = false) -> [Problem] {
        do throws(Problem) {
            _ = try ReadRules().reconcile(counts, goesOn: goesOn)
            return []
        } catch { return [error] }
    }
}

/// The formats that `read` knows.
public enum CaptureFormats {
    /// In the order in which they are asked: the most particular first.
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
        TUMCapture.self,
        Record3DCapture.self,
        TransformsDataset.self,
        COLMAPCapture.self,
        PLYCapture.self,
        PictureFolderCapture.self,
    ]

    public static func format(named name: String) -> (any CaptureFormat.Type)? { all.first { $0.name == name } }

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        let tree = listedOnce(tree)
        for format in all {
            if let recognition = format.recognise(tree) { return recognition }
        }
        return nil
    }

    /// For what asks all formats in turn.
    private static func listedOnce(_ tree: any CaptureTree) -> any CaptureTree {
        (tree as? CaptureFolder).map(ListedFolder.init) ?? tree
    }

    /// The format that says "mine".
    /// - Throws: when none does.
    public static func format(
        of tree: any CaptureTree
    ) throws(Problem) -> (format: any CaptureFormat.Type, recognition: Recognition) {
        guard let recognition = recognise(tree), let format = format(named: recognition.format) else {
            throw unrecognised(tree)
        }
        try requireOne(in: tree)
        return (format, recognition)
    }

    /// A capture's files share a name, so those of several can lie in one folder. None of them is taken for the whole.
    /// - Throws: when they do.
    public static func requireOne(in tree: any CaptureTree) throws(Problem) {
        let tree = listedOnce(tree)
        // Asked of every capture in a night, whose files have been looked into once already.
        if Set(all.flatMap { $0.likelyNames(in: tree) }).count < 2 { return }
        let names = Set(all.flatMap { $0.names(in: tree) }).sorted()
        if names.count < 2 { return }
        throw Problem(
            .input, "\(names.count) captures lie in one folder: \(shown(names))",
            fix: "make a folder for each, and move its files there")
    }

    /// Some of many names.
    private static func shown(_ names: [String]) -> String {
        names.prefix(8).joined(separator: ", ") + (names.count > 8 ? " and \(names.count - 8) more" : "")
    }

    /// What a folder is when no format says "mine".
    static func unrecognised(_ tree: any CaptureTree) -> Problem {
        if let archive = tree as? ZipArchive, let problem = archive.encryption { return problem }
        let entries = tree.entries(in: "").map(\.name)
        return Problem(
            .input, "this is not a capture in a format that ScanMill reads",
            notes: [entries.isEmpty ? "the folder is empty" : "it holds \(shown(entries))"],
            fix: "`scanmill formats` lists what is read")
    }

    /// The tree at a path: a folder, a ZIP archive, or a file that is a capture by itself.
    /// - Throws: when there is nothing that could be a capture, or the archive is none that can be trusted, or holds
    ///   several.
    public static func tree(at path: String, limits: ArchiveLimits = ArchiveLimits()) throws(Problem)
        -> any CaptureTree
    {
        switch CaptureFolder.kind(at: path) {
        case .folder?: return CaptureFolder(path: path)
        case .file?:
            if ZipArchive.isArchive(path) || ZipArchive.isNamed(path) {
                let archive = try ZipArchive(path: path, limits: limits)
                do throws(Problem) { return try capture(in: archive) ?? archive } catch { throw error.at(file: path) }
            }
            let single = try OneFile(path: path)
            if SensCapture.recognise(single) != nil || PLYCapture.recognise(single) != nil { return single }
            throw Problem(
                .input, "this file is not a capture in a format that ScanMill reads",
                fix: "name the capture's folder, or its ZIP archive"
            ).at(file: path)
        case .other(let what)?: throw Problem(.input, "this is \(what)").at(file: path)
        case nil: throw Problem(.input, "there is nothing at this path", fix: "check the path").at(file: path)
        }
    }

    /// The one capture in an archive, wherever that lies in it; nil where there is none.
    /// - Throws: when there are several.
    static func capture(in archive: ZipArchive) throws(Problem) -> ZipArchive? {
        let captures = CaptureSearch.captures(in: archive)
        if captures.count < 2 { return captures.first }
        throw Problem(
            .input, "the archive holds \(captures.count) captures: \(shown(captures.map(\.top)))",
            fix: "unpack it into a folder, and keep the archive elsewhere")
    }
}
