import ScanModel

/// What the readers of several formats find in a capture in the same way.
extension Capture {
    /// A capture of which nothing has been read yet.
    init(of tree: any CaptureTree, as format: any CaptureFormat.Type, _ rules: ReadRules) {
        self.init(id: tree.name)
        self.format = format.name
        fileAxes = format.card.poseAxes
        maxPicturePixels = rules.maxPicturePixels
    }

    /// Notes a file of the capture, where it is there.
    /// - Parameter frame: the one whose file it is; nil where more hangs on it.
    mutating func list(
        _ file: String, in tree: any CaptureTree, _ channels: Set<Channel>, alsoHolding others: Set<Channel> = [],
        of frame: Int? = nil
    ) {
        guard let count = tree.byteCount(of: file) else { return }
        let stake = frame.map { InputFile.Stake.frame($0) } ?? .capture
        files.append(InputFile(path: file, byteCount: count, channels: channels, alsoHolds: others, stake: stake))
    }

    /// Reads `boundingbox.json`, which MultiScan and HMC's app write alike, or says why there is no box. Nothing else hangs
    /// on it.
    /// - Parameter limit: the most bytes that the file may have.
    /// - Throws: when the machine is at fault.
    mutating func readBox(in tree: any CaptureTree, limit: Int) throws(Problem) {
        let file = "boundingbox.json"
        guard tree.byteCount(of: file) != nil else {
            absences[.box] = tree.absence(of: file)
            return
        }
        list(file, in: tree, [.box])
        let read: BoundingBoxJSON
        do throws(Problem) {
            read = try BoundingBoxJSON(try tree.bytes(of: file, limit: limit), file: file)
        } catch {
            return try loses(.box, "box", in: file, for: error)
        }
        box = read.box
        warnings += read.warnings
        // The app cuts every box when it knows a floor: worth knowing, not worth a warning.
        if let floor = read.box.floor { findings["box-cut-at-floor"] = .number(floor) }
        channels.insert(.box)
    }
}

extension Capture {
    /// Notes depth that lies in one picture file a frame. Nothing else hangs on it: where no picture can be read, the
    /// capture has no depth, and says why.
    /// - Parameters:
    ///   - paths: by the frame's index; nil where a frame has none.
    ///   - named: the pictures that the capture's own lists name, where it has such lists; nil where it names none.
    ///   - absence: why there is no depth, if no frame has any.
    ///   - isWhole: whether what a frame lacks counts against the capture.
    /// - Throws: when the machine is at fault.
    mutating func takeDepth(
        _ paths: [String?], named: [String?]? = nil, _ encoding: DepthEncoding, in tree: any CaptureTree,
        _ rules: ReadRules, to source: inout TreeSource, absence: String, isWhole: Bool = true
    ) throws(Problem) {
        guard
            let pictures = try framePictures(
                paths, .depth(encoding), of: .recordedDepth, in: tree, rules, absence: absence)
        else { return }
        source.depthPictures = pictures
        depthSize = pictures.size
        noteGaps(.recordedDepth, in: paths, named: named, isWhole: isWhole)
    }

    /// Gives the frames the poses that their times were matched with, and drops those without one.
    /// - Parameters:
    ///   - file: where the poses stand.
    ///   - last: the time of the last pose in a file that was cut off: frames behind it are bad ones.
    ///   - others: the file's lines without a pose. Each is some frame's, which is a bad one where the line cannot be read.
    mutating func takePoses(
        _ poses: [Pose], of file: String, by match: TimeMatch, cutOffAfter last: Int64? = nil,
        besides others: PoselessLines
    ) {
        let unmatched = match.partners.indices.filter { match.partners[$0] == nil && frames[$0].timestamp != nil }
        func left(near times: [Int64]) -> Set<Int> {
            let match = TimeMatch(unmatched.compactMap { frames[$0].timestamp }, with: times, within: match.tolerance)
            return Set(zip(unmatched, match.partners).filter { $1 != nil }.map(\.0))
        }
        let (spoilt, lost) = (left(near: others.spoilt), left(near: others.lost))
        let distance = "within \(match.tolerance / 1_000_000) ms of it"
        for (index, partner) in match.partners.enumerated() {
            if let partner {
                frames[index].pose = poses[partner]
            } else if let last, let time = frames[index].timestamp, time > last {
                drop(
                    index, whileReading: "\(file) was cut off before its pose", isBad: true,
                    fix: LastNumbers.wayToMend)
            } else if spoilt.contains(index) {
                drop(index, whileReading: "the line of \(file) with its pose cannot be used", isBad: true)
            } else if lost.contains(index) {
                drop(index, whileReading: "tracking was lost: its pose in \(file) is not finite")
            } else {
                let reason =
                    match.outdone.contains(index)
                    ? "each pose of \(file) \(distance) belongs to another picture"
                    : "no pose of \(file) is \(distance)"
                drop(index, whileReading: reason)
            }
        }
    }

