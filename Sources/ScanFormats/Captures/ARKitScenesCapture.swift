import ScanModel

/// A video of ARKitScenes' raw split: pictures, cameras, depth and confidence in files named after their times, and
/// `lowres_wide.traj` with poses some ten times a second.
///
/// Most pictures are recorded between two poses and have none: they are dropped, by name. Files are matched by time,
/// since names may differ by a millisecond.
///
/// There may be several sets of pictures, no two with the same frames: `wide/` has 10 a second, without those whose
/// depth the makers found wrong, `vga_wide/` 30 and `lowres_wide/` 60. The set with the largest pictures is used,
/// unless most of them are missing.
///
/// Source: ARKitScenes, DATA.md, raw/README.md and threedod/benchmark_scripts/utils/tenFpsDataLoader.py.
public enum ARKitScenesCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "arkitscenes",
        summary: "ARKitScenes raw video: lowres_wide.traj, pictures with a .pincam each, depth and confidence.",
        reads: [.color, .pose, .intrinsics, .timestamp, .recordedDepth, .recordedConfidence],
        passesOver: [
            "highres_depth, from a laser scanner", "ultrawide/", "the annotated boxes and the mesh",
            "the device's orientation: pictures stay as recorded", "the .mov",
        ],
        writer: "write-capture: {format: arkitscenes}",
        writingLoses: [
            "timestamps finer than a millisecond", "confidence beyond three levels", "the bounding box", "motion",
        ], poseAxes: .openCV, revision: 7)

    static let trajectoryFile = "lowres_wide.traj"
    /// Where pictures may be, the larger ones first; the cameras are in `…_intrinsics`.
    static let folders = ["wide", "vga_wide", "lowres_wide"]

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let folder = folders.first(where: { tree.hasFolder("\($0)_intrinsics") || tree.hasFolder($0) }),
            let bytes = tree.beginning(of: trajectoryFile)
        else { return nil }
        var table = TextTable(MemorySource(bytes, name: trajectoryFile), .space, lineLimit: 4096)
        // Some lines, because the first one may be damaged.
        let hasPose = (0..<5).contains { _ in
            guard let row = try? table.next(), row.fields.count == 7 else { return false }
            return (try? ARKitScenesText.posed(row)) != nil
        }
        guard hasPose else { return nil }
        return Recognition(format: name, reason: "\(trajectoryFile) holds poses, and \(folder) stands beside it")
    }

    /// No other format gives its poses or its cameras these names.
    public static func remains(of tree: any CaptureTree) -> Recognition? {
        if isSample(tree) {
            return Recognition(
                format: name, reason: "\(sampleTrajectory) and \(sampleCameras)/ stand side by side, as in its samples")
        }
        if tree.byteCount(of: trajectoryFile) != nil {
            return Recognition(format: name, reason: "\(trajectoryFile) has the name of ARKitScenes' poses")
        }
        let folder = folders.map { "\($0)_intrinsics" }.first { folder in
            tree.hasFolder(folder) && tree.entries(in: folder).contains { $0.name.hasSuffix(".pincam") }
        }
        return folder.map { folder in
            Recognition(format: name, reason: "\(folder)/ holds cameras, and \(trajectoryFile) is missing")
        }
    }

    /// What threedod/README.md calls the poses and the cameras of its samples. Downloads have the names above.
    private static let (sampleTrajectory, sampleCameras) = ("color.traj", "color_intrinsics")

    private static func isSample(_ tree: any CaptureTree) -> Bool {
        tree.byteCount(of: trajectoryFile) == nil && tree.byteCount(of: sampleTrajectory) != nil
            && tree.hasFolder(sampleCameras)
    }

    /// The data set's 3dod part has its frames in a folder of their own, `41069021/41069021_frames`.
    public static func id(of name: String, in scene: String) -> String? { name == "\(scene)_frames" ? scene : nil }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        if isSample(tree) {
            throw Problem(
                .input, "this is the layout of ARKitScenes' samples, which is not read",
                notes: ["the poses are in \(sampleTrajectory), and the cameras in \(sampleCameras)/"],
                fix: "download lowres_wide.traj, lowres_wide, lowres_wide_intrinsics, lowres_depth and confidence")
        }
        var reader = ARKitScenesReader(tree: tree, rules: rules)
        return try reader.read()
    }
}

