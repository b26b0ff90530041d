import ScanModel

/// What the readers of several formats find in a capture in the same way.
extension Capture {
    /// Notes a file of the capture, where it is there.
    mutating func list(_ file: String, in tree: any CaptureTree, _ channels: Set<Channel>) {
        guard let count = tree.byteCount(of: file) else { return }
        files.append(InputFile(path: file, byteCount: count, channels: channels))
    }

    /// Reads `boundingbox.json`, which MultiScan and HMC's app write alike, or says why there is no box.
    /// - Parameter limit: the most bytes that the file may have.
    mutating func readBox(in tree: any CaptureTree, limit: Int) throws(Problem) {
        let file = "boundingbox.json"
        guard tree.byteCount(of: file) != nil else {
            absences[.box] = tree.absence(of: file)
            return
        }
        let read = try BoundingBoxJSON(try tree.bytes(of: file, limit: limit), file: file)
        list(file, in: tree, [.box])
        box = read.box
        warnings += read.warnings
        // The app cuts every box when it knows a floor: worth knowing, not worth a warning.
        if let floor = read.box.floor { findings["box-cut-at-floor"] = .number(floor) }
        channels.insert(.box)
    }
}

extension Capture {
    /// Looks at a video from outside.
    /// - Returns: nil without ffmpeg: only the stages that need pictures fail then.
    mutating func probe(_ file: String, in tree: any CaptureTree, _ rules: ReadRules) throws(Problem) -> VideoFacts? {
        let ffmpeg: FFmpeg
        do throws(Problem) { ffmpeg = try FFmpeg.find() } catch {
            absences[.color] = "\(error.summary); \(error.fix ?? "")"
            absences[.luma] = absences[.color]
            obstacles = [.color: error.at(file: file), .luma: error.at(file: file)]
            return nil
        }
        let location = try tree.place(file)
        let facts = try VideoProbe.probe(
            VideoInput(path: location.path, range: location.range, name: file), with: ffmpeg)
        do throws(Problem) {
            try rules.check(frames: facts.frameCount, of: "frames in the video")
            try rules.check(PixelSize(facts.width, facts.height), of: "video")
        } catch { throw error.at(file: file) }
        return facts
    }

    /// Notes ScanNet's `axisAlignment`, which turns the world upright and is not applied: poses stay as recorded.
    mutating func noteAxisAlignment(in tree: any CaptureTree) {
        for entry in tree.entries(in: "") where entry.name.hasSuffix(".txt") {
            guard let count = entry.byteCount, count <= Int64(NumberText.sizeLimit),
                let bytes = try? tree.bytes(of: entry.name, limit: NumberText.sizeLimit),
                let matrix = try? ScanNetText(bytes, file: entry.name).numbers("axisAlignment", count: 16)
            else { continue }
            findings["axis-alignment"] = .of(matrix)
            return
        }
    }
}
