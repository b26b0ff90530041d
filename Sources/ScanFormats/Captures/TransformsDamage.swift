import ScanModel

// What a dataset has lost: descriptions that are damaged, folders of pictures and intrinsics that are missing.
extension TransformsReader {
    /// A description of held-out frames that cannot be read.
    struct DamagedPart {
        var file: String
        var split: DatasetSplit
        var problem: Problem
    }

    /// Adds the frames of a damaged description, as far as its text or the folder of its pictures tells which they are.
    /// They are bad frames, so that the capture fails as for other damage if they are many. A frame that another
    /// description lists too is whole, and held out all the same.
    /// - Throws: when the machine is at fault, and when these are more frames than a capture may have.
    mutating func takeDamaged(_ part: DamagedPart, besides entries: inout [TransformsEntry]) throws(Problem) {
        capture.list(part.file, in: tree, [])
        for index in capture.files.indices where capture.files[index].path == part.file {
            capture.files[index].stake = .nothing
        }
        var problem = part.problem
        problem.fix = problem.fix ?? "copy \(part.file) again"
        let text = try self.text(of: part.file)
        let way = Self.way(from: part.file)
        // Paths that do not go up are those of a dataset that lies there by chance.
        let named = Self.picturePaths(in: text).map(\.withSlashes).filter { $0.hasPrefix(way) }
            .map { $0.movedUp(from: way) }
        let stems = Set(named.map(\.pictureStem))
        let shared = entries.indices.filter { stems.contains(entries[$0].path.pictureStem) }
        let lost = lostPictures(of: part, text, named, besides: entries)
        if lost.isEmpty {
            let kept = "\(shared.count.counted("held-out frame")) \(shared.count == 1 ? "was" : "were")"
            let words =
                shared.isEmpty
                ? "held-out frames were left out, and it is unknown how many" : "\(kept) taken from other descriptions"
            capture.warnings.append("\(words): \(problem.oneLine); \(problem.fix ?? "")")
            if shared.isEmpty { return }
        }
        try rules.check(frames: entries.count + lost.count, of: "frames")
        Self.markUnassignedAsTraining(&entries)
        for number in shared { entries[number].split?.formUnion(part.split) }
        entries += lost.map { TransformsEntry(lost: $0, for: part.split, because: problem) }
    }

    /// The pictures of a damaged description's frames that no other one lists.
    /// - Parameter named: the pictures that its text names.
    private func lostPictures(
        of part: DamagedPart, _ text: [UInt8], _ named: [String], besides entries: [TransformsEntry]
    ) -> [String] {
        var known = Set(entries.map(\.path.pictureStem))
        var lost = named.filter { known.insert($0.pictureStem).inserted }
        // A text that is whole names them all.
        if (try? JSONValue.outline(text, file: part.file)) != nil { return lost }
        let own = named.isEmpty ? [Self.usualFolder(of: part.file)] : named.map(\.pictureStem.folderPath)
        let others = Set(entries.map(\.path.pictureStem.folderPath))
        for folder in Set(own).subtracting(others).sorted() where !folder.isEmpty {
            lost += PictureFolder.pictures(in: tree, folder).map(\.path)
                .filter { !Capture.isNoFrame($0) && known.insert($0.pictureStem).inserted }
        }
        return lost
    }

    /// The file's bytes; empty where damage in the capture keeps them from being read. A fault of the machine is thrown.
    private func text(of file: String) throws(Problem) -> [UInt8] {
        do throws(Problem) { return try tree.bytes(of: file, limit: TransformsDataset.sizeLimit) } catch {
            guard error.fault == .input else { throw error }
            return []
        }
    }

    /// `val` for `transforms_val.json`: Blender's datasets have the pictures of each part in a folder of its name.
    private static func usualFolder(of file: String) -> String {
        let parts = file.split { $0 == "_" || $0 == "." }
        return parts.count == 3 && !file.contains("/") ? String(parts[1]) : ""
    }

