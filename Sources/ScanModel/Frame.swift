/// What is known of a frame without its pixels. A capture holds one of these per source frame, so it stays small.
public struct FrameFacts: Hashable, Sendable {
    /// The frame's number in the source, from 0; dropped frames keep theirs.
    public var index: Int
    /// Nanoseconds on the recorder's clock.
    public var timestamp: Int64?
    /// `worldFromCamera`; nil where the capture has none for this frame. Readers drop a frame whose pose has a
    /// ``Pose/defect``.
    public var pose: Pose?
    /// For the colour picture's size.
    public var intrinsics: CameraIntrinsics?
    /// How long the picture was exposed, nanoseconds, if the recorder says.
    public var exposure: Int64?
    /// The picture's file, relative to the capture, where pictures are files.
    public var pictureFile: String?
    /// Where the camera line is in its file, if there is one.
    public var line: ByteSpan?
    /// Variance of the picture's Laplacian, as ``Channel/sharpness``: on the 8-bit grey picture; higher is sharper.
    public var sharpness: Double?
    /// How far the picture's points moved on average during the exposure, from the camera's motion; pixels.
    public var predictedBlur: Double?
    /// What the source dataset uses it for; nil when the dataset has no such lists.
    public var split: DatasetSplit?
    public var drop: Drop?

    public init(index: Int) { self.index = index }

    public var isDropped: Bool { drop != nil }

    /// The colour camera where it was; nil without a pose or intrinsics.
    package var view: CameraView? {
        pose.flatMap { pose in intrinsics.map { CameraView(camera: $0, pose: pose) } }
    }
}

/// What a stage cannot do without. The problem makes the frame bad: the rest of the capture has what this frame lacks.
extension FrameFacts {
    public var requiredTimestamp: Int64 { get throws(Problem) { try Frame.required(timestamp, "timestamp") } }
    public var requiredPose: Pose { get throws(Problem) { try Frame.required(pose, "pose") } }
    public var requiredIntrinsics: CameraIntrinsics {
        get throws(Problem) { try Frame.required(intrinsics, "intrinsics") }
    }
}

extension Frame {
    /// - Throws: a problem of the capture when the frame has no depth.
    public var requiredDepth: DepthMap { get throws(Problem) { try Self.required(depth, "depth") } }

    fileprivate static func required<Part>(_ part: Part?, _ name: String) throws(Problem) -> Part {
        guard let part else { throw Problem(.input, "the frame has no \(name)") }
        return part
    }
}

/// A run of bytes in a file.
public struct ByteSpan: Hashable, Sendable {
    public var offset: Int64
    public var count: Int

    public init(offset: Int64, count: Int) {
        self.offset = offset
        self.count = count
    }
}

/// Why a frame was dropped.
public struct Drop: Hashable, Sendable {
    /// The stage that dropped it, as it is named in the pipeline (`filter-blur`, `mask-range[2]`).
    public var stage: String
    public var reason: String
    /// Whether the frame's own data was at fault, not a filter's choice; counted against the capture's limit.
    public var isBad: Bool
    /// How to fix a bad frame, where that is known.
    public var fix: String?

    public init(stage: String, reason: String, isBad: Bool = false, fix: String? = nil) {
        self.stage = stage
        self.reason = reason
        self.isBad = isBad
        self.fix = fix
    }

    /// Dropped while the capture was opened, before any other stage saw it.
    public init(whileReading reason: String, isBad: Bool = false, fix: String? = nil) {
        self.init(stage: Self.reader, reason: reason, isBad: isBad, fix: fix)
    }

    /// The stage that opens captures.
    public static let reader = "read"
}

/// A frame's picture, wherever its pixels are now.
public enum Picture: Hashable, Sendable {
    /// Still a file of the capture, JPEG or PNG.
    case file(String)
    /// Decoded.
    case pixels(RGBImage)
    /// Decoded, with the values that the video records; replaced by RGB when a stage asks for colours.
    case planes(YUVImage)
}

/// How a picture becomes a file.
public enum PictureEncoding: Hashable, Sendable {
    /// Without chroma subsampling.
    /// - Parameter quality: 1 to 100.
    case jpeg(quality: Int)
    case png
}

/// A picture made smaller by a whole factor.
public struct DownscaledPicture: Hashable, Sendable {
    public var factor: Int
    public var picture: RGBImage

    public init(factor: Int, picture: RGBImage) {
        self.factor = factor
        self.picture = picture
    }

