import ScanFormats
import ScanModel

/// A change that a stage makes to the pixels of frames before the stages below see them; stages above that are replayed see
/// them too.
protocol PixelChange: Sendable {
    /// Whether there is anything to change in what belongs to this frame.
    func changes(_ frame: Int) -> Bool
    func picture(_ picture: RGBImage, of frame: Int) -> RGBImage
    func luma(_ luma: LumaImage, of frame: Int) -> LumaImage
    func mask(_ mask: LumaImage, of frame: Int) -> LumaImage
    func depth(_ depth: RecordedDepth, of frame: Int) -> RecordedDepth
    func confidence(_ map: ConfidenceMap, of frame: Int) -> ConfidenceMap
}

enum PixelChannels {
    /// The parts of a frame that a ``PixelChange`` changes; depth of the frame before goes with `recorded-depth`.
    static let all: [Channel] = [.color, .mask, .luma, .recordedDepth, .recordedConfidence]
}

/// The source of a capture whose frames are changed as they are read.
struct ChangedSource<Change: PixelChange>: CaptureSource {
    private let plain: any CaptureSource
    private let change: Change
    private let limits: PictureLimits
    /// The size of the pictures before the change, if all have the same.
    private let size: PixelSize?

    /// - Parameter capture: the one whose source it is, still with the sizes of the pictures before the change.
    init(of capture: Capture, _ change: Change) {
        plain = capture.source
        self.change = change
        limits = capture.pictureLimits
        size = capture.colorSize
    }

    func tracks(for channels: Set<Channel>, of capture: Capture) throws(Problem) -> [any FrameTrack] {
        try plain.tracks(for: channels, of: capture)
    }

    /// What the tracks have attached for these channels by now is changed too.
    func prepare(_ frame: inout Frame, for channels: Set<Channel>) throws(Problem) {
        try plain.prepare(&frame, for: channels)
        if channels.contains(.previousDepth), change.changes(frame.index - 1) {
            frame.recordedDepthBefore = frame.recordedDepthBefore.map { change.depth($0, of: frame.index - 1) }
        }
        let index = frame.index
        guard change.changes(index) else { return }
        if channels.contains(.color), let picture = frame.picture { frame.picture = try changed(picture, of: index) }
        if channels.contains(.mask) { frame.mask = frame.mask.map { change.mask($0, of: index) } }
        if channels.contains(.luma) { frame.luma = frame.luma.map { change.luma($0, of: index) } }
        if channels.contains(.recordedDepth) {
            frame.recordedDepth = frame.recordedDepth.map { change.depth($0, of: index) }
        }
        if channels.contains(.recordedConfidence) {
            frame.recordedConfidence = frame.recordedConfidence.map { change.confidence($0, of: index) }
        }
    }

    private func changed(_ picture: Picture, of frame: Int) throws(Problem) -> Picture {
        switch picture {
        case .pixels(let image): return .pixels(change.picture(image, of: frame))
        case .planes(let planes): return .pixels(change.picture(RGBImage(planes), of: frame))
        case .file(let file):
            do throws(Problem) {
                let bytes = try plain.bytes(of: file, limit: PictureLimits.fileBytes)
                let image = try RGBImage.decode(bytes, limits: limits)
                try Frame.check(image.size, against: size)
                return .pixels(change.picture(image, of: frame))
            } catch { throw placed(error, in: file) }
        }
    }

    func location(of file: String) -> FileLocation? { plain.location(of: file) }
    func place(_ file: String) throws(Problem) -> FileLocation { try plain.place(file) }
    func open(_ file: String) throws(Problem) -> any ByteSource { try plain.open(file) }
    func placed(_ problem: Problem, in file: String) -> Problem { plain.placed(problem, in: file) }
    func toolVersions(for channels: Set<Channel>) throws(Problem) -> [String: String] {
        try plain.toolVersions(for: channels)
    }
}
