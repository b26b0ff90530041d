import ScanModel

/// A project of NeRFCapture, or of HMC's app that was made from it: `transforms.json`, `images/<n>.png` and, from HMC, a
/// bounding box.
///
/// Poses are camera-to-world with OpenGL's axes in ARKit's world, metres, y up. Each frame's own intrinsics are used:
/// the ones at the top level are the first frame's in NeRFCapture, and were never filled in by HMC's app. Numbers need
/// not begin at 0, and a few pictures or entries may be missing, because the app writes them independently.
///
/// Source: NeRFCapture, DatasetWriter.swift and Manifest.swift; instant-ngp, scripts/nerfcapture2nerf.py.
public enum NeRFCaptureProject: CaptureFormat {
    public static let card = FormatCard(
        name: "nerfcapture",
        summary: "NeRFCapture or HMC project: transforms.json and images/, ARKit poses, no metric depth.",
        reads: [.color, .pose, .intrinsics, .timestamp, .box],
        passesOver: ["depth pictures, which show depth without metric values", "keys that the app does not write"],
        writer: "write-zip",
        writingLoses: ["depth", "confidence", "motion"], revision: 8)

    static let file = "transforms.json"
    fileprivate static let sizeLimit = 256 << 20

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard tree.byteCount(of: file) != nil, let json = try? tree.outline(of: file, limit: sizeLimit),
            let first = json["frames"]?.array?.first,
            first["transform_matrix"] != nil, first["fl_x"] != nil, json["applied_transform"] == nil,
            json["camera_model"] == nil,
            // This key is from instant-ngp's script, which writes depth with a unit: a dataset.
            json["integer_depth_scale"] == nil
        else { return nil }
        if json["depth_integer_scale"] != nil {
            return Recognition(format: name, reason: "\(file) has NeRFCapture's key depth_integer_scale")
        }
        // Without that key a dataset may look like one, whose masks, depth, points and lens would then be lost.
        guard let picture = first["file_path"]?.string?.pathName, !picture.contains("."), first["fl_y"] != nil,
            holdsOnlyOwnKeys(json), holdsOnlyOwnKeys(first)
        else { return nil }
        return Recognition(
            format: name,
            reason: "\(file) has only the app's keys, intrinsics in each frame, and picture names without extension")
    }

    /// Pictures with what else only the apps put beside them: drawings of depth, or HMC's box.
    public static func remains(of tree: any CaptureTree) -> Recognition? {
        guard tree.byteCount(of: file) == nil else { return nil }
        let pictures = tree.originals(in: "images").filter { $0.hasSuffix(".png") }
        let isNumbered = pictures.contains { Int($0.dropLast(4)) != nil }
        let depth = pictures.first { $0.hasSuffix(".depth.png") && Int($0.dropLast(10)) != nil }
        let box = tree.byteCount(of: "boundingbox.json") == nil ? nil : "boundingbox.json"
        guard isNumbered, let beside = depth.map({ "images/\($0)" }) ?? box else { return nil }
        return Recognition(
            format: name, reason: "\(beside) stands beside numbered pictures, and \(file) is missing")
    }

    /// Whether the app may have written an object: the file's top level, or a frame.
    private static func holdsOnlyOwnKeys(_ json: JSONValue) -> Bool {
        let own: Set = [
            "w", "h", "fl_x", "fl_y", "cx", "cy", "depth_source", "frames", "file_path", "depth_path",
            "transform_matrix", "timestamp",
        ]
        return json.object?.members.allSatisfy { own.contains($0.key) } == true
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        if tree.entry(file) == nil {
            throw Problem(
                .input, "the poses are missing", notes: [tree.absence(of: file)],
                fix: "copy \(file) too, or read the pictures alone with  --set \(Drop.reader).format="
                    + "\(PictureFolderCapture.name)  in a pipeline that needs no poses, such as `read` and "
                    + "`write-frames: {depth: none}`")
        }
        var reader = NeRFCaptureReader(tree: tree, rules: rules)
        return try reader.read()
    }
}

private struct NeRFCaptureReader {
    let tree: any CaptureTree
    let rules: ReadRules
    private var capture: Capture
    private var source: TreeSource
    /// Frames with an entry whose picture is not there.
    private var withoutPicture: [(index: Int, path: String)] = []

    init(tree: any CaptureTree, rules: ReadRules) {
        self.tree = tree
        self.rules = rules
        capture = Capture(of: tree, as: NeRFCaptureProject.self, rules)
        source = TreeSource(tree, rules)
    }

    /// An entry of `frames`, before it has an index.
    private struct Entry {
        var number: Int?
        var path: String
        var facts = FrameFacts(index: 0)
        var depthFile: String?
    }

