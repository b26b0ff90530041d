import ScanModel

/// A recording of Record3D: its own archive (`.r3d`), that archive unpacked, or the "EXR + JPG" export.
///
/// `metadata` is JSON; `rgbd/` holds `<n>.jpg`, `<n>.depth` and, with lidar, `<n>.conf`, counted from 0. Poses are
/// camera-to-world with OpenGL's axes, `[qx, qy, qz, qw, tx, ty, tz]` in metres, relative to the first frame's: which
/// way is up is lost. The front camera's are all the identity, and recordings from before the app had poses have no
/// such list. `K` is the first frame's camera, column-major, and `perFrameIntrinsicCoeffs` has fx, fy, cx, cy of each;
/// both are for pictures of `w` × `h`. Depth and confidence are `dw` × `dh` pixels, floats of metres and bytes, packed
/// with LZFSE. Pictures, depth and poses are all turned to how the device was held.
///
/// The export has `rgb/<n>.jpg`, `depth/<n>.exr` with one channel of floats, metres, and no confidence.
///
/// Source: the app's author in record3d's threads 27, 33, 53, 59, 63, 67, 83 and 93; what viser's Record3dLoader,
/// nerfstudio's record3d_utils.py and instant-ngp's record3d2nerf.py agree on.
public enum Record3DCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "record3d",
        summary: "Record3D: .r3d with pictures, poses, depth and confidence; the EXR + JPG export, without confidence.",
        reads: [.color, .pose, .intrinsics, .timestamp, .recordedDepth, .recordedConfidence],
        passesOver: ["`initPose`, which other readers ignore too", "the sound and the icon"],
        revision: 8)

    fileprivate static let metadataLimit = 64 << 20

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let file = metadataFile(of: tree) else { return nil }
        return Recognition(format: name, reason: "\(file) has Record3D's keys, and its pictures stand beside it")
    }

    /// All exports have the same name, each in its recording's own folder.
    public static func id(of name: String, in scene: String) -> String? { name == "EXR_RGBD" ? scene : nil }

    /// No other app writes `rgbd/` with depth in it, or OpenEXR with the numbers of pictures.
    public static func remains(of tree: any CaptureTree) -> Recognition? {
        guard tree.hasFolder("rgbd") else {
            guard tree.byteCount(of: "metadata.json") == nil, hasExportedFrame(tree) else { return nil }
            return Recognition(
                format: name, reason: "depth/ holds the depth of rgb/, and \(tree.absence(of: "metadata.json"))")
        }
        if tree.byteCount(of: "metadata") != nil {
            return Recognition(format: name, reason: "metadata stands beside rgbd/, and is damaged")
        }
        guard tree.entries(in: "rgbd").contains(where: { $0.name.hasSuffix(".depth") }) else { return nil }
        return Recognition(format: name, reason: "rgbd/ holds depth, and metadata is missing")
    }

    /// Whether any frame has its picture `rgb/<n>.jpg` and its depth `depth/<n>.exr`.
    private static func hasExportedFrame(_ tree: any CaptureTree) -> Bool {
        let depth = tree.files(in: "depth").filter { $0.hasSuffix(".exr") }.map { $0.dropLast(4) }
        let numbers = Set(depth.filter { $0.utf8.allSatisfy(\.isASCIIDigit) })
        return !numbers.isEmpty
            && tree.files(in: "rgb").contains { $0.hasSuffix(".jpg") && numbers.contains($0.dropLast(4)) }
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        let isExport = tree.hasFolder("rgb")
        let file = metadataFile(of: tree) ?? (isExport ? "metadata.json" : "metadata")
        try tree.require(
            file, "there is no Record3D metadata",
            fix: "the folder must hold \(isExport ? "metadata.json, rgb/ and depth/" : "metadata and rgbd/")")
        var reader = Record3DReader(tree: tree, rules: rules, file: file)
        return try reader.read()
    }

    /// The metadata file, where it is Record3D's. Beside pictures and OpenEXR, no other app's is known, intact or not.
    private static func metadataFile(of tree: any CaptureTree) -> String? {
        let kinds = [
            ("metadata", ["rgbd"], ["K", "w", "h"]), ("metadata.json", ["rgb", "depth"], ["K", "poses"]),
            // Depth may have been lost on the way.
            ("metadata.json", ["rgb"], ["K", "poses", "w", "h"]),
        ]
        for (file, folders, keys) in kinds
        where tree.byteCount(of: file) != nil && folders.allSatisfy(tree.hasFolder) {
            let json = try? tree.outline(of: file, limit: metadataLimit)
            if let json, keys.allSatisfy({ json[$0] != nil }) { return file }
            let isDamagedExport = json == nil && tree.entries(in: "depth").contains { $0.name.hasSuffix(".exr") }
            if isDamagedExport { return file }
        }
        return nil
    }
}

