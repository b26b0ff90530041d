import ScanModel

/// The video of a capture.
struct VideoStream: Sendable {
    /// Relative to the capture.
    var file: String
    var facts: VideoFacts
}

/// A video during one pass: one decoder, frame by frame, including dropped ones.
final class VideoTrack: FrameTrack, @unchecked Sendable {
    // One frame at a time: the pass hands them over in order.
    let name: String
    private let decoder: VideoDecoder
    /// The encoding of frames whose colours are converted here.
    private let encoding: YUVEncoding?
    /// Whether frames get their luma beside their colours.
    private let addsLuma: Bool
    private let frameCount: Int
    private let threads: Int
    /// As ``RecordedVideo/places``.
    private let places: [Int?]?
    private var position = 0

    /// The tracks that give frames these channels: one decoder for both colours and luma, except for a video whose
    /// colours ffmpeg has to convert.
    static func tracks(
        of video: VideoStream, _ tree: any CaptureTree, for channels: Set<Channel>, of capture: Capture
    ) throws(Problem) -> [VideoTrack] {
        if channels.isSuperset(of: [.color, .luma]), YUVEncoding(of: video.facts) != nil {
            return [try VideoTrack(video, tree, .color, addsLuma: true, of: capture)]
        }
        var tracks: [VideoTrack] = []
        for channel in [Channel.color, .luma] where channels.contains(channel) {
            tracks.append(try VideoTrack(video, tree, channel, of: capture))
        }
        return tracks
    }

    /// - Parameter channel: color or luma.
    private init(
        _ video: VideoStream, _ tree: any CaptureTree, _ channel: Channel, addsLuma: Bool = false, of capture: Capture
    ) throws(Problem) {
        let location = try tree.place(video.file)
        name = video.file
        self.addsLuma = addsLuma
        encoding = channel == .color ? YUVEncoding(of: video.facts) : nil
        let layout: VideoLayout = channel == .luma ? .luma : encoding == nil ? .rgb24 : .yuv420p
        frameCount = video.facts.frameCount
        places = capture.video?.places
        threads = capture.resources.videoThreads
        decoder = try VideoDecoder(
            capture.videoInput(video.file, at: location), facts: video.facts, layout: layout, threads: threads,
            with: try FFmpeg.find(for: capture))
    }

    func advance(_ frame: inout Frame, isWanted: Bool) throws(Problem) {
        defer { position += 1 }
        // Frames that only other streams have were dropped when the capture was opened.
        guard hasPicture else { return }
        guard isWanted else {
            _ = try decoder.skipFrame()
            return
        }
        var pixels: [UInt8] = []
        guard try decoder.nextFrame(into: &pixels) else { return }
        let (width, height) = (decoder.facts.width, decoder.facts.height)
        if let encoding {
            let picture = YUVImage(width: width, height: height, planes: pixels, encoding: encoding)
            frame.picture = .planes(picture)
            if addsLuma { frame.luma = LumaImage(planeOf: picture) }
        } else if decoder.layout == .luma {
            frame.luma = LumaImage(width: width, height: height, pixels: pixels)
        } else {
            frame.picture = .pixels(RGBImage(width: width, height: height, pixels: pixels))
        }
    }

    /// Whether the video's next frame belongs to the capture's current one.
    private var hasPicture: Bool {
        guard let places else { return position < frameCount }
        return position < places.count && places[position] != nil
    }

    func finish() throws(Problem) -> TrackEnd {
        try decoder.finish()
        let complaints = decoder.complaints
        return TrackEnd(
            warnings: complaints.isEmpty ? [] : ["\(name): \(complaints.joined(separator: "; "))"],
            isChance: decoder.guessedFrames > 0 && threads != 1)
    }
}