private struct ARKitScenesReader {
    /// The largest difference between a picture's time and its pose's.
    private static let poseTolerance: Int64 = 5_000_000
    /// The largest difference between the names of one frame's files.
    private static let nameTolerance: Int64 = 1_000_000

    let tree: any CaptureTree
    let rules: ReadRules
    private var capture: Capture
    private var source: TreeSource
    /// The last number in each camera file that ends with a line feed; then those in the others, with their frames.
    private var cameraEnds = LastNumbers()
    private var openCameras: [(frame: Int, last: String)] = []

    init(tree: any CaptureTree, rules: ReadRules) {
        self.tree = tree
        self.rules = rules
        capture = Capture(of: tree, as: ARKitScenesCapture.self, rules)
        source = TreeSource(tree, rules)
    }

    /// A folder's files in the order of their times.
    private struct Timed {
        var times: [Int64] = []
        var paths: [String] = []
    }

    mutating func read() throws(Problem) -> Capture {
        capture.worldUp = Vector3(0, 0, 1)
        var sets = try pictureSets()
        let posed = try readPoses()
        for index in sets.indices {
            sets[index].poses = TimeMatch(
                sets[index].pictures.times, with: posed.times, within: Self.poseTolerance)
        }
        let set = choose(sets)
        let (pictures, poses) = (set.pictures, set.poses)
        capture.variant = set.folder
        for (index, time) in pictures.times.enumerated() {
            var facts = FrameFacts(index: index)
            facts.timestamp = time
            capture.frames.append(facts)
        }
        capture.channels.formUnion([.color, .pose, .intrinsics, .timestamp])
        capture.takePoses(posed, by: poses, rules)
        // Pictures without a pose are not even looked at.
        for index in pictures.paths.indices where !capture.frames[index].isDropped {
            capture.frames[index].pictureFile = pictures.paths[index]
        }
        let taken = Set(poses.partners.compactMap(\.self))
        let others = posed.times.indices.filter { !taken.contains($0) }.map { posed.times[$0] }
        let places = addLost(set.lost, by: TimeMatch(set.lost, with: others, within: Self.poseTolerance))
        let cameras = places.map { $0.flatMap { set.cameras.paths[$0] } }
        let sizes = try capture.checkPictures(in: tree, rules: rules)
        for index in capture.frames.indices where !capture.frames[index].isDropped {
            try readCamera(of: index, cameras[index], sizes[index])
        }
        dropOpenCameras()
        let depth = try readDepth(of: pictures.times, places)
        capture.findings["time-match"] = .object([
            "poses": poses.summary, "cameras": set.cameras.match.summary, "depth": depth.summary,
        ])
        capture.lacks([.box, .motion], "ARKitScenes has none that ScanMill reads")
        capture.estimateFrameRate()
        capture.source = source
        return capture
    }

    /// Adds the cameras whose pictures are missing to the frames, as dropped frames.
    /// - Parameters:
    ///   - times: the times of these cameras.
    ///   - poses: these times matched with the poses that no picture has. A picture without a pose is dropped too, so
    ///     that where there is none nothing is lost.
    /// - Returns: the index of each frame's picture, nil where it has none.
    private mutating func addLost(_ times: [Int64], by poses: TimeMatch) -> [Int?] {
        var placed = capture.frames.map { (facts: $0, picture: Int?.some($0.index)) }
        for (time, pose) in zip(times, poses.partners) {
            var facts = FrameFacts(index: 0)
            facts.timestamp = time
            facts.drop =
                pose == nil
                ? Drop(whileReading: "its camera has neither picture nor pose")
                : Drop(whileReading: "its camera has no picture", isBad: true)
            placed.append((facts, nil))
        }
        // Pictures are in order already, so equal times stay as they are.
        if !times.isEmpty { placed.sort { ($0.facts.timestamp ?? 0) < ($1.facts.timestamp ?? 0) } }
        capture.frames = placed.map(\.facts).renumbered
        return placed.map(\.picture)
    }

