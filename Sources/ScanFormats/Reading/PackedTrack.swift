import ScanModel

/// One compressed stream that holds all frames of depth or confidence back to back, without an index: frame n starts at
/// n · frameBytes of the inflated bytes.
package struct PackedStream: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
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
    /// Bytes of a row, where rows are padded.
    var rowBytes: Int?
    /// The stream has one frame for every so many of the capture's: depth at 30 Hz beside pictures at 60.
    var every = 1

    package init(file: String, size: PixelSize, content: Content, rules: ReadRules, claims: String) {
        self.file = file
        self.size = size
        self.content = content
        self.rules = rules
        self.claims = claims
    }

    fileprivate var isDepth: Bool { if case .depth = content { true } else { false } }

    var subject: String { isDepth ? "depth stream" : "confidence stream" }

    /// Bytes of a row's pixels.
    var usedRowBytes: Int {
        if case .depth(let encoding) = content { size.width * encoding.bytesPerPixel } else { size.width }
    }

    var frameBytes: Int { (rowBytes ?? usedRowBytes) * size.height }

    /// A frame without its padding.
    fileprivate func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        guard let rowBytes, rowBytes > usedRowBytes else { return bytes }
        return (0..<size.height).flatMap { bytes[$0 * rowBytes..<$0 * rowBytes + usedRowBytes] }
    }
}