    /// What `file_path` is in a text that need not be JSON.
    private static func picturePaths(in text: [UInt8]) -> [String] {
        let key = Array("\"file_path\"".utf8)
        let quote = UInt8(ascii: "\"")
        var paths: [String] = []
        var rest = text[...]
        while let found = rest.firstRange(of: key) {
            rest = rest[found.upperBound...]
            let value = rest.drop { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }
            guard value.first == quote, let end = value.dropFirst().firstIndex(of: quote) else { continue }
            if let path = (try? JSONValue.parse(Array(value[...end]), file: ""))?.string { paths.append(path) }
        }
        return paths
    }

    // MARK: - What is missing

    /// Warns of folders with the pictures of Blender's held-out parts whose descriptions are missing, or list nothing.
    mutating func noteUndescribedParts(besides entries: [TransformsEntry]) {
        let folders = Set(entries.map(\.path.pictureStem.folderPath))
        let isAnyHeldOut = entries.contains { $0.split?.isHeldOut == true }
        for (part, split) in TransformsDataset.heldOutFiles {
            let folder = Self.usualFolder(of: part)
            let count = PictureFolder.pictures(in: tree, folder).count { !Capture.isNoFrame($0.path) }
            if count == 0 || folders.contains(folder) { continue }
            let isThere = tree.byteCount(of: part) != nil
            if isThere {
                // What is damaged, or lists other pictures, is no such part.
                guard let json = try? tree.outline(of: part, limit: TransformsDataset.sizeLimit),
                    json["frames"]?.array?.isEmpty == true
                else { continue }
            }
            let lack = isThere ? "\(part) lists no frames" : tree.absence(of: part)
            let use = split == .test ? "tests" : "validation"
            let stead =
                isAnyHeldOut ? "the other held-out frames serve for \(use) too" : "no frame is held out for \(use)"
            capture.warnings.append(
                "\(folder)/ holds \(count.counted("picture")) that no description lists, since \(lack): \(stead); to have "
                    + "them read, copy \(part) with its frames, or give the file that lists them this name")
        }
    }

    /// What to copy where pictures are missing together with their folders; nil where none is.
    /// - Parameter looks: at the entries' pictures; nil where there is no such file.
    func wayToCopyFolders(
        _ entries: [TransformsEntry], _ looks: [Result<PictureLook?, Problem>]
    ) -> String? {
        let missing = zip(entries, looks).compactMap { entry, look -> String? in
            guard case .success(nil) = look, entry.problem == nil, isFolderMissing(of: entry.path) else { return nil }
            return entry.path
        }
        return missing.isEmpty ? nil : "copy \(Capture.folders(of: missing) ?? "the folders of pictures") too"
    }

    /// Whether there is nothing where a picture should lie.
    func isFolderMissing(of path: String) -> Bool {
        let folder = path.pictureStem.folderPath
        return !folder.isEmpty && tree.entries(in: tree.spelling(of: folder) ?? folder).isEmpty
    }

    /// - Parameter elements: the entries' own, in the file.
    /// - Throws: when nothing says how long any frame's lens is.
    func requireFocalLengths(_ entries: [TransformsEntry], _ elements: [JSONField], _ root: JSONField) throws(Problem) {
        let lenses = entries.compactMap { $0.found?.lens }
        if lenses.isEmpty || lenses.contains(where: \.hasFocalLength) { return }
        if let (camera, key) = ([root] + elements.prefix(1)).firstNonNil(Self.nestedCamera) {
            throw Problem(
                .input, "there are no intrinsics where they are read",
                notes: ["“\(camera)” has \(key), which only counts at the file's top or in a frame itself"],
                fix: "move what “\(camera)” holds one level up, as fl_x, fl_y, cx and cy")
        }
        throw Problem(
            .input, "there are no intrinsics",
            notes: ["neither its top nor any of its frames has a focal length: fl_x, camera_angle_x or x_fov"],
            fix: "copy the dataset again, or \(TransformsJSON.Lens.wayToFocalLength)")
    }

    /// An object with a focal length among a field's members: where it lies, and the focal length's key.
    private static func nestedCamera(_ field: JSONField) -> (path: String, key: String)? {
        (field.value?.object?.members ?? []).firstNonNil { member in
            let inner = field[member.key]
            return ["fl_x", "fx", "camera_angle_x"].first { !inner[$0].isAbsent }.map { (inner.path, $0) }
        }
    }
}
