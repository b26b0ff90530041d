import ScanFormats
import ScanModel
import ScanPipeline

/// The files of ScanNet's recorder, as frames come.
struct RawScan {
    /// The files' path without their extensions.
    private let stem: String
    private var depthFile: OutputFile?
    private var encoder: VideoEncoder?
    private var scratch = ""
    /// Nanoseconds, as far as they are known.
    private var times: [Int64?] = []

    /// Frames per second of the recorder. The video has no times of its own, so any will do for encoding.
    private static let rate = 30
    /// Nanoseconds between two frames.
    private static let step = Int64(1_000_000_000 / rate)

    init(stem: String) { self.stem = stem }

    mutating func append(_ picture: RGBImage, depth: [UInt8]?, time: Int64?, _ context: StageContext) throws(Problem) {
        if encoder == nil { try start(picture, context) }
        try encoder?.append(picture.pixels, at: Int64(times.count) * Self.step)
        if let depth {
            if depthFile == nil { depthFile = try context.output.create("\(stem).depth") }
            try depthFile?.write(ScanNetFiles.length(of: depth) + depth)
        }
        times.append(time)
    }

    /// Nominal times and a clock's do not mix: the nominal ones in between would lie years before the others.
    private func consistentTimes(_ context: StageContext) -> [Int64] {
        let known = times.compactMap(\.self)
        if known.count == times.count { return known }
        let some = "\((times.count - known.count).counted("frame", "has", "have")) no time"
        context.warn((known.isEmpty ? "the frames have no times" : some) + ": all were given 30 a second from 0 on")
        return times.indices.map { Int64($0) * Self.step }
    }

    private mutating func start(_ picture: RGBImage, _ context: StageContext) throws(Problem) {
        scratch = try context.output.scratchPath("\(context.label).mp4")
        let settings = VideoSettings(
            width: picture.width, height: picture.height, layout: .rgb24, nominalRate: Double(Self.rate))
        encoder = try VideoEncoder(
            path: scratch, name: "\(stem).h264", settings: settings, with: try FFmpeg.find(for: context.capture))
    }

    mutating func finish(
        color: CameraIntrinsics, depth: DepthCamera, motion: [ScanNetMotion.Record], _ capture: Capture,
        _ context: StageContext
    ) throws(Problem) {
        try encoder?.finish()
        let video = "\(stem).h264"
        try VideoEncoder.writeElementaryStream(
            of: scratch, rate: Self.rate, to: try context.output.externalPath(for: video), name: video,
            with: try FFmpeg.find(for: context.capture))
        try context.output.adopt(video)
        try depthFile?.write(ScanNetFiles.times(consistentTimes(context)))
        try depthFile?.close()
        // Also without a sample: ScanNet's own converter wants the file to be there.
        try context.output.write(ScanNetMotion.imuFile(motion), to: "\(stem).imu")
        let description = ScanNetFiles.description(
            color: color, depth: depth, device: capture.device ?? "",
            depthFrames: depthFile == nil ? 0 : times.count, colorFrames: times.count, motion: motion.count)
        try context.output.write(description, to: "\(stem).txt")
    }
}
