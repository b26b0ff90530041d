import ScanFormats
import ScanModel
import ScanPipeline

/// What a stage drew into a capture's result of its mesh or its cloud, made small enough for the page.
///
/// It is kept below `.scanmill/drawings/`.
struct ResultDrawing: Sendable {
    /// The page shows it about two thirds as wide.
    private static let size = PixelSize(1200, 900)
    /// The largest that `render-mesh` and `render-cloud` write has 24 MB without compression.
    private static let mostBytes = 64 << 20

    private let state: StateFolder
    private let kept: KeptPictures

    init(in state: StateFolder) {
        self.state = state
        kept = KeptPictures(folder: state.drawings, quality: 85)
    }

    /// Makes a capture's drawing small, unless that was done for an earlier report on the same result.
    /// - Returns: the file; nil if nothing was drawn, or it can no longer be read.
    func file(for capture: CaptureFacts) -> String? {
        let id = capture.id
        guard let drawing = capture.measured.drawing, let key = capture.key else {
            // Of captures of one name, one has the result, and what is kept belongs to that.
            if capture.hasResult { kept.forget(id) }
            return nil
        }
        if kept.note(of: id, key: key) != nil { return kept.path(of: id) }
        guard
            let bytes = try? FileSystem.bytes(of: "\(state.output)/\(id)/\(drawing.file)", limit: Self.mostBytes),
            let picture = try? PNG.decodeRGB(bytes)
        else { return nil }
        let small = picture.downscaled(to: picture.size.fitting(into: Self.size))
        return (try? kept.keep(small, of: id, key: key)).map { kept.path(of: id) }
    }

    /// What is kept of a capture's drawing, as small as one of the capture's own pictures.
    func cover(of id: String) -> RGBImage? {
        guard let bytes = try? FileSystem.bytes(of: kept.path(of: id), limit: Self.mostBytes),
            let picture = try? JPEG.decodeRGB(bytes, noSmallerThan: Thumbnails.size)
        else { return nil }
        return picture.downscaled(to: picture.size.fitting(into: Thumbnails.size))
    }
}
