/// Something a frame or a capture can carry from stage to stage. Stages name the channels they need and make; from that
/// come the order check, the early release of memory, and the lines in the reference pages.
public struct Channel: Hashable, Sendable, CustomStringConvertible {
    public let name: String
    /// For people: what it is, with its unit.
    public let meaning: String

    public var description: String { name }

    /// As messages about a frame call it: recorded depth is depth, too.
    public var plainName: String {
        let prefix = "recorded-"
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }

    public init(_ name: String, _ meaning: String) {
        self.name = name
        self.meaning = meaning
    }

    public static func == (a: Channel, b: Channel) -> Bool { a.name == b.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Channel {
    // Of the capture.
    public static let frames = Channel("frames", "the list of frames")
    public static let box = Channel("box", "the bounding box, metres")
    public static let motion = Channel("motion", "the motion sensors' files")
    public static let cloud = Channel("cloud", "one point cloud of the whole capture, metres")
    public static let floor = Channel("floor", "the dominant horizontal plane below the cameras")
    /// For stages that take the file as it is; its frames are `color`.
    public static let video = Channel("video", "the video that holds the pictures, as a file")

    // Of each frame, as the reader gives them.
    public static let pose = Channel("pose", "worldFromCamera, metres")
    public static let intrinsics = Channel("intrinsics", "focal lengths and principal point, pixels")
    public static let timestamp = Channel("timestamp", "nanoseconds on the recorder's clock")
    public static let exposure = Channel("exposure", "how long the picture was exposed, nanoseconds")
    public static let color = Channel("color", "the frame's picture")
    /// The luma plane alone, which a video decoder gives for less than a picture costs.
    public static let luma = Channel("luma", "the brightness plane of a video frame, full range")
    public static let recordedDepth = Channel("recorded-depth", "depth as recorded, still packed")
    public static let recordedConfidence = Channel("recorded-confidence", "confidence as recorded, still packed")

    // Of each frame, made by stages.
    public static let depth = Channel("depth", "z-depth, metres, 0 where there is none")
    /// Undropped, unmasked, as decompressed; carried by the source, never by a stage.
    public static let previousDepth = Channel("previous-depth", "depth of the source frame before, metres")
    public static let confidence = Channel("confidence", "confidence of each depth pixel")
    public static let points = Channel("points", "the frame's points in the world, metres")
    public static let downscaled = Channel("downscaled", "smaller copies of the frame's picture")
    public static let sharpness = Channel("sharpness", "variance of the picture's Laplacian")
    public static let predictedBlur = Channel("predicted-blur", "motion blur as the camera's motion tells, pixels")
}

extension Channel {
    /// The channels that belong to the capture as a whole; all others belong to each frame.
    public static let ofCapture: Set<Channel> = [.frames, .box, .motion, .cloud, .floor, .video]

    /// The channels that are pixels or points of a frame: loaded or made in a pass, and freed within it. All others are
    /// facts, which stay.
    public static let payload: Set<Channel> = [
        .color, .luma, .recordedDepth, .recordedConfidence, .depth, .previousDepth, .confidence, .points,
        .downscaled,
    ]
}