    /// Notes the frames for which there is no file, and warns of them.
    /// - Parameters:
    ///   - named: the files that the capture's own lists name. A frame for which they name none rightly has none; without
    ///     lists each frame should have one.
    ///   - isWhole: whether what a frame lacks counts against the capture.
    mutating func noteGaps(
        _ channel: Channel, in paths: [String?], named: [String?]? = nil, isWhole: Bool = true
    ) {
        let missing = frames.indices.filter { !frames[$0].isDropped && ($0 >= paths.count || paths[$0] == nil) }
        guard !missing.isEmpty else { return }
        findings["frames-without-\(channel.plainName)"] = .of(missing.count)
        let isNamed = { (index: Int) in named.map { index < $0.count && $0[index] != nil } ?? true }
        let (lost, unnamed) = (missing.filter(isNamed), missing.filter { !isNamed($0) })
        if isWhole, !lost.isEmpty { gaps[channel] = lost }
        func warn(_ indices: [Int], _ what: String) {
            if indices.isEmpty { return }
            warnings.append(
                "\(indices.count) of \(frames.count) frames have \(what): \(CaptureInspection.list(indices))")
        }
        let name = channel.plainName
        warn(lost, named == nil ? "no \(name)" : "no \(name), though the capture lists it")
        warn(unnamed, "no \(name)\(lost.isEmpty ? "" : ", and none is listed")")
    }

    /// Lists the pictures of a channel, one a frame. Where none can be read, the capture lacks the channel, and says why.
    /// - Parameter absence: why it does, if no frame has any.
    /// - Throws: when the machine is at fault.
    private mutating func framePictures(
        _ paths: [String?], _ content: PackedStream.Content, of channel: Channel, in tree: any CaptureTree,
        _ rules: ReadRules, absence: String
    ) throws(Problem) -> FramePictures? {
        for (index, path) in paths.enumerated() {
            if let path { list(path, in: tree, [channel], of: index) }
        }
        do throws(Problem) {
            guard let pictures = try FramePictures(paths, content, in: tree, rules) else {
                absences[channel] = absence
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

    /// Notes confidence as ``takeDepth`` notes depth.
    /// - Parameter levels: what each number in the pictures stands for, where it is not itself.
    mutating func takeConfidence(
        _ paths: [String?], levels: [UInt8]? = nil, in tree: any CaptureTree, _ rules: ReadRules,
        to source: inout TreeSource, absence: String, isWhole: Bool = true
    ) throws(Problem) {
        let found = try framePictures(
            paths, .confidence(0...2), of: .recordedConfidence, in: tree, rules, absence: absence)
        guard var pictures = found else { return }
        pictures.levels = levels
        source.confidencePictures = pictures
        noteGaps(.recordedConfidence, in: paths, isWhole: isWhole)
    }

    /// The size of the kept frames' pictures, by their cameras, where all that have a camera have one.
    mutating func settleColorSize() {
        let sizes = Set(keptFrames.compactMap { recordedIntrinsics(of: $0.index)?.size })
        colorSize = sizes.count == 1 ? sizes.first : nil
    }

    /// Frames a second, by the median step of the timestamps.
    mutating func estimateFrameRate() {
        let times = frames.compactMap(\.timestamp)
        let steps = zip(times.dropFirst(), times).map { $0.subtractingReportingOverflow($1).partialValue }
            .filter { $0 > 0 }.sorted()
        guard !steps.isEmpty else { return }
        frameRate = 1e9 / Double(steps[steps.count / 2])
    }

    /// In the order in which inspection and digests list them.
    mutating func sortFiles() { files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) } }
}

extension CameraIntrinsics {
    /// The camera for pictures that were resized after recording; the same where nobody knows their size.
    /// - Throws: when the pictures have another shape.
    func fitted(to size: PixelSize?) throws(Problem) -> CameraIntrinsics {
        guard let size, size != self.size else { return self }
        guard self.size.hasShape(of: size) else {
            throw Problem(
                .input, "the picture is \(size), and its intrinsics are for \(width)×\(height)",
                notes: size == PixelSize(height, width) ? ["it looks turned by a quarter"] : [])
        }
        return resized(to: size)
    }
}

extension Capture {
    /// Gives a frame its camera, scaled to pictures that were resized after recording, which is said.
    /// - Throws: when the pictures have another shape.
    mutating func setIntrinsics(_ camera: CameraIntrinsics, of index: Int, for size: PixelSize?) throws(Problem) {
        try setCamera(CalibratedCamera(camera), of: index, for: size)
    }

