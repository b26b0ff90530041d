import ScanModel

/// Depth in one file, each frame compressed by itself (``ScanNetPPDepth``).
package struct ChunkStream: Hashable, Sendable {
    /// Relative to the capture.
    var file: String
    var size: PixelSize
    var count: Int

    package init(file: String, size: PixelSize, count: Int) {
        self.file = file
        self.size = size
        self.count = count
    }
}

/// A file of chunks during one pass: read on from frame to frame, unpacked where wanted.
package final class ChunkTrack: FrameTrack, @unchecked Sendable {
    // One frame at a time: the pass hands them over in order.
    package let name: String
    private let stream: ChunkStream
    private var source: BufferedSource
    private let carriesPrevious: Bool
    private var before: RecordedDepth?
    private var position = 0

    package init(_ stream: ChunkStream, _ tree: any CaptureTree, carriesPrevious: Bool) throws(Problem) {
        self.stream = stream
        name = stream.file
        source = BufferedSource(try tree.open(stream.file))
        self.carriesPrevious = carriesPrevious
    }

    package func advance(_ frame: inout Frame, isWanted: Bool) throws(Problem) {
        defer { position += 1 }
        let previous = before
        before = nil
        // Frames that only other streams have were dropped when the capture was opened.
        guard position < stream.count else { return }
        guard isWanted || carriesPrevious else {
            guard try ScanNetPPDepth.skipChunk(&source) else { throw changed }
            return
        }
        let byte = source.offset
        guard let chunk = try ScanNetPPDepth.nextChunk(&source) else { throw changed }
        guard let depth = ScanNetPPDepth.decode(chunk, size: stream.size) else {
            let problem = Problem(.input, "the frame's depth is damaged").at(file: stream.file, byte: byte)
            if frame.facts.drop == nil {
                frame.facts.drop = Drop(
                    whileReading: problem.oneLine, isBad: true, fix: "copy \(stream.file) again")
            }
            return
        }
        if carriesPrevious { before = depth }
        if isWanted { (frame.recordedDepth, frame.recordedDepthBefore) = (depth, previous) }
    }

    package func finish() -> TrackEnd { TrackEnd() }

    private var changed: Problem {
        Problem(.environment, "the depth file has changed since it was opened").at(file: stream.file)
    }
}