    /// Where datasets keep a smaller copy of a picture or of what belongs to it: `images_2/000001.jpg` for
    /// `images/000001.jpg`. Loaders swap the folder and keep the name.
    public static func path(of path: String, factor: Int) -> String {
        guard let slash = path.lastSlash else { return path }
        return "\(path[..<slash])_\(factor)\(path[slash...])"
    }
}

/// One frame on its way through a pass: its facts, and the channels that stages have loaded or made so far.
///
/// Load a channel to a local, change it, and assign it once: writing through `frame.depth!.metres[i]` costs four times
/// as much.
@dynamicMemberLookup
public struct Frame: Sendable {
    public var facts: FrameFacts

    /// As the capture has it, or as the stages so far have left it: at the size that the intrinsics are for.
    public var picture: Picture? { didSet { encodedPictures = [:] } }
    /// The picture encoded as a file, by encoding: what one writer has encoded, no other has to encode again.
    public var encodedPictures: [PictureEncoding: [UInt8]] = [:]
    /// The pixels of a picture that is a file, once a stage has decoded them; the picture is still that file.
    public var decodedPicture: RGBImage?
    /// Smaller copies of the picture, each by another factor.
    public var downscaled: [DownscaledPicture] = []
    /// 255 where the picture's pixels are to be used, 0 where they are to be ignored. Nil if the capture has none for
    /// this frame.
    public var mask: LumaImage?
    /// The brightness plane of a video's frame, full range, in the picture's place.
    public var luma: LumaImage?
    /// Still packed; `decompress` turns it into ``depth``.
    public var recordedDepth: RecordedDepth?
    /// The recorded depth of the previous source frame, when a stage asks for `previous-depth`.
    public var recordedDepthBefore: RecordedDepth?
    /// `decompress` turns it into ``confidence``.
    public var recordedConfidence: ConfidenceMap?
    /// As the stages so far have left it. Aligned with the picture, at a size of its own, unless the capture has a
    /// ``Capture/depthCamera``.
    public var depth: DepthMap?
    /// Of the previous source frame, dropped or not, and never masked.
    public var previousDepth: DepthMap?
    /// What was known of the previous source frame when the pass began, dropped or not.
    public var previousFacts: FrameFacts?
    /// For the pixels of ``depth``.
    public var confidence: ConfidenceMap?
    /// In the world.
    public var points: PointCloud?
    /// What a stage hands from its parallel half to its ordered half, which comes next. A reference: with a value of any
    /// type inside, a frame that has waited for its turn would have two owners, and its pixels would be copied when they
    /// change.
    package var parcel: (AnyObject & Sendable)?
    /// Output files written for this frame alone; they are removed when the frame turns out to be bad.
    public var files: [String] = []
    /// Whether an accumulating stage already holds part of this frame, so that it can no longer be dropped as bad.
    public var isTaken = false

    public init(_ facts: FrameFacts) { self.facts = facts }

    public subscript<T>(dynamicMember path: WritableKeyPath<FrameFacts, T>) -> T {
        get { facts[keyPath: path] }
        set { facts[keyPath: path] = newValue }
    }

    /// Attaches recorded depth from a source with random access to frames.
    /// - Parameter depth: the recorded depth of the frame with this index.
    public mutating func attachDepth(
        for channels: Set<Channel>, _ depth: (Int) throws(Problem) -> RecordedDepth?
    ) throws(Problem) {
        if channels.contains(.recordedDepth) { recordedDepth = try depth(facts.index) }
        if channels.contains(.previousDepth), facts.index > 0 {
            do throws(Problem) { recordedDepthBefore = try depth(facts.index - 1) } catch {
                // Damage costs its own frame, not the one after it.
                if error.fault != .input { throw error }
            }
        }
    }

    /// Frees all pixels and points, as of a frame that is dropped.
    package mutating func releaseAll() {
        for channel in Channel.payload { release(channel) }
        parcel = nil
    }

    /// Frees what no later stage needs.
    public mutating func release(_ channel: Channel) {
        switch channel {
        case .color: (picture, decodedPicture) = (nil, nil)
        case .mask: mask = nil
        case .downscaled: downscaled = []
        case .luma: luma = nil
        case .recordedDepth: recordedDepth = nil
        case .recordedConfidence: recordedConfidence = nil
        case .depth: depth = nil
        case .previousDepth: (previousDepth, recordedDepthBefore) = (nil, nil)
        case .confidence: confidence = nil
        case .points: points = nil
        default: break
        }
    }
}
