import ScanModel

/// The files of a capture, wherever they lie. Paths are relative to the capture, with `/` between the parts.
public protocol CaptureTree: Sendable {
    /// The capture's name: its folder's, or its archive's without the extension.
    var name: String { get }
    /// The name of the folder on disk in which it lies; nil where there is none.
    var nameAbove: String? { get }
    /// What lies directly in a folder (`""` for the top), sorted by name; nothing where there is no such folder. What is
    /// hidden is left out: systems put `.DS_Store` into folders, and `._x` beside each `x`.
    func entries(in folder: String) -> [CaptureEntry]
    /// What has this path; nil when there is nothing.
    func entry(_ path: String) -> CaptureEntry?
    /// How a folder spells a name that is the same text, perhaps in other Unicode characters; nil when it has none.
    func spelling(of name: String, in folder: String) -> String?
    func open(_ file: String) throws(Problem) -> any ByteSource
    /// Where a file's bytes lie on disk; nil where they do not lie there as such.
    func location(of file: String) -> FileLocation?
    /// Whether a file lies in the capture itself, and not outside it behind a link.
    func holds(_ file: String) -> Bool
    /// Where another program can read a file, which is unpacked for that if necessary.
    func place(_ file: String) throws(Problem) -> FileLocation
    /// What has kept the machine from looking at a part of the capture: what seemed to be missing may well exist.
    var trouble: Problem? { get }
}

extension CaptureTree {
    /// Opens a file to read parts of it: an uncompressed archive entry as a range of the archive. Its checksum is only
    /// checked when it is read whole.
    func openInPlace(_ file: String) throws(Problem) -> any ByteSource {
        guard let location = location(of: file), location.range != nil, case .file? = entry(file)?.kind else {
            return try open(file)
        }
        return try FileSource(location, name: file)
    }
}

/// A name in a folder of a capture.
public struct CaptureEntry: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case file(byteCount: Int64)
        case folder
        /// What cannot be read as a file.
        case other(Oddity)
        /// What the machine could not look at, with the system's error: a disk fails, a folder hides what it holds.
        case outOfReach(Int32)
    }

    public var name: String
    public var kind: Kind

    public init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    public var byteCount: Int64? { if case .file(let count) = kind { count } else { nil } }

    var isHidden: Bool { name.hasPrefix(".") }

    /// Whether it is a link that leads nowhere.
    var isLost: Bool { kind == .other(.linkToNothing) || kind == .other(.linkInACircle) }

    /// The problem with a link that leads nowhere. Its target may be on a disk that is not mounted tonight.
    var loss: Problem {
        let isCircle = kind == .other(.linkInACircle)
        let what = isCircle ? Oddity.linkInACircle : .linkToNothing
        return Problem(
            isCircle ? .input : .environment, "this is \(what.words)",
            fix: isCircle ? "remove the link" : "mount or restore what it leads to, or remove the link")
    }
}

extension CaptureTree {
    public var nameAbove: String? { nil }

    public var trouble: Problem? { nil }

    /// The size of a regular file; nil when there is none of that name.
    public func byteCount(of file: String) -> Int64? { entry(file)?.byteCount }

    public func hasFolder(_ folder: String) -> Bool { entry(folder)?.kind == .folder }

    public func entry(_ path: String) -> CaptureEntry? {
        let parts = path.pathParts
        guard let last = parts.last else { return nil }
        return entries(in: parts.dropLast().joined(separator: "/")).first { $0.name == last }
    }

    public func spelling(of name: String, in folder: String) -> String? {
        entries(in: folder).first { $0.name == name }?.name
    }

    public func holds(_ file: String) -> Bool { byteCount(of: file) != nil }

    public func place(_ file: String) throws(Problem) -> FileLocation {
        if let location = location(of: file) { return location }
        throw Problem(.input, "\(absence(of: file)), so no other program can read it").at(file: file)
    }

    /// A whole file of at most `limit` bytes.
    public func bytes(of file: String, limit: Int) throws(Problem) -> [UInt8] {
        try open(file).readAll(limit: limit)
    }

    /// The problems with links at the tree's top that lead to nothing.
    package var losses: [Problem] {
        entries(in: "").filter { $0.kind == .other(.linkToNothing) }.map { $0.loss.at(file: $0.name) }
    }

    /// Why a file that is needed cannot be used, for a message: missing, or not a file at all.
    func absence(of file: String) -> String {
        switch entry(file)?.kind {
        case .other(let what)?: "\(file) is \(what.words)"
        case .outOfReach(let code)?: "\(file) is out of reach (\(systemText(code)))"
        case .folder?: "\(file) is a folder"
        case .file?: "\(file) is there"
        case nil: "\(file) is missing"
        }
    }
}
