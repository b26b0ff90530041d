import ScanFormats
import ScanModel

/// The source of a synthesised capture: every picture and depth map is rendered when a frame asks for it, so that a long
/// capture takes no more memory than a short one.
struct SyntheticSource: CaptureSource {
    let truth: SyntheticTruth
    /// Files that are not on disk: the motion sensors'.
    let motionFiles: [MotionFile]

    /// Nothing has to be walked in order.
    func tracks(for channels: Set<Channel>, of capture: Capture) -> [any FrameTrack] { [] }

    func prepare(_ frame: inout Frame, for channels: Set<Channel>) {
        let settings = truth.settings
        let index = frame.facts.index
        let encoding = channels.contains(.recordedDepth) ? settings.depthEncoding : nil
        let range = channels.contains(.recordedConfidence) ? settings.confidenceRange : nil
        if encoding != nil || range != nil {
            let view = truth.depthView(of: index)
            if let encoding { frame.recordedDepth = view.recordedDepth(encoding) }
            if let range { frame.recordedConfidence = view.recordedConfidence(range) }
        }
        if channels.contains(.previousDepth), index > 0, let encoding = settings.depthEncoding {
            frame.recordedDepthBefore = truth.depthView(of: index - 1).recordedDepth(encoding)
        }
        if channels.contains(.color), settings.hasPictures { frame.picture = .pixels(truth.picture(of: index)) }
    }

    func location(of file: String) -> FileLocation? { nil }

    func open(_ file: String) throws(Problem) -> any ByteSource {
        guard let kind = motionFiles.first(where: { $0.path == file })?.kind else {
            throw Problem(.input, "there is no such file in a synthesised capture").at(file: file)
        }
        let motion = truth.motion
        return MotionFileSource(kind, count: motion.count, name: file) { Array(motion.samples(kind)[$0]) }
    }
}
