import ScanModel

/// Polycam's "raw data" export: `keyframes/` with pictures, cameras, depth and confidence, all named after the time in
/// microseconds; or that folder itself.
///
/// After the app has closed the loops of a session there are also `corrected_cameras/`. Older exports have pictures for
/// them, `corrected_images/`; those of app 6.0.21 have none, and the cameras belong to the recorded pictures. They may
/// be incomplete, so sets are never mixed: the corrected one is used when it has every frame that the recorded one has.
///
/// Source: Polycam's polyform, README and capture_folder.py; for corrected cameras without pictures, and for
/// `tracking_segment`, cozmo-capture's docs/capture-protocol.md and lidar.py; for cameras without a size, nerfstudio's
/// pull request 3725.
public enum PolycamCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "polycam",
        summary: "Polycam raw data: keyframes/ with pictures, cameras, depth and confidence named after their times.",
        reads: [.color, .pose, .intrinsics, .timestamp, .recordedDepth, .recordedConfidence],
        passesOver: [
            "raw.glb and mesh_info.json, the app's mesh", "blur_score, whose scale is the app's own",
            "corrected_… folders that lack frames", "polycam.mp4 and thumbnail.jpg",
            "other keys of the camera files",
        ],
        writer: "write-capture: {format: polycam}",
        writingLoses: [
            "timestamps finer than a microsecond", "confidence beyond three levels", "the bounding box", "motion",
        ],
        revision: 5)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        let top = top(of: tree)
        for set in sets where tree.hasFolder("\(top)\(set.images)") {
            guard let file = camera(in: "\(top)\(set.cameras)", tree) else { continue }
            return recognition(top, "\(file) has Polycam's keys t_00, …")
        }
        return nil
    }

    /// Cameras without pictures, or pictures in a folder that is called "keyframes".
    public static func remains(of tree: any CaptureTree) -> Recognition? {
        let top = top(of: tree)
        if let file = sets.firstNonNil({ camera(in: "\(top)\($0.cameras)", tree) }) {
            return recognition(top, "\(file) has Polycam's keys t_00, …, and the pictures are missing")
        }
        guard !top.isEmpty, !tree.entries(in: "\(top)images").isEmpty else { return nil }
        return recognition(top, "there is a folder \(top)images/")
    }

    private static func recognition(_ top: String, _ reason: String) -> Recognition {
        Recognition(format: name, reason: reason, folder: top.isEmpty ? nil : keyframes)
    }

    /// A camera with the app's keys.
    private static func camera(in folder: String, _ tree: any CaptureTree) -> String? {
        guard tree.hasFolder(folder) else { return nil }
        let files = tree.entries(in: folder).lazy.map(\.name).filter { $0.hasSuffix(".json") }
        return tree.firstFile(of: files.map { "\(folder)/\($0)" }, with: ["t_00", "fx"], limit: cameraLimit)
    }

    private static let keyframes = "keyframes"

    /// The prefix of each path.
    fileprivate static func top(of tree: any CaptureTree) -> String { tree.hasFolder(keyframes) ? "\(keyframes)/" : "" }

    /// `lamp/keyframes` is called `lamp`, whichever of the two is given.
    public static func id(of name: String, in scene: String) -> String? {
        name.lowercased() == keyframes ? scene : nil
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        var reader = PolycamReader(tree: tree, rules: rules)
        return try reader.read()
    }

    /// The better one first.
    fileprivate static let sets: [(variant: String, images: String, cameras: String)] = [
        ("corrected", "corrected_images", "corrected_cameras"),
        ("corrected cameras", "images", "corrected_cameras"),
        ("as recorded", "images", "cameras"),
    ]
    fileprivate static let cameraLimit = 1 << 20
}

private struct PolycamReader {
    let tree: any CaptureTree
    let rules: ReadRules
    /// The prefix of each path.
    private let top: String
    private var capture: Capture
    private var source: TreeSource
    /// The stretch of unbroken tracking that the last camera belongs to, and the frames at which others begin.
    private var segment: Int64?
    private var breaks: [Int] = []

    init(tree: any CaptureTree, rules: ReadRules) {
        self.tree = tree
        self.rules = rules
        top = PolycamCapture.top(of: tree)
        capture = Capture(of: tree, as: PolycamCapture.self, rules)
        source = TreeSource(tree, rules)
    }