    mutating func read() throws(Problem) -> Capture {
        let root = try capture.readJSON(NeRFCaptureProject.file, in: tree, limit: NeRFCaptureProject.sizeLimit)
        capture.worldUp = Vector3(0, 1, 0)
        var description = try root.object()
        description["frames"] = nil
        capture.metadata = .object(description)
        capture.list(NeRFCaptureProject.file, in: tree, [])
        let elements = try root["frames"].elements()
        let entries = try readEntries(elements, root)
        try readPictures(entries)
        capture.noteTwins(
            of: zip(entries, capture.frames).map { $1.pictureFile ?? $0.path }, listedIn: NeRFCaptureProject.file)
        noteDepth(entries)
        try capture.readBox(in: tree, limit: 1 << 20)
        // HMC's projects need not have a box, but NeRFCapture puts the first frame's width here, and HMC's app leaves 0.
        let isHMC = capture.box != nil || description["w"]?.integer == 0
        capture.variant = isHMC ? "HMC" : "NeRFCapture"
        if isHMC { warnOfPicturesUpsideDown() }
        capture.channels.formUnion([.pose, .intrinsics])
        if capture.frames.contains(where: { $0.timestamp != nil }) {
            capture.channels.insert(.timestamp)
            capture.estimateFrameRate()
        } else {
            capture.absences[.timestamp] = "no frame of \(NeRFCaptureProject.file) has a timestamp"
        }
        capture.deriveColorSize()
        if elements.contains(where: { !$0["confidence_path"].isAbsent }) {
            capture.absences[.recordedConfidence] = "confidence pictures are not read: the app itself writes none"
        }
        capture.lacks([.recordedConfidence, .motion], "NeRFCapture projects have none")
        let turned = source.quarterTurns.count
        if turned > 0 { capture.findings["pictures-turned-back"] = .of(turned) }
        capture.source = source
        return capture
    }

    /// Warns of a lens that somebody has added by hand.
    private mutating func noteLens(of frame: JSONField, _ top: JSONField) {
        guard let lens = try? LensDistortion(frame, top), !lens.isStraight else { return }
        capture.warnings.append(
            "\(NeRFCaptureProject.file) says that the lens distorts (\(lens)), which the app does not record, and which was "
                + "passed over: with  --set \(Drop.reader).format=\(TransformsDataset.name)  the file is read as a "
                + "dataset, and `undistort` undoes it")
    }

    // MARK: - Entries

    /// Makes a frame of each entry, and of each picture without one.
    private mutating func readEntries(_ elements: [JSONField], _ root: JSONField) throws(Problem) -> [Entry] {
        var entries: [Entry] = []
        for element in elements { entries.append(entry(element)) }
        noteLens(of: elements.first ?? root, root)
        if entries.isEmpty {
            throw Problem(.input, "the project has no frames", fix: "export it again").at(file: NeRFCaptureProject.file)
        }
        addPictures(to: &entries)
        try rules.check(frames: entries.count, of: "frames")
        entries.sort { PictureFolder.precedes(($0.number, $0.path), ($1.number, $1.path)) }
        capture.frames = entries.map(\.facts).renumbered
        return entries
    }

    private mutating func readPictures(_ entries: [Entry]) throws(Problem) {
        let wanted = entries.indices.map { capture.frames[$0].isDropped ? nil : entries[$0].path }
        let looks = PictureLook.each(named: wanted, of: tree, rules)
        if PictureFolder.find(in: tree) == nil, looks.allSatisfy({ (try? $0.get()) == nil }),
            !entries.contains(where: { (try? tree.picture($0.path)) != nil })
        {
            return capture.losesPictures(.color, entries.map(\.path), listedIn: NeRFCaptureProject.file, in: tree)
        }
        for (index, entry) in entries.enumerated() { try attachPicture(entry, looks[index], to: index) }
        dropWithoutPicture()
        capture.channels.insert(.color)
    }

    private func entry(_ element: JSONField) -> Entry {
        var entry = Entry(path: element.path)
        do throws(Problem) {
            entry.path = try element["file_path"].text().withSlashes
            entry.number = PictureFolder.number(inStem: entry.path.pictureStem.lastPart)
            entry.depthFile = element["depth_path"].value?.string
            let pose = try element["transform_matrix"].pose()
            let sides = CameraIntrinsics.sides
            let camera = CameraIntrinsics(
                fx: try element["fl_x"].number(), fy: try element["fl_y"].number(), cx: try element["cx"].number(),
                cy: try element["cy"].number(), width: try element["w"].whole(in: sides),
                height: try element["h"].whole(in: sides), pixelOrigin: .arKit)
            entry.facts.timestamp = try element["timestamp"].ifPresent { (field) throws(Problem) in try field.time() }
            if let defect = camera.defect { throw Problem(.input, defect) }
            entry.facts.pose = pose
            entry.facts.intrinsics = camera
        } catch {
            let reason = error.at(file: NeRFCaptureProject.file).oneLine
            entry.facts.drop = Drop(whileReading: reason, isBad: true)
        }
        return entry
    }

