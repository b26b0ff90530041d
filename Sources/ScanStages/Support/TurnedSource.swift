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

    /// What the tracks have attached of these channels by now is turned too.
    func prepare(_ frame: inout Frame, for channels: Set<Channel>) throws(Problem) {
        try plain.prepare(&frame, for: channels)
        if channels.contains(.color) { frame.picture = try frame.picture.map(turned) }
        if channels.contains(.mask) { frame.mask = frame.mask?.turned(quarterTurns: turns) }
        if channels.contains(.luma) { frame.luma = frame.luma?.turned(quarterTurns: turns) }
        if channels.contains(.recordedDepth) {
            frame.recordedDepth = frame.recordedDepth?.turned(quarterTurns: turns)
        }
        if channels.contains(.previousDepth) {
            frame.recordedDepthBefore = frame.recordedDepthBefore?.turned(quarterTurns: turns)
        }
        if channels.contains(.recordedConfidence) {
            frame.recordedConfidence = frame.recordedConfidence?.turned(quarterTurns: turns)
        }
    }

    private func turned(_ picture: Picture) throws(Problem) -> Picture {
        switch picture {
        case .pixels(let image): return .pixels(image.turned(quarterTurns: turns))
        case .planes(let planes): return .pixels(RGBImage(planes).turned(quarterTurns: turns))
        case .file(let file):
            do throws(Problem) {
                let bytes = try plain.bytes(of: file, limit: PictureLimits.fileBytes)
                let image = try RGBImage.decode(bytes, limits: limits).turned(quarterTurns: turns)
                if let size, size != image.size {
                    throw Problem(
                        .input, "the turned picture is \(image.width)×\(image.height), and others are \(size)")
                }
                return .pixels(image)
            } catch { throw error.at(file: file) }
        }
    }

    func bytes(of file: String, limit: Int) throws(Problem) -> [UInt8] { try plain.bytes(of: file, limit: limit) }
    func location(of file: String) -> FileLocation? { plain.location(of: file) }
    func place(_ file: String) throws(Problem) -> FileLocation { try plain.place(file) }
    func open(_ file: String) throws(Problem) -> any ByteSource { try plain.open(file) }
    func toolVersions(for channels: Set<Channel>) throws(Problem) -> [String: String] {
        try plain.toolVersions(for: channels)
    }
}
