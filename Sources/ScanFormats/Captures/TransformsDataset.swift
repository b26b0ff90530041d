import ScanModel

/// A dataset that is ready for training: nerfstudio's or instant-ngp's `transforms.json` with its pictures, or
/// Blender's `transforms_train.json` with the descriptions of what is held out.
///
/// Where `applied_transform` says what was applied to the original world, it is undone.
public enum TransformsDataset: CaptureFormat {
    public static let card = FormatCard(
        name: "transforms",
        summary: "nerfstudio, instant-ngp or Blender dataset: transforms.json or transforms_train.json, and pictures.",
        reads: [.color, .pose, .intrinsics, .recordedDepth, .cloud, .mask, .split],
        passesOver: [
            "downscaled copies of the pictures", "alpha channels and `.alpha.png`",
            "pictures of depth and normals in Blender's datasets", "`scale`, `offset`, `aabb_scale`",
            "`sharpness_discard_threshold`", "camera motion during the exposure (`transform_matrix_end`)",
            "keys that no trainer reads, and `sharpness`",
            "frames whose depth map has another size than most, where depth is used",
            "a unit of depth not in `integer_depth_scale` or `depth_unit_scale_factor`: without these it is 1 mm",
        ],
        writer: "write-transforms",
        writingLoses: [
            "timestamps", "confidence", "the bounding box", "motion",
            "that its unit is the metre, where there is no depth",
        ],
        origin: .derived, revision: 21)

    static let file = "transforms.json"
    /// Blender's datasets have a description of each part, and none of the whole.
    static let trainingFile = "transforms_train.json"
    /// Those of the other parts, and what their frames are for.
    static let heldOutFiles: [(file: String, split: DatasetSplit)] = [
        ("transforms_val.json", .validation), ("transforms_test.json", .test),
    ]
    /// The description of what instant-ngp's datasets hold out; its paths go up to the pictures.
    static let heldOutFile = "test/transforms.json"
    static let sizeLimit = 256 << 20

    /// The description that is read first; nil where there is none.
    private static func description(in tree: any CaptureTree) -> String? {
        [file, trainingFile].first { tree.byteCount(of: $0) != nil }
    }

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let file = description(in: tree), let json = try? tree.outline(of: file, limit: sizeLimit) else {
            return nil
        }
        guard let lister = defect(of: json) == nil ? file : holdsOutAll(json, tree) ? heldOutFile : nil else {
            return nil
        }
        return Recognition(format: name, reason: "\(lister) lists frames with file_path and transform_matrix")
    }

    /// Whether a description lists no frames because instant-ngp's other one has them all, as of a dataset so small that
    /// all of it is held out.
    private static func holdsOutAll(_ json: JSONValue, _ tree: any CaptureTree) -> Bool {
        guard json["frames"]?.array?.isEmpty == true, tree.byteCount(of: file) != nil else { return false }
        return (try? tree.outline(of: heldOutFile, limit: sizeLimit)).map { defect(of: $0) == nil } ?? false
    }

    /// Whether a dataset's pictures lie outside its folder, or it lists none: it is a part of the dataset there, such as
    /// the smaller copies and the frames held out that `write-transforms` writes for instant-ngp.
    public static func isPart(_ tree: any CaptureTree) -> Bool {
        guard tree.byteCount(of: file) != nil else { return false }
        guard let json = try? tree.outline(of: file, limit: sizeLimit) else {
            // Damaged, it is still what its place says.
            return "\(tree.name)/\(file)" == heldOutFile
        }
        guard let frames = json["frames"]?.array, !holdsOutAll(json, tree) else { return false }
        return frames.first.map { $0["file_path"]?.string?.withSlashes.hasPrefix("../") == true } ?? true
    }

    /// Why a description whose text is whole is not recognised; nil where it is.
    static func defect(of json: JSONValue) -> String? {
        guard let frames = json["frames"]?.array else { return "it has no list of frames" }
        guard let first = frames.first else { return "it lists no frames" }
        if first["file_path"] == nil { return "frames[0] has no file_path" }
        return first["transform_matrix"] ?? first["transform_matrix_start"] == nil
            ? "frames[0] has no transform_matrix" : nil
    }

    /// A description that is damaged or lists nothing. Beside plain pictures ``PictureFolderCapture`` says so, and how
    /// to read only those.
    public static func remains(of tree: any CaptureTree) -> Recognition? {
        guard let file = description(in: tree), PictureFolder.find(in: tree) == nil else { return nil }
        if let json = try? tree.outline(of: file, limit: sizeLimit), json["frames"] == nil { return nil }
        return Recognition(format: name, reason: "\(file) is damaged, or lists no frames")
    }

    /// What to do where only frames that are held out have a description.
    static func wayToReadPart(in tree: any CaptureTree) -> String? {
        guard description(in: tree) == nil else { return nil }
        let part = heldOutFiles.map(\.file).first { tree.byteCount(of: $0) != nil }
        return part.map { "copy \(trainingFile) too; to have \($0) read alone, copy it to \(file)" }
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        let file = description(in: tree) ?? file
        var reader = TransformsReader(tree: tree, file: file, rules: rules)
        let root = try reader.capture.readJSON(file, in: tree, limit: sizeLimit)
        do throws(Problem) { return try reader.read(root) } catch {
            throw error.at(file: file)
        }
    }
}

