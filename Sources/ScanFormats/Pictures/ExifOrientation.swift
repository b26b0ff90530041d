import ScanModel

extension JPEG {
    /// How a picture's EXIF block says to turn it for display: 1 not at all, 2…8 mirrored or turned.
    ///
    /// Source: CIPA DC-008 (Exif 2.32), 4.6.2 and the tag Orientation, 0x0112.
    /// - Parameter head: the file's first bytes; the block comes before the pixels.
    /// - Returns: nil where it says nothing.
    package static func exifOrientation(_ head: [UInt8]) -> Int? {
        let byte = { (at: Int) in head.indices.contains(at) ? Int(head[at]) : 0 }
        guard byte(0) == 0xFF, byte(1) == 0xD8 else { return nil }
        let block = JPEGSegments(head).first {
            $0.marker == 0xE1 && head.dropFirst($0.start).starts(with: Array("Exif\0\0".utf8))
        }
        return block.flatMap { orientation(tiffAt: $0.start + 6, byte) }
    }

    private static func orientation(tiffAt start: Int, _ byte: (Int) -> Int) -> Int? {
        let isBig = byte(start) == UInt8(ascii: "M")
        func number(_ at: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 << 8 | byte(at + (isBig ? $1 : count - 1 - $1)) }
        }
        let directory = start + number(start + 4, 4)
        for entry in 0..<min(number(directory, 2), 256) {
            let at = directory + 2 + 12 * entry
            if number(at, 2) == 0x0112 { return number(at + 8, 2) }
        }
        return nil
    }
}

extension Capture {
    /// Warns of pictures that are turned for display. Where no reader has looked into them, the first existing one
    /// stands for all: an app writes all of them alike.
    mutating func noteOrientation(in tree: any CaptureTree) {
        let kept = frames.filter { !$0.isDropped && $0.pictureFile != nil }
        var found = kept.compactMap { orientations[$0.index] }
        if orientations.isEmpty, let file = kept.first?.pictureFile, let head = tree.beginning(of: file) {
            found = [JPEG.exifOrientation(head) ?? 1]
        }
        let turned = found.filter { (2...8) ~= $0 }
        if turned.isEmpty { return }
        let kinds = Set(turned).sorted().map { String($0) }.joined(separator: " or ")
        let (pictures, others) =
            turned.count == found.count
            ? ("the pictures'", "") : ("the", " of \(turned.count) of \(found.count) pictures")
        warnings.append(
            "\(pictures) EXIF orientation\(others) is \(kinds): they are used and copied as they are stored, which is what "
                + "the intrinsics are for; programs that follow it, as OpenCV's imread does, turn them; "
                + "with `color: jpeg` writers leave it out"
        )
    }
}
