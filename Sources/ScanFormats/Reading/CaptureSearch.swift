import Glibc
import ScanModel

/// The captures that a path stands for: the one that lies there, or all that lie below it.
public struct CaptureSearch: Sendable {
    public struct Found: Sendable {
        public var id: String
        /// Without a slash at its end.
        public var path: String
        /// The name of the format; nil for a file that cannot be examined, and fails under its own name when it is run.
        public var format: String?
        /// The folder of the result in which it lies; nil where it lies in none.
        public var result: String?
    }

    /// Something that may be a capture, but cannot be looked at.
    public struct Unreadable: Sendable {
        public var name: String
        public var path: String
        public var problem: Problem
    }

    /// Sorted by their path's parts; none when the folder holds none.
    public private(set) var captures: [Found] = []
    public private(set) var unreadable: [Unreadable] = []
    /// Folders that hold no capture, without the folders in them; such archives; and what is named like a capture but is
    /// neither a file nor a folder, such as a pipe.
    public private(set) var without: [String] = []
    /// Files that may well hold a capture, but are of a kind that is not read.
    public private(set) var strangers: [Stranger: [String]] = [:]
    /// Folders that were each taken as one capture, with the captures in them that are left out.
    public private(set) var crowded: [(capture: String, within: [String])] = []
    /// Folders whose own files look like a capture and were not taken for one, since captures lie among them: their
    /// paths, and what the files look like.
    public private(set) var loose: [(folder: String, reason: String)] = []
    /// Results that were skipped and that are in no output folder: somebody put them among the captures.
    public private(set) var strayResults: [String] = []
    /// The result in which the search takes place, if any.
    private var result: CaptureFolder?
    private let limits: ArchiveLimits
    /// Those that are asked for; empty for all.
    private let formats: Set<String>
    /// In how many captures, one in the other, this search takes place.
    private var nesting = 0

    /// Folders deeper than this below the one that was named are not searched.
    static let depthLimit = 16

    /// - Parameters:
    ///   - path: a capture (a folder, an archive or a file), or a folder to search for captures. The search
    ///     stops at a capture, unless that is a mere guess or not asked for, and recordings lie in it. It skips hidden
    ///     folders and results (whatever holds a receipt), unless they are what was named. Links are followed; a folder
    ///     to which several lead is searched once.
    ///   - output: a folder that is not searched: the results of this or an earlier run.
    ///   - formats: which of them to take from a result that holds its capture in several, and from folders whose own
    ///     files are of another; empty for all. Captures of other formats are found too, but for videos by themselves:
    ///     these are found only where they are asked for, since most lie there for people to look at.
    ///   - limits: for the archives that are examined, as the pipeline has them.
    /// - Throws: when there is nothing at the path, or a file that is not a capture.
    public init(
        at path: String, skipping output: String? = nil, formats: Set<String> = [],
        limits: ArchiveLimits = ArchiveLimits()
    ) throws(Problem) {
        self.init(limits, formats)
        if case .file? = CaptureFolder.kind(at: path), ZipArchive.isArchive(path) {
            take(archive: path, isNamed: true)
            return
        }
        if case .other(let what)? = CaptureFolder.kind(at: path) {
            let entry = CaptureEntry(name: CaptureFolder(path: path).name, kind: .other(what))
            if entry.isLost {
                take(other: entry, what, at: path)
                if !unreadable.isEmpty { return }
            }
        }
        let tree = try CaptureFormats.tree(at: path, limits: limits)
        result = (tree as? CaptureFolder).flatMap(CaptureName.result)
        guard let folder = tree as? CaptureFolder else {
            captures = [Found(id: tree.name, path: path, format: CaptureFormats.recognise(tree)?.format)]
            return
        }
        let skipped = output.flatMap { CaptureFolder(path: $0).identity }
        var closed = Closed(folders: Set([skipped, folder.identity].compactMap(\.self)))
        let isAsked = { (found: Found) in found.format.map(formats.contains) ?? false }
        if take(folder, &closed, 0) {
            if result == nil || formats.isEmpty || captures.contains(where: isAsked) { return }
            // A dataset may lie in a result that is a capture itself.
            var inner = self
            inner.search(folder, &closed, 0)
            captures = inner.captures
        } else {
            search(folder, &closed, 0)
        }
        if result == nil || formats.isEmpty { return }
        let wanted = captures.filter(isAsked)
        // Where none is wanted, all are kept, so that the caller can say what is there instead.
        if !wanted.isEmpty { captures = wanted }
    }

