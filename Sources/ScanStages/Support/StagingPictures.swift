/// What becomes of a capture's pictures in a staging capture.
enum StagingPictures: Sendable {
    /// The capture has none.
    case none
    /// One file a frame, `color/000000.jpg`, …
    case files
    /// A new `<id>.mp4`, encoded from the frames' pictures.
    case encoded
    /// `<id>.mp4` from the capture's own video, which nobody decodes unless frames are missing.
    case video
}
