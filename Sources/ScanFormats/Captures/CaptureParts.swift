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
