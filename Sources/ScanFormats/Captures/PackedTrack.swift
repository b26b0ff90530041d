import ScanModel

/// One compressed stream that holds all frames of depth or confidence back to back, without an index: frame n starts at
/// n · frameBytes of the inflated bytes.
struct PackedStream: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case depth(DepthEncoding)
        case confidence(ClosedRange<Int>)
    }

    /// Relative to the capture.
    var file: String
    var size: PixelSize
    var content: Content
    var rules: ReadRules
    /// What other files say about the number of frames, for messages: "metadata says 640".
    var claims: String

    var subject: String { if case .depth = content { "depth stream" } else { "confidence stream" } }

    var frameBytes: Int {
        let pixels = size.width * size.height
        return if case .depth(let encoding) = content { pixels * encoding.bytesPerPixel } else { pixels }
    }
}

/// A packed stream during one pass: inflates on from frame to frame, dropped ones too.
final class PackedTrack: FrameTrack, @unchecked Sendable {
    // One frame at a time: the pass hands them over in order.
    let name: String
    private let stream: PackedStream
    private let inflate: InflateStream
    private let frameCount: Int
    private let carriesPrevious: Bool
    private var before: RecordedDepth?
    private var position = 0
    /// Why there are no more frames, once there are none.
    private var end: String?
    private var forgiven: [Problem] = []

    init(_ stream: PackedStream, _ tree: any CaptureTree, frameCount: Int, carriesPrevious: Bool) throws(Problem) {
        self.stream = stream
        name = stream.file
        self.frameCount = frameCount
        self.carriesPrevious = carriesPrevious
        inflate = InflateStream(try tree.open(stream.file), subject: stream.subject)
    }

    func advance(_ frame: inout Frame, isWanted: Bool) throws(Problem) {
        defer { position += 1 }
        let previous = before
        before = nil
        if end == nil {
            if isWanted || carriesPrevious {
                if let bytes = try readFrame() { attach(bytes, previous, to: &frame, isWanted) }
            } else {
                try skipFrame()
            }
        }
        if let end, frame.facts.drop == nil { frame.facts.drop = Drop(stage: "read", reason: end) }
    }

    func finish() throws(Problem) -> TrackEnd {
        if end != nil { return TrackEnd(forgiven: forgiven) }
        // Under `auto` a few frames more are fine and anything beyond is not, so nothing beyond has to be inflated: a
        // stream made to explode stops here. Only `shortest` wants to know how long it really is.
        let room = stream.rules.mismatch == .shortest ? 16 * max(frameCount, 64) : stream.rules.tolerance(longest: frameCount) + 1
        var extra = 0
        do throws(Problem) {
            while extra < room {
                let got = try inflate.skip(Int64(stream.frameBytes))
                if got == 0 { break }
                if got < Int64(stream.frameBytes) { throw partialFrame(got, at: frameCount + extra) }
                extra += 1
            }
            if extra == room, try !inflate.isAtEnd(), stream.rules.mismatch == .shortest {
                throw Problem(
                    .input, "the \(stream.subject) goes on and on", notes: ["more than \(frameCount + extra) frames; \(stream.claims)"]
                ).at(file: stream.file)
            }
            try reconcile(frames: frameCount + extra)
            try checkTrailing()
            return TrackEnd(extraFrames: extra, reason: "only the \(stream.subject) has this frame", forgiven: forgiven)
        } catch {
            guard stream.rules.truncated == .keepWhole, error.fault == .input else { throw describe(error) }
            return TrackEnd(
                extraFrames: extra, reason: "only the \(stream.subject) has this frame", warnings: [error.oneLine],
                forgiven: forgiven + [describe(error)])
        }
    }

    private func attach(_ bytes: [UInt8], _ previous: RecordedDepth?, to frame: inout Frame, _ isWanted: Bool) {
        switch stream.content {
        case .depth(let encoding):
            let depth = RecordedDepth(width: stream.size.width, height: stream.size.height, encoding: encoding, bytes: bytes)
            if carriesPrevious { before = depth }
            if isWanted { (frame.recordedDepth, frame.recordedDepthBefore) = (depth, previous) }
        case .confidence(let range):
            frame.recordedConfidence = ConfidenceMap(
                width: stream.size.width, height: stream.size.height, values: bytes, range: range)
        }
    }

    private func readFrame() throws(Problem) -> [UInt8]? {
        var problem: Problem?
        let bytes = [UInt8](unsafeUninitializedCapacity: stream.frameBytes) { buffer, count in
            do throws(Problem) { count = try inflate.read(into: UnsafeMutableRawBufferPointer(buffer)) } catch {
                problem = error
            }
        }
        if bytes.count == stream.frameBytes { return bytes }
        try stop(problem, got: Int64(bytes.count))
        return nil
    }

    private func skipFrame() throws(Problem) {
        let start = inflate.position
        do throws(Problem) {
            let got = try inflate.skip(Int64(stream.frameBytes))
            if got < stream.frameBytes { try stop(nil, got: got) }
        } catch {
            if end == nil { try stop(error, got: inflate.position - start) }
        }
    }

    /// The stream has no whole frame here. Either that is allowed, and the frames from here on are dropped, or it is a
    /// problem of the capture.
    private func stop(_ problem: Problem?, got: Int64) throws(Problem) {
        let failure = problem.map { describe($0, got: got) } ?? (got > 0 ? partialFrame(got, at: position) : nil)
        if let failure {
            guard stream.rules.truncated == .keepWhole, failure.fault == .input else { throw failure }
            forgiven.append(failure)
            end = (problem ?? failure).at(file: stream.file, byte: inflate.compressedPosition).oneLine
        } else {
            try reconcile(frames: position)
            end = "the \(stream.subject) has \(position) frames"
        }
    }

    private func reconcile(frames: Int) throws(Problem) {
        let counts = [("camera lines and pictures", frameCount), (stream.subject, frames)]
        _ = try stream.rules.reconcile(counts)
        forgiven += stream.rules.forgiven(counts)
    }

    private func partialFrame(_ got: Int64, at frame: Int) -> Problem {
        Problem(
            .input, "the \(stream.subject) ends inside frame \(frame)",
            notes: ["\(got) of \(stream.frameBytes) bytes (\(stream.size) pixels) are there; \(stream.claims)"],
            fix: "copy the file again, or keep the whole frames with  --set read.truncated=keep-whole"
        ).at(file: stream.file)
    }

    private func describe(_ problem: Problem, got: Int64? = nil) -> Problem {
        var described = problem.at(file: stream.file)
        if let got, got < stream.frameBytes {
            described = described.noting(
                "it ended inside frame \(position) (\(got) of \(stream.frameBytes) bytes); \(stream.claims)")
        }
        described.fix = described.fix ?? "copy the file again"
        if problem.fault == .input, described.fix?.contains("keep-whole") == false {
            described.fix = "\(described.fix ?? ""), or keep the whole frames with  --set read.truncated=keep-whole"
        }
        return described
    }

    private func checkTrailing() throws(Problem) {
        let count = try inflate.trailingBytes()
        if count == 0 { return }
        throw Problem(
            .input, "\(count) bytes stand behind the end of the \(stream.subject)",
            notes: ["two files may have been joined, or the wrong file copied"],
            fix: "copy the file again, or use what stands before them with  --set read.truncated=keep-whole"
        ).at(file: stream.file, byte: inflate.compressedPosition)
    }
}