private struct Record3DReader {
    let tree: any CaptureTree
    let rules: ReadRules
    let file: String
    private let isExport: Bool
    /// Where the pictures lie.
    private let folder: String
    private var capture: Capture
    private var source: TreeSource

    init(tree: any CaptureTree, rules: ReadRules, file: String) {
        self.tree = tree
        self.rules = rules
        self.file = file
        isExport = file == "metadata.json"
        folder = isExport ? "rgb" : "rgbd"
        capture = Capture(of: tree, as: Record3DCapture.self, rules)
        source = TreeSource(tree, rules)
    }

    mutating func read() throws(Problem) -> Capture {
        let root = try capture.readJSON(file, in: tree, limit: Record3DCapture.metadataLimit)
        capture.variant = isExport ? "EXR + JPG export" : "r3d"
        capture.list(file, in: tree, [])
        try readFrames(root)
        if isExport { try readExportedDepth() } else { try readDepth(root) }
        capture.lacks([.box, .motion], "Record3D records none")
        capture.estimateFrameRate()
        if let rate = root["fps"].value?.double, rate > 0 { capture.frameRate = rate }
        capture.source = source
        return capture
    }

    // MARK: - Pictures and cameras

    private mutating func readFrames(_ root: JSONField) throws(Problem) {
        var description = try root.object()
        let poses = try root["poses"].ifPresent { (field) throws(Problem) in try field.elements() } ?? []
        let cameras = try root["perFrameIntrinsicCoeffs"].ifPresent { (field) throws(Problem) in try field.elements() }
        let times = try root["frameTimestamps"].ifPresent { (field) throws(Problem) in try field.elements() }
        for lists in ["poses", "perFrameIntrinsicCoeffs", "frameTimestamps"] { description[lists] = nil }
        capture.metadata = .object(description)
        // Where no frame has a camera of its own, all need this one.
        let common = cameras?.isEmpty ?? true ? try camera(root, nil, of: 0) : nil

        let pictures = tree.numbered(in: folder, PictureFolder.extensions)
        let last = pictures.keys.max() ?? -1
        try rules.check(frames: max(poses.count, last == .max ? last : last + 1), of: "frames")
        if poses.isEmpty && pictures.isEmpty {
            throw Problem(.input, "the recording has no frames", fix: "share it again from the app").at(file: file)
        }
        try checkCounts(poses: poses.count, pictures: last + 1)
        for index in 0..<max(poses.count, last + 1) {
            var facts = FrameFacts(index: index)
            facts.pictureFile = pictures[index]
            do throws(Problem) {
                if poses.indices.contains(index) { facts.pose = try pose(poses[index]) }
                if let times, times.indices.contains(index) { facts.timestamp = try times[index].time() }
                facts.intrinsics = if let common { common } else { try camera(root, cameras, of: index) }
            } catch { facts.drop = Drop(whileReading: error.oneLine, isBad: true) }
            capture.frames.append(facts)
            if !poses.isEmpty && !poses.indices.contains(index) {
                capture.drop(index, whileReading: "\(file) has no pose for it")
            } else if pictures[index] == nil && !pictures.isEmpty {
                // After the last picture, the check of the counts has said what is missing.
                let lack = tree.lack(ofPicture: "\(folder)/\(index)")
                capture.drop(index, whileReading: lack.reason, isBad: index < last, fix: lack.fix)
            }
        }
        noteUnequalLists(poses: poses.count, cameras: cameras?.count, times: times?.count, pictures: last + 1)
        if poses.isEmpty {
            capture.absences[.pose] = "the recording has no poses: older versions of the app wrote none"
        } else {
            capture.channels.insert(.pose)
        }
        if capture.frames.contains(where: { $0.timestamp != nil }) {
            capture.channels.insert(.timestamp)
        } else {
            capture.absences[.timestamp] = "\(file) has no frameTimestamps\(times == nil ? "" : " that could be used")"
        }
        capture.channels.insert(.intrinsics)
        try readPictures(pictures)
    }

