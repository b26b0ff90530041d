import ScanModel

/// A sequence of TUM's RGB-D benchmark: `rgb.txt`, `depth.txt`, `groundtruth.txt`, and the pictures that these name.
///
/// Each picture takes the depth and the pose that are nearest in time, at most 20 ms away; those without a pose are
/// dropped by name. None of the benchmark's files holds the camera: it is read from `calibration.txt`, which
/// `write-tum` writes, or `camera.txt` or `intrinsics.txt`; without these, pictures of 640 × 480 get the usual 525
/// pixels of a Kinect, with a warning, and others get none.
///
/// Source: the benchmark's page on file formats, and its tool associate.py.
public enum TUMCapture: CaptureFormat {
    public static let card = FormatCard(
        name: "tum",
        summary: "TUM RGB-D sequence: rgb.txt, depth.txt, groundtruth.txt and their pictures, matched by time.",
        reads: [.color, .pose, .intrinsics, .timestamp, .recordedDepth],
        passesOver: [
            "accelerometer.txt", "associations.txt: frames are matched again",
            "lens distortion other than k1 k2 p1 p2 k3",
        ],
        writer: "write-tum",
        writingLoses: [
            "timestamps finer than a microsecond", "depth beyond 13.107 m", "confidence", "which way is up",
            "the bounding box", "motion", "intrinsics that change from frame to frame: all frames get the same",
        ], poseAxes: .openCV, revision: 9)

    public static func recognise(_ tree: any CaptureTree) -> Recognition? {
        let beside = ["depth.txt", "groundtruth.txt"].filter { tree.byteCount(of: $0) != nil }
        guard let first = beside.first, listsPictures(tree) else { return nil }
        return Recognition(
            format: name, reason: "rgb.txt lists pictures with their times, and \(first) stands beside it")
    }

    public static func remains(of tree: any CaptureTree) -> Recognition? {
        let capitals = namesInCapitals(tree)
        let isBeside = ["depth.txt", "groundtruth.txt"].contains {
            tree.byteCount(of: $0) != nil || capitals.contains($0.uppercased())
        }
        if capitals.contains("RGB.TXT"), isBeside {
            return Recognition(format: name, reason: "\(capitals.listed) have its files' names in capitals")
        }
        guard tree.byteCount(of: "depth.txt") != nil, tree.byteCount(of: "groundtruth.txt") != nil,
            tree.hasFolder("rgb")
        else { return nil }
        return Recognition(
            format: name, reason: "depth.txt and groundtruth.txt stand beside rgb/, and rgb.txt is missing or no list")
    }

    /// What has the name of one of the benchmark's files or folders in capitals, as after a copy through a FAT volume.
    fileprivate static func namesInCapitals(_ tree: any CaptureTree) -> [String] {
        let own = ["rgb.txt", "depth.txt", "groundtruth.txt", "rgb", "depth"] + TUMText.cameraFiles
        return tree.entries(in: "").map(\.name).filter { $0 != $0.lowercased() && own.contains($0.lowercased()) }
    }

    private static func listsPictures(_ tree: any CaptureTree) -> Bool {
        guard let bytes = tree.beginning(of: "rgb.txt") else { return false }
        var table = TextTable(MemorySource(bytes, name: "rgb.txt"), .space, lineLimit: 4096)
        guard let row = try? table.next() else { return false }
        return row.fields.count >= 2 && (try? TUMText.listed(row)) != nil
    }

    public static func read(_ tree: any CaptureTree, rules: ReadRules) throws(Problem) -> Capture {
        var reader = TUMReader(tree: tree, rules: rules)
        return try reader.read()
    }
}

private struct TUMReader {
    let tree: any CaptureTree
    let rules: ReadRules
    private var capture: Capture
    private var source: TreeSource

    init(tree: any CaptureTree, rules: ReadRules) {
        self.tree = tree
        self.rules = rules
        capture = Capture(of: tree, as: TUMCapture.self, rules)
        source = TreeSource(tree, rules)
    }

    mutating func read() throws(Problem) -> Capture {
        try requireList()
        let pictures = try readPictures()
        let times = pictures.map(\.timestamp)
        var matches = JSONObject()
        matches["poses"] = try matchPoses(times)
        let sizes = try capture.checkPictures(in: tree, rules: rules)
        capture.noteUnlisted(besides: pictures.map(\.path), in: tree, "is not listed in rgb.txt")
        try readCamera(sizes)
        matches["depth"] = try matchDepth(times)
        capture.findings["time-match"] = .object(matches)
        capture.lacks([.recordedConfidence, .box, .motion], "TUM's sequences have none that ScanMill reads")
        capture.estimateFrameRate()
        capture.source = source
        return capture
    }

    // MARK: - Pictures

