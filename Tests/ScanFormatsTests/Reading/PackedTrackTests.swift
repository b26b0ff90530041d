import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PackedTrackTests {
    /// Frames of 8 × 6 halves: 96 bytes each.
    private let sample = MultiScanSample()
    private let frameBytes = 96

    private func rules(_ truncated: ReadRules.Truncated = .fail, _ mismatch: ReadRules.Mismatch = .auto) -> ReadRules {
        var rules = ReadRules()
        rules.truncated = truncated
        rules.minWhole = 0
        rules.mismatch = mismatch
        return rules
    }

    private func stream(_ rules: ReadRules, _ size: PixelSize = PixelSize(8, 6)) -> PackedStream {
        PackedStream(
            file: "scan.depth.zlib", size: size, content: .depth(.float16Metres), rules: rules,
            claims: "metadata says 4 frames, the camera lines 4")
    }

    private struct Walk {
        var frames: [Frame] = []
        var end: TrackEnd?
        var problem: Problem?
    }

    /// Walks over `count` frames of a compressed stream and to its end.
    private func walk(
        _ bytes: [UInt8], _ rules: ReadRules, count: Int = 4, size: PixelSize = PixelSize(8, 6),
        wanted: (Int) -> Bool = { _ in true }, previous: Bool = false
    ) -> Walk {
        var walk = Walk()
        do throws(Problem) {
            let track = try PackedTrack(
                stream(rules, size), MemoryTree(["scan.depth.zlib": bytes]), frameCount: count,
                carriesPrevious: previous)
            for index in 0..<count {
                var frame = Frame(FrameFacts(index: index))
                try track.advance(&frame, isWanted: wanted(index))
                walk.frames.append(frame)
            }
            walk.end = try track.finish()
        } catch { walk.problem = error }
        return walk
    }

    private func bytes(of frame: Int) -> [UInt8] {
        Array(sample.rawDepth(frame + 1).suffix(frameBytes))
    }

    // MARK: - A sound stream

    @Test func everyFrameGetsItsBytes() throws {
        let walk = walk(try MultiScanSample.deflate(sample.rawDepth(4)), rules())
        #expect(walk.problem == nil)
        for (index, frame) in walk.frames.enumerated() {
            #expect(
                frame.recordedDepth
                    == RecordedDepth(width: 8, height: 6, encoding: .float16Metres, bytes: bytes(of: index)))
            #expect(frame.recordedDepthBefore == nil)
        }
        #expect(walk.end?.extraFrames == 0 && walk.end?.warnings == [])
    }

    @Test func framesThatAreNotWantedAreStillWalkedOver() throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(4))
        for previous in [false, true] {
            let walk = walk(compressed, rules(), wanted: { $0 % 2 == 1 }, previous: previous)
            #expect(walk.frames.map { $0.recordedDepth?.bytes } == [nil, bytes(of: 1), nil, bytes(of: 3)])
            // The frame before is carried though it was not wanted itself.
            #expect(
                walk.frames.map { $0.recordedDepthBefore?.bytes }
                    == (previous ? [nil, bytes(of: 0), nil, bytes(of: 2)] : [nil, nil, nil, nil]))
        }
        let all = walk(compressed, rules(), previous: true)
        #expect(all.frames.map { $0.recordedDepthBefore?.bytes } == [nil, bytes(of: 0), bytes(of: 1), bytes(of: 2)])
    }

    @Test func confidenceIsABytePerPixel() throws {
        let packed = PackedStream(
            file: "c", size: PixelSize(8, 6), content: .confidence(0...255), rules: rules(), claims: "")
        let tree = MemoryTree(["c": try MultiScanSample.deflate(sample.rawConfidence(2))])
        let track = try PackedTrack(packed, tree, frameCount: 2, carriesPrevious: false)
        for index in 0..<2 {
            var frame = Frame(FrameFacts(index: index))
            try track.advance(&frame, isWanted: true)
            let expected = (0..<48).map { MultiScanSample.confidence(index, $0 % 8, $0 / 8) }
            #expect(frame.recordedConfidence == ConfidenceMap(width: 8, height: 6, values: expected, range: 0...255))
        }
        #expect(track.name == "c")
    }

    // MARK: - A stream that is cut

    /// How many bytes Python's zlib gets out of the first n bytes of a stream, for every n.
    private func lengths(_ compressed: [UInt8]) throws -> [Int] {
        let folder = try TemporaryFolder()
        let script = """
            import sys, zlib
            data = open(sys.argv[1], 'rb').read()
            print(*(len(zlib.decompressobj(-15).decompress(data[:n])) for n in range(len(data))))
            """
        let result = try runPython(script, [folder.write(compressed, to: "in")])
        return result.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    }

    @Test func cutAtEveryByte() throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(4))
        let lengths = try lengths(compressed)
        #expect(lengths.count == compressed.count)
        for (cut, length) in lengths.enumerated() {
            let bytes = Array(compressed.prefix(cut))
            let failed = walk(bytes, rules())
            let problem = try #require(failed.problem)
            let whole = failed.frames.count
            #expect(problem.fault == .input)
            #expect(problem.summary == (cut == 0 ? "depth stream is empty" : "depth stream truncated"))
            #expect(problem.place.file == "scan.depth.zlib")
            #expect(problem.place.byte == Int64(cut) && problem.place.byteCount == Int64(cut))
            #expect(problem.cut == Problem.Cut(whole: whole, count: 4))
            let keeping = ", or keep the whole frames with  --set read.truncated=keep-whole"
            let fewer = whole == 1 ? " --set read.min-whole=0.25" : ""
            #expect(problem.fix == "copy the file again from the device" + (whole == 0 ? "" : keeping + fewer))
            // Behind the last frame there is none that it could have ended in. Just before the cut, ISA-L gives a byte or
            // two less than zlib.
            let notes = problem.notes.filter { $0.hasPrefix("it ended") }
            let possible = (max(0, length - 2)...length).filter { $0 / frameBytes == whole }.map {
                "it ended inside frame \(whole) (\($0 % frameBytes) of 96 bytes); metadata says 4 frames, the camera lines 4"
            }
            if whole < 4 {
                #expect(notes.count == 1 && possible.contains(notes[0]), "\(cut), \(length): \(notes)")
            } else {
                #expect(notes.isEmpty)
            }

            let kept = walk(bytes, rules(.keepWhole))
            #expect(kept.problem == nil)
            #expect(
                kept.frames.filter { $0.drop == nil }.map { $0.recordedDepth?.bytes }
                    == (0..<whole).map(self.bytes(of:)))
            for frame in kept.frames.dropFirst(whole) {
                #expect(frame.recordedDepth == nil)
                #expect(frame.drop == Drop(stage: "read", reason: problem.oneLine))
            }
            #expect(kept.end?.warnings == (whole < 4 ? [] : [problem.oneLine]))

            // Frames that nobody wants say the same.
            #expect(walk(bytes, rules(), wanted: { _ in false }).problem == problem)
            let unwanted = walk(bytes, rules(.keepWhole), wanted: { _ in false })
            #expect(unwanted.frames.map(\.drop) == kept.frames.map(\.drop))
        }
    }

    @Test func aStreamThatWasCutOffEarlyIsNoCapture() throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(4))
        let lengths = try lengths(compressed)
        let cut = try #require(lengths.firstIndex { $0 >= frameBytes + 10 })
        var rules = rules(.keepWhole)
        rules.minWhole = 0.25
        #expect(walk(Array(compressed.prefix(cut)), rules).frames.filter { $0.drop == nil }.count == 1)
        rules.minWhole = 0.26
        for wanted in [true, false] {
            let problem = walk(Array(compressed.prefix(cut)), rules, wanted: { _ in wanted }).problem
            #expect(problem?.summary == "depth stream truncated" && problem?.place.file == "scan.depth.zlib")
            #expect(problem?.notes.last == "1 of 4 frames is whole; the minimum is 26 %")
            #expect(problem?.fix?.hasSuffix("--set read.min-whole=0.25") == true)
        }
    }

    @Test func aStreamThatEndsProperlyInsideAFrame() throws {
        let compressed = try MultiScanSample.deflate(Array(sample.rawDepth(3).dropLast(40)))
        for wanted in [true, false] {
            let problem = try #require(walk(compressed, rules(), wanted: { _ in wanted }).problem)
            #expect(
                problem.message() == """
                    error: the depth stream ends inside frame 2
                      --> scan.depth.zlib at byte \(compressed.count)
                       = 56 of 96 bytes (8×6 pixels) are there; metadata says 4 frames, the camera lines 4
                       = it is unknown from which frame on its bytes are wrong, so none is kept
                       = fix: copy the file again from the device
                    """)
            #expect(walk(compressed, rules(.keepWhole), wanted: { _ in wanted }).problem == problem)
        }
        let long = try MultiScanSample.deflate(Array(sample.rawDepth(6).dropLast(40)))
        for truncated in ReadRules.Truncated.allCases {
            let problem = walk(long, rules(truncated)).problem
            #expect(problem?.summary == "the depth stream ends inside a frame, after its 5 whole ones")
        }
    }

    /// A changed bit turns what is behind it into other bytes of another number, mostly without breaking a rule of DEFLATE.
    @Test func aBitThatFlippedKeepsNoFrame() throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(4))
        var lengths = 0
        for bit in 0..<8 * compressed.count {
            var bytes = compressed
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let kept = walk(bytes, rules(.keepWhole))
            if kept.problem != nil { lengths += 1 }
            // What was cut off is told from what is wrong: all that is kept of a whole file has the length of all frames.
            guard kept.problem == nil, kept.frames.contains(where: { $0.drop != nil }) else { continue }
            let reasons = kept.frames.compactMap { $0.drop?.reason }
            let short = "the depth stream has \(4 - reasons.count) frames"
            #expect(reasons.allSatisfy { $0.contains("truncated") || $0 == short }, "bit \(bit): \(reasons)")
        }
        #expect(lengths > compressed.count)
    }

    @Test func aDamagedStreamNamesTheFrame() throws {
        // Two frames, then a block of a kind that does not exist.
        let compressed = Array(try MultiScanSample.deflate(sample.rawDepth(2)).dropLast(2)) + [0x07]
        for wanted in [true, false] {
            let problem = try #require(walk(compressed, rules(), wanted: { _ in wanted }).problem)
            #expect(problem.summary == "depth stream damaged")
            #expect(
                problem.notes.suffix(2) == [
                    "it ended inside frame 2 (0 of 96 bytes); metadata says 4 frames, the camera lines 4",
                    "it is unknown from which frame on its bytes are wrong, so none is kept",
                ])
            #expect(problem.fix == "copy the file again from the device" && problem.cut == nil)
            #expect(walk(compressed, rules(.keepWhole), wanted: { _ in wanted }).problem == problem)
        }
    }

    // MARK: - Another number of frames

    @Test func aShorterStreamIsTakenWithinTheTolerance() throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(4))
        for wanted in [true, false] {
            let walk = walk(compressed, rules(), count: 7, wanted: { _ in wanted })
            #expect(walk.problem == nil)
            #expect(walk.frames.map(\.facts.isDropped) == [false, false, false, false, true, true, true])
            #expect(walk.frames[5].drop == Drop(stage: "read", reason: "the depth stream has 4 frames"))
            let beyond = self.walk(compressed, rules(), count: 8, wanted: { _ in wanted }).problem
            #expect(beyond?.summary == "the streams differ in length by 4 frames")
            #expect(beyond?.notes == ["camera lines and pictures: 8, depth stream: 4", "allowed: at most 3"])
            #expect(beyond?.fix?.contains("read.mismatch=shortest") == true)
            // Keeping whole frames of a damaged stream is another matter.
            #expect(self.walk(compressed, rules(.keepWhole), count: 8, wanted: { _ in wanted }).problem == beyond)
            #expect(
                self.walk(compressed, rules(.fail, .shortest), count: 8).frames.filter(\.facts.isDropped).count == 4)
            #expect(self.walk(compressed, rules(.fail, .fail), count: 5).problem?.notes.last == "allowed: none")
        }
        #expect(walk(compressed, rules(.fail, .shortest), count: 100).frames.filter(\.facts.isDropped).count == 96)
    }

    /// What is missing may be the end, or not.
    @Test func aShorterStreamIsWarnedOf() throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(4))
        let walk = walk(compressed, rules(), count: 6)
        #expect(
            walk.end?.warnings == [
                "scan.depth.zlib has 4 frames for 6: the end was taken to be missing; if it is not, depth and pictures "
                    + "do not belong together"
            ])
        #expect(self.walk(compressed, rules(), count: 4).end?.warnings == [])
        #expect(self.walk(compressed, rules(.fail, .shortest), count: 6).end?.warnings == [], "it was asked for")
    }

    @Test func aLongerStreamIsWarnedOf() throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(6))
        #expect(
            walk(compressed, rules(), count: 4).end?.warnings == [
                "scan.depth.zlib has 6 frames for 4: the end was taken to be missing; if it is not, depth and pictures "
                    + "do not belong together"
            ])
        let allowed = walk(try MultiScanSample.deflate(sample.rawDepth(9)), rules(.fail, .shortest), count: 4).end
        #expect(
            allowed?.forgiven.map(\.oneLine) == [
                "the streams differ in length by 5 frames (scan.depth.zlib)"
            ])
    }

    /// Its frames would be parts of frames, each with the pose of another one.
    @Test(arguments: [24, 48]) func aStreamOfSmallerFrames(_ frames: Int) throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(frames))
        let length =
            "scan.depth.zlib is exactly as long as 12 frames of \(8 * frames) bytes, and one of 8×6 takes 96"
        for mismatch in [ReadRules.Mismatch.auto, .fail] {
            let problem = walk(compressed, rules(.fail, mismatch), count: 12).problem
            #expect(problem?.notes.last == length, "\(String(describing: problem))")
        }
        let problem = walk(compressed, rules(.fail, .shortest), count: 12).problem
        #expect(problem?.summary == "the depth stream is of frames of another size than 8×6")
        #expect(problem?.notes.first == length && problem?.place.file == "scan.depth.zlib")
        #expect(problem?.fix?.hasPrefix("correct the size of the depth stream's pictures, or how") == true)
        // Lengths that are no multiple are another matter.
        let odd = walk(try MultiScanSample.deflate(sample.rawDepth(frames + 1)), rules(.fail, .shortest), count: 12)
        #expect(odd.problem == nil)
    }

    /// Half of them may be there, or all at twice the size.
    @Test func aStreamOfHalfTheLength() throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(12))
        let length = "scan.depth.zlib is exactly as long as 24 frames of 48 bytes, and one of 8×6 takes 96"
        #expect(walk(compressed, rules(), count: 24).problem?.notes.last == length)
        let allowed = walk(compressed, rules(.fail, .shortest), count: 24)
        #expect(allowed.problem == nil && allowed.end?.warnings == [length])
    }

    /// Half a frame is left of a stream that is whole.
    @Test func aPictureSizeThatIsTooLarge() throws {
        let bytes = sample.rawDepth(15)
        let large = walk(try MultiScanSample.deflate(Array(bytes[..<(96 * 15 / 2)])), rules(), count: 15).problem
        #expect(large?.notes.contains { $0.contains("is exactly as long as 15 frames of 48 bytes") } == true)
        #expect(large?.fix?.hasPrefix("correct the size of the depth stream's pictures") == true)
    }

    /// Rows of 16 bytes in 64: as long as four times the frames.
    @Test func aStreamOfPaddedRowsIsWarnedOf() throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(4))
        let walk = walk(compressed, rules(), count: 1)
        #expect(walk.end?.extraFrames == 3)
        #expect(
            walk.end?.warnings.first?.hasPrefix(
                "scan.depth.zlib is as long as 1 frame whose rows take 64 bytes, 16 of them for pixels: ") == true,
            "\(String(describing: walk.end?.warnings))")
    }

    /// Too long to be used at all: then its shortest streams are no way out.
    @Test func aLongStreamOfPaddedRowsSaysSo() throws {
        // As many bytes as 12 frames of four rows of 64.
        let bytes = try MultiScanSample.deflate(sample.rawDepth(32))
        let problem = walk(bytes, rules(), count: 12, size: PixelSize(12, 4)).problem
        #expect(
            problem?.notes.last?.hasPrefix(
                "scan.depth.zlib is as long as 12 frames whose rows take 64 bytes, 24 of them for pixels: ") == true)
        #expect(problem?.fix == "write scan.depth.zlib without padded rows, or copy the capture again")
        // Of a few frames, other lengths fit as well.
        let few = walk(try MultiScanSample.deflate(sample.rawDepth(8)), rules(), count: 2).problem
        #expect(few?.fix?.contains("read.mismatch=shortest") == true)
    }

    @Test func anEmptyStreamOfNoFrames() throws {
        let nothing = try MultiScanSample.deflate([])
        #expect(walk(nothing, rules(), count: 3).frames.allSatisfy { $0.facts.isDropped })
        #expect(
            walk(nothing, rules(), count: 4).problem?.notes.first == "camera lines and pictures: 4, depth stream: 0")
    }

    @Test func aLongerStreamIsTakenWithinTheTolerance() throws {
        let three = walk(try MultiScanSample.deflate(sample.rawDepth(7)), rules())
        #expect(three.end?.extraFrames == 3)
        #expect(three.end?.reason == "only the depth stream has this frame")
        let four = try MultiScanSample.deflate(sample.rawDepth(8))
        for truncated in ReadRules.Truncated.allCases {
            let problem = walk(four, rules(truncated)).problem
            #expect(
                problem?.message() == """
                    error: the streams differ in length by 4 frames
                      --> scan.depth.zlib
                       = camera lines and pictures: 4, depth stream: 8
                       = allowed: at most 3
                       = fix: copy the capture again; if only the end is missing, the frames that all streams have can \
                    be used with  --set read.mismatch=shortest
                    """)
            // A stream that goes on is not read to its end, and the message does not claim that it was.
            let long = walk(try MultiScanSample.deflate(sample.rawDepth(20)), rules(truncated)).problem
            #expect(long?.summary == "the streams differ in length by at least 4 frames")
            #expect(long?.notes.first == "camera lines and pictures: 4, depth stream: 8 or more")
        }
        #expect(walk(four, rules(.fail, .shortest)).end?.extraFrames == 4)
        #expect(
            walk(try MultiScanSample.deflate(sample.rawDepth(5)), rules(.fail, .fail)).problem?.notes.last
                == "allowed: none")
    }

    @Test(arguments: [395, 396, 399, 400, 498, 499, 500])
    func theToleranceIsThatOfTheLongestStream(frames: Int) throws {
        // One pixel of confidence a frame, so that hundreds of frames are a few bytes.
        let packed = PackedStream(
            file: "c", size: PixelSize(1, 1), content: .confidence(0...2), rules: rules(), claims: "")
        for extra in 0...8 {
            let tree = MemoryTree(["c": try MultiScanSample.deflate(Array(repeating: 1, count: frames + extra))])
            let track = try PackedTrack(packed, tree, frameCount: frames, carriesPrevious: false)
            var frame = Frame(FrameFacts(index: 0))
            for _ in 0..<frames { try track.advance(&frame, isWanted: true) }
            let found = try? track.finish().extraFrames
            #expect(found == (extra <= max(3, (frames + extra) / 100) ? extra : nil), "\(extra)")
        }
    }

    @Test func bytesBehindTheEndAreNamed() throws {
        let compressed = try MultiScanSample.deflate(sample.rawDepth(4))
        let problem = walk(compressed + [1, 2, 3, 4, 5], rules()).problem
        #expect(
            problem?.message() == """
                error: 5 bytes stand after the end of the depth stream
                  --> scan.depth.zlib at byte \(compressed.count)
                   = two files may have been joined, or the wrong file copied
                   = fix: copy the file again, or use what stands before them with  --set read.truncated=keep-whole
                """)
        let one = walk(compressed + [1], rules()).problem
        #expect(one?.summary == "1 byte stands after the end of the depth stream")
        let kept = walk(compressed + [1, 2, 3, 4, 5], rules(.keepWhole))
        #expect(kept.frames.allSatisfy { !$0.facts.isDropped })
        #expect(
            kept.end?.warnings == [
                "5 bytes stand after the end of the depth stream (scan.depth.zlib at byte \(compressed.count))"
            ])
        // Also behind a stream that is a little short: two recordings joined show there.
        let short = try MultiScanSample.deflate(sample.rawDepth(2))
        #expect(
            walk(short + short, rules()).problem?.summary
                == "\(short.count) bytes stand after the end of the depth stream")
    }

    @Test func aStreamMadeToExplodeIsNotInflated() throws {
        // 8 MB of zeros in 8 KB.
        let bomb = try MultiScanSample.deflate([UInt8](repeating: 0, count: 8 << 20))
        #expect(bomb.count < 10_000)
        for mismatch in [ReadRules.Mismatch.auto, .fail, .shortest] {
            let tree = MemoryTree(["scan.depth.zlib": bomb], chunk: 100)
            let track = try PackedTrack(stream(rules(.fail, mismatch)), tree, frameCount: 4, carriesPrevious: false)
            var frame = Frame(FrameFacts(index: 0))
            for _ in 0..<4 { try track.advance(&frame, isWanted: true) }
            let problem = #expect(throws: Problem.self) { try track.finish() }
            #expect(
                problem?.summary
                    == (mismatch == .shortest
                        ? "the depth stream goes on and on" : "the streams differ in length by at least 4 frames"))
            #expect(tree.bytesRead < 1000)
        }
    }
}