/// A packed stream during one pass: inflates on from frame to frame, including dropped ones.
package final class PackedTrack: FrameTrack, @unchecked Sendable {
    // One frame at a time: the pass hands them over in order.
    package let name: String
    private let stream: PackedStream
    private let inflate: InflateStream
    /// How many frames the stream should have.
    private let frameCount: Int
    /// What makes it so many, for messages.
    private let counted: String
    private let carriesPrevious: Bool
    private var before: RecordedDepth?
    private var position = 0
    /// Frames of the capture so far, not all of which need be in the stream.
    private var passed = 0
    /// Why there are no more frames, once there are none.
    private var end: String?
    /// What to say of a stream that is somewhat shorter or longer than it should be.
    private var difference: String?
    /// The stream did not end there, but could not be read on.
    private var isBroken = false
    /// What these rules allowed and the default ones would not have.
    private var forgiven: [Problem] = []

    package init(_ stream: PackedStream, _ tree: any CaptureTree, frameCount: Int, carriesPrevious: Bool)
        throws(Problem)
    {
        self.stream = stream
        name = stream.file
        self.frameCount = (frameCount + stream.every - 1) / stream.every
        counted =
            stream.every == 1
            ? "camera lines and pictures" : "one for every \(stream.every) of \(frameCount) pictures"
        self.carriesPrevious = carriesPrevious
        inflate = InflateStream(try tree.open(stream.file), subject: stream.subject)
    }

    package func advance(_ frame: inout Frame, isWanted: Bool) throws(Problem) {
        defer { passed += 1 }
        let isInStream = passed.isMultiple(of: stream.every)
        if end == nil, isInStream {
            defer { position += 1 }
            let previous = before
            before = nil
            if isWanted || carriesPrevious {
                if let bytes = try readFrame() { attach(bytes, previous, to: &frame, isWanted) }
            } else {
                try skipFrame()
            }
        }
        if let end, frame.facts.drop == nil { frame.facts.drop = Drop(whileReading: end) }
    }

    package func finish() throws(Problem) -> TrackEnd {
        var extra = (frames: 0, goesOn: false)
        var warnings: [String] = []
        if !isBroken {
            do throws(Problem) { if end == nil { try countExtraFrames(&extra) } } catch {
                guard keepsFrames(before: error) else { throw describe(error) }
                warnings.append(error.oneLine)
                forgiven.append(describe(error))
            }
            if extra.goesOn && stream.rules.mismatch == .shortest {
                throw Problem(
                    .input, "the \(stream.subject) goes on and on",
                    notes: ["more than \((frameCount + extra.frames).counted("frame")); \(stream.claims)"],
                    fix: "copy the file again from the device"
                ).at(file: stream.file)
            }
            if extra.frames > 0, !extra.goesOn, let padded = signOfPaddedRows() { warnings.append(padded) }
            if extra.frames > 0, !extra.goesOn { noteDifference(frames: frameCount + extra.frames) }
            if let problem = trailingBytes {
                guard stream.rules.truncated == .keepWhole else { throw problem }
                warnings.append(problem.oneLine)
                forgiven.append(problem)
            }
            if extra.frames > 0 { try reconcile(frames: frameCount + extra.frames, goesOn: extra.goesOn) }
        }
        return TrackEnd(
            extraFrames: extra.frames, reason: "only the \(stream.subject) has this frame",
            warnings: warnings + [difference].compactMap(\.self), forgiven: forgiven)
    }

    /// Under `auto` a few extra frames are fine and more are not, so little has to be inflated beyond them: a
    /// decompression bomb stops here. Only `shortest` needs to know the real length, up to a point.
    private func countExtraFrames(_ extra: inout (frames: Int, goesOn: Bool)) throws(Problem) {
        let takesAll = stream.rules.mismatch == .shortest
        let room = takesAll ? 16 * max(frameCount, 64) : stream.rules.firstExcess(over: frameCount)
        while extra.frames < room {
            let got = try inflate.skip(Int64(stream.frameBytes))
            if got == 0 { return }
            if got < Int64(stream.frameBytes) { throw partialFrame(got, at: frameCount + extra.frames) }
            extra.frames += 1
        }
        extra.goesOn = try !inflate.isAtEnd()
    }

    private func attach(_ padded: [UInt8], _ previous: RecordedDepth?, to frame: inout Frame, _ isWanted: Bool) {
        let bytes = stream.trimmed(padded)
        switch stream.content {
        case .depth(let encoding):
            let depth = RecordedDepth(
                width: stream.size.width, height: stream.size.height, encoding: encoding, bytes: bytes)
            if carriesPrevious { before = depth }
            if isWanted { (frame.recordedDepth, frame.recordedDepthBefore) = (depth, previous) }
        case .confidence(let range):
            frame.recordedConfidence = ConfidenceMap(
                width: stream.size.width, height: stream.size.height, values: bytes, range: range)
        }
    }

    private func readFrame() throws(Problem) -> [UInt8]? {
        let start = inflate.position
        var problem: Problem?
        let bytes = [UInt8](unsafeUninitializedCapacity: stream.frameBytes) { buffer, count in
            do throws(Problem) { count = try inflate.read(into: UnsafeMutableRawBufferPointer(buffer)) } catch {
                problem = error
            }
        }
        if bytes.count == stream.frameBytes { return bytes }
        try stop(problem, got: inflate.position - start)
        return nil
    }

    private func skipFrame() throws(Problem) {
        let start = inflate.position
        var problem: Problem?
        do throws(Problem) { _ = try inflate.skip(Int64(stream.frameBytes)) } catch { problem = error }
        let got = inflate.position - start
        if got < Int64(stream.frameBytes) { try stop(problem, got: got) }
    }

    /// Whether frames are kept although the stream has not come to its end: those of a file that was cut off are as
    /// they were written. In one with wrong bytes all frames after those are wrong too, and nothing tells which ones.
    private func keepsFrames(before failure: Problem) -> Bool {
        stream.rules.truncated == .keepWhole && failure.fault == .input
            && (inflate.isCutOff || stream.rules.countsDoubtfulFrames)
    }

    /// The stream has no whole frame here. Either that is allowed, and the frames from here on are dropped, or it is a
    /// problem of the capture.
    private func stop(_ problem: Problem?, got: Int64) throws(Problem) {
        let failure =
            problem.map { describe($0, got: got) } ?? (got > 0 ? describe(partialFrame(got, at: position)) : nil)
        guard let failure else {
            try reconcile(frames: position)
            end = "the \(stream.subject) has \(position.counted("frame"))"
            noteDifference(frames: position)
            return
        }
        guard keepsFrames(before: failure) else { throw failure }
        // Before wrong bytes, nobody knows how many frames are whole.
        if failure.cut != nil, let refusal = stream.rules.refusal(of: failure) { throw refusal }
        isBroken = true
        forgiven.append(failure)
        end = failure.at(file: stream.file, byte: inflate.compressedPosition).oneLine
    }

    /// In a stream without numbers and times, nothing tells where frames are missing.
    private func noteDifference(frames: Int) {
        // Two cameras need not begin and end with the same frame.
        let isUsual = stream.every > 1 && abs(frames - frameCount) <= 1
        guard !isUsual, stream.rules.mismatch == .auto else { return }
        let kind = stream.isDepth ? "depth" : "confidence"
        difference =
            "\(stream.file) has \(frames.counted("frame")) for \(frameCount): \(Capture.doubtOfTheEnd("\(kind) and pictures"))"
    }

    private func reconcile(frames: Int, goesOn: Bool = false) throws(Problem) {
        let counts = [(counted, frameCount), (stream.subject, frames)]
        do throws(Problem) { _ = try stream.rules.reconcile(counts, goesOn: goesOn) } catch {
            guard tellsSize else { throw error.at(file: stream.file) }
            readOn()
            let otherSize = signOfOtherSize()
            guard let sign = otherSize ?? signOfPaddedRows() else { throw error.at(file: stream.file) }
            var problem = error.noting(sign).at(file: stream.file)
            // To use the frames that all streams have would be no help.
            let correction = otherSize == nil ? "write \(stream.file) without padded rows" : wayToCorrect
            problem.fix = correction + ", or copy the capture again"
            throw problem
        }
        let allowed = stream.rules.forgiven(counts, goesOn: goesOn)
        forgiven += allowed.map { $0.at(file: stream.file) }
        guard !allowed.isEmpty, let otherSize = signOfOtherSize() else { return }
        // Each would be a part of a frame, with another frame's pose.
        if frames > frameCount {
            throw Problem(
                .input, "the \(stream.subject) is of frames of another size than \(stream.size)",
                notes: [otherSize, stream.claims], fix: wayToCorrect
            ).at(file: stream.file)
        }
        difference = [difference, otherSize].compactMap(\.self).joined(separator: "; ")
    }

    /// Reads on to the stream's end to learn its length, as far as four times the expected frames: a wrong size can
    /// make it that long.
    private func readOn() {
        let room = 4 * Int64(stream.frameBytes) * Int64(frameCount)
        while inflate.position <= room, (try? inflate.skip(Int64(stream.frameBytes))) == Int64(stream.frameBytes) {
            Heartbeat.beat()
        }
    }

    private var wayToCorrect: String {
        "correct the size of the \(stream.subject)'s pictures, or how their numbers are stored, in the capture's description"
    }

    /// With fewer frames, the length of a stream that is too long or too short tells nothing.
    private static let telling = 10

    private var tellsSize: Bool { stream.every == 1 && frameCount >= Self.telling }

    /// How long the stream is, where it was read to its end; nil where it goes on, or cannot be read on.
    private func wholeLength() -> Int64? { (try? inflate.isAtEnd()) == true ? inflate.position : nil }

    /// What to say of a stream that is exactly as long as that many frames of another size, by a whole factor.
    private func signOfOtherSize() -> String? {
        let (count, size) = (Int64(frameCount), Int64(stream.frameBytes))
        guard tellsSize, let length = wholeLength(), length > 0, length.isMultiple(of: count) else { return nil }
        let real = length / count
        guard real != size, real.isMultiple(of: size) || size.isMultiple(of: real) else { return nil }
        return
            "\(stream.file) is exactly as long as \(frameCount.counted("frame")) of \(real.counted("byte")), and one of \(stream.size) takes \(size)"
    }

    /// What to say of a stream that may hold rows as they lay in memory, longer than their pixels: its length fits.
    private func signOfPaddedRows() -> String? {
        let rows = Int64(frameCount) * Int64(stream.size.height)
        guard stream.rowBytes == nil, stream.every == 1, rows > 0, let length = wholeLength(), length % rows == 0 else {
            return nil
        }
        let (rowBytes, used) = (length / rows, Int64(stream.usedRowBytes))
        guard rowBytes > used, rowBytes <= used + 256, rowBytes.isMultiple(of: 64) else { return nil }
        return
            "\(stream.file) is as long as \(frameCount.counted("frame")) whose rows take \(rowBytes) bytes, \(used) of them for "
            + "pixels: if the frames look slanted, it was written with padded rows, and has to be written without"
    }

    /// The stream has come to its proper end, at a length that it cannot have.
    private func partialFrame(_ got: Int64, at frame: Int) -> Problem {
        let otherSize = signOfOtherSize()
        return Problem(
            .input,
            frame < frameCount
                ? "the \(stream.subject) ends inside frame \(frame)"
                : "the \(stream.subject) ends inside a frame, after its \(frame.counted("whole one"))",
            notes: [
                "\(got) of \(stream.frameBytes) bytes (\(stream.size) pixels) \(got.isOrAre) there; " + stream.claims,
                signOfPaddedRows(), otherSize,
            ].compactMap(\.self),
            fix: otherSize == nil ? "copy the file again from the device" : wayToCorrect
        ).at(file: stream.file, byte: inflate.compressedPosition)
    }

    /// Adds to a problem of the stream's bytes what it means for the frames.
    private func describe(_ problem: Problem, got: Int64? = nil) -> Problem {
        var described = problem.at(file: stream.file)
        guard problem.fault == .input else { return described }
        if let got {
            described = described.noting(
                "it ended inside frame \(position) (\(got) of \(stream.frameBytes) bytes); \(stream.claims)")
        }
        if inflate.isCutOff { return described.mendable(cutAfter: position, of: frameCount) }
        return described.noting("it is unknown from which frame on its bytes are wrong, so none is kept")
    }

    /// What is wrong with bytes after the stream's end, if there are any. The stream itself is whole.
    private var trailingBytes: Problem? {
        let count = inflate.trailingBytes
        if count == 0 { return nil }
        return Problem(
            .input, "\(count.counted("byte", "stands", "stand")) after the end of the \(stream.subject)",
            notes: ["two files may have been joined, or the wrong file copied"],
            fix: "copy the file again, or use what stands before them with  --set read.truncated=keep-whole"
        ).at(file: stream.file, byte: inflate.compressedPosition)
    }
}