    /// Adds pictures without an entry: they have no pose, but are counted.
    private func addPictures(to entries: inout [Entry]) {
        guard let folder = PictureFolder.find(in: tree) else { return }
        let known = Set(entries.map(\.path.pictureStem))
        // Forks of the app write more beside a picture than its depth: 0.confidence.png.
        func isBesidePicture(_ stem: String) -> Bool {
            guard let dot = stem.lastIndex(of: ".") else { return false }
            return known.contains(String(stem[..<dot])) && stem[dot...].dropFirst().allSatisfy(\.isLetter)
        }
        for (number, path) in folder.pictures
        where !known.contains(path.pictureStem) && !isBesidePicture(path.pictureStem) {
            var entry = Entry(number: number, path: path)
            entry.facts.drop = Drop(
                whileReading: "\(path) has no entry in \(NeRFCaptureProject.file)", isBad: false)
            entries.append(entry)
        }
    }

    // MARK: - Pictures

    private mutating func attachPicture(
        _ entry: Entry, _ look: Result<PictureLook?, Problem>, to index: Int
    ) throws(Problem) {
        if capture.frames[index].isDropped { return }
        do throws(Problem) {
            guard let look = try look.get() else {
                withoutPicture.append((index, entry.path))
                return
            }
            try fit(try capture.attachPicture(look, to: index), index)
        } catch {
            try capture.drop(index, for: error.at(file: entry.path))
        }
    }

    /// The app writes pictures and entries independently, so a few missing pictures are no damage. If it is more, they
    /// did not arrive.
    private mutating func dropWithoutPicture() {
        let paths = withoutPicture.map(\.path)
        let isBad = paths.count > Capture.gapsOfAnySoundCapture
        let fix = isBad ? "copy \(Capture.folders(of: paths) ?? "the pictures") again" : nil
        for (index, path) in withoutPicture {
            capture.drop(index, whileReading: tree.lack(ofPicture: path).reason, isBad: isBad, fix: fix)
        }
    }

    /// Pictures that the app turned upright, but not their intrinsics and pose, are turned back when they are decoded.
    private mutating func fit(_ size: PixelSize, _ index: Int) throws(Problem) {
        guard let camera = capture.frames[index].intrinsics, let pose = capture.frames[index].pose else { return }
        if size == camera.size { return }
        if size == PixelSize(camera.height, camera.width) {
            // Which way the world's up points in the picture as recorded: right if the app turned it to the left.
            let right = pose.rotation.columns.0.y
            guard abs(right) > 0.1 else {
                throw Problem(
                    .input,
                    "the picture is turned against its intrinsics, and its long side was level or it looked straight up or "
                        + "down, so it is unknown which way")
            }
            source.quarterTurns[index] = right > 0 ? 1 : 3
            return
        }
        try capture.setIntrinsics(camera, of: index, for: size)
    }

    /// HMC's app turns pictures upright but not their poses. A quarter turn shows in their size; half a turn leaves no
    /// trace, so it can only be suspected where the camera was held upside down.
    private mutating func warnOfPicturesUpsideDown() {
        let frames = capture.frames.filter { !$0.isDropped && source.quarterTurns[$0.index] == nil }
        let count = frames.count { ($0.pose?.rotation.columns.1.y ?? 0) < -0.5 }
        if count == 0 { return }
        capture.warnings.append(
            "the device was held upside down in \(count) of \(frames.count) frames, and the app may have turned their "
                + "pictures by half a turn, against their poses: compare some with what the camera must have seen")
    }

    // MARK: - Depth

    private mutating func noteDepth(_ entries: [Entry]) {
        let tree = tree
        guard let file = entries.firstNonNil({ $0.depthFile.flatMap { try? tree.picture($0) } }) else {
            let listed = entries.contains { $0.depthFile != nil }
            capture.absences[.recordedDepth] =
                listed
                ? "\(NeRFCaptureProject.file) lists depth pictures, and none is there" : "the project has no depth"
            return
        }
        do throws(Problem) {
            let header = try PNG.header(try tree.bytes(of: file, limit: PictureLimits.fileBytes))
            capture.absences[.recordedDepth] = Absence(
                header.channels == 1 && header.bitDepth == 16
                    ? "\(file) has 16-bit numbers, and the project does not say how long one is"
                    : "\(file) is a drawing of depth (\(header.channels.counted("channel")) of \(header.bitDepth) bits), without metres: "
                        + "the app loses them when it is offline")
        } catch { capture.absences[.recordedDepth] = "\(file) is no depth: \(error.summary)" }
    }
}