    /// The pictures and cameras of a set, by their times in microseconds.
    private struct FileSet {
        var variant: String
        /// The folder of the pictures.
        var folder: String
        var cameraFolder: String
        var images: [Int: String]
        var cameras: [Int: String]

        /// The times that have a camera, and a picture where any has one.
        var whole: Set<Int> {
            images.isEmpty ? Set(cameras.keys) : Set(images.keys).intersection(cameras.keys)
        }
    }

    mutating func read() throws(Problem) -> Capture {
        capture.worldUp = Vector3(0, 1, 0)
        let set = try chooseSet()
        capture.variant = set.variant
        let times = Set(set.images.keys).union(set.cameras.keys).sorted()
        try rules.check(frames: times.count, of: "frames")
        if times.isEmpty { throw Problem(.input, "the export has no frames", fix: "export the raw data again") }
        if set.cameras.isEmpty {
            throw Problem(
                .input, "the cameras are missing",
                notes: ["\(set.folder)/ has \(times.count.counted("picture")), and \(set.cameraFolder)/ no cameras"],
                fix: "copy the folder \(set.cameraFolder)/ too")
        }
        for (index, time) in times.enumerated() { capture.frames.append(facts(index, time, set)) }
        capture.channels.formUnion([.pose, .intrinsics, .timestamp])
        if set.images.isEmpty {
            capture.loses(
                .color,
                "there \(times.count.isOrAre) \(times.count.counted("camera")), and no pictures in \(set.folder)/",
                fix: "copy the folder \(set.folder)/ too")
        } else {
            capture.channels.insert(.color)
        }
        let sizes = try capture.checkPictures(in: tree, rules: rules)
        for index in times.indices where !capture.frames[index].isDropped {
            try readCamera(of: index, sizes[index], set)
        }
        noteBreaks(in: set)
        try readDepth(times)
        capture.lacks([.box, .motion], "Polycam's raw data have none")
        capture.estimateFrameRate()
        capture.source = source
        return capture
    }

    private mutating func chooseSet() throws(Problem) -> FileSet {
        let sets = PolycamCapture.sets.map { set in
            FileSet(
                variant: set.variant, folder: "\(top)\(set.images)", cameraFolder: "\(top)\(set.cameras)",
                images: tree.numbered(in: "\(top)\(set.images)", PictureFolder.extensions),
                cameras: tree.numbered(in: "\(top)\(set.cameras)", ["json"]))
        }
        let (corrected, recorded) = (sets[0], sets[2])
        if corrected.cameras.isEmpty && corrected.images.isEmpty { return recorded }
        if corrected.images.isEmpty { return try choose(sets[1], over: recorded) }
        // A set without pictures is no better for having more cameras.
        let missing = recorded.images.isEmpty ? [] : recorded.whole.subtracting(corrected.whole)
        if missing.isEmpty && (!corrected.whole.isEmpty || recorded.cameras.isEmpty) { return corrected }
        let lack =
            corrected.whole.isEmpty
            ? "no frame has both a corrected camera and its picture"
            : "the corrected pictures and cameras lack \(missing.count) of \(recorded.whole.count) frames"
        // What the app leaves out lacks both.
        let lost = missing.intersection(Set(corrected.images.keys).union(corrected.cameras.keys))
        let loss =
            "; for \(lost.count) of them only the picture or the camera is there: copy \(corrected.folder)/ and "
            + "\(corrected.cameraFolder)/ again"
        capture.warnings.append("\(lack)\(Self.fallback)\(lost.isEmpty ? "" : loss)")
        return recorded
    }

    private static let fallback = ", so the recorded ones were used for all"

