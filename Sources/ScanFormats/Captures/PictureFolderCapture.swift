import ScanModel

/// A plain folder of numbered pictures, without poses: enough to score, choose and copy frames.
public enum PictureFolderCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "frames", summary: "A folder with numbered pictures in color/, rgb/ or images/; no poses, no depth.",
        reads: [.color], writer: "write-frames",
        writingLoses: ["everything but pictures; depth is written but not read back"], origin: .derived,
        revision: 6)

    public static func isPart(_ tree: any CaptureTree) -> Bool { true }

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        guard let pictures = PictureFolder.find(in: tree) else { return nil }
        let count = pictures.pictures.count.counted("picture")
        return Recognition(format: name, reason: "\(pictures.folder)/ holds \(count)")
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        guard let pictures = PictureFolder.find(in: tree) else {
            throw Problem(
                .input, "there are no pictures in color/, rgb/ or images/", fix: PictureFolder.wayToRead(in: tree))
        }
        // Reading only the pictures of another format's intact capture is allowed.
        let isPlain = CaptureFormats.recognise(tree)?.format == name
        if isPlain { try checkRemains(in: tree) }
        var capture = Capture(of: tree, as: Self.self, rules)
        capture.isMetric = false
        try pictures.attach(to: &capture, rules: rules)
        try capture.checkPictures(in: tree, rules: rules)
        noteUnread(in: tree, isPlain: isPlain, &capture)
        // What lost the poses may have said so already.
        if isPlain, capture.absences[.pose] == nil { noteWayToPoses(in: tree, &capture) }
        capture.lacks(
            [.pose, .intrinsics, .timestamp, .recordedDepth, .recordedConfidence, .box, .motion], lack)
        capture.source = TreeSource(tree, rules)
        return capture
    }

    private static let lack = "a plain folder of pictures has none"

    /// Every stage that needs poses would otherwise send its user to the next one that needs them.
    private static func noteWayToPoses(in tree: any CaptureTree, _ capture: inout Capture) {
        if let way = TransformsDataset.wayToReadPart(in: tree) {
            for channel in [Channel.pose, .intrinsics] { capture.loses(channel, lack, fix: way) }
            return
        }
        if let model = COLMAPModelFiles.unreadFolder(in: tree) {
            let way = "move the files of \(model)/ to \(COLMAPModelFiles.usualFolders[0])/"
            capture.warnings.append("only the pictures are read, not the COLMAP model in \(model)/: \(way), and it is")
            return capture.lacks(
                [.pose, .intrinsics], "the COLMAP model in \(model)/ is not read there", advice: way)
        }
        if let file = poseFile(in: tree) {
            let way = "write them as a sequence of TUM has them: rgb.txt, groundtruth.txt and, for depth, depth.txt"
            capture.warnings.append("only the pictures are read, not \(file) beside them; if poses are there, \(way)")
            capture.lacks([.pose], "\(file) is not read")
            return advise(way, &capture)
        }
        advise(
            "reconstruct poses from the pictures, for example with COLMAP, and convert that model; for the pictures alone "
                + "take a pipeline of `read`, `select-every` and `write-frames: {depth: none}`", &capture)
    }

    private static func advise(_ way: String, _ capture: inout Capture) {
        for channel in [Channel.pose, .intrinsics, .recordedDepth] {
            capture.absences[channel, default: Absence(lack)].advice = way
        }
    }

    /// What is called like the poses of other datasets: ICL-NUIM's, Replica's, and TUM's without its list of pictures.
    private static func poseFile(in tree: any CaptureTree) -> String? {
        let names = ["groundtruth.txt", "poses.txt", "traj.txt", "trajectory.txt", "associations.txt"]
        let files = tree.entries(in: "").filter { $0.byteCount != nil }.map(\.name)
        return files.first { $0.hasSuffix(".freiburg") } ?? names.first(where: files.contains)
    }

    private static let remains = [
        ("cameras", "Polycam's cameras"), ("odometry.csv", "Stray Scanner's poses"),
        (TransformsDataset.file, "a NeRF dataset's description"),
        (TransformsDataset.trainingFile, "a NeRF dataset's description"),
    ]

    /// Refuses what another format's reader would have taken if it were intact: a capture that lost its poses is not a
    /// folder of pictures, and must not be processed as one.
    private static func checkRemains(in tree: any CaptureTree) throws(Problem) {
        let found = remains.first { part, _ in tree.byteCount(of: part) != nil || !tree.entries(in: part).isEmpty }
        guard let (part, what) = found else { return }
        var notes = ["with \(what) this is more than a folder of pictures"]
        var way = "copy the capture again"
        if [TransformsDataset.file, TransformsDataset.trainingFile].contains(part) {
            do throws(Problem) {
                let json = try tree.outline(of: part, limit: TransformsDataset.sizeLimit)
                if let defect = TransformsDataset.defect(of: json) { notes.append(defect) }
                // An outline has the first frame alone: whether there are others is not known.
                if json["frames"]?.array?.isEmpty == false {
                    let format = "\(Drop.reader).format=\(TransformsDataset.name)"
                    way += ", or have its other frames, if there are any, read with  --set \(format)"
                }
            } catch {
                // A file that the machine cannot read may be intact.
                guard error.fault == .input else { throw error }
                notes.append(error.oneLine)
            }
        } else if let file = tree.entries(in: part).first(where: { $0.byteCount != nil }) {
            // An archive may be packed in a way that is not read.
            do throws(Problem) { _ = try tree.bytes(of: "\(part)/\(file.name)", limit: 1 << 20) } catch {
                guard error.fault == .input else { throw error }
                notes.append(error.oneLine)
            }
        }
        throw Problem(
            .input, "\(part) stands beside the pictures and cannot be read", notes: notes,
            fix: "\(way); if only the pictures count, move \(part) elsewhere"
        ).at(file: part)
    }

    /// Poses and depth that lie there unread must not be reported as absent.
    private static func noteUnread(in tree: any CaptureTree, isPlain: Bool, _ capture: inout Capture) {
        let half = halfOfScan(in: tree)
        if let half {
            capture.loses(
                .pose, "\(half.rest) is not read: \(half.missing), which makes it a ScanNet scan, is missing",
                fix: half.fix)
            capture.lacks([.intrinsics], "\(half.missing) is missing", advice: half.fix)
        }
        var others = tree.entries(in: "").map(\.name).filter { other in
            [".json", ".jsonl", ".csv"].contains { other.lowercased().hasSuffix($0) }
                && !remains.contains { $0.0 == other }
        }
        let datasets = isPlain && half == nil ? otherDatasets(among: others, in: tree) : []
        noteOtherDatasets(datasets, in: tree, &capture)
        others.removeAll(where: datasets.contains)
        if !others.isEmpty, isPlain {
            let isCapital = others.contains { $0 != $0.lowercased() }
            let way = TransformsDataset.wayToReadPart(in: tree).map { "; \($0)" }
            capture.warnings.append(
                "only the pictures are read: \(others.prefix(3).joined(separator: ", ")) beside them is no file of an app's "
                    + "capture\(way ?? (isCapital ? ", whose names are in small letters" : ""))")
        }
        if tree.entries(in: "depth").isEmpty { return }
        if let half {
            capture.loses(.recordedDepth, "depth/ is not read: \(half.missing) is missing", fix: half.fix)
        } else {
            capture.absences[.recordedDepth] = "depth/ is not read: beside plain pictures its unit is unknown"
        }
    }

    /// The files that list frames with poses as a dataset's description does, under names of somebody's own.
    private static func otherDatasets(among files: [String], in tree: any CaptureTree) -> [String] {
        let parts = TransformsDataset.heldOutFiles.map(\.file)
        let candidates = files.filter { $0.lowercased().hasSuffix(".json") && !parts.contains($0) }
        return candidates.prefix(10).filter { file in
            guard let json = try? tree.outline(of: file, limit: TransformsDataset.sizeLimit) else { return false }
            return TransformsDataset.defect(of: json) == nil
        }
    }

    /// The poses need not be reconstructed: MuSHRoom's are in `transformations.json`.
    private static func noteOtherDatasets(_ files: [String], in tree: any CaptureTree, _ capture: inout Capture) {
        guard let first = files.first else { return }
        let name = TransformsDataset.file
        let reason =
            files.count == 1
            ? "\(first) lists frames with poses, as \(name) does, and is not read under that name"
            : "\(files.listed(most: 3)) list frames with poses, as \(name) does, and are not read under these names"
        let isPacked = tree.location(of: first).map { $0.range != nil } ?? true
        let place = isPacked ? "unpack the archive, name the folder instead, and " : ""
        let way = files.count == 1 ? "call it \(name):" : "call the one that is meant \(name), such as with"
        let fix = "\(place)\(way)  ln -s \(ShellWord.quoted(path: first)) \(name)"
        for channel in [Channel.pose, .intrinsics] { capture.loses(channel, reason, fix: fix) }
    }

    /// What is there of a ScanNet scan that lacks its matrices or its poses, which of them it lacks, and what to do; nil
    /// where both are there, or none.
    private static func halfOfScan(in tree: any CaptureTree) -> (rest: String, missing: String, fix: String)? {
        let matrix = ScanNetFolder.matrixFile(in: tree)
        if PosedPictures.folders(in: tree) != nil {
            guard matrix == nil else { return nil }
            let other = otherMatrix(in: tree).map {
                ", or, if \($0) is the colour camera's matrix, call it intrinsic_color.txt"
            }
            return ("pose/", "intrinsic/", "copy intrinsic/ too\(other ?? "")")
        }
        let rest = tree.entries(in: "intrinsic").isEmpty ? matrix : "intrinsic/"
        return rest.map { ($0, "pose/", "copy pose/ too") }
    }

    /// A camera's matrix as ScanNet has it, under a name of somebody's own.
    private static func otherMatrix(in tree: any CaptureTree) -> String? {
        tree.entries(in: "").map(\.name).first { name in
            guard name.lowercased().contains("intrinsic"), name.hasSuffix(".txt"),
                let bytes = try? tree.bytes(of: name, limit: NumberText.sizeLimit)
            else { return false }
            return (try? NumberText.numbers(bytes, count: 16, file: name)) != nil
        }
    }
}
