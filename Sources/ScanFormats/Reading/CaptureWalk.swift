import Glibc
import ScanModel

/// A search for captures, on its way through the folders.
struct CaptureWalk {
    private(set) var found = CaptureSearch()
    /// Those that are asked for; empty for all.
    private let formats: Set<String>
    private let limits: ArchiveLimits
    /// The result in which the search takes place, if any.
    private var result: CaptureFolder?
    /// Folders that are not to be searched, or were already; links may lead in circles.
    private var closed: Set<CaptureFolder.Identity> = []
    /// How many captures enclose the folder being searched.
    private var nesting = 0
    /// Folders already searched inside nested captures. Each is searched once: captures that link to each other can be
    /// reached in exponentially many ways.
    private var seenWithin: Set<CaptureFolder.Identity> = []

    init(formats: Set<String>, limits: ArchiveLimits) {
        (self.formats, self.limits) = (formats, limits)
    }

    /// Parameters and problems are those of ``CaptureSearch/init(at:skipping:formats:limits:)``.
    mutating func begin(at path: String, skipping output: String?) throws(Problem) {
        let kind = CaptureFolder.kind(at: path)
        if case .file? = kind, ZipArchive.isArchive(path) { return takeArchive(at: path, isNamed: true) }
        let entry = kind.map { CaptureEntry(name: CaptureFolder(path: path).name, kind: $0) }
        if let entry, entry.isLost {
            takeOdd(entry, at: path)
            if !found.unreadable.isEmpty { return }
        }
        let tree = try CaptureFormats.tree(at: path, limits: limits)
        guard let folder = tree as? CaptureFolder else {
            let format = CaptureFormats.recognise(tree)?.format
            found.captures = [CaptureSearch.Found(id: tree.name, path: path, format: format)]
            return
        }
        result = CaptureName.result(around: folder)
        let skipped = output.flatMap { CaptureFolder(path: $0).identity }
        closed = Set([skipped, folder.identity].compactMap(\.self))
        let isCapture = takeFolder(folder, 0)
        if !isCapture { search(folder, 0) }
        if result == nil || formats.isEmpty { return }
        if isCapture && wanted.isEmpty {
            // A dataset may lie in a result that is a capture itself.
            var inner = self
            inner.search(folder, 0)
            found.captures = inner.found.captures
        }
        // Where none is wanted, all are kept, so that the caller can say what is there instead.
        if !wanted.isEmpty { found.captures = wanted }
    }

    /// What has been found in a format that is asked for.
    private var wanted: [CaptureSearch.Found] { found.captures.filter { $0.format.map(formats.contains) ?? false } }

    // MARK: - Folders

    /// - Parameters:
    ///   - own: what the folder itself was taken for, whose parts are passed over.
    private mutating func search(_ folder: CaptureFolder, _ depth: Int, besides own: Recognition? = nil) {
        if let obstacle = folder.obstacle {
            return addUnreadable(folder.name, at: folder.path, for: obstacle)
        }
        for name in folder.hiddenNames where CaptureSearch.Stranger(name) == .unfinished {
            found.strangers[.unfinished, default: []].append("\(folder.path)/\(name)")
        }
        var isTooDeep = false
        // A fresh folder: what recognition could not look at in subfolders is found again when they are searched.
        let listed = CaptureFolder(path: folder.path)
        for entry in listed.entries(in: "") where own.map({ CaptureSearch.isPart(entry, of: $0) }) != true {
            let path = "\(folder.path)/\(entry.name)"
            switch entry.kind {
            case .file: takeFile(at: path)
            case .folder where SystemFolders.names.contains(entry.name): break
            case .folder where depth == CaptureSearch.depthLimit: isTooDeep = true
            case .folder: visit(entry.name, in: folder, depth + 1)
            case .other, .outOfReach: takeOdd(entry, at: path)
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
                .input, "what lies here was not searched: it is \(CaptureSearch.depthLimit) folders deep",
                fix: "name it as INPUT, or move it up")
            addUnreadable(folder.name, at: folder.path, for: problem)
        }
    }

