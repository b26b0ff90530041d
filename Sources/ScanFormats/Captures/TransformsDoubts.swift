import ScanModel

// What a dataset says that can hardly be meant so.
extension TransformsReader {
    /// Warns of frames whose camera moves during the exposure, where only its poses at the start and the end are given.
    mutating func noteMovingCameras(_ entries: [TransformsEntry]) {
        let count = entries.count { $0.found?.isOfStart == true }
        if count == 0 { return }
        capture.warnings.append(
            "\(count.counted(of: entries.count, "frame", "has", "have")) no transform_matrix in \(file): "
                + "transform_matrix_start was taken, and a rolling shutter or motion blur until transform_matrix_end is "
                + "not modelled")
    }

    /// Warns of matrices that were divided by their last number, since trainers take the other rows as they stand.
    mutating func noteScaledMatrices(_ elements: [JSONField]) {
        let lasts = elements.compactMap { element -> Double? in
            guard let rows = element["transform_matrix"].value?.array, rows.count == 4 else { return nil }
            return rows[3].doubles?.last
        }
        let others = lasts.filter { abs($0 - 1) > 1e-3 }
        guard let first = others.first else { return }
        capture.warnings.append(
            "\(others.count.counted(of: elements.count, "frame", "has", "have")) a transform_matrix that ends in "
                + "\(first.shortText(decimals: 6)) instead of 1: positions and axes were divided by that number, and "
                + "nerfstudio and instant-ngp take them as they stand")
    }

    /// Warns of frames without a principal point among others that have one.
    mutating func noteMissingCentres(_ entries: [TransformsEntry]) {
        let lenses = zip(entries, capture.frames).compactMap {
            entry, facts -> (frame: Int, lens: TransformsJSON.Lens)? in
            guard !facts.isDropped, let lens = entry.found?.lens else { return nil }
            return (facts.index, lens)
        }
        let lacks = [
            ("cx", lenses.filter { $0.lens.centre.x == nil }.map(\.frame)),
            ("cy", lenses.filter { $0.lens.centre.y == nil }.map(\.frame)),
        ]
        for (key, frames) in lacks where !frames.isEmpty && frames.count < lenses.count {
            capture.warnings.append(
                "\(frames.count.counted(of: lenses.count, "frame", "has", "have")) no \(key), and "
                    + "\(frames.count == 1 ? "was" : "were") given the picture's middle: \(frames.frameRuns)")
        }
    }

    /// Warns of pictures that several entries name: each of these became a frame.
    mutating func noteTwins(_ entries: [TransformsEntry]) {
        // A name may leave the extension out; two files that differ in nothing else are still two.
        let pictures = zip(entries, capture.frames).compactMap { $1.pictureFile ?? $0.found?.picture }
        capture.noteTwins(of: pictures, listedIn: file)
    }

    /// Warns of held-out frames that are trained on, as where the description of one part is a copy of another's.
    mutating func noteTrainedTests() {
        let held = capture.keptFrames.filter { $0.split?.isHeldOut == true }
        let trained = held.filter { $0.split?.contains(.training) == true }
        guard let first = trained.first else { return }
        let example = first.pictureFile.map { ", \(trained.count == 1 ? "" : "the first ")\($0)" } ?? ""
        capture.warnings.append(
            "\(trained.count) of \(held.count.counted("held-out frame")) "
                + "\(trained.count == 1 ? "is a training frame" : "are training frames") too\(example): an evaluation would "
                + "be on frames that were trained on")
    }

    /// Warns of a camera at the top level that fits none of the frames: their own are used here, but nerfstudio uses
    /// the one at the top.
    mutating func noteContradictions(_ root: JSONField, _ elements: [JSONField]) {
        for key in ["fl_x", "fl_y", "cx", "cy", "w", "h", "k1", "k2", "p1", "p2"] {
            guard let top = root[key].value?.double else { continue }
            let own = elements.compactMap { $0[key].value?.double }
            // Where the focus changes, so does the camera, by a few per cent; the one at the top is then one of these.
            guard let other = own.first, let least = own.min(), let most = own.max(),
                top < least - 0.01 * abs(least) || top > most + 0.01 * abs(most)
            else { continue }
            capture.warnings.append(
                "\(file) says \(key) \(top.shortText) at its top, and \(other.shortText) in its frames: the frames' own was "
                    + "taken, and nerfstudio takes the one at the top")
            return
        }
    }
}
