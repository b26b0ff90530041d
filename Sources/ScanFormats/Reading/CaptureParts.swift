import ScanModel

/// What the readers of several formats find in a capture in the same way.
extension Capture {
    /// A capture from which nothing has been read yet.
    init(of tree: any CaptureTree, as format: any CaptureFormat.Type, _ rules: ReadRules) {
        self.init(id: tree.name)
        self.format = format.name
        formatRevision = format.card.revision
        fileAxes = format.card.poseAxes
        maxPicturePixels = rules.maxPicturePixels
    }

    /// Notes a file of the capture, if it exists.
    /// - Parameter frame: the one whose file it is; nil where more depends on it.
    mutating func list(
        _ file: String, in tree: any CaptureTree, _ channels: Set<Channel>, alsoHolding others: Set<Channel> = [],
        of frame: Int? = nil
    ) {
        guard let count = tree.byteCount(of: file) else { return }
        let stake = frame.map { InputFile.Stake.frame($0) } ?? .capture
        files.append(InputFile(path: file, byteCount: count, channels: channels, alsoHolds: others, stake: stake))
    }

    /// Reads a description, and warns of keys that it holds twice.
    /// - Parameters:
    ///   - limit: the most bytes that the file may have.
    ///   - keepsNonNumbers: as of ``JSONField/init(parsing:file:keepsNonNumbers:warnings:)``.
    mutating func readJSON(
        _ file: String, in tree: any CaptureTree, limit: Int, keepsNonNumbers: Bool = true
    ) throws(Problem) -> JSONField {
        try JSONField(
            parsing: try tree.bytes(of: file, limit: limit), file: file, keepsNonNumbers: keepsNonNumbers,
            warnings: &warnings)
    }

    /// Reads `boundingbox.json`, which MultiScan and HMC's app write alike, or says why there is no box. Nothing else
    /// depends on it.
    /// - Parameter limit: the most bytes that the file may have.
    /// - Throws: when the machine is at fault.
    mutating func readBox(in tree: any CaptureTree, limit: Int) throws(Problem) {
        let file = "boundingbox.json"
        guard tree.byteCount(of: file) != nil else {
            absences[.box] = Absence(of: file, in: tree)
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
        findings["box-cut-at-floor"] = .of(read.box.floor)
        channels.insert(.box)
    }

    /// Frames a second, by the median step of the timestamps.
    mutating func estimateFrameRate() {
        let times = frames.compactMap(\.timestamp)
        let steps = zip(times.dropFirst(), times).map { $0.subtractingReportingOverflow($1).partialValue }
            .filter { $0 >= 0 }
        let step = steps.lazy.map(Double.init).usualStep(median: steps.middle.map(Double.init))
        if let step { frameRate = 1e9 / step }
    }

    /// Puts the files in the order in which inspection and digests list them, and makes one entry of several for the same
    /// file: frames may share one, such as a mask.
    mutating func sortFiles() {
        let sorted = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        files = []
        for file in sorted {
            if let last = files.last, last.path.utf8.elementsEqual(file.path.utf8) {
                files[files.count - 1].merge(file)
            } else {
                files.append(file)
            }
        }
    }

    /// Warns of pictures that several entries of a list name: each of these became a frame.
    /// - Parameters:
    ///   - pictures: of the entries, as they were found.
    ///   - list: as messages call it.
    mutating func noteTwins(of pictures: [String], listedIn list: String) {
        let twins = Dictionary(grouping: pictures, by: \.self).values.filter { $0.count > 1 }
        guard let first = twins.map({ $0[0] }).min() else { return }
        warnings.append(
            twins.count == 1
                ? "\(list) has \(twins[0].count) entries for the picture \(first): each became a frame"
                : "\(list) has several entries for each of \(twins.count) pictures, the first \(first): each became a frame"
        )
    }

    /// Warns of a text's lines that cannot be used, and names the first of them.
    mutating func noteUnusableLines(_ count: Int, of file: String, first: Problem?) {
        guard let first else { return }
        warnings.append("\(count.counted("line")) of \(file) cannot be used: \(first.at(file: file).oneLine)")
    }

    /// Warns of a text whose last line may have lost its end.
    /// - Parameter line: its number; nil where the text is whole.
    mutating func noteOpenLine(_ line: Int?, of file: String) {
        guard let line else { return }
        warnings.append(
            "the last line of \(file), line \(line), has no end, as if the file had been cut off there; copy the file again, "
                + "or end the line if it is whole")
    }

    /// Removes points with a coordinate that is not finite, and warns of them.
    /// - Parameters:
    ///   - others: points of the file that were already left out for that reason.
    ///   - file: as messages call it.
    mutating func leaveOutPointsOfNoPlace(of cloud: inout PointCloud, besides others: Int = 0, in file: String) {
        let count = cloud.count
        cloud.keep(\.isFinite)
        let lost = others + count - cloud.count
        if lost > 0 {
            let points = "\(lost.counted("point")) of \(file) \(lost == 1 ? "was" : "were")"
            warnings.append("\(points) left out: a coordinate is not a finite number")
        }
    }
}

extension [FrameFacts] {
    /// The same frames, counted in this order.
    var renumbered: [FrameFacts] {
        var frames = self
        for index in indices { frames[index].index = index }
        return frames
    }
}

extension InputFile {
    /// Takes over what another entry for the same file says. Its first frame has the stake; the others are dropped when
    /// they read it. Empty ``channels`` mean that every run reads the file, and win.
    fileprivate mutating func merge(_ other: InputFile) {
        let held = channels.union(other.channels)
        let isAlwaysRead = channels.isEmpty || other.channels.isEmpty
        channels = isAlwaysRead ? [] : held
        alsoHolds.formUnion(other.alsoHolds)
        if isAlwaysRead { alsoHolds.formUnion(held) }
        switch (stake, other.stake) {
        case (.frame(let one), .frame(let another)): stake = .frame(min(one, another))
        case (_, .capture), (.nothing, _): stake = other.stake
        default: break
        }
    }
}
