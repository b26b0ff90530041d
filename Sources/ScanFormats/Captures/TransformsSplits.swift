import ScanModel

// Which frames of a dataset are trained on, and which are held out: nerfstudio has lists of pictures, Blender's
// datasets a description of each part, instant-ngp a number of frames and a second description.
extension TransformsReader {
    /// Adds the frames that have descriptions of their own because they are held out.
    mutating func takeHeldOut(besides entries: inout [TransformsEntry], _ top: TransformsJSON.Top) throws(Problem) {
        let isBlender = file == TransformsDataset.trainingFile
        // Without frames to train on, Blender's datasets are incomplete copies.
        var parts = isBlender && !entries.isEmpty ? TransformsDataset.heldOutFiles : []
        // instant-ngp takes it with `--test_transforms`.
        if !isBlender, top.dialect == .instantNGP || entries.isEmpty {
            parts = [(TransformsDataset.heldOutFile, .heldOut)]
        }
        var damaged: [DamagedPart] = []
        for (part, split) in parts {
            guard let problem = try takeDescription(part, split, besides: &entries, top) else { continue }
            damaged.append(DamagedPart(file: part, split: split, problem: problem))
        }
        // Once all others are known: their pictures are not lost.
        for part in damaged { try takeDamaged(part, besides: &entries) }
        if isBlender {
            noteUndescribedParts(besides: entries)
        } else {
            try noteUnreadParts(besides: entries)
        }
    }

    /// Warns of the frames that only Blender's descriptions list, of which none is read beside that of the whole.
    private mutating func noteUnreadParts(besides entries: [TransformsEntry]) throws(Problem) {
        let known = Set(entries.map(\.path.pictureStem))
        let training = TransformsDataset.trainingFile
        let way = tree.byteCount(of: training) == nil ? "rename \(file) to \(training)" : "move \(file) elsewhere"
        for part in [training] + TransformsDataset.heldOutFiles.map(\.file) where tree.byteCount(of: part) != nil {
            do throws(Problem) {
                var repeated: [String] = []
                let json = try JSONValue.parse(
                    try tree.bytes(of: part, limit: TransformsDataset.sizeLimit), file: part, repeatedKeys: &repeated,
                    keepsNonNumbers: true)
                let paths = (json["frames"]?.array ?? []).compactMap { $0["file_path"]?.string }
                let count = paths.count { !known.contains($0.withSlashes.pictureStem) }
                if count == 0 { continue }
                capture.warnings.append(
                    "not read: \(count.counted("frame")) of \(part), which \(file) does not list; "
                        + "to have all parts read, \(way)")
            } catch {
                // What is damaged there belongs to no frame of this file.
                guard error.fault == .input else { throw error }
            }
        }
    }

    /// Adds the frames of a description, for `split`; one that is known already stays one frame.
    /// - Returns: what is wrong with a description that cannot be read.
    private mutating func takeDescription(
        _ file: String, _ split: DatasetSplit, besides entries: inout [TransformsEntry], _ top: TransformsJSON.Top
    ) throws(Problem) -> Problem? {
        guard tree.byteCount(of: file) != nil else { return nil }
        let root: JSONField
        let own: TransformsJSON.Top
        let held: [JSONField]
        do throws(Problem) {
            root = try capture.readJSON(file, in: tree, limit: TransformsDataset.sizeLimit)
            own = try TransformsJSON.Top(root)
            held = try root["frames"].elements()
        } catch {
            guard error.fault == .input else { throw error }
            return error.at(file: file)
        }
        try rules.check(frames: entries.count + held.count, of: "frames")
        let way = Self.way(from: file)
        // A dataset that lies there by chance has pictures, and perhaps a world or camera axes, of its own.
        let isPart = way.isEmpty || held.allSatisfy { $0["file_path"].value?.string?.hasPrefix(way) == true }
        let hasSameWorld = own.originalFromSaved == top.originalFromSaved && own.appliedScale == top.appliedScale
        guard held.isEmpty || (isPart && hasSameWorld && own.axes == top.axes) else {
            capture.warnings.append("\(file) is a dataset of its own, and its frames were left out")
            return nil
        }
        capture.list(file, in: tree, [])
        // Depth of all frames is read in one unit.
        let hasSameDepthUnit =
            own.saysNoDepth == top.saysNoDepth && own.depthUnitsPerMetre == top.depthUnitsPerMetre
        var otherDepths = 0
        Self.markUnassignedAsTraining(&entries)
        let known = Dictionary(
            entries.enumerated().map { ($1.path.pictureStem, $0) }, uniquingKeysWith: { first, _ in first })
        for element in held {
            var entry = TransformsEntry(element, root).movedUp(from: way)
            if let number = known[entry.path.pictureStem] {
                entries[number].split?.formUnion(split)
                continue
            }
            entry.split = split
            if !hasSameDepthUnit, entry.depth != nil {
                entry.depth = nil
                otherDepths += 1
            }
            entries.append(entry)
        }
        if otherDepths > 0 {
            capture.warnings.append(
                "the unit of depth in \(file) differs from that in \(self.file): the depth of \(otherDepths) of "
                    + "its frames was left out")
        }
        return nil
    }

    /// Once some frames are held out, all others are there to be trained on.
    static func markUnassignedAsTraining(_ entries: inout [TransformsEntry]) {
        for number in entries.indices where entries[number].split == nil { entries[number].split = .training }
    }

    /// How paths in a description go up to the dataset's folder.
    static func way(from file: String) -> String { file.folderPath.isEmpty ? "" : "../" }

    /// Leaves out the frames that instant-ngp leaves out: it trains on the first ones by name and on no others.
    /// Held-out frames are in a description of their own.
    mutating func omit(from entries: inout [TransformsEntry], beyond limit: Int?) {
        let trained = entries.indices.filter { entries[$0].split?.contains(.training) != false }
        guard let limit, trained.count > limit else { return }
        let omitted = trained.dropFirst(limit)
        capture.findings["frames-beyond-n_frames"] = .of(omitted.count)
        let reason = "n_frames of \(file) is \(limit), and instant-ngp takes so many frames, the first by name"
        for number in omitted {
            // A frame that is held out too remains so.
            if entries[number].split?.isHeldOut == true {
                entries[number].split?.remove(.training)
            } else {
                entries[number].omission = reason
            }
        }
    }

    mutating func takeSplits(_ entries: [TransformsEntry], _ root: JSONField) {
        let lists = TransformsJSON.splitLists.compactMap { key, split -> Capture.SplitList? in
            guard let names = root[key].value?.array, !names.isEmpty else { return nil }
            return Capture.SplitList(
                name: "\(key) of \(file)", split: split,
                pictures: names.compactMap(\.string).map(\.withSlashes))
        }
        capture.takeSplits(lists, of: entries.map(\.path), besides: entries.map(\.split))
    }
}
