import ScanFormats
import ScanModel
import ScanPipeline

/// The parts of a frame that are ready when its turn to be written comes.
struct CaptureParcel<Picture: Sendable>: Sendable {
    /// Nanoseconds.
    let timestamp: Int64
    /// In the layout's world; see ``CaptureLayout/turn(of:)``.
    let pose: Pose
    let camera: CameraIntrinsics
    /// Nanoseconds; nil if unknown.
    let exposure: Int64?
    /// By ``CaptureLayout/depthFile(_:)``.
    let depth: EncodedDepth?
    /// A PNG in the layout's own numbers.
    let confidence: [UInt8]?
    let picture: Picture
}

/// The layout of one app's captures: all that `write-capture` does differently for each.
///
/// The static functions work on many frames at once; a value then takes the parcels of the frames in their order.
protocol CaptureLayout {
    /// A frame's picture, ready to be written, with whatever is derived from it.
    associatedtype Picture: Sendable

    /// The paths that only this layout writes.
    static var claims: [String] { get }
    /// What the layout has a place for besides pictures, poses, intrinsics, times and depth.
    static var extras: [Channel] { get }
    /// Whether pictures are JPEGs, encoded if they are not.
    static var encodesJPEG: Bool { get }

    // Each frame, in parallel

    /// The name of a frame's files, without extension, if it is made from the frame's time; nil if frames are numbered.
    /// - Parameters:
    ///   - timestamp: nanoseconds.
    ///   - id: the capture's.
    static func name(_ timestamp: Int64, of id: String) -> String?

    /// Turns the capture's world to the layout's own up, if the capture says which way is up.
    static func turn(of capture: Capture) -> WorldTurn

    /// The size to which depth and confidence are resized by nearest neighbour.
    /// - Parameter map: the frame's depth, if it has any.
    /// - Returns: nil if they keep their own.
    static func mapSize(_ map: DepthMap?, _ frame: inout Frame, _ context: StageContext) throws(Problem) -> PixelSize?

    /// - Parameters:
    ///   - size: of depth.
    ///   - isAsRecorded: whether no stage has turned it.
    /// - Throws: where the layout has no place for it.
    static func check(depth size: PixelSize, isAsRecorded: Bool) throws(Problem)

    /// The bytes of a frame's depth.
    /// - Parameter image: millimetres, 0 for "no value".
    static func depthFile(_ image: Gray16Image) throws(Problem) -> [UInt8]

    /// The number that stands for a level of confidence: 0 (low), 1 (medium), 2 (high).
    static func confidence(level: Int) -> UInt8

    /// - Parameters:
    ///   - mapSize: what ``mapSize(_:_:_:)`` returned.
    ///   - quality: that of encoded JPEGs.
    static func picture(
        of frame: inout Frame, mapSize: PixelSize?, quality: Int, _ context: StageContext
    ) throws(Problem) -> Picture

    // In frame order

    /// Begins the files that grow with the frames.
    init(_ context: StageContext) throws(Problem)

    /// Writes a frame.
    /// - Parameters:
    ///   - name: from ``name(_:of:)``, or else the number with leading zeros.
    ///   - number: the frame's number among those written, from 0.
    mutating func add(
        _ parcel: CaptureParcel<Picture>, name: String, number: Int, _ context: StageContext
    ) throws(Problem)

    /// Finishes the files, once there has been a frame.
    mutating func finish(_ context: StageContext) throws(Problem)
}

/// What most layouts do.
extension CaptureLayout {
    static var extras: [Channel] { [.recordedConfidence] }

    static var encodesJPEG: Bool { false }

    static func name(_ timestamp: Int64, of id: String) -> String? { nil }

    static func turn(of capture: Capture) -> WorldTurn { .yUp(capture) }

    static func mapSize(_ map: DepthMap?, _ frame: inout Frame, _ context: StageContext) -> PixelSize? { nil }

    static func check(depth size: PixelSize, isAsRecorded: Bool) throws(Problem) {}

    static func depthFile(_ image: Gray16Image) throws(Problem) -> [UInt8] { try PNG.encodeGray16(image) }

    static func confidence(level: Int) -> UInt8 { UInt8(level) }
}

extension CaptureLayout {
    /// A frame's picture as a JPEG: copied, or encoded if it is not one.
    static func jpeg(of frame: inout Frame, quality: Int, _ context: StageContext) throws(Problem) -> PreparedPicture {
        // A changed PNG would be encoded as one for nothing.
        if case .file? = frame.picture {
            let copied = try PictureOutput(encoding: .copy, quality: quality).prepare(&frame, context)
            if !copied.isPNG { return copied }
        }
        return try PictureOutput(encoding: .jpeg, quality: quality).prepare(&frame, context)
    }
}

/// A layout whose pictures become a video, which takes ffmpeg.
protocol VideoCaptureLayout: CaptureLayout where Picture == RGBImage {}

extension VideoCaptureLayout {
    static func picture(
        of frame: inout Frame, mapSize: PixelSize?, quality: Int, _ context: StageContext
    ) throws(Problem) -> RGBImage {
        try frame.loadRGB(context)
    }
}