/// Opens one dataset.
struct TransformsReader {
    let tree: any CaptureTree
    let file: String
    let rules: ReadRules
    var capture: Capture
    var source: TreeSource
    private var depths: [String?] = []
    /// What to do about pictures whose folders are missing.
    private var wayToCopyPictures: String?

    init(tree: any CaptureTree, file: String, rules: ReadRules) {
        self.tree = tree
        self.file = file
        self.rules = rules
        capture = Capture(of: tree, as: TransformsDataset.self, rules)
        source = TreeSource(tree, rules)
    }

    mutating func read(_ root: JSONField) throws(Problem) -> Capture {
        let top = try TransformsJSON.Top(root)
        try takeFacts(top, root)
        // ScanNet++ keeps its test pictures in a list of their own.
        let trained = try root["frames"].elements()
        let held = root["test_frames"].isAbsent ? [] : try root["test_frames"].elements()
        let elements = trained + held
        let entries = try entries(of: trained, heldOut: held, top, root)
        let hasPictures = try addFrames(entries, top)
        noteTwins(entries)
        noteMissingCentres(entries)
        takeSplits(entries, root)
        noteTrainedTests()
        noteContradictions(root, elements)
        noteScaledMatrices(elements)
        noteMovingCameras(entries)
        if hasPictures {
            capture.channels.insert(.color)
            let listed = entries.flatMap { [$0.path] + [$0.depth, $0.mask].compactMap(\.self) }
            let descriptions = file == TransformsDataset.trainingFile ? "\(file), nor in val's or test's" : file
            capture.noteUnlisted(besides: listed, in: tree, "has no entry in \(descriptions)")
        }
        capture.deriveColorSize()
        capture.channels.insert(.pose)
        capture.deriveIntrinsicsChannel()
        try takeDepth(entries, elements, top)
        if hasPictures { takeMasks(entries) }
        try readPoints(top)
        capture.lacks([.timestamp, .recordedConfidence, .motion, .box], "a training dataset has none")
        capture.source = source
        return capture
    }

    /// Takes what the description says of the dataset as a whole.
    private mutating func takeFacts(_ top: TransformsJSON.Top, _ root: JSONField) throws(Problem) {
        // Poses and points are those of the original world, which matters to anyone who compares them with the file.
        if let undone = top.originalFromSaved {
            capture.findings["applied-transform-undone"] = .bool(true)
            capture.savedFromWorld = undone.inverse
        }
        if top.appliedScale != 1 { capture.findings["applied-scale-undone"] = .number(top.appliedScale) }
        capture.variant = file == TransformsDataset.trainingFile ? "Blender" : top.dialect.rawValue
        capture.warnings += top.warnings
        capture.worldUp = top.worldUp
        var description = try root.object()
        for list in ["frames", "test_frames"] { description[list] = nil }
        capture.metadata = .object(description)
        capture.list(file, in: tree, [])
    }