    /// A search that has found nothing yet.
    private init(_ limits: ArchiveLimits, _ formats: Set<String>) {
        (self.limits, self.formats) = (limits, formats)
    }

    /// The captures alone.
    public static func captures(at path: String) throws(Problem) -> [Found] { try CaptureSearch(at: path).captures }

    /// Folders that are not to be searched, or were already; links may lead in circles.
    private struct Closed {
        var folders: Set<CaptureFolder.Identity>
        /// Those seen in captures that lie in the outermost capture. Each is searched there once: links from captures to
        /// each other make more ways than anybody could follow.
        var seenWithin: Set<CaptureFolder.Identity> = []
    }

    /// - Parameters:
    ///   - own: what the folder itself was taken for, whose parts are passed over.
    private mutating func search(
        _ folder: CaptureFolder, _ closed: inout Closed, _ depth: Int,
        besides own: Recognition? = nil
    ) {
        if let obstacle = folder.obstacle {
            return addUnreadable(folder.name, at: folder.path, for: obstacle)
        }
        for name in folder.hiddenNames where Stranger(name) == .unfinished {
            strangers[.unfinished, default: []].append("\(folder.path)/\(name)")
        }
        var isTooDeep = false
        // A fresh folder: what recognition could not look at in subfolders is found again when they are searched.
        let listed = CaptureFolder(path: folder.path)
        for entry in listed.entries(in: "") where own.map({ Self.isPart(entry, of: $0) }) != true {
            let path = "\(folder.path)/\(entry.name)"
            if entry.byteCount != nil { take(file: path) }
            take(odd: entry, at: path)
            guard entry.kind == .folder, !SystemFolders.names.contains(entry.name) else { continue }
            if depth < Self.depthLimit {
                visit(entry.name, in: folder, &closed, depth + 1)
            } else {
                isTooDeep = true
            }
        }
        if let trouble = listed.trouble {
            // Captures may have been missed, whether any were found or not.
            let problem = Problem(
                .environment, "the folder could not be listed to its end", notes: [trouble.oneLine],
                fix: "look at the kernel's log: the disk or the network filesystem reports an error")
            addUnreadable(folder.name, at: folder.path, for: problem)
        }
        if isTooDeep {
            let problem = Problem(
                .input, "what lies here was not searched: it is \(Self.depthLimit) folders deep",
                fix: "name it as INPUT, or move it up")
            addUnreadable(folder.name, at: folder.path, for: problem)
        }
    }

    /// Takes a folder as the capture that it is, passes over it, or searches it.
    private mutating func visit(
        _ name: String, in parent: CaptureFolder, _ closed: inout Closed, _ depth: Int
    ) {
        let path = "\(parent.path)/\(name)"
        let folder = CaptureFolder(path: path)
        guard let identity = folder.identity else {
            // It was a folder when it was listed, but by now is something else, or gone.
            if let kind = CaptureFolder.kind(at: path) { take(odd: CaptureEntry(name: name, kind: kind), at: path) }
            return
        }
        if closed.folders.contains(identity) { return }
        if nesting > 1, !closed.seenWithin.insert(identity).inserted { return }
        if Self.isResult(folder) {
            if !parent.hasFolder(Self.stateFolder) { strayResults.append(path) }
        } else if !take(folder, &closed, depth) {
            closed.folders.insert(identity)
            let (found, named) = (findCount, without.count)
            search(folder, &closed, depth)
            // Results of other pipelines lie beside captures, too.
            if findCount == found, !folder.hasFolder(Self.stateFolder) {
                without.replaceSubrange(named..., with: [path])
            }
        }
    }

    /// How many things have been found that explain why a folder is there.
    private var findCount: Int { captures.count + unreadable.count + strayResults.count }

    private mutating func addUnreadable(_ name: String, at path: String, for problem: Problem) {
        unreadable.append(Unreadable(name: name, path: path, problem: problem.at(file: path)))
    }