    // MARK: - Pictures

    /// A folder of pictures, with the cameras and the poses that belong to them.
    private struct PictureSet {
        var folder: String
        var pictures: Timed
        var cameras: (match: TimeMatch, paths: [String?])
        /// The times of the cameras that have no picture.
        var lost: [Int64]
        var poses = TimeMatch([], with: [], within: 0)

        /// The number of pictures with both.
        var usableCount: Int { zip(poses.partners, cameras.paths).count { $0 != nil && $1 != nil } }
    }

    /// The sets that have both pictures and cameras, the larger pictures first.
    private mutating func pictureSets() throws(Problem) -> [PictureSet] {
        var sets: [PictureSet] = []
        var (bare, blind): ([String], [String]) = ([], [])
        for folder in ARKitScenesCapture.folders {
            let pictures = try files(in: folder, "png")
            let cameras = try files(in: "\(folder)_intrinsics", "pincam")
            if pictures.times.isEmpty || cameras.times.isEmpty {
                if !pictures.times.isEmpty { bare.append(folder) }
                // Those of smaller pictures would not be missed.
                if !cameras.times.isEmpty && sets.isEmpty { blind.append(folder) }
                continue
            }
            let matched = match(pictures.times, with: cameras)
            let used = Set(matched.match.partners.compactMap(\.self))
            let lost = cameras.times.indices.filter { !used.contains($0) }.map { cameras.times[$0] }
            try rules.check(frames: pictures.times.count + lost.count, of: "frames in \(folder)/")
            sets.append(PictureSet(folder: folder, pictures: pictures, cameras: matched, lost: lost))
        }
        if let set = sets.first {
            for folder in bare {
                capture.warnings.append(
                    "\(folder)/ holds pictures, and \(folder)_intrinsics/ none of their cameras: those of \(set.folder)/ "
                        + "may be taken; download \(folder)_intrinsics too for the others")
            }
            for folder in blind {
                capture.warnings.append(
                    "\(folder)_intrinsics/ holds cameras, and \(folder)/ none of their pictures: those of \(set.folder)/ "
                        + "may be taken, though they are smaller; download \(folder) too for the larger ones")
            }
            return sets
        }
        let wanted = ARKitScenesCapture.folders.map { "\($0)/ with \($0)_intrinsics/" }
        throw Problem(
            .input, "there are no pictures with cameras",
            notes: ["looked for files named after their times in \(wanted.joined(separator: ", "))"],
            fix: "download lowres_wide and lowres_wide_intrinsics of this video")
    }

    /// The set with the largest pictures, unless another one has more than twice as many usable frames.
    /// - Parameter sets: at least one, the larger pictures first.
    private mutating func choose(_ sets: [PictureSet]) -> PictureSet {
        let counts = sets.map(\.usableCount)
        let most = counts.max() ?? 0
        let chosen = counts.firstIndex { 2 * $0 >= most } ?? 0
        func facts(_ index: Int) -> String {
            "\(sets[index].folder)/ has camera and pose for \(counts[index].counted("picture"))"
        }
        if chosen > 0 {
            let folder = sets[0].folder
            capture.warnings.append(
                "\(facts(0)), and \(facts(chosen)): the latter were taken, though they are smaller; "
                    + "download \(folder) and \(folder)_intrinsics again for the larger ones")
        } else if let fuller = counts.firstIndex(of: most), 10 * counts[0] < 9 * most {
            // A few more would not matter.
            capture.warnings.append(
                "\(facts(0)), and \(facts(fuller)): the former were taken, because they are larger")
        }
        return sets[chosen]
    }

