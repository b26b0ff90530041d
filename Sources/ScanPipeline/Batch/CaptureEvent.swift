/// What a child process says, one per line.
public enum CaptureEvent: Sendable, Hashable, Codable {
    case progress(RunProgress)
    /// Its reader has found out what recorded the capture.
    case recognised(CaptureOrigin)
    /// It reads or writes, between frames.
    case working
    case ended(CaptureEnding)
}

/// What recorded a capture: who is to be told where it fails.
public struct CaptureOrigin: Sendable, Hashable, Codable {
    /// By the names of `scanmill formats`.
    public var format: String
    public var device: String?

    public init(format: String, device: String?) {
        self.format = format
        self.device = device
    }
}