    private func requireList() throws(Problem) {
        let capitals = TUMCapture.namesInCapitals(tree)
        if tree.byteCount(of: "rgb.txt") == nil, capitals.contains("RGB.TXT") {
            // In an archive they lie nowhere as files of their own.
            let isPacked = tree.location(of: "RGB.TXT").map { $0.range != nil } ?? true
            let place = isPacked ? "unpack the archive, name the folder instead, and rename them there" : "rename them"
            throw Problem(
                .input, "the names of its files are in capitals: \(capitals.listed)",
                notes: ["copying through a FAT volume does that to short names"],
                fix: "\(place):  "
                    + capitals.map { "mv \(ShellWord.quoted($0)) \($0.lowercased())" }.joined(separator: "; "))
        }
        try tree.require("rgb.txt", "the list of the pictures is missing", fix: "copy rgb.txt too")
    }

    /// Makes a frame of each picture.
    /// - Returns: what the list says of them, in the order of their times.
    private mutating func readPictures() throws(Problem) -> [TUMText.Listed] {
        let (pictures, isCut) = try listedPictures()
        var gone = 0
        for (index, picture) in pictures.enumerated() {
            var facts = FrameFacts(index: index)
            facts.timestamp = picture.timestamp
            do throws(Problem) {
                facts.pictureFile = try tree.file(named: picture.path)
                if facts.pictureFile == nil {
                    gone += 1
                    let lack = tree.lack(
                        ofPicture: picture.path, otherwise: "is not there: \(picture.path.shortened)")
                    facts.drop = Drop(whileReading: lack.reason, isBad: true, fix: lack.fix)
                }
            } catch {
                let problem = error.at(file: "rgb.txt")
                facts.drop = Drop(whileReading: problem.oneLine, isBad: true, fix: problem.fix)
            }
            capture.frames.append(facts)
        }
        capture.channels.formUnion([.color, .timestamp])
        if gone == pictures.count { loseAllPictures(pictures.map(\.path)) }
        if isCut { try keepListed(pictures.map(\.path)) }
        return pictures
    }

    /// Adds and drops the pictures that a list lacks because it was cut off.
    /// - Throws: when the rules do not allow that.
    private mutating func keepListed(_ paths: [String]) throws(Problem) {
        let unlisted = capture.unlistedPictures(besides: paths, in: tree)
        let count = paths.count + unlisted.count
        try rules.check(frames: count, of: "pictures")
        var truncation = Self.truncation(of: "rgb.txt")
        if let folder = unlisted.first?.folderPath {
            let place = folder.isEmpty ? "" : " in \(folder)/"
            truncation.notes.append("\(unlisted.count.counted("picture", "is", "are")) not listed\(place)")
        }
        try capture.keepFrames(before: truncation, whole: paths.count, of: count, rules)
    }

    private static func truncation(of file: String) -> Problem {
        Problem(.input, "the list was cut off in its last line").at(file: file)
    }

    /// What a list of pictures names, and whether the file was cut off in its last line, which is left out then.
    private mutating func readPictureList(
        _ file: String
    ) throws(Problem) -> (pictures: [TUMText.Listed], isCut: Bool) {
        var end = TextTable.End.lineFeed
        var (pictures, isCut) = try capture.readList(file, in: tree, rules) { (row) throws(Problem) in
            end = row.end
            return try TUMText.listed(row)
        }
        // Of a path that was cut off, the extension is missing.
        func ending(_ listed: TUMText.Listed) -> Substring? { listed.path.split(separator: ".").last }
        if !isCut, end.mayBeCut, let last = pictures.last,
            pictures.count > 1, !pictures.dropLast().contains(where: { ending($0) == ending(last) })
        {
            pictures.removeLast()
            isCut = true
        }
        return (pictures, isCut)
    }

    private mutating func listedPictures() throws(Problem) -> (pictures: [TUMText.Listed], isCut: Bool) {
        var (pictures, isCut) = try readPictureList("rgb.txt")
        try rules.check(frames: pictures.count, of: "pictures", in: "rgb.txt")
        if pictures.isEmpty {
            throw Problem(
                .input, "the list names no pictures", notes: capture.warnings,
                fix: "copy rgb.txt again: it holds a line  seconds path  for each picture"
            ).at(file: "rgb.txt")
        }
        if zip(pictures, pictures.dropFirst()).contains(where: { $1.timestamp < $0.timestamp }) {
            pictures.sort { ($0.timestamp, $0.path) < ($1.timestamp, $1.path) }
            capture.warnings.append(
                "the pictures of rgb.txt do not stand in the order of their times: they were put into it, as the "
                    + "benchmark's own tools do")
        }
        return (pictures, isCut)
    }

    /// Where the folder with the pictures has not arrived, or they have been renamed, the frames keep all else.
    private mutating func loseAllPictures(_ paths: [String]) {
        for index in capture.frames.indices { capture.frames[index].drop = nil }
        capture.channels.remove(.color)
        capture.losesPictures(.color, paths, listedIn: "rgb.txt", in: tree)
    }

    // MARK: - Poses, depth, camera