    /// Warns of lists in the metadata that have more or fewer entries than there are frames.
    /// - Parameters:
    ///   - cameras: nil without such a list, and so for the times.
    ///   - pictures: the number in the last one's name, plus 1.
    private mutating func noteUnequalLists(poses: Int, cameras: Int?, times: Int?, pictures: Int) {
        let frames = capture.frames.count
        if poses > 0, pictures > 0 {
            capture.noteShortfall(of: "\(folder)/", frames: pictures, lines: poses, called: "poses")
        }
        if let times, times > 0, times != frames {
            capture.noteShortfall(
                of: "\(folder)/", frames: frames, lines: times, called: "times", pairing: "frames and times")
        }
        if let cameras, cameras > frames {
            capture.noteShortfall(
                of: "\(folder)/", frames: frames, lines: cameras, called: "cameras", pairing: "frames and cameras")
        } else if let cameras, cameras < frames {
            capture.warnings.append(
                "“perFrameIntrinsicCoeffs” has \(cameras.counted("camera")) for \(frames.counted("frame")): the others were "
                    + "given that of the first frame, “K”")
        }
    }

    /// Checks that there are as many poses as pictures. Without any poses (older versions of the app) or pictures
    /// there is nothing to compare.
    /// - Throws: when so many are missing at the end that the rules do not allow it.
    private mutating func checkCounts(poses: Int, pictures: Int) throws(Problem) {
        if poses == 0 || pictures == 0 { return }
        try rules.reconcile([("poses", poses), ("pictures", pictures)], noting: &capture.forgiven)
    }

    private mutating func readPictures(_ pictures: [Int: String]) throws(Problem) {
        if pictures.isEmpty {
            let count = capture.frames.count
            capture.loses(
                .color, "there \(count.isOrAre) \(count.counted("pose")), and no pictures in \(folder)/",
                fix: "copy the folder \(folder)/ too")
            capture.deriveColorSize()
            return
        }
        capture.channels.insert(.color)
        let sizes = try capture.checkPictures(in: tree, rules: rules)
        for (index, size) in sizes.sorted(by: { $0.key < $1.key }) where !capture.frames[index].isDropped {
            guard let camera = capture.frames[index].intrinsics else { continue }
            do throws(Problem) { try capture.setIntrinsics(camera, of: index, for: size) } catch {
                try capture.drop(index, for: error.at(file: pictures[index]))
            }
        }
    }

    /// The rotation comes first; otherwise these are the seven numbers of a trajectory, with other axes.
    private func pose(_ field: JSONField) throws(Problem) -> Pose {
        let numbers = try field.numbers(7)
        do throws(Problem) { return try Pose(trajectory: Array(numbers[4...] + numbers[..<4])).withCVAxes } catch {
            throw error.at(file: file)
        }
    }

    private func camera(_ root: JSONField, _ each: [JSONField]?, of index: Int) throws(Problem) -> CameraIntrinsics {
        let sides = CameraIntrinsics.sides
        let (width, height) = (try root["w"].whole(in: sides), try root["h"].whole(in: sides))
        let field: JSONField
        let k: [Double]
        if let each, each.indices.contains(index) {
            field = each[index]
            k = try field.numbers(4)
        } else {
            field = root["K"]
            let columns = try field.numbers(9)
            if let defect = CameraIntrinsics.layoutDefect(columnMajor: columns) {
                throw Problem(.input, "“\(field.path)”: \(defect)").at(file: file)
            }
            k = [columns[0], columns[4], columns[6], columns[7]]
        }
        let camera = CameraIntrinsics(
            fx: k[0], fy: k[1], cx: k[2], cy: k[3], width: width, height: height, pixelOrigin: .corner)
        if let defect = camera.defect { throw Problem(.input, "“\(field.path)”: \(defect)").at(file: file) }
        return camera
    }

    // MARK: - Depth

    private mutating func readExportedDepth() throws(Problem) {
        let files = tree.numbered(in: "depth", ["exr"])
        let depth = FrameFiles(
            paths: capture.frames.map { files[$0.index] }, absence: "there are no files depth/<n>.exr")
        try capture.takeDepth(depth, .float32Metres, to: &source, turning: "share the recording as .r3d instead")
        if files.isEmpty {
            capture.loses(.recordedDepth, "there are no files depth/<n>.exr", fix: "copy the folder depth/ too")
        }
        capture.absences[.recordedConfidence] = "the export has none, unlike the recording as .r3d"
    }