    /// Among how many frames before it a frame's camera is looked for, so that what undoes its lens is reckoned once.
    private static let mostCameras = 8

    /// The same with a lens that may distort, of which ``settleIntrinsics()`` speaks when all frames have their cameras.
    /// - Throws: when the pictures have another shape, or the lens cannot be undone.
    mutating func setCamera(_ recorded: CalibratedCamera, of index: Int, for size: PixelSize?) throws(Problem) {
        let camera = recorded.intrinsics
        let fitted = try camera.fitted(to: size)
        if recorded.lens.isStraight {
            frames[index].intrinsics = fitted
        } else {
            let bent = CalibratedCamera(fitted, recorded.lens)
            // A rig's cameras take turns.
            let before = (max(0, index - Self.mostCameras)...index).reversed()
            let known = before.first { undistortions[$0]?.recorded == bent }.flatMap { undistortions[$0] }
            if let known { undistortions[index] = known } else { undistortions[index] = try Undistortion(of: bent) }
        }
        let (recorded, actual) = (camera.size, fitted.size)
        if recorded == actual { return }
        let warning = "the pictures are \(actual), and the intrinsics for \(recorded); the intrinsics were scaled"
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    /// Says that frames have intrinsics, or where a lens distorts, that ``Channel/lens`` has to be undone first: a pinhole's
    /// numbers would be wrong for all that is done with them.
    mutating func settleIntrinsics() {
        guard let first = keptFrames.compactMap({ undistortions[$0.index] }).first else {
            undistortions = [:]
            channels.insert(.intrinsics)
            return
        }
        channels.insert(.lens)
        absences[.intrinsics] = "the lens distorts (\(first.recorded.lens))"
        remedies[.intrinsics] = "undistort the pictures with the stage  undistort  directly below read"
        // A straight lens among others, whose frames must not have what the capture has not.
        for index in frames.indices {
            guard let straight = frames[index].intrinsics else { continue }
            frames[index].intrinsics = nil
            undistortions[index] = Undistortion(straight: straight)
        }
    }

    /// Drops a frame for what is wrong with its own data.
    /// - Throws: the problem itself where the machine is at fault: the frame may be sound.
    mutating func drop(_ index: Int, for problem: Problem) throws(Problem) {
        guard problem.fault == .input else { throw problem }
        drop(index, whileReading: problem.oneLine, isBad: true, fix: problem.fix)
    }
}

extension Capture {
    /// Warns of points of which a coordinate is no finite number, and takes them out.
    /// - Parameters:
    ///   - others: points of the file that were left out for that already.
    ///   - file: as messages call it.
    mutating func leaveOutPointsOfNoPlace(of cloud: inout PointCloud, besides others: Int = 0, in file: String) {
        let count = cloud.count
        cloud.keep(\.isFinite)
        let lost = others + count - cloud.count
        if lost > 0 {
            warnings.append("\(lost.counted("point")) of \(file) were left out: a coordinate is not a finite number")
        }
    }
}
