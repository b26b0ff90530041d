import ScanModel

/// The source of a capture whose bytes lie in a tree: packed streams, a video, picture files, depth in Occipital's codec.
struct TreeSource: CaptureSource {
    /// How depth is stored.
    enum Depth {
        case stream(PackedStream)
        case chunks(ChunkStream)
        case pictures(FramePictures, DepthEncoding)
        case lzfse(LZFSEFrames)
        case shifts(ShiftFrames)
    }

    /// How confidence is stored.
    enum Confidence {
        case stream(PackedStream)
        case pictures(FramePictures, levels: [UInt8]?)
        case lzfse(LZFSEFrames)
    }

    let tree: any CaptureTree
    let rules: ReadRules
    var depth: Depth?
    var confidence: Confidence?
    var masks: FrameMasks?
    var video: VideoStream?
    /// Motion samples that are not files of their own.
    var motion: ScanNetMotion?
    /// Pictures that are turned relative to their intrinsics: frame → clockwise quarter turns that correct them.
    var quarterTurns: [Int: Int] = [:]

    init(_ tree: any CaptureTree, _ rules: ReadRules) {
        self.tree = tree
        self.rules = rules
    }

    private var limits: PictureLimits { rules.pictureLimits }

    func tracks(for channels: Set<Channel>, of capture: Capture) throws(Problem) -> [any FrameTrack] {
        var tracks: [any FrameTrack] = []
        let count = capture.frames.count
        let carriesPrevious = channels.contains(.previousDepth)
        if carriesPrevious || channels.contains(.recordedDepth) {
            switch depth {
            case .stream(let stream):
                tracks.append(try PackedTrack(stream, tree, frameCount: count, carriesPrevious: carriesPrevious))
            case .chunks(let chunks):
                tracks.append(try ChunkTrack(chunks, tree, carriesPrevious: carriesPrevious))
            case .pictures, .lzfse, .shifts, nil: break
            }
        }
        if case .stream(let stream) = confidence, channels.contains(.recordedConfidence) {
            tracks.append(try PackedTrack(stream, tree, frameCount: count, carriesPrevious: false))
        }
        if let video { tracks += try VideoTrack.tracks(of: video, tree, for: channels, of: capture) }
        return tracks
    }

    func prepare(_ frame: inout Frame, for channels: Set<Channel>) throws(Problem) {
        let index = frame.facts.index
        switch depth {
        case .pictures(let pictures, let encoding):
            try frame.attachDepth(for: channels) { (index) throws(Problem) in
                try pictures.depth(of: index, as: encoding, in: tree, limits)
            }
        case .lzfse(let frames):
            try frame.attachDepth(for: channels) { (index) throws(Problem) in try frames.depth(of: index, in: tree) }
        case .shifts(let frames):
            try frame.attachDepth(for: channels) { (index) throws(Problem) in try frames.depth(of: index) }
        case .stream, .chunks, nil: break
        }
        if channels.contains(.recordedConfidence) {
            switch confidence {
            case .pictures(let pictures, let levels):
                frame.recordedConfidence = try pictures.confidence(of: index, levels: levels, in: tree, limits)
            case .lzfse(let frames): frame.recordedConfidence = try frames.confidence(of: index, in: tree)
            case .stream, nil: break
            }
        }
        if let masks, channels.contains(.mask) {
            frame.mask = try masks.mask(of: index, in: tree, limits)
        }
        try preparePicture(&frame, for: channels)
    }

    private func preparePicture(_ frame: inout Frame, for channels: Set<Channel>) throws(Problem) {
        guard channels.contains(.color), let file = frame.facts.pictureFile else { return }
        guard let turns = quarterTurns[frame.facts.index] else {
            frame.picture = .file(file)
            return
        }
        do throws(Problem) {
            let bytes = try tree.bytes(of: file, limit: PictureLimits.fileBytes)
            frame.picture = .pixels(try RGBImage.decode(bytes, limits: limits).turned(quarterTurns: turns))
        } catch { throw error.at(file: file) }
    }

    func location(of file: String) -> FileLocation? {
        // What is generated from records exists on no disk.
        motion?.files.contains { $0.path == file } == true ? nil : tree.location(of: file)
    }
    func place(_ file: String) throws(Problem) -> FileLocation { try tree.place(file) }

    func open(_ file: String) throws(Problem) -> any ByteSource {
        if let samples = motion?.open(file) { return samples }
        return try tree.open(file)
    }

    func toolVersions(for channels: Set<Channel>) throws(Problem) -> [String: String] {
        guard let video, !channels.isDisjoint(with: [.color, .luma]) else { return [:] }
        return try FFmpeg.toolVersions(probed: video.facts)
    }
}
