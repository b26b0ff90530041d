import ScanModel

// Where captures begin and end: what makes a folder or a file one capture, and which lie in or around others.
extension CaptureSearch {
    /// What marks an output folder, besides its results.
    static let stateFolder = ".scanmill"

    /// Whether a folder is what a run published.
    static func isResult(_ folder: any CaptureTree) -> Bool {
        guard folder.byteCount(of: ReceiptMark.fileName) != nil else { return false }
        guard let beginning = folder.beginning(of: ReceiptMark.fileName, ReceiptMark.length) else { return true }
        return ReceiptMark.isOurs(beginning) || ReceiptMark.isBlank(beginning)
    }

    /// Whether a folder above a capture is what a run published. Stricter than ``isResult(_:)``: a receipt that is blank
    /// or unreadable counts only inside an output folder, since elsewhere the file may be anyone's.
    static func isResult(around folder: CaptureFolder) -> Bool {
        guard isResult(folder) else { return false }
        let beginning = folder.beginning(of: ReceiptMark.fileName, ReceiptMark.length)
        return beginning.map(ReceiptMark.isOurs) == true || folder.above?.hasFolder(stateFolder) == true
    }

    /// The recording that a folder is or lies in. What is derived from recordings does not count, since a folder of
    /// pictures may be anyone's, and neither do single files, beside which anything may lie.
    /// - Parameter path: absolute, without links; it need not exist yet.
    package static func recording(around path: String) -> String? {
        let recorders = CaptureFormats.all.filter { $0.card.origin != .derived && $0 != SensCapture.self }
        var folder = path[...]
        while !folder.isEmpty {
            let path = String(folder)
            if CaptureFolder.kind(at: path) == .folder {
                let tree = CaptureFormats.listedOnce(CaptureFolder(path: path))
                if recorders.contains(where: { $0.recognise(tree) != nil }) { return path }
            }
            folder = folder.lastSlash.map { folder[..<$0] } ?? ""
        }
        return nil
    }

    /// The folder of the capture that a file is a part of: `scan` for `scan/sparse/0/cameras.txt`.
    /// - Returns: nil where the file is a part of none, or lies many folders deep in it.
    package static func capture(holding file: String) -> String? {
        var found: (path: String, format: String)?
        var path = file
        // Above `..` lies what only the file system knows.
        for _ in 0..<holdingDepth where path != "." && path != "/" && path.pathName != ".." {
            path = path.lastSlash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            guard let recognition = recognition(of: CaptureFolder(path: path)) else { continue }
            // A part of a capture may look like a whole one of its format.
            if found == nil || found?.format == recognition.format { found = (path, recognition.format) }
        }
        return found?.path
    }

    /// As many folders as lie above `colmap/sparse/0/cameras.txt`, the deepest file that a format looks for by its name.
    private static let holdingDepth = 4

    /// Whether a folder is one capture, as a run sees it.
    static func isCapture(_ folder: CaptureFolder) -> Bool {
        guard let own = recognition(of: folder) else { return false }
        if own.format != PictureFolderCapture.name { return true }
        return (try? CaptureSearch(at: folder.path))?.loose.contains { $0.folder == folder.path } != true
    }

    /// What makes a folder one capture. A `.sens` file does, unless it lies there beside other captures.
    /// - Parameter listed: the same folder, if its lists are kept.
    static func recognition(of folder: CaptureFolder, _ listed: (any CaptureTree)? = nil) -> Recognition? {
        guard let recognition = CaptureFormats.recognise(listed ?? folder) else { return nil }
        if recognition.format != SensCapture.name { return recognition }
        let files = folder.files(in: "").map { "\(folder.path)/\($0)" }
        return files.count(where: isCapture(file:)) <= 1 && innerCaptures(of: folder, besides: nil).isEmpty
            ? recognition : nil
    }

    /// What the other files look like in a folder whose `.sens` file is a capture of its own. Pictures are named with
    /// their folder, which is searched.
    static func recognitionBesidesSens(_ tree: any CaptureTree) -> Recognition? {
        guard tree.files(in: "").contains(where: SensCapture.isNamed) else { return nil }
        let others = CaptureFormats.all.filter { $0 != SensCapture.self && $0 != PictureFolderCapture.self }
        return others.firstNonNil { $0.recognise(tree) }
    }

