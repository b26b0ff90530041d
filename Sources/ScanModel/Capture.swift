/// One recording: facts, and light frames. Pixels stay on disk or in the stream until a stage loads them.
public struct Capture: Sendable {
    /// The folder's name, or an archive's or single file's name without its extension.
    public var id: String
    /// The format's name and what variant of it was found (`multiscan`, `iOS`).
    public var format = ""
    public var variant = ""
    /// The revision of the format's reader: a result made with an earlier one is made again.
    public var formatRevision = 1
    /// What recorded it, as far as the capture says.
    public var device: String?

    /// One entry per source frame, dropped ones too, in order: `frames[i].index == i`.
    public var frames: [FrameFacts] = []
    /// What this capture can give; read-only channels come from the reader, the others from stages.
    public var channels: Set<Channel> = []
    /// Why it cannot provide a channel that its format knows.
    public var absences: [Channel: Absence] = [:]
    /// What to say when a pipeline leaves something unread that somebody made by hand: masks, lists of frames.
    public var regrets: [Channel: String] = [:]
    /// The missing programs without which the reader has seen less of the capture than there is.
    public var missingPrograms: Set<String> = []

    /// How the lens distortion of a frame is undone, by the frame's index: of all frames with a camera, straight ones too,
    /// where any kept frame's lens distorts, and empty otherwise.
    public var undistortions: [Int: Undistortion] = [:]

    /// The size that a frame's intrinsics were recorded for, by the frame's index, where the reader has scaled them to
    /// that of its picture and has not yet warned of it.
    package var scaledFrom: [Int: PixelSize] = [:]

    /// Pixels of the colour pictures.
    public var colorSize: PixelSize?
    /// Pixels of depth; confidence may have a size of its own.
    public var depthSize: PixelSize?
    /// The depth sensor's camera, where depth is not aligned with the pictures.
    public var depthCamera: DepthCamera?
    /// The video that the pictures come from, if they come from one.
    public var video: RecordedVideo?
    /// The file that holds each frame's ``FrameFacts/line``.
    public var cameraLineFile: String?
    /// Nominal frames per second.
    public var frameRate: Double?

    /// Which way is up in the recorded world, where the format says so (ARKit: +y): of length 1.
    public var worldUp: Vector3?
    /// The world rotation by a dataset's tools that reading has undone: turns a pose back into the one in the file.
    public var savedFromWorld = Pose.identity
    /// Where the colour camera is on what the poses in the file are of.
    public var rigFromColor = Pose.identity
    /// How the axes of the cameras point in the capture's file. Poses have OpenGL's axes once they are read.
    public var fileAxes = CameraAxes.openGL
    /// How many quarter turns clockwise the stages have turned the pictures since they were read.
    public var quarterTurns = 0
    /// Whether a unit of the world is a metre (false for COLMAP's worlds).
    public var isMetric = true
    /// What the coordinates of points that frames bring along are multiplied by.
    public var pointScale = 1.0
    public var box: OrientedBox?
    public var cloud: PointCloud?
    public var mesh: TriangleMesh?
    public var floor: Floor?
    public var motionFiles: [MotionFile] = []
    /// The recorder's own description, with all keys, where there is one.
    public var metadata: JSONValue?

    /// Frames that have no file for a channel, in formats that have one file per frame.
    public var gaps: [Channel: [Int]] = [:]
    /// Channels that an app keeps for some frames only. Where a pipeline uses one, the other frames are left out, and
    /// count neither as bad nor as sound.
    public var sparse: [Channel: SparseChannel] = [:]

    /// The EXIF orientation of each frame's picture, by the frame's index: 1 is upright. Only of pictures whose headers
    /// were read.
    public var orientations: [Int: Int] = [:]

    /// What a bad frame means, and the share of bad frames above which the capture fails.
    public var onBadFrame = BadFrameRule.drop
    public var badFrameLimit = 0.05
    /// What readers, stages and decoders may use for this capture.
    public var resources = RunResources()
    /// A picture with more pixels is refused before memory is taken for it.
    public var maxPicturePixels = usualMaxPicturePixels
    /// More than any phone's panorama has.
    package static let usualMaxPicturePixels = 250_000_000

    /// Every file that belongs to the capture.
    public var files: [InputFile] = []
    public var source: any CaptureSource = NoSource()
    /// What a person should know, in the order it was found.
    public var warnings: [String] = []
    /// What the reading rules allowed here although the default rules would have failed the capture for it.
    public var forgiven: [Problem] = []
    /// What the reader found, for the receipt.
    public var findings = JSONObject()