    /// The entries of all descriptions, in the order of their pictures.
    private mutating func entries(
        of trained: [JSONField], heldOut held: [JSONField], _ top: TransformsJSON.Top, _ root: JSONField
    ) throws(Problem) -> [TransformsEntry] {
        let elements = trained + held
        try rules.check(frames: elements.count, of: "frames")
        var entries = elements.map { TransformsEntry($0, root) }
        if !held.isEmpty {
            for number in entries.indices { entries[number].split = number < trained.count ? .training : .heldOut }
        } else {
            try takeHeldOut(besides: &entries, top)
        }
        if entries.isEmpty { throw Problem(.input, "the dataset has no frames", fix: "export it again") }
        try requireFocalLengths(entries, elements, root)
        entries.sort { PictureFolder.precedesNaturally($0.path, $1.path) }
        omit(from: &entries, beyond: top.frameLimit)
        return entries
    }

    /// Makes a frame of each entry.
    /// - Returns: whether any of their pictures is there.
    private mutating func addFrames(
        _ entries: [TransformsEntry], _ top: TransformsJSON.Top
    ) throws(Problem) -> Bool {
        let looks = PictureLook.each(named: entries.map { $0.problem == nil ? $0.path : nil }, of: tree, rules)
        let hasPictures =
            looks.contains { (try? $0.get()) != nil }
            || entries.contains { $0.problem != nil && (try? tree.picture($0.path)) != nil }
        wayToCopyPictures = hasPictures ? wayToCopyFolders(entries, looks) : nil
        if !hasPictures { capture.losesPictures(.color, entries.map(\.path), listedIn: file, in: tree) }
        let sized = assumingSizes(of: entries, looks)
        capture.frames.reserveCapacity(entries.count)
        for (index, entry) in sized.enumerated() { try add(entry, index, top, hasPictures ? looks[index] : nil) }
        return hasPictures
    }

    /// The depth that entries name, where its unit is known.
    private mutating func takeDepth(
        _ entries: [TransformsEntry], _ elements: [JSONField], _ top: TransformsJSON.Top
    ) throws(Problem) {
        let noUnit =
            "“\(top.depthUnitKey ?? "")” in \(file) is no unit; where depth is in millimetres, make it 0.001"
        if top.saysNoDepth, depths.contains(where: { $0 != nil }) {
            capture.warnings.append("\(noUnit) (depth was left out)")
            depths = depths.map { _ in nil }
        }
        noteAssumedUnit(top, entries)
        let named = entries.map { top.saysNoDepth ? nil : $0.depth }
        let files = FrameFiles(
            paths: depths, named: named, absence: top.saysNoDepth ? noUnit : "\(file) names no depth pictures")
        try capture.takeDepth(files, .uint16(unitsPerMetre: top.depthUnitsPerMetre), to: &source)
        let listed = named.compactMap(\.self)
        if !listed.isEmpty && depths.allSatisfy({ $0 == nil }) {
            capture.losesPictures(.recordedDepth, listed, called: "depth ", listedIn: file, in: tree)
        }
        // nerfstudio's converter of COLMAP models numbers the frames so. Depth that it has made of a model's points
        // (--use-sfm-depth) is in the model's arbitrary unit.
        let isOfModel = elements.contains { !$0["colmap_im_id"].isAbsent }
        capture.isMetric = source.depth != nil && !isOfModel
    }

    /// Warns of instant-ngp's depth without the key that gives its unit.
    private mutating func noteAssumedUnit(_ top: TransformsJSON.Top, _ entries: [TransformsEntry]) {
        guard top.dialect == .instantNGP, top.depthUnitKey == nil,
            zip(depths, entries).contains(where: { $0 != nil && $1.isDepthOfNGP })
        else { return }
        capture.warnings.append(
            "\(file) names depth by depth_path and has no integer_depth_scale: its numbers were taken for millimetres; "
                + "instant-ngp itself passes such depth over")
    }