    /// Whether a folder may not be what it looks like: it holds pictures and nothing else that is known, or what is left
    /// of a capture.
    static func isGuess(_ recognition: Recognition, _ tree: any CaptureTree) -> Bool {
        recognition.format == PictureFolderCapture.name
            || CaptureFormats.format(named: recognition.format)?.recognise(tree) == nil
    }

    /// Whether this is a whole recording, and neither derived from one nor what is left of it.
    static func isRecording(_ tree: any CaptureTree) -> Bool {
        guard let recognition = CaptureFormats.recognise(tree), !isGuess(recognition, tree) else { return false }
        return CaptureFormats.format(named: recognition.format)?.card.origin != .derived
    }

    /// Whether a name is that of a file which is a capture by itself, whatever is asked for.
    static func isNamedLikeOne(_ name: String) -> Bool {
        ZipArchive.isNamed(name) || SensCapture.isNamed(name)
    }

    /// Whether something in a capture's folder may hold captures of its own.
    static func mayHoldCapture(_ entry: CaptureEntry, besides own: Recognition) -> Bool {
        if isPart(entry, of: own) || SystemFolders.names.contains(entry.name) { return false }
        return entry.kind == .folder || (entry.byteCount != nil && isNamedLikeOne(entry.name))
    }

    /// Whether something in a capture's folder is one of the capture's own parts, by its name.
    static func isPart(_ entry: CaptureEntry, of own: Recognition) -> Bool {
        guard entry.kind == .folder else { return own.format == SensCapture.name && SensCapture.isNamed(entry.name) }
        // `images_4` holds the pictures of `images` at a quarter of their size.
        let name = entry.name.lowercased()
        var whole = name[...]
        if let line = name.lastIndex(of: "_"), Int(name[line...].dropFirst()) != nil { whole = name[..<line] }
        return entry.name == own.folder || parts.contains(String(whole))
            || (own.format == TransformsDataset.name && ["test", "train", "val"].contains(name))
    }

    /// What formats and tools call the folders of a capture's files. Nobody gives these names to a folder of captures, so
    /// a search does not go into them.
    private static let parts: Set = [
        "cameras", "color", "colmap", "conf", "confidence", "corrected_cameras", "corrected_images", "dense", "depth",
        "downscaled", "dslr", "highres_depth", "images", "instance", "instance-filt", "intrinsic", "keyframes", "label",
        "label-filt", "lowres_depth", "lowres_wide", "lowres_wide_intrinsics", "masks", "optimized_poses", "pose",
        "rgb", "rgbd", "sparse", "stereo", "ultrawide", "ultrawide_intrinsics", "vga_wide", "vga_wide_intrinsics",
        "wide", "wide_intrinsics",
    ]

    /// The captures that lie in another one's folders: a search stops at that one, and skips them.
    /// - Parameter recognition: the outer one's, where it was recognised already.
    /// - Returns: the names of their folders.
    package static func innerCaptures(of tree: any CaptureTree, _ recognition: Recognition?) -> [String] {
        guard let folder = tree as? CaptureFolder else { return [] }
        let known = recognition ?? CaptureFormats.recognise(folder)
        return innerCaptures(of: folder, besides: known?.folder)
    }

    /// - Parameter own: the folder in which the outer capture's own files lie.
    private static func innerCaptures(of folder: CaptureFolder, besides own: String?) -> [String] {
        // A result's parts, and what lies in them, are what its pipeline wrote.
        if CaptureName.result(around: folder) != nil { return [] }
        return folder.entries(in: "").filter { $0.kind == .folder && $0.name != own }.map(\.name).filter { name in
            let inner = CaptureFolder(path: "\(folder.path)/\(name)")
            guard let recognition = CaptureFormats.recognise(inner) else { return false }
            return CaptureFormats.format(named: recognition.format)?.isPart(inner) != true
        }
    }

    /// Whether a file is to be run by itself: it is a capture, or holds some, or cannot be examined.
    private static func isCapture(file path: String) -> Bool {
        guard ZipArchive.isNamed(path) else { return SensCapture.isNamed(path) && (try? OneFile(path: path)) != nil }
        return (try? ZipArchive(path: path)).map { !$0.captures.isEmpty } ?? true
    }
}