    private func files(in folder: String, _ ending: String) throws(Problem) -> Timed {
        let found = tree.entries(in: folder).compactMap { entry -> (time: Int64, path: String)? in
            guard entry.byteCount != nil, entry.name.lowercased().hasSuffix(".\(ending)"),
                let time = ARKitScenesText.timestamp(in: entry.name)
            else { return nil }
            return (time, "\(folder)/\(entry.name)")
        }.sorted { ($0.time, $0.path) < ($1.time, $1.path) }
        try rules.check(frames: found.count, of: "files in \(folder)/")
        return Timed(times: found.map(\.time), paths: found.map(\.path))
    }

    private func match(_ times: [Int64], with files: Timed) -> (match: TimeMatch, paths: [String?]) {
        let match = TimeMatch(times, with: files.times, within: Self.nameTolerance)
        return (match, match.partners.map { $0.map { files.paths[$0] } })
    }

    // MARK: - Depth

    /// - Parameters:
    ///   - times: the pictures'.
    ///   - places: the index of each frame's picture, nil where it has none.
    /// - Returns: which depth belongs to which picture.
    private mutating func readDepth(of times: [Int64], _ places: [Int?]) throws(Problem) -> TimeMatch {
        func frameFiles(_ partners: [String?], in folder: String, holding count: Int) -> FrameFiles {
            var files = FrameFiles(
                places.map { $0.flatMap { partners[$0] } }, in: folder, holding: count,
                noneOfWhich: "is called after a picture's time")
            files.countsGaps = false
            return files
        }
        let maps = try files(in: "lowres_depth", "png")
        let depth = match(times, with: maps)
        try capture.takeDepth(
            frameFiles(depth.paths, in: "lowres_depth", holding: maps.paths.count), .uint16(unitsPerMetre: 1000),
            to: &source)
        let levels = try files(in: "confidence", "png")
        let confidence = match(times, with: levels)
        try capture.takeConfidence(
            frameFiles(confidence.paths, in: "confidence", holding: levels.paths.count), to: &source)
        capture.losesEmptied(depth: "lowres_depth", confidence: "confidence", of: tree)
        return depth.match
    }

    // MARK: - Poses and cameras

    private mutating func readPoses() throws(Problem) -> TimedPoses {
        let file = ARKitScenesCapture.trajectoryFile
        try tree.require(file, "the poses are missing", fix: "download \(file) too")
        let posed = try capture.readPoses(file, in: tree, rules, ARKitScenesText.posed)
        if posed.poses.isEmpty {
            throw Problem(
                .input, "there are no poses in the file", notes: capture.warnings, fix: "download \(file) again"
            ).at(file: file)
        }
        return posed
    }

    private mutating func readCamera(of index: Int, _ path: String?, _ size: PixelSize?) throws(Problem) {
        guard let path else {
            capture.drop(index, whileReading: "its picture has no .pincam", isBad: true)
            return
        }
        capture.list(path, in: tree, [], of: index)
        do throws(Problem) {
            let (camera, last, hasLineFeed) = try ARKitScenesText.camera(try tree.open(path))
            try capture.setIntrinsics(camera, of: index, for: size)
            if hasLineFeed { cameraEnds.add(last) } else { openCameras.append((index, last)) }
        } catch {
            try capture.drop(index, for: error.at(file: path))
        }
    }

    /// Where the other camera files end with a line feed, one without may have been cut off inside its last number.
    private mutating func dropOpenCameras() {
        for (frame, last) in openCameras where cameraEnds.areCut(by: last) {
            let problem = LastNumbers.cut(last)
            capture.drop(
                frame, whileReading: "its .pincam: \(problem.summary)", isBad: true, fix: problem.fix)
        }
    }
}