    /// Without pictures of their own, corrected cameras belong to the recorded ones. They are used where each whole frame
    /// has one that can be.
    private mutating func choose(_ corrected: FileSet, over recorded: FileSet) throws(Problem) -> FileSet {
        var usable = corrected
        for time in recorded.whole {
            guard let file = corrected.cameras[time] else { continue }
            if try !isUsable(file, withPicture: !corrected.images.isEmpty) { usable.cameras[time] = nil }
        }
        let missing = recorded.whole.subtracting(usable.whole)
        guard missing.isEmpty, !usable.whole.isEmpty || recorded.cameras.isEmpty else {
            let damaged = missing.intersection(corrected.cameras.keys).count
            let loss =
                damaged == 0
                ? "" : "; \(damaged) of them cannot be used: copy \(corrected.cameraFolder)/ again"
            capture.warnings.append(
                "the corrected cameras lack \(missing.count) of \(recorded.whole.count) frames\(Self.fallback)\(loss)")
            return recorded
        }
        let own = "\(top)\(PolycamCapture.sets[0].images)"
        if tree.hasFolder(own), !corrected.images.isEmpty {
            capture.warnings.append(
                "\(own)/ is empty, so the corrected cameras were taken for the recorded pictures: copy it too")
        }
        return usable
    }

    /// Whether a camera file is whole, and says how large its picture is if there is none to tell it.
    /// - Throws: where the machine cannot read it.
    private func isUsable(_ file: String, withPicture hasPicture: Bool) throws(Problem) -> Bool {
        do throws(Problem) {
            let bytes = try tree.bytes(of: file, limit: PolycamCapture.cameraLimit)
            return try PolycamCamera(bytes, file: file).size != nil || hasPicture
        } catch {
            if error.fault != .input { throw error }
            return false
        }
    }

    private func facts(_ index: Int, _ microseconds: Int, _ set: FileSet) -> FrameFacts {
        var facts = FrameFacts(index: index)
        let (time, overflow) = Int64(microseconds).multipliedReportingOverflow(by: 1000)
        facts.timestamp = overflow ? nil : time
        facts.pictureFile = set.images[microseconds]
        let reason: String? =
            if set.cameras[microseconds] == nil {
                "its picture has no camera"
            } else if set.images[microseconds] == nil && !set.images.isEmpty {
                "its camera has no picture"
            } else { nil }
        if let reason { facts.drop = Drop(whileReading: reason, isBad: true) }
        if overflow { facts.drop = Drop(whileReading: "its name is no time", isBad: true) }
        return facts
    }

    private mutating func readCamera(of index: Int, _ size: PixelSize?, _ set: FileSet) throws(Problem) {
        guard let time = capture.frames[index].timestamp, let file = set.cameras[Int(time / 1000)] else { return }
        capture.list(file, in: tree, [], of: index)
        do throws(Problem) {
            let camera = try PolycamCamera(try tree.bytes(of: file, limit: PolycamCapture.cameraLimit), file: file)
            capture.frames[index].pose = camera.pose
            guard let size = size ?? camera.size else { throw Problem(.input, "the size of its picture is unknown") }
            try capture.setIntrinsics(try camera.intrinsics(picture: size), of: index, for: size)
            if let next = camera.trackingSegment {
                if let segment, segment != next { breaks.append(index) }
                segment = next
            }
        } catch {
            try capture.drop(index, for: error.at(file: file))
        }
    }

    /// Warns of recorded cameras among which tracking was lost. Corrected ones are in one world.
    private mutating func noteBreaks(in set: FileSet) {
        guard set.cameraFolder == "\(top)cameras", !breaks.isEmpty else { return }
        capture.warnings.append(
            "tracking was lost and began again at \(breaks.count == 1 ? "frame" : "frames") "
                + "\(breaks.map(String.init).listed(most: 10)), where tracking_segment changes: the poses before and after "
                + "have no common frame of reference")
    }

    private mutating func readDepth(_ times: [Int]) throws(Problem) {
        func files(_ pictures: [Int: String], in folder: String) -> FrameFiles {
            FrameFiles(
                times.map { pictures[$0] }, in: folder, holding: tree.originals(in: folder).count,
                noneOfWhich: "is a PNG called after a camera's time")
        }
        let folder = "\(top)depth"
        var depth = files(tree.numbered(in: folder, ["png"]), in: folder)
        if tree.originals(in: folder).isEmpty {
            depth.absence += ": the device has no lidar, the scan was made of photos, or they were not copied"
        }
        try capture.takeDepth(depth, .uint16(unitsPerMetre: 1000), to: &source)
        let confidence = tree.numbered(in: "\(top)confidence", ["png"])
        try capture.takeConfidence(
            files(confidence, in: "\(top)confidence"), levels: PolycamCamera.levels, to: &source)
        capture.losesEmptied(depth: folder, confidence: "\(top)confidence", made: .paired, of: tree)
    }
}
