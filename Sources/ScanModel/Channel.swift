/// Something a frame or a capture can carry from stage to stage. Stages name the channels they need and make; the order
/// check, the early release of memory, and the lines in the reference pages follow from that.
public struct Channel: Hashable, Sendable, CustomStringConvertible {
    public let name: String

    public var description: String { name }

    /// What messages about a frame call it: recorded depth is just depth.
    public var plainName: String {
        let prefix = "recorded-"
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }

    public init(_ name: String) { self.name = name }
}

extension Channel {
    // Of the capture.
    /// The list of frames.
    public static let frames = Channel("frames")
    /// The bounding box, metres.
    public static let box = Channel("box")
    /// The motion sensors' files.
    public static let motion = Channel("motion")
    /// One point cloud of the whole capture, metres.
    public static let cloud = Channel("cloud")
    /// One surface of triangles of the whole capture, metres.
    public static let mesh = Channel("mesh")
    /// The dominant horizontal plane below the cameras.
    public static let floor = Channel("floor")
    /// The video that holds the pictures, for stages that take the file as it is; its frames are `color`.
    public static let video = Channel("video")

    // Of each frame, as the reader gives them.
    /// `worldFromCamera`, metres.
    public static let pose = Channel("pose")
    /// Focal lengths and principal point, pixels.
    public static let intrinsics = Channel("intrinsics")
    /// A camera whose lens distorts, which `undistort` turns into ``intrinsics``.
    public static let lens = Channel("lens")
    /// Nanoseconds on the recorder's clock.
    public static let timestamp = Channel("timestamp")
    /// How long the picture was exposed, nanoseconds.
    public static let exposure = Channel("exposure")
    /// The frame's picture.
    public static let color = Channel("color")
    /// Which pixels of the frame's picture are to be used, according to the capture.
    public static let mask = Channel("mask")
    /// What a dataset uses the frame for: training, validation, test.
    public static let split = Channel("split")
    /// The brightness plane of a video's frame, full range, which costs less to decode than a picture.
    public static let luma = Channel("luma")
    /// Depth as recorded, still packed.
    public static let recordedDepth = Channel("recorded-depth")
    /// Confidence as recorded: a level for each pixel.
    public static let recordedConfidence = Channel("recorded-confidence")

    // Of each frame, made by stages.
    /// Z-depth, metres, 0 where there is none.
    public static let depth = Channel("depth")
    /// Depth of the previous source frame, dropped or not, as decompressed, metres; carried by the source, not by a
    /// stage.
    public static let previousDepth = Channel("previous-depth")
    /// Confidence of each depth pixel.
    public static let confidence = Channel("confidence")
    /// The frame's points in the world, metres.
    public static let points = Channel("points")
    /// Smaller copies of the frame's picture.
    public static let downscaled = Channel("downscaled")
    /// Variance of the picture's Laplacian.
    public static let sharpness = Channel("sharpness")
    /// Motion blur predicted from the camera's motion, pixels.
    public static let predictedBlur = Channel("predicted-blur")
}

extension Channel {
    /// The channels that belong to the capture as a whole; all others belong to each frame.
    public static let ofCapture: Set<Channel> = [.frames, .box, .motion, .cloud, .mesh, .floor, .video]

    /// The channels that are pixels or points of a frame: loaded or made in a pass, and freed within it. All others are
    /// facts, which stay.
    public static let payload: Set<Channel> = [
        .color, .mask, .luma, .recordedDepth, .recordedConfidence, .depth, .previousDepth, .confidence, .points,
        .downscaled,
    ]
}