    /// What is neither a file nor a folder may be named like a capture: a link that leads nowhere could have led to
    /// one, a pipe or a device counts only by its name.
    private mutating func take(other entry: CaptureEntry, _ what: String, at path: String) {
        if what == CaptureEntry.notText {
            let problem = Problem(.input, "a name is not UTF-8, so what it names was left out", fix: "rename it")
            return addUnreadable(entry.name, at: path, for: problem)
        }
        let isArchive = ZipArchive.isNamed(entry.name)
        let isNamedLikeOne = Self.isNamedLikeOne(entry.name) || isNamedLikeVideo(entry.name)
        if !entry.isLost {
            if isNamedLikeOne { without.append(path) }
            return
        }
        guard isNamedLikeOne || !entry.name.contains(".") else { return }
        let name = isArchive ? ZipArchive.name(of: entry.name) : entry.name
        addUnreadable(name, at: path, for: entry.loss)
    }

    /// What is neither a file nor a folder, or cannot be examined.
    private mutating func take(odd entry: CaptureEntry, at path: String) {
        switch entry.kind {
        case .other(let what): take(other: entry, what, at: path)
        case .outOfReach(let code): take(unreached: entry.name, code, at: path)
        case .file, .folder: break
        }
    }

    /// What cannot be examined may be a capture: where a disk fails, whatever its name; a link into a folder without
    /// permission is treated as one that leads nowhere.
    private mutating func take(unreached name: String, _ code: Int32, at path: String) {
        let isForbidden = [EACCES, EPERM].contains(code)
        let isNamedLikeOne = Self.isNamedLikeOne(name) || isNamedLikeVideo(name)
        if isForbidden && name.contains(".") && !isNamedLikeOne { return }
        addUnreadable(name, at: path, for: .system("cannot look at this", path: path, code: code))
    }

    /// Whether a name is that of a file which is a capture by itself, whatever is asked for.
    static func isNamedLikeOne(_ name: String) -> Bool {
        ZipArchive.isNamed(name) || SensCapture.isNamed(name)
    }

    /// Whether a name is that of a video that is a capture by itself. In a result, they are what its pipeline made.
    private func isNamedLikeVideo(_ name: String) -> Bool {
        result == nil && formats.contains(VideoFileCapture.name) && VideoFileCapture.isNamed(name)
    }

    /// Takes a folder as the one capture that its own files make it, and looks for others in it.
    /// - Returns: false where it is none, and is to be searched.
    private mutating func take(
        _ folder: CaptureFolder, _ closed: inout Closed, _ depth: Int
    ) -> Bool {
        let listed = CaptureFormats.listedOnce(folder)
        guard let own = Self.recognition(of: folder, listed) else {
            if let files = Self.recognitionBesidesSens(listed) { loose.append((folder.path, files.reason)) }
            return false
        }
        // Videos in a recording's folder are parts of it.
        let isDerived = CaptureFormats.format(named: own.format)?.card.origin == .derived
        var inner = CaptureSearch(limits, isDerived ? formats : formats.subtracting([VideoFileCapture.name]))
        let entries = listed.entries(in: "")
        // A result's parts, and what lies in them, are what its pipeline wrote.
        guard result == nil,
            entries.contains(where: { Self.mayHoldCapture($0, besides: own) || inner.isNamedLikeVideo($0.name) })
        else {
            addCapture(in: folder, listed, own.format)
            return true
        }
        inner.nesting = nesting + 1
        // What is seen here may count elsewhere, too. A link in the folder may lead to itself.
        var searched = closed
        searched.folders.formUnion([folder.identity].compactMap(\.self))
        inner.search(folder, &searched, depth, besides: own)
        if nesting > 0 { closed.seenWithin = searched.seenWithin }
        let others = inner.captures.map { ($0, try? CaptureFormats.tree(at: $0.path, limits: limits)) }
            .filter { isNoPart($0, $1, of: folder) }
        let run = others.filter { runs($0, $1, in: listed, own) }.map(\.0)
        if own.format == PictureFolderCapture.name, !run.isEmpty {
            closed.folders = searched.folders
            loose.append((folder.path, own.reason))
            add(inner)
            return true
        }
        addCapture(in: folder, listed, own.format)
        captures += run
        // Archives with several captures cannot be looked into.
        let left = others.map(\.0.path) + inner.unreadable.map(\.path).filter(ZipArchive.isNamed)
        let within = left.filter { path in !run.contains { $0.path == path } }
        if !within.isEmpty { crowded.append((folder.path, within)) }
        return true
    }