    /// Takes a folder as the capture that it is, passes over it, or searches it.
    private mutating func visit(_ name: String, in parent: CaptureFolder, _ depth: Int) {
        let path = "\(parent.path)/\(name)"
        let folder = CaptureFolder(path: path)
        guard let identity = folder.identity else {
            // It was a folder when it was listed, but by now is something else, or gone.
            if let kind = CaptureFolder.kind(at: path) { takeOdd(CaptureEntry(name: name, kind: kind), at: path) }
            return
        }
        if closed.contains(identity) { return }
        if nesting > 1, !seenWithin.insert(identity).inserted { return }
        if CaptureSearch.isResult(folder) {
            if !parent.hasFolder(CaptureSearch.stateFolder) { found.strayResults.append(path) }
        } else if !takeFolder(folder, depth) {
            closed.insert(identity)
            let (count, named) = (findCount, found.without.count)
            search(folder, depth)
            // Results of other pipelines lie beside captures, too.
            if findCount == count, !folder.hasFolder(CaptureSearch.stateFolder) {
                found.without.replaceSubrange(named..., with: [path])
            }
        }
    }

    /// How many things have been found that explain why a folder is there.
    private var findCount: Int { found.captures.count + found.unreadable.count + found.strayResults.count }

    /// Takes a folder as the one capture that its own files make it, and looks for others in it.
    /// - Returns: false where it is none, and is to be searched.
    private mutating func takeFolder(_ folder: CaptureFolder, _ depth: Int) -> Bool {
        let listed = CaptureFormats.listedOnce(folder)
        guard let own = CaptureSearch.recognition(of: folder, listed) else {
            if let files = CaptureSearch.recognitionBesidesSens(listed) {
                found.loose.append((folder.path, files.reason))
            }
            return false
        }
        // Videos in a recording's folder are parts of it.
        let isDerived = CaptureFormats.format(named: own.format)?.card.origin == .derived
        let sought = isDerived ? formats : formats.subtracting([VideoFileCapture.name])
        var inner = CaptureWalk(formats: sought, limits: limits)
        let mayHoldOthers = listed.entries(in: "").contains {
            CaptureSearch.mayHoldCapture($0, besides: own) || inner.isNamedLikeVideo($0.name)
        }
        // A result's parts, and what lies in them, are what its pipeline wrote.
        guard result == nil, mayHoldOthers else {
            addCapture(in: folder, listed, own.format)
            return true
        }
        // What is seen here may count elsewhere, too. A link in the folder may lead to itself.
        inner.closed = closed.union([folder.identity].compactMap(\.self))
        (inner.nesting, inner.seenWithin) = (nesting + 1, seenWithin)
        inner.search(folder, depth, besides: own)
        if nesting > 0 { seenWithin = inner.seenWithin }
        let others = inner.found.captures.map { ($0, try? CaptureFormats.tree(at: $0.path, limits: limits)) }
            .filter { isNoPart($0, $1, of: folder) }
        let run = others.filter { runs($0, $1, in: listed, own) }.map(\.0)
        if own.format == PictureFolderCapture.name, !run.isEmpty {
            closed = inner.closed
            found.loose.append((folder.path, own.reason))
            found.add(inner.found)
            return true
        }
        addCapture(in: folder, listed, own.format)
        found.captures += run
        // Archives with several captures cannot be looked into.
        let left = others.map(\.0.path) + inner.found.unreadable.map(\.path).filter(ZipArchive.isNamed)
        let within = left.filter { path in !run.contains { $0.path == path } }
        if !within.isEmpty { found.crowded.append((folder.path, within)) }
        return true
    }

    /// Whether a capture in the folder of another is no part of it, nor an archive that was unpacked there.
    /// - Parameter tree: its files; nil where they cannot be looked into.
    private func isNoPart(
        _ inner: CaptureSearch.Found, _ tree: (any CaptureTree)?, of folder: CaptureFolder
    ) -> Bool {
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
        _ inner: CaptureSearch.Found, _ tree: (any CaptureTree)?, in outer: any CaptureTree, _ own: Recognition
    ) -> Bool {
        guard let name = inner.format, let tree, CaptureSearch.isRecording(tree) else { return false }
        if formats.contains(own.format) { return formats.contains(name) && CaptureSearch.isGuess(own, outer) }
        return formats.contains(name) || CaptureSearch.isGuess(own, outer)
    }

