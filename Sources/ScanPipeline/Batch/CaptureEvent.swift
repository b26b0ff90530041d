/// What a child process says, one per line.
public enum CaptureEvent: Sendable, Hashable, Codable {
    case progress(RunProgress)
    /// It reads or writes, between frames.
    case working
    case ended(CaptureEnding)
}
