import ScanModel

/// A layout of captures on disk: recognises a folder or an archive by its content, and opens it as a capture with light
/// frames.
public protocol CaptureFormat: Sendable {
    /// What people read about the format, and its name.
    static var card: FormatCard { get }
    /// Why this tree is a capture of this format, or nil when it is not. The process that runs the whole batch asks
    /// this of every folder and archive: look at a few names and the start of a file, or the outline of a JSON text,
    /// and never use more memory than that file's size.
    static func recognise(_ tree: any CaptureTree) -> Recognition?
    /// Why this tree can only be what is left of such a capture, although a part that ``recognise(_:)`` needs is
    /// missing or damaged; nil where it may be anything. Asked where no format recognises the tree: `open` then says
    /// what is wrong, and the capture fails by name instead of being passed over. As cheap as ``recognise(_:)``.
    static func remains(of tree: any CaptureTree) -> Recognition?
    /// Whether a tree that the format recognises may be a part of the capture in whose folder it lies.
    static func isPart(_ tree: any CaptureTree) -> Bool
    /// For a format whose files share a name: the names of the captures side by side in a folder, those with at least
    /// one stream.
    static func names(in tree: any CaptureTree) -> [String]
    /// All of ``names(in:)``, and maybe more: what the folder's listing alone tells, without a look into any file.
    static func likelyNames(in tree: any CaptureTree) -> [String]
    /// The id of a capture whose folder or archive has a name that the format uses again in every scene.
    /// - Parameter scene: the folder in which it lies.
    /// - Returns: nil for any other name, which is the capture's own.
    static func id(of name: String, in scene: String) -> String?
    /// Reads the capture's facts: a frame for each recorded one, bad ones dropped by name, and a source for their pixels,
    /// none of which is decoded here. Called by ``open(_:rules:)`` alone.
    /// - Throws: a problem with fault `input` for a capture that cannot be used under these rules; `environment` where the
    ///   machine could not read it.
    static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture
}

extension CaptureFormat {
    public static var name: String { card.name }

    /// What ``read(_:rules:)`` reads, with its files in order, each once, and a warning where intrinsics were scaled.
    /// - Throws: as it does.
    public static func open(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        var capture = try read(tree, rules: rules)
        capture.noteScaledIntrinsics()
        capture.sortFiles()
        return capture
    }

    public static func remains(of tree: any CaptureTree) -> Recognition? { nil }

    public static func isPart(_ tree: any CaptureTree) -> Bool { false }

    public static func names(in tree: any CaptureTree) -> [String] { [] }

    public static func likelyNames(in tree: any CaptureTree) -> [String] { names(in: tree) }

    public static func id(of name: String, in scene: String) -> String? { nil }
}

/// What people read about a format: the tables in the docs are made from this.
public struct FormatCard: Sendable {
    /// The value of `read`'s option `format`.
    public var name: String
    /// One sentence.
    public var summary: String
    /// The channels that a capture of this format can have.
    public var reads: [Channel]
    /// What the format holds and `read` passes over, a few words each.
    public var passesOver: [String] = []
    /// The stage that writes the format, as in a pipeline; nil where none does.
    public var writer: String?
    /// What the writer leaves out or the format cannot hold, a few words each.
    public var writingLoses: [String] = []
    public var origin = Origin.recording
    /// How the axes of cameras point in the format's files.
    public var poseAxes = CameraAxes.openGL
    /// Raised by the format's author when what it reads changes, so that captures are processed again.
    public var revision = 1

    /// Where captures of a format come from. This tells captures that lie side by side from forms of the same one.
    public enum Origin: Hashable, Sendable {
        case recording
        /// A recording in one of the forms that a dataset's tools convert into each other.
        case form(of: String)
        /// Made from a recording, or a part of one: datasets and models for training, clouds, pictures.
        case derived
    }
}

/// What made a format recognise a tree.
public struct Recognition: Hashable, Sendable {
    public var format: String
    public var reason: String
    /// The subfolder that holds all files of the capture, where the app makes one (Polycam's `keyframes/`). It would be
    /// recognised by itself too; a search skips it, so that the capture is not found twice.
    public var folder: String?

    public init(format: String, reason: String, folder: String? = nil) {
        self.format = format
        self.reason = reason
        self.folder = folder
    }
}