    /// Whether a capture in the folder of another is no part of it, nor an archive that was unpacked there.
    /// - Parameter tree: its files; nil where they cannot be looked into.
    private func isNoPart(_ inner: Found, _ tree: (any CaptureTree)?, of folder: CaptureFolder) -> Bool {
        // A damaged archive may hold anything.
        guard let format = inner.format.flatMap(CaptureFormats.format(named:)), let tree else { return true }
        if format.isPart(tree) { return false }
        return !(tree is ZipArchive)
            || UnpackedCopy.missing(from: folder.path, of: inner.path, limits: limits)?.isEmpty != true
    }

    /// Whether a capture in the folder of another is run: a whole recording is, where the outer one is guessed from its
    /// pictures, or is what is left of a capture, or is of a format that nobody asked for. What is derived from
    /// recordings may well be derived from the outer one.
    private func runs(
        _ inner: Found, _ tree: (any CaptureTree)?, in outer: any CaptureTree, _ own: Recognition
    ) -> Bool {
        guard let name = inner.format, let tree, Self.isRecording(tree) else { return false }
        if formats.contains(own.format) { return formats.contains(name) && Self.isGuess(own, outer) }
        return formats.contains(name) || Self.isGuess(own, outer)
    }

    /// Takes over all that another search found.
    private mutating func add(_ other: CaptureSearch) {
        captures += other.captures
        unreadable += other.unreadable
        without += other.without
        strangers.merge(other.strangers, uniquingKeysWith: +)
        crowded += other.crowded
        loose += other.loose
        strayResults += other.strayResults
    }

    /// Takes a folder as one capture, unless several share it.
    /// - Parameter listed: the same folder.
    private mutating func addCapture(in folder: CaptureFolder, _ listed: any CaptureTree, _ format: String) {
        let id = CaptureName.of(folder, in: result, format: format)
        do throws(Problem) {
            try CaptureFormats.requireOne(in: listed)
            captures.append(Found(id: id, path: folder.path, format: format, result: result?.path))
        } catch { addUnreadable(id, at: folder.path, for: error) }
    }

    /// What marks an output folder, besides its results.
    static let stateFolder = ".scanmill"

    private mutating func take(file path: String) {
        if ZipArchive.isNamed(path) { return take(archive: path) }
        // A `.sens` file is a capture by itself. A damaged one fails under its own name instead of being skipped.
        let format =
            SensCapture.isNamed(path) ? SensCapture.name : isNamedLikeVideo(path) ? VideoFileCapture.name : nil
        guard let format else {
            // A result has films and packed files of its own.
            if result == nil, let kind = Stranger(path) { strangers[kind, default: []].append(path) }
            return
        }
        do throws(Problem) {
            captures.append(Found(id: try OneFile(path: path).name, path: path, format: format, result: result?.path))
        } catch { addUnreadable(ZipArchive.name(of: path), at: path, for: error) }
    }

    /// - Parameter isNamed: whether the user named it, and so means it, even if it is a result.
    private mutating func take(archive path: String, isNamed: Bool = false) {
        var name = ZipArchive.name(of: path)
        // One that is damaged, not an archive or not readable fails under its own name when it is run.
        guard let archive = try? ZipArchive(path: path, limits: limits) else {
            return captures.append(Found(id: name, path: path))
        }
        do throws(Problem) {
            guard let capture = try CaptureFormats.capture(in: archive), isNamed || !Self.isResult(capture) else {
                if let problem = archive.obstacle { throw problem }
                return without.append(path)
            }
            let format = CaptureFormats.recognise(capture)?.format
            name = CaptureName.of(archive: path, top: capture.top, format: format)
            try CaptureFormats.requireOne(in: capture)
            captures.append(Found(id: name, path: path, format: format, result: result?.path))
        } catch { addUnreadable(name, at: path, for: error) }
    }
}