    private mutating func readDepth(_ root: JSONField) throws(Problem) {
        let depth = tree.numbered(in: "rgbd", ["depth"])
        let confidence = tree.numbered(in: "rgbd", ["conf"])
        guard !depth.isEmpty else {
            let lack = "there are no files rgbd/<n>.depth"
            // Older versions of the app recorded pictures without depth, and wrote neither.
            let sign =
                !confidence.isEmpty
                ? "rgbd/<n>.conf are there"
                : (root["dw"].value?.double ?? 0) > 0 ? "\(file) has the size of depth" : nil
            if let sign {
                capture.loses(.recordedDepth, "\(lack), though \(sign)", fix: "copy the folder rgbd/ too")
            } else {
                capture.absences[.recordedDepth] = Absence(lack)
            }
            capture.absences[.recordedConfidence] = "there is no depth"
            return
        }
        let size = try depthSize(root, depth)
        source.depth = .lzfse(frames(depth, .recordedDepth, size))
        capture.depthSize = size
        guard !confidence.isEmpty else {
            capture.absences[.recordedConfidence] = "there are no files rgbd/<n>.conf: only the lidar's depth has them"
            return
        }
        source.confidence = .lzfse(frames(confidence, .recordedConfidence, size))
    }

    private mutating func frames(_ files: [Int: String], _ channel: Channel, _ size: PixelSize) -> LZFSEFrames {
        let paths = capture.frames.map { files[$0.index] }
        for (facts, path) in zip(capture.frames, paths) {
            if let path { capture.list(path, in: tree, [channel], of: facts.index) }
        }
        capture.channels.insert(channel)
        capture.noteGaps(channel, in: paths)
        return LZFSEFrames(paths: paths, size: size)
    }

    /// Depth maps of lidars and front cameras, held upright: the choice for older recordings, which state no size.
    private static let knownSizes = [PixelSize(192, 256), PixelSize(480, 640)]

    private mutating func depthSize(_ root: JSONField, _ files: [Int: String]) throws(Problem) -> PixelSize {
        if root["dw"].isAbsent, root["dh"].isAbsent {
            return try sizeOfDepth(inAnyOf: files.sorted { $0.key < $1.key }.map(\.value))
        }
        let range = 1...1 << 16
        let size = PixelSize(try root["dw"].whole(in: range), try root["dh"].whole(in: range))
        try rules.check(size, of: "depth map", in: file)
        try capture.requireOneOrientation(ofDepth: size, in: file, rules, fix: "correct dw and dh in \(file)")
        return size
    }

    /// The size that fits the byte count of the first map that is sound.
    private func sizeOfDepth(inAnyOf maps: [String]) throws(Problem) -> PixelSize {
        var problem: Problem?
        // If five are damaged, the next will hardly be better.
        for map in maps.prefix(5) {
            do throws(Problem) { return try sizeOfDepth(in: map) } catch {
                guard error.fault == .input else { throw error }
                problem = problem ?? error
            }
        }
        throw problem ?? Problem(.input, "the size of the depth maps is not known").at(file: file)
    }

    private func sizeOfDepth(in map: String) throws(Problem) -> PixelSize {
        let most = 4 * Self.knownSizes.map { $0.width * $0.height }.reduce(0, max)
        let bytes: [UInt8]
        do throws(Problem) {
            let packed = try tree.bytes(of: map, limit: PictureLimits.fileBytes)
            bytes = try LZFSE.decode(packed, limit: most, subject: "depth")
        } catch { throw error.at(file: map) }
        guard let size = Self.knownSizes.first(where: { 4 * $0.width * $0.height == bytes.count }) else {
            throw Problem(
                .input, "the size of the depth maps is not known",
                notes: ["\(file) has no dw and dh, and \(map) unpacks to \(bytes.count) bytes"],
                fix: "add  \"dw\": WIDTH, \"dh\": HEIGHT  to \(file)")
        }
        let liesDown = capture.colorSize.map { $0.width > $0.height } ?? false
        return liesDown ? PixelSize(size.height, size.width) : size
    }
}
