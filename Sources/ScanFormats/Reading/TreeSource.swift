import ScanModel

/// The source of a capture whose bytes lie in a tree: packed streams, a video, picture files, depth in Occipital's codec.
struct TreeSource: CaptureSource {
    var tree: any CaptureTree
    var depth: PackedStream?
    var depthChunks: ChunkStream?
    var confidence: PackedStream?
    var depthPictures: FramePictures?
    var confidencePictures: FramePictures?
    var masks: FrameMasks?
    var depthFrames: LZFSEFrames?
    var confidenceFrames: LZFSEFrames?
    var shiftFrames: ShiftFrames?
    var video: VideoStream?
    /// Motion samples that are not files of their own.
    var motion: ScanNetMotion?
    /// Pictures that are turned relative to their intrinsics: frame → clockwise quarter turns that correct them.
    var quarterTurns: [Int: Int] = [:]
    private let limits: PictureLimits

    init(_ tree: any CaptureTree, _ rules: ReadRules) {
        self.tree = tree
        limits = rules.pictureLimits
    }

    func tracks(for channels: Set<Channel>, of capture: Capture) throws(Problem) -> [any FrameTrack] {
        var tracks: [any FrameTrack] = []
        let count = capture.frames.count
        let carriesPrevious = channels.contains(.previousDepth)
        let wantsDepth = carriesPrevious || channels.contains(.recordedDepth)
        if let depth, wantsDepth {
            tracks.append(try PackedTrack(depth, tree, frameCount: count, carriesPrevious: carriesPrevious))
        }
        if let depthChunks, wantsDepth {
            tracks.append(try ChunkTrack(depthChunks, tree, carriesPrevious: carriesPrevious))
        }
        if let confidence, channels.contains(.recordedConfidence) {
            tracks.append(try PackedTrack(confidence, tree, frameCount: count, carriesPrevious: false))
        }
        if let video { tracks += try VideoTrack.tracks(of: video, tree, for: channels, of: capture) }
        return tracks
    }

    func prepare(_ frame: inout Frame, for channels: Set<Channel>) throws(Problem) {
        let index = frame.facts.index
        if let depthPictures {
            try frame.attachDepth(for: channels) { (index) throws(Problem) in
                try depthPictures.depth(of: index, in: tree, limits)
            }
        }
        if let depthFrames {
            try frame.attachDepth(for: channels) { (index) throws(Problem) in
                try depthFrames.depth(of: index, in: tree)
            }
        }
        if let shiftFrames {
            try frame.attachDepth(for: channels) { (index) throws(Problem) in try shiftFrames.depth(of: index) }
        }
        if let confidencePictures, channels.contains(.recordedConfidence) {
            frame.recordedConfidence = try confidencePictures.confidence(of: index, in: tree, limits)
        }
        if let confidenceFrames, channels.contains(.recordedConfidence) {
            frame.recordedConfidence = try confidenceFrames.confidence(of: index, in: tree)
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
