import Glibc
import ScanModel

extension CaptureTree {
    /// The picture that a path in a dataset's description refers to, relative to `folder`. The extension may be left
    /// out.
    /// - Returns: nil when there is no such file.
    /// - Throws: when the path leads out of the capture.
    func picture(_ path: String, in folder: String = "") throws(Problem) -> String? {
        let plain = try path.path(in: folder).plainPath()
        for ending in PictureFolder.endingsLeftOut {
            if let file = try file(at: plain + ending) { return file }
        }
        return nil
    }

    /// What stands in a listed picture's place and is no file, for a message, and what to do about it: `rgb/8.png is a
    /// folder`.
    /// - Returns: nil where nothing does.
    func obstacle(to path: String, in folder: String = "") -> (words: String, fix: String?)? {
        guard let plain = try? path.path(in: folder).plainPath() else { return nil }
        // On a network share each look takes its time.
        let endings = PictureFolder.isNamed(plain) ? [""] : PictureFolder.endingsLeftOut
        guard let place = endings.map({ plain + $0 }).first(where: { entry($0).map { $0.byteCount == nil } ?? false })
        else { return nil }
        return (absence(of: place), wayToReplace(place))
    }

    /// Why a frame is dropped whose listed picture is no file.
    /// - Parameter otherwise: what to say of the picture where nothing stands in its place.
    func lack(ofPicture path: String, in folder: String = "", otherwise: String = "is not there") -> (
        reason: String, fix: String?
    ) {
        let obstacle = obstacle(to: path, in: folder)
        return ("its picture \(obstacle?.words ?? otherwise)", obstacle?.fix)
    }

    /// Whether a path stays in the capture by its parts, but leaves it by a link.
    func leadsOutByLink(_ path: String) -> Bool {
        guard let plain = try? path.plainPath() else { return false }
        let there = PictureFolder.endingsLeftOut.firstNonNil { fileThere(plain + $0) }
        return there.map { !holds($0) } ?? false
    }

    /// A file that is named like a missing picture except for its extension: `images/8.jpg` for `images/8.png`.
    func otherForm(of path: String) -> String? {
        if path.leadsOut { return nil }
        let endings = PictureFolder.extensions + ForeignPicture.endings
        return endings.flatMap { [$0, $0.uppercased()] }.map { "\(path.pictureStem).\($0)" }
            .filter { $0 != path }.firstNonNil(fileThere)
    }

    /// The end of a path that leads out of the capture, where a picture of that name lies in it: `images/8.png` for
    /// `/home/me/room/images/8.png`.
    /// - Parameter folder: where it is looked for.
    func inside(_ path: String, in folder: String = "") -> String? {
        // No file has a longer one.
        if path.utf8.count > PATH_MAX { return nil }
        let parts = path.pathParts
        return parts.indices.map { parts[$0...].joined(separator: "/") }
            .first { !$0.leadsOut && (try? picture($0, in: folder)) != nil }?.path(in: folder)
    }

    /// A picture that is named like a missing one, at the capture's top or in one of the folders there: `input/8.png`
    /// for `images/8.png`.
    func elsewhere(_ path: String) -> String? {
        // A folder that is there has lost its own pictures: others may have the same names.
        let folder = path.pictureStem.folderPath.pathParts.first
        if path.leadsOut || folder.map({ hasFolder(String($0)) }) == true { return nil }
        // Depth, masks and the like have the names of the pictures that they belong to.
        let others = ["depth", "mask", "normal", "conf", "seg", "semantic", "label"]
        let folders = entries(in: "").filter { $0.kind == .folder }.map(\.name)
            .filter { name in !others.contains { name.lowercased().contains($0) } }
        return ([""] + folders.prefix(20)).firstNonNil { inside(path, in: $0) }
    }
}

extension String {
    /// A path as Windows programs write it, with slashes.
    var withSlashes: String { replacing("\\", with: "/") }

