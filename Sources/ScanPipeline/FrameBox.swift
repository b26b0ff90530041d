import ScanModel

/// What a pass leaves of a frame beside its facts, for the case that a later pass finds the frame to be bad.
struct FrameTrace {
    var isTaken = false
    var files: [String] = []
}

/// All frames while a pass runs. `begin` and `done` of the line touch it, one worker at a time.
final class FrameBox: @unchecked Sendable {
    private(set) var frames: [FrameFacts]
    private(set) var traces: [FrameTrace]

    init(frames: [FrameFacts], traces: [FrameTrace]) {
        self.frames = frames
        self.traces = traces + repeatElement(FrameTrace(), count: max(0, frames.count - traces.count))
    }

    func frame(at position: Int) -> Frame {
        var frame = Frame(frames[position])
        (frame.isTaken, frame.files) = (traces[position].isTaken, traces[position].files)
        return frame
    }

    func take(_ frame: Frame, at position: Int) {
        frames[position] = frame.facts
        traces[position] = FrameTrace(isTaken: frame.isTaken, files: frame.files)
    }
}