    public init(id: String) { self.id = id }

    public var keptFrames: [FrameFacts] {
        // Long captures have megabytes of facts, and most lose no frame.
        frames.contains(where: \.isDropped) ? frames.filter { !$0.isDropped } : frames
    }

    /// Which way is up, of length 1, for a stage that cannot do without.
    /// - Parameters:
    ///   - consequence: how the message goes on: "so no plane is known to be horizontal".
    ///   - fix: what to do about it, other than to say it.
    /// - Throws: a problem of the pipeline where neither the format nor the reader's options say it.
    public func requiredUp(_ consequence: String? = nil, fix: String) throws(Problem) -> Vector3 {
        if let up = worldUp?.normalized { return up }
        let summary = "the capture does not say which way is up"
        throw Problem(
            .input, consequence.map { "\(summary), \($0)" } ?? summary,
            fix: "say which way is up, "
                + likelyUp.advice { "--set \(Drop.reader).up=\($0.rawValue)" } + "  or \(fix)"
        ).unsuited()
    }

    /// Which axes of the world may be up, by the way in which the camera was held.
    public var likelyUp: [WorldAxis] { HeldUpright.axes(frames.compactMap(\.pose).filter { $0.defect == nil }) }

    /// The camera of a frame's picture as recorded, before any undistortion.
    public func recordedIntrinsics(of index: Int) -> CameraIntrinsics? {
        undistortions[index]?.recorded.intrinsics ?? frames[index].intrinsics
    }

    /// Drops a frame; the first reason stays.
    public mutating func drop(
        _ index: Int, stage: String, reason: String, isBad: Bool = false, fix: String? = nil
    ) {
        if frames[index].drop == nil { frames[index].drop = Drop(stage: stage, reason: reason, isBad: isBad, fix: fix) }
    }

    /// As ``drop(_:stage:reason:isBad:fix:)``, by the reader.
    public mutating func drop(_ index: Int, whileReading reason: String, isBad: Bool = false, fix: String? = nil) {
        drop(index, stage: Drop.reader, reason: reason, isBad: isBad, fix: fix)
    }
}

/// A channel that an app gives to some of its frames only.
public struct SparseChannel: Hashable, Sendable {
    /// The frames that rightly have none, by index, ascending.
    public var without: [Int]
    /// Why such a frame has none: "the app kept no picture of it".
    public var reason: String
    /// Frames that should have one, judging by the others, and what is missing. They are bad where the channel is used.
    public var lost: [Int: String]
    /// Whether the app left them out by a rule of its own, so that nothing need have gone wrong.
    public var isByRule: Bool

    public init(without: [Int], reason: String, lost: [Int: String] = [:], isByRule: Bool = false) {
        self.without = without
        self.reason = reason
        self.lost = lost
        self.isByRule = isByRule
    }
}

public enum BadFrameRule: String, Hashable, Sendable, CaseIterable {
    case drop, fail
}

/// One file of a capture.
public struct InputFile: Hashable, Sendable {
    /// Relative to the capture.
    public var path: String
    public var byteCount: Int64
    /// The channels whose bytes it holds; none for a file that every run reads (metadata, camera lines).
    public var channels: Set<Channel>
    /// The channels whose bytes it holds, for a file that every run reads anyway, such as for its times or headers.
    public var alsoHolds: Set<Channel>
    /// What is lost when it is damaged.
    public var stake: Stake

    public enum Stake: Hashable, Sendable {
        case capture
        /// The frame that the file belongs to, as with its picture.
        case frame(Int)
        /// Nothing more: the reader has already gone on without its content.
        case nothing
    }

    public init(
        path: String, byteCount: Int64, channels: Set<Channel> = [], alsoHolds: Set<Channel> = [],
        stake: Stake = .capture
    ) {
        self.path = path
        self.byteCount = byteCount
        self.channels = channels
        self.alsoHolds = alsoHolds
        self.stake = stake
    }
}

public struct MotionFile: Hashable, Sendable {
    public var kind: MotionKind
    /// Relative to the capture.
    public var path: String
    /// The capture's file from whose records this one is made when it is read; nil where it lies on disk itself.
    public var source: String?

    public init(kind: MotionKind, path: String, source: String? = nil) {
        self.kind = kind
        self.path = path
        self.source = source
    }
}
