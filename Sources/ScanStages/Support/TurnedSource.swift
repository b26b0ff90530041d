import ScanFormats
import ScanModel

/// The source of a capture whose frames are turned when they are read.
struct TurnedSource: CaptureSource {
    private let plain: any CaptureSource
    private let turns: Int
    private let limits: PictureLimits
    /// Of the pictures as they are turned, where all have one.
    private let size: PixelSize?

    /// - Parameters:
    ///   - capture: whose source it is, with the sizes of turned pictures.
    ///   - quarterTurns: clockwise.
    init(of capture: Capture, quarterTurns: Int) {
        plain = capture.source
        turns = quarterTurns
        limits = PictureLimits(pixels: capture.maxPicturePixels)
        size = capture.colorSize
    }

    func tracks(for channels: Set<Channel>, of capture: Capture) throws(Problem) -> [any FrameTrack] {
        try plain.tracks(for: channels, of: capture)
    }

    /// What the tracks have attached by now is turned too.
    func prepare(_ frame: inout Frame, for channels: Set<Channel>) throws(Problem) {
        try plain.prepare(&frame, for: channels)
        switch frame.picture {
        case .file(let file)?:
            do throws(Problem) {
                let bytes = try plain.bytes(of: file, limit: PictureLimits.fileBytes)
                let picture = try RGBImage.decode(bytes, limits: limits).turned(quarterTurns: turns)
                if let size, size != picture.size {
                    throw Problem(
                        .input, "the turned picture is \(picture.width)×\(picture.height), and others are \(size)")
                }
                frame.picture = .pixels(picture)
            } catch { throw error.at(file: file) }
        case .pixels(let image)?: frame.picture = .pixels(image.turned(quarterTurns: turns))
        case .planes(let planes)?: frame.picture = .pixels(RGBImage(planes).turned(quarterTurns: turns))
        case nil: break
        }
        frame.mask = frame.mask?.turned(quarterTurns: turns)
        frame.luma = frame.luma?.turned(quarterTurns: turns)
        frame.recordedDepth = frame.recordedDepth?.turned(quarterTurns: turns)
        frame.recordedDepthBefore = frame.recordedDepthBefore?.turned(quarterTurns: turns)
        frame.recordedConfidence = frame.recordedConfidence?.turned(quarterTurns: turns)
    }

    func bytes(of file: String, limit: Int) throws(Problem) -> [UInt8] { try plain.bytes(of: file, limit: limit) }
    func location(of file: String) -> FileLocation? { plain.location(of: file) }
    func place(_ file: String) throws(Problem) -> FileLocation { try plain.place(file) }
    func open(_ file: String) throws(Problem) -> any ByteSource { try plain.open(file) }
    func toolVersions(for channels: Set<Channel>) throws(Problem) -> [String: String] {
        try plain.toolVersions(for: channels)
    }
}
