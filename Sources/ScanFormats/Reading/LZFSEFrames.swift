import ScanModel

/// Depth or confidence as one file per frame, packed with LZFSE: the bare pixels, row-major, without a header.
struct LZFSEFrames: Sendable {
    /// By the frame's index, relative to the capture; nil where a frame has none.
    var paths: [String?]
    /// Of each frame.
    var size: PixelSize

    /// A frame's depth, a float of metres for each pixel; nil where it has none.
    /// - Throws: when the file is damaged, or holds another number of pixels.
    func depth(of index: Int, in tree: any CaptureTree) throws(Problem) -> RecordedDepth? {
        try pixels(of: index, bytesEach: 4, "depth", in: tree).map {
            RecordedDepth(width: size.width, height: size.height, encoding: .float32Metres, bytes: $0)
        }
    }

    /// A frame's confidence, a byte of 0...2 for each pixel; nil where it has none.
    /// - Throws: as ``depth(of:in:)``.
    func confidence(of index: Int, in tree: any CaptureTree) throws(Problem) -> ConfidenceMap? {
        try pixels(of: index, bytesEach: 1, "confidence", in: tree).map {
            ConfidenceMap(width: size.width, height: size.height, values: $0, range: 0...2)
        }
    }

    private func pixels(
        of index: Int, bytesEach: Int, _ subject: String, in tree: any CaptureTree
    ) throws(Problem) -> [UInt8]? {
        guard paths.indices.contains(index), let path = paths[index] else { return nil }
        let count = size.width * size.height * bytesEach
        do throws(Problem) {
            let packed = try tree.bytes(of: path, limit: PictureLimits.fileBytes)
            let bytes = try LZFSE.decode(packed, limit: count, subject: subject)
            guard bytes.count == count else {
                throw Problem(.input, "\(subject) of \(bytes.count.counted("byte")), and \(size) pixels have \(count)")
            }
            return bytes
        } catch { throw error.at(file: path) }
    }
}