    private mutating func matchPoses(_ times: [Int64]) throws(Problem) -> JSONValue? {
        let file = "groundtruth.txt"
        guard tree.byteCount(of: file) != nil else {
            capture.loses(
                .pose, tree.absence(of: file),
                fix: "copy \(file) too; the benchmark's sequences for validation have none")
            return nil
        }
        let isScalarFirst = TUMText.namesScalarFirst(tree.beginning(of: file) ?? [])
        let poses = try capture.readPoses(file, in: tree, rules) { (row) throws(Problem) in
            try TUMText.posed(row, isScalarFirst: isScalarFirst)
        }
        if isScalarFirst {
            capture.warnings.append("\(file) calls its columns qw qx qy qz, and they were read in this order")
        }
        let match = TimeMatch(times, with: poses.times, within: TUMText.tolerance)
        capture.takePoses(poses, by: match, rules)
        capture.channels.insert(.pose)
        return match.summary
    }

    private mutating func matchDepth(_ times: [Int64]) throws(Problem) -> JSONValue? {
        let file = "depth.txt"
        guard tree.byteCount(of: file) != nil else {
            if tree.hasFolder("depth") {
                capture.loses(.recordedDepth, tree.absence(of: file), fix: "copy \(file) too")
            } else {
                capture.absences[.recordedDepth] = Absence(of: file, in: tree)
            }
            return nil
        }
        let (listed, isCut) = try readPictureList(file)
        if isCut { try keepFrames(until: listed.map(\.timestamp).max(), times, of: file) }
        let match = TimeMatch(times, with: listed.map(\.timestamp), within: TUMText.tolerance)
        let named = match.partners.map { $0.map { listed[$0].path } }
        // A path that leads out of the capture counts as none: no reason to lose the frame.
        let paths = named.map { $0.flatMap { try? tree.file(named: $0) } }
        let files = FrameFiles(
            paths: paths, named: named, absence: "none of the pictures that \(file) names belongs to a frame")
        try capture.takeDepth(files, .uint16(unitsPerMetre: TUMText.unitsPerMetre), to: &source)
        let all = named.compactMap(\.self)
        if !all.isEmpty && paths.allSatisfy({ $0 == nil }) {
            capture.losesPictures(.recordedDepth, all, called: "depth ", listedIn: file, in: tree)
        }
        return match.summary
    }

    /// Drops the frames that come after the last one that a list has, which was cut off.
    /// - Parameter times: the frames', ascending.
    /// - Throws: when the rules do not allow that.
    private mutating func keepFrames(until end: Int64?, _ times: [Int64], of file: String) throws(Problem) {
        let (limit, isOverflow) = (end ?? .min).addingReportingOverflow(TUMText.tolerance)
        let whole = end == nil ? 0 : times.count { $0 <= limit || isOverflow }
        // The list may have gone on behind the last picture.
        guard whole < times.count else { return }
        try capture.keepFrames(before: Self.truncation(of: file), whole: whole, of: times.count, rules)
    }

    private mutating func readCamera(_ sizes: [Int: PixelSize]) throws(Problem) {
        guard let camera = try findCamera() else { return }
        for index in capture.frames.indices where !capture.frames[index].isDropped {
            do throws(Problem) {
                try capture.setCamera(camera, of: index, for: sizes[index])
            } catch { try capture.drop(index, for: error) }
        }
        capture.deriveIntrinsicsChannel()
    }

    private mutating func findCamera() throws(Problem) -> CalibratedCamera? {
        for file in TUMText.cameraFiles where tree.byteCount(of: file) != nil {
            capture.list(file, in: tree, [])
            do throws(Problem) {
                var table = TextTable(try tree.open(file), .space, lineLimit: 1 << 12)
                guard let row = try table.next() else { throw Problem(.input, "the file holds no camera") }
                capture.noteOpenLine(table.openLine, of: file)
                let (camera, lens) = try TUMText.camera(row, size: capture.colorSize)
                if lens == nil {
                    capture.warnings.append(
                        "\(file) gives a lens's distortion, which is passed over: expected k1 k2 p1 p2 k3")
                }
                return CalibratedCamera(camera, lens ?? LensDistortion())
            } catch {
                throw error.noting("expected one line: fx fy cx cy width height, and perhaps k1 k2 p1 p2 k3")
                    .at(file: file)
            }
        }
        if let fix = capture.absences[.color]?.remedy {
            capture.loses(.intrinsics, "the camera's intrinsics are unknown, and there are no pictures", fix: fix)
            return nil
        }
        guard capture.colorSize == PixelSize(640, 480) else {
            capture.loses(
                .intrinsics, "the camera's intrinsics are unknown",
                fix: "put a line  fx fy cx cy width height  into \(TUMText.cameraFiles[0])")
            return nil
        }
        capture.warnings.append(
            "the intrinsics are unknown, so the usual ones were taken: focal length 525, centre 319.5, 239.5; put a "
                + "line  fx fy cx cy width height  into \(TUMText.cameraFiles[0])")
        return CalibratedCamera(TUMText.usualCamera)
    }
}