    /// - Parameter look: the look at its picture; nil where no frame has one.
    private mutating func add(
        _ entry: TransformsEntry, _ index: Int, _ top: TransformsJSON.Top, _ look: Result<PictureLook?, Problem>?
    ) throws(Problem) {
        capture.frames.append(FrameFacts(index: index))
        depths.append(nil)
        if let omission = entry.omission { return capture.drop(index, whileReading: omission) }
        do throws(Problem) {
            // What only some pipelines want is no reason to lose the frame.
            if let depth = entry.depth { depths[index] = try? tree.picture(depth) }
            if let problem = entry.problem { throw problem }
            guard let found = entry.found else { return }
            let pose = top.original(found.pose)
            if let defect = pose.defect {
                throw Problem(.input, "\(defect), once applied_transform and applied_scale are undone").correcting(file)
            }
            capture.frames[index].pose = pose
            guard let look else {
                // Without a picture the file itself must tell the size.
                if found.lens.size.width == nil || found.lens.size.height == nil {
                    throw Problem(
                        .input, "its picture is not there, and the file does not say how large it was",
                        fix: capture.absences[.color]?.remedy)
                }
                return try setCamera(found.lens, of: index, for: nil)
            }
            guard let look = try look.get() else {
                if let obstacle = tree.obstacle(to: found.picture) {
                    let reason = "its picture \(obstacle.words)"
                    return capture.drop(index, whileReading: reason, isBad: true, fix: obstacle.fix)
                }
                let reason = "its picture \(found.picture.shortened) is not there"
                if isFolderMissing(of: found.picture) {
                    return capture.drop(
                        index, whileReading: "\(reason), and its folder is missing or empty", isBad: true,
                        fix: wayToCopyPictures)
                }
                let other = tree.otherForm(of: found.picture).map { ", and \($0) is" } ?? ""
                return capture.drop(index, whileReading: reason + other, isBad: true)
            }
            let size = try capture.attachPicture(look, to: index)
            try setCamera(found.lens, of: index, for: size)
        } catch {
            try capture.drop(index, for: error.at(file: entry.name))
        }
    }

    /// Masks that entries name, and those that instant-ngp finds by their names beside the pictures.
    private mutating func takeMasks(_ entries: [TransformsEntry]) {
        // Few datasets have masks beside their pictures, so the folders are listed instead of looking for each mask.
        let listed = Set(
            capture.pictureFolders.flatMap { folder in
                tree.entries(in: folder).map { $0.name.path(in: folder) }
            })
        let masks = entries.enumerated().map { index, entry -> FrameMasks.File? in
            // A path that leads out of the capture counts as none.
            if let named = entry.mask { return (try? tree.picture(named)).map { FrameMasks.File(path: $0) } }
            guard let beside = capture.frames[index].pictureFile.map(FrameMasks.nameBeside), listed.contains(beside)
            else { return nil }
            return (try? tree.file(named: beside)).map { FrameMasks.File(path: $0, saysIgnore: true) }
        }
        let named = zip(entries, masks).map { $0.mask ?? $1?.path }
        capture.takeMasks(masks, named: named, listedIn: file, to: &source)
    }

    /// - Parameter picture: its size; nil where there is none.
    private mutating func setCamera(
        _ lens: TransformsJSON.Lens, of index: Int, for picture: PixelSize?
    ) throws(Problem) {
        do throws(Problem) {
            let camera = try lens.camera(for: picture ?? PixelSize(0, 0))
            if let defect = camera.defect ?? lens.distortion.defect { throw Problem(.input, defect) }
            if lens.isSizeAssumed, let picture, !camera.size.hasShape(of: picture) {
                throw Problem(
                    .input, "the picture is \(picture), and most others of its lens are \(camera.size)",
                    fix: "copy such a picture again, or give its entry an fl_x, w and h of its own")
            }
            try capture.setCamera(CalibratedCamera(camera, lens.distortion), of: index, for: picture)
        } catch { throw error.correcting(file) }
    }
}