    /// A path in one of a capture's own files, without redundant parts: `images/8.png` for `./images//8.png`.
    /// - Throws: when it leads out of the capture by its parts, or names no file.
    func plainPath() throws(Problem) -> String {
        // Thousands of sound paths need none.
        func problem(_ summary: String) -> Problem { Problem(.input, "\(summary): \(String(reflecting: shortened))") }
        let parts = pathParts.filter { $0 != "." }
        if parts.isEmpty || endsInSlash { throw problem("a path names no file") }
        if leadsOut { throw problem("a path leads out of the capture") }
        if utf8.contains(where: { $0 < 0x20 }) { throw problem("a path holds a control character") }
        return parts.joined(separator: "/")
    }

    /// A path for messages: of a long one, such as a damaged description may hold, only the beginning.
    var shortened: String {
        if utf8.count <= 200 { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(100))) + "…"
    }

    /// Whether a path in a description begins at a disk's root, or goes up.
    var leadsOut: Bool {
        isAbsolutePath || dropFirst().hasPrefix(":/") || pathParts.contains("..")
    }

    /// What tells a picture's path from others, however a description spells it: `images/8` for `images/8.png`,
    /// `images/8` and `./images/8`.
    var pictureStem: String {
        var parts = pathParts.filter { $0 != "." }
        if let last = parts.last, let dot = last.lastIndex(of: "."), dot != last.startIndex,
            Self.pictureEndings.contains(last[last.index(after: dot)...].lowercased())
        {
            parts[parts.count - 1] = last[..<dot]
        }
        return parts.joined(separator: "/")
    }

    /// The folder that a path lies in; empty for a name alone.
    var folderPath: String { pathParts.dropLast().joined(separator: "/") }

    /// The extensions of pictures and depth, read here or not. What follows any other dot is a part of the name: a list
    /// may leave the extensions of `render.0001.png` and `render.0002.png` out.
    private static let pictureEndings = Set(
        PictureFolder.extensions + ForeignPicture.endings
            + ["heif", "avif", "bmp", "gif", "jp2", "dng", "pgm", "ppm", "exr", "npy", "npz"])
}

extension Capture {
    /// Says how many pictures lie beside the frames' that the capture's description does not list: they have no pose,
    /// and are not frames.
    /// - Parameters:
    ///   - listed: the pictures that it lists, whether they exist or not, and other files that it lists beside them.
    ///   - lack: what they lack: "has no entry in transforms.json".
    mutating func noteUnlisted(besides listed: [String], in tree: any CaptureTree, _ lack: String) {
        let unlisted = unlistedPictures(besides: listed, in: tree)
        guard let first = unlisted.first else { return }
        findings["pictures-not-listed"] = .of(unlisted.count)
        warnings.append(
            unlisted.count == 1
                ? "the picture \(first) \(lack), and was left out"
                : "\(unlisted.count) pictures were left out, the first \(first): each \(lack)")
    }

    /// The pictures that lie beside the frames' and that a list does not name.
    func unlistedPictures(besides listed: [String], in tree: any CaptureTree) -> [String] {
        let known = Set(listed.map(\.pictureStem))
        return pictureFolders.flatMap { PictureFolder.pictures(in: tree, $0) }.map(\.path)
            .filter { !known.contains($0.pictureStem) && !Self.isNoFrame($0) }
    }

    /// The folders in which the frames' pictures lie, sorted.
    var pictureFolders: [String] {
        Set(frames.compactMap(\.pictureFile).map(\.folderPath))
            .sorted()
    }

    /// Beside the pictures lie instant-ngp's masks, `dynamic_mask_0.png` and `0.alpha.png`, and the depth and the normals
    /// that Blender's datasets have of their test frames, `r_0_depth_0001.png` and `r_0_normal_0001.png`.
    static func isNoFrame(_ path: String) -> Bool {
        let name = path.pathName ?? ""
        return name.hasPrefix("dynamic_mask_") || name.split(separator: ".").dropLast().last == "alpha"
            || name.contains("_depth_") || name.contains("_normal_")
    }
}
