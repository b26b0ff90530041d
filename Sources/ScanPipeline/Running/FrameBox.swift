import ScanModel

/// What a pass leaves of a frame beside its facts, in case a later pass finds the frame to be bad.
package struct FrameTrace: Hashable {
    package var isTaken: Bool
    package var files: [String]

    package init(isTaken: Bool = false, files: [String] = []) {
        self.isTaken = isTaken
        self.files = files
    }
}

/// All frames while a pass runs. `begin` and `done` of the line touch it, one worker at a time.
package final class FrameBox: @unchecked Sendable {
    package private(set) var frames: [FrameFacts]
    /// As they were when the pass began: a worker may be ahead of another, and no result depends on which.
    private let framesBefore: [FrameFacts]
    package private(set) var traces: [FrameTrace]
    /// How many frames are done: with several workers they are not done in order.
    package private(set) var takenCount = 0

    package init(frames: [FrameFacts], traces: [FrameTrace]) {
        self.frames = frames
        framesBefore = frames
        self.traces = traces + repeatElement(FrameTrace(), count: max(0, frames.count - traces.count))
    }

    package func frame(at position: Int) -> Frame {
        var frame = Frame(frames[position])
        frame.previousFacts = position > 0 ? framesBefore[position - 1] : nil
        (frame.isTaken, frame.files) = (traces[position].isTaken, traces[position].files)
        return frame
    }

    package func take(_ frame: Frame, at position: Int) {
        frames[position] = frame.facts
        traces[position] = FrameTrace(isTaken: frame.isTaken, files: frame.files)
        takenCount += 1
    }
}
