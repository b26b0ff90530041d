import ScanModel

/// The files of a channel that is stored as one picture file per frame, as a reader finds them.
struct FrameFiles {
    /// By the frame's index, relative to the capture; nil where a frame has none.
    var paths: [String?]
    /// What the capture's own lists name, by the frame's index, whether it is there or not; nil where there are no such
    /// lists.
    var named: [String?]?
    /// Why the capture lacks the channel, if no frame has a file.
    var absence: String
    /// Whether frames without a file count against the capture.
    var countsGaps = true
}

extension FrameFiles {
    /// Files that lie in one folder.
    /// - Parameters:
    ///   - count: how many it holds, of frames or not.
    ///   - sign: what none of them does or is, if no frame has one: "has the number of a frame".
    init(_ paths: [String?], in folder: String, holding count: Int, noneOfWhich sign: String) {
        let absence =
            count == 0
            ? "there are no pictures in \(folder)/"
            : "no file in \(folder)/ \(sign); it holds \(count.counted("file"))"
        self.init(paths: paths, absence: absence)
    }
}

/// What readers note about channels stored as one picture file per frame.
extension Capture {
    /// Notes depth stored as one picture file per frame. Nothing else depends on it: where no picture can be read, the
    /// capture has no depth, and says why.
    /// - Parameters:
    ///   - source: where the pictures are, which gives them from now on.
    ///   - colorFromDepth: where the depth camera is, if it is not the colour camera.
    ///   - turning: what to do where depth or pictures were turned, if the format knows.
    /// - Throws: when the machine is at fault, and where pictures stand upright and depth lies on its side.
    mutating func takeDepth(
        _ files: FrameFiles, _ encoding: DepthEncoding, to source: inout TreeSource,
        colorFromDepth: Pose = .identity, turning: String? = nil
    ) throws(Problem) {
        guard let pictures = try framePictures(files, encoding, of: .recordedDepth, in: source) else { return }
        source.depth = .pictures(pictures, encoding)
        depthSize = pictures.size
        let folder = files.paths.firstNonNil(\.self)?.folderPath
        try requireOneOrientation(
            ofDepth: pictures.size, in: folder?.isEmpty == true ? nil : folder, source.rules,
            colorFromDepth: colorFromDepth, fix: turning)
        noteGaps(.recordedDepth, in: files.paths, named: files.named, areCounted: files.countsGaps)
    }

    /// Notes confidence as ``takeDepth`` notes depth.
    /// - Parameter levels: what each number in the pictures stands for, if not for itself.
    mutating func takeConfidence(
        _ files: FrameFiles, levels: [UInt8]? = nil, to source: inout TreeSource
    ) throws(Problem) {
        guard let pictures = try framePictures(files, nil, of: .recordedConfidence, in: source) else { return }
        source.confidence = .pictures(pictures, levels: levels)
        noteGaps(.recordedConfidence, in: files.paths, named: files.named, areCounted: files.countsGaps)
    }

    /// When an app makes the folders of depth and confidence.
    enum DepthHabit {
        /// Each for what it has recorded.
        case asRecorded
        /// That of confidence with that of depth.
        case paired
        /// Both for every recording.
        case always
    }

    /// Says that depth or confidence was lost on the way.
    /// - Parameters:
    ///   - depth: its folder.
    ///   - confidence: its folder, where the app knows it.
    mutating func losesEmptied(
        depth: String, confidence: String?, made habit: DepthHabit = .asRecorded, of tree: any CaptureTree
    ) {
        func lose(_ channel: Channel, in folder: String, _ reason: String) {
            loses(channel, reason, fix: "copy the folder \(folder)/ too")
        }
        func lack(in folder: String, though other: String) -> String {
            "there are no pictures in \(folder)/, though \(other) is there"
        }
        // Other programs that write an app's format have habits of their own, as ScanMill, whose results have a receipt.
        let habit = tree.entry(ReceiptMark.fileName) == nil ? habit : .asRecorded
        let levels = confidence.map(tree.originals) ?? []
        let hasLevels = levels.contains { $0.lowercased().hasSuffix(".png") }
        if !tree.originals(in: depth).isEmpty {
            guard let confidence, levels.isEmpty, habit != .asRecorded || tree.hasFolder(confidence) else { return }
            lose(.recordedConfidence, in: confidence, lack(in: confidence, though: "depth"))
        } else if hasLevels || tree.hasFolder(depth) {
            lose(.recordedDepth, in: depth, lack(in: depth, though: hasLevels ? "confidence" : "the folder"))
        } else if habit == .always {
            for (channel, folder) in [(Channel.recordedDepth, depth), (.recordedConfidence, confidence)] {
                guard let folder else { continue }
                lose(channel, in: folder, "there is no folder \(folder)/, which the app makes for every recording")
            }
        }
    }

    /// Lists the pictures of a channel, one per frame. Where none can be read, the capture lacks the channel, and says
    /// why.
    /// - Parameter encoding: that of depth; nil for confidence.
    /// - Throws: when the machine is at fault.
    private mutating func framePictures(
        _ files: FrameFiles, _ encoding: DepthEncoding?, of channel: Channel, in source: TreeSource
    ) throws(Problem) -> FramePictures? {
        for (index, path) in files.paths.enumerated() {
            if let path { list(path, in: source.tree, [channel], of: index) }
        }
        do throws(Problem) {
            guard let pictures = try FramePictures(files.paths, encoding, in: source.tree, source.rules) else {
                absences[channel] = Absence(files.absence)
                return nil
            }
            channels.insert(channel)
            return pictures
        } catch {
            guard error.fault == .input else { throw error }
            let fix = error.fix ?? "copy the \(channel.plainName) pictures again"
            loses(channel, "none of the \(channel.plainName) pictures can be read: \(error.oneLine)", fix: fix)
            return nil
        }
    }

    /// Notes the frames for which there is no file, and warns of them.
    /// - Parameters:
    ///   - named: the files that the capture's own lists name. A frame for which they name none rightly has none; without
    ///     lists each frame should have one.
    ///   - areCounted: whether they count against the capture.
    mutating func noteGaps(
        _ channel: Channel, in paths: [String?], named: [String?]? = nil, areCounted: Bool = true
    ) {
        let missing = frames.indices.filter { !frames[$0].isDropped && ($0 >= paths.count || paths[$0] == nil) }
        guard !missing.isEmpty else { return }
        findings["frames-without-\(channel.plainName)"] = .of(missing.count)
        let isNamed = { (index: Int) in named.map { index < $0.count && $0[index] != nil } ?? true }
        let (lost, unnamed) = (missing.filter(isNamed), missing.filter { !isNamed($0) })
        if areCounted, !lost.isEmpty { gaps[channel] = lost }
        func warn(_ indices: [Int], _ what: String) {
            if indices.isEmpty { return }
            warnings.append(
                "\(indices.count.counted(of: frames.count, "frame", "has", "have")) \(what): "
                    + indices.frameRuns)
        }
        let name = channel.plainName
        warn(lost, named == nil ? "no \(name)" : "no \(name), though the capture lists it")
        warn(unnamed, "no \(name)\(lost.isEmpty ? "" : ", and none is listed")")
    }
}