    /// Adds a folder as one capture, unless several share it.
    /// - Parameter listed: the same folder.
    private mutating func addCapture(in folder: CaptureFolder, _ listed: any CaptureTree, _ format: String) {
        let id = CaptureName.of(folder, in: result, format: format)
        do throws(Problem) {
            try CaptureFormats.requireOne(in: listed)
            addCapture(id, at: folder.path, format)
        } catch { addUnreadable(id, at: folder.path, for: error) }
    }

    // MARK: - Files, and what is neither

    private mutating func takeFile(at path: String) {
        if ZipArchive.isNamed(path) {
            takeArchive(at: path)
        } else if SensCapture.isNamed(path) {
            takeSingle(at: path, SensCapture.name)
        } else if isNamedLikeVideo(path) {
            takeSingle(at: path, VideoFileCapture.name)
        } else if result == nil, let kind = CaptureSearch.Stranger(path) {
            // A result has films and packed files of its own.
            found.strangers[kind, default: []].append(path)
        }
    }

    /// Takes a file that is a capture by itself. A damaged one fails under its own name instead of being skipped.
    private mutating func takeSingle(at path: String, _ format: String) {
        do throws(Problem) {
            addCapture(try OneFile(path: path).name, at: path, format)
        } catch { addUnreadable(path.nameWithoutExtension, at: path, for: error) }
    }

    /// - Parameter isNamed: whether the user named it, and so means it, even if it is a result.
    private mutating func takeArchive(at path: String, isNamed: Bool = false) {
        var name = path.nameWithoutExtension
        if let problem = DownloadParts.problem(of: path) { return addUnreadable(name, at: path, for: problem) }
        // One that is damaged, not an archive or not readable fails under its own name when it is run.
        guard let archive = try? ZipArchive(path: path, limits: limits) else {
            return found.captures.append(CaptureSearch.Found(id: name, path: path))
        }
        do throws(Problem) {
            guard let capture = try archive.onlyCapture(), isNamed || !CaptureSearch.isResult(capture) else {
                if let problem = archive.obstacle { throw problem }
                return found.without.append(path)
            }
            let format = CaptureFormats.recognise(capture)?.format
            name = CaptureName.of(archive: path, top: capture.top, format: format)
            try CaptureFormats.requireOne(in: capture)
            addCapture(name, at: path, format)
        } catch { addUnreadable(name, at: path, for: error) }
    }

    /// Judges by its name what is neither a file nor a folder, or cannot be looked at: a link that leads nowhere may have
    /// led to a capture, and where a disk fails, anything may be one.
    private mutating func takeOdd(_ entry: CaptureEntry, at path: String) {
        let isNamedLikeOne = CaptureSearch.isNamedLikeOne(entry.name) || isNamedLikeVideo(entry.name)
        let mayBeOne = isNamedLikeOne || !entry.name.contains(".")
        let id = isNamedLikeOne ? entry.name.nameWithoutExtension : entry.name
        switch entry.kind {
        case .file, .folder: break
        case .other(.notText):
            let problem = Problem(.input, "a name is not UTF-8, so what it names was left out", fix: "rename it")
            addUnreadable(entry.name, at: path, for: problem)
        case .other where entry.isLost:
            if mayBeOne { addUnreadable(id, at: path, for: entry.loss) }
        case .other:
            if isNamedLikeOne { found.without.append(path) }
        case .outOfReach(let code):
            // A link into a folder without permission is treated as one that leads nowhere.
            let isForbidden = [EACCES, EPERM].contains(code)
            if isForbidden && !mayBeOne { return }
            addUnreadable(id, at: path, for: .system("cannot look at this", path: path, code: code))
        }
    }

    /// Whether a name is that of a video that is a capture by itself. In a result, they are what its pipeline made.
    private func isNamedLikeVideo(_ name: String) -> Bool {
        result == nil && formats.contains(VideoFileCapture.name) && VideoFileCapture.isNamed(name)
    }

    // MARK: - What is found

    private mutating func addCapture(_ id: String, at path: String, _ format: String?) {
        found.captures.append(CaptureSearch.Found(id: id, path: path, format: format, result: result?.path))
    }

    private mutating func addUnreadable(_ id: String, at path: String, for problem: Problem) {
        found.unreadable.append(CaptureSearch.Unreadable(name: id, path: path, problem: problem.at(file: path)))
    }
}
