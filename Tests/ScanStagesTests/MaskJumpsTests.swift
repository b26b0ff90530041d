import ScanModel
import TestSupport
import Testing

@Suite struct MaskJumpsTests {
    @Test func theLimitBelongsToWhatIsKept() throws {
        // Differences of exactly 1/16 m, and a fraction of a millimetre more, in both directions.
        let capture = MemoryCapture([
            .init(recorded: [1, 1, 1, 1, 1]),
            .init(recorded: [1.0625, 1.0627, 0.9375, 0.9373, 1]),
        ])
        let run = try StageRun("- decompress\n- mask-jumps: {max: 0.0625}", on: capture)
        #expect(run.frames.map { $0.depth?.metres } == [[1, 1, 1, 1, 1], [1.0625, 0, 0.9375, 0, 1]])
        #expect(run.count("mask-jumps", "frames-without-previous") == 1)
        #expect(run.count("mask-jumps", "pixels-in") == 10)
        #expect(run.count("mask-jumps", "pixels-out") == 8)
    }

    /// Millimetres as single-precision metres are a little more or less than they say.
    @Test(arguments: [0.05, 0.03, 0.01, 0.007]) func exactlyTheLimitInMillimetres(_ limit: Double) throws {
        let before = (0..<200).map { Float(500 + 37 * $0) / 1000 }
        let after = (0..<200).map { (Float(500 + 37 * $0) + Float(limit * 1000).rounded()) / 1000 }
        let run = try StageRun(
            "- decompress\n- mask-jumps: {max: \(limit)}",
            on: MemoryCapture([.init(recorded: before), .init(recorded: after)])
        )
        #expect(run.frames[1].depth?.validCount == 200)
        let over = after.map { $0 + 0.001 }
        let none = try StageRun(
            "- decompress\n- mask-jumps: {max: \(limit)}",
            on: MemoryCapture([.init(recorded: before), .init(recorded: over)])
        )
        #expect(none.frames[1].depth?.validCount == 0)
    }

    /// In keyframes the camera has moved on: what differs is no error.
    @Test func framesThatAreFarApartInTimeAreNotCompared() throws {
        var capture = MemoryCapture([1, 2, 3, 4].map { .init(recorded: [$0, 1]) })
        for (number, milliseconds) in [0, 40, 90, 140].enumerated() {
            capture.items[number].timestamp = Int64(milliseconds) * 1_000_000 + (number == 3 ? 1 : 0)
        }
        let run = try StageRun("- decompress\n- mask-jumps", on: capture)
        // 40 and 50 ms behind the one before; the last a nanosecond more.
        #expect(run.frames.map { $0.depth?.metres } == [[1, 1], [0, 1], [0, 1], [4, 1]])
        #expect(run.count("mask-jumps", "frames-without-previous") == 2)
        let none = try StageRun("- decompress\n- mask-jumps: {within: 0.03}", on: capture)
        #expect(none.count("mask-jumps", "pixels-out") == 8)
        let all = try StageRun("- decompress\n- mask-jumps: {within: 1}", on: capture)
        #expect(all.count("mask-jumps", "frames-without-previous") == 1)
        // Without times, and with a camera that stood still, all are compared, and what is lost is told.
        for number in capture.items.indices { capture.items[number].timestamp = nil }
        let timeless = try StageRun("- decompress\n- mask-jumps", on: capture)
        #expect(timeless.count("mask-jumps", "pixels-out") == 5)
        #expect(
            timeless.warnings == [
                "mask-jumps: only 63 % of 8 depth pixels are left: the others differ from the frame before by more than "
                    + "0.05 m, as happens when the camera moves on between two frames; raise `max`, or leave this "
                    + "stage out"
            ])
    }

    /// ScanNet's export and datasets of keyframes have no times: the poses tell.
    @Test func framesWithoutTimesAreComparedWhereTheCameraHardlyMoved() throws {
        var capture = MemoryCapture((1...6).map { .init(recorded: [Float($0), 1]) })
        func turned(_ degrees: Double, _ x: Double) -> Pose {
            let turn = Quaternion(rotationVector: Vector3(0, degrees * .pi / 180, 0))
            return Pose(rotation: turn.matrix, position: Vector3(x, 0, 0))
        }
        let poses = [turned(0, 0), turned(0, 0.029), turned(0, 0.06), turned(1.9, 0.06), turned(4, 0.06), nil]
        for (number, pose) in poses.enumerated() { capture.items[number].pose = pose }
        // The fourth is dropped in the same pass, and the fifth is compared with it all the same.
        let run = try StageRun("- select-frames: {exclude: [3]}\n- decompress\n- mask-jumps", on: capture)
        #expect(run.frames.map { $0.depth?.metres } == [[1, 1], [0, 1], [3, 1], [5, 1], [0, 1]])
        #expect(run.count("mask-jumps", "frames-without-previous") == 3)
    }

    @Test func aPixelWithoutDepthBeforeCountsAsDifferent() throws {
        let capture = MemoryCapture([.init(recorded: [0, .nan, 0.02]), .init(recorded: [0.03, 0.03, 0.03])])
        let run = try StageRun("- decompress\n- mask-jumps", on: capture)
        #expect(run.frames.last?.depth?.metres == [0, 0, 0.03])
    }

    @Test func theReferenceIsUnmasked() throws {
        // mask-range takes 6 m and 1 m away from the first frame; the second is compared with what was recorded.
        let capture = MemoryCapture([.init(recorded: [6, 1, 3]), .init(recorded: [4.99, 2, 3])])
        let masks = "- decompress\n- mask-range: {near: 2, far: 5}\n- mask-jumps: {max: 1.5}"
        let run = try StageRun(masks, on: capture)
        #expect(run.frames.map { $0.depth?.metres } == [[0, 0, 3], [4.99, 2, 3]])
    }

    @Test func theReferenceIsThePreviousSourceFrameAlsoWhenItWasDropped() throws {
        let capture = MemoryCapture([
            .init(recorded: [1]), .init(recorded: [2]), .init(recorded: [2.01]), .init(recorded: [1]),
        ])
        let run = try StageRun("- select-frames: {exclude: [1]}\n- decompress\n- mask-jumps: {max: 0.05}", on: capture)
        #expect(run.kept == [0, 2, 3])
        #expect(run.frames.map { $0.depth?.metres } == [[1], [2.01], [0]])
    }

    /// A choice among frames opens what stands behind it late; the frame before has to be there all the same, turned as this
    /// one is.
    @Test(arguments: ["stray-scanner", "scannet-raw", "scannetpp"], [0, 1])
    func theSameBelowAChoiceAmongFrames(sample: String, quarterTurns: Int) throws {
        let path = SharedData.checkout.appendingPathComponent("samples/\(sample)").path
        func counts(_ stages: [String]) throws -> JSONObject {
            let list = ["read", "turn: {quarter-turns: \(quarterTurns)}"] + stages + ["write-frames: {color: none}"]
            return try PipelineRun(list.map { "- \($0)" }.joined(separator: "\n"), on: path).counts("mask-jumps")
        }
        let (choice, jumps) = ("filter-blur: {window: 3}", "mask-jumps: {within: 10}")
        let first = try counts([choice, "decompress", jumps])
        #expect(first["frames-without-previous"] == .integer(1))
        #expect(first["pixels-out"] != first["pixels-in"])
        #expect(try counts(["decompress", choice, jumps]) == first)
    }

    @Test(arguments: [1, 3])
    func theSameThroughAPackedStream(workers: Int) throws {
        // From frame to frame every pixel of the sample changes by 1/16 m.
        let folder = try TemporaryFolder()
        var sample = MultiScanSample()
        sample.frameCount = 7
        let path = try folder.write(sample.files(), under: "scan")
        for (limit, isKept) in [(0.0625, true), (0.0624, false)] {
            let stages =
                "- read\n- select-frames: {exclude: [0, 2, 3]}\n- decompress\n- mask-jumps: {max: \(limit), within: 10}"
            let run = try StageRun(stages, reading: path, workers: workers)
            #expect(run.frames.map(\.index) == [1, 4, 5, 6])
            for frame in run.frames {
                let whole = sample.depthMap(frame.index)
                #expect(frame.depth?.metres == (isKept ? whole.metres : Array(repeating: 0, count: 48)))
            }
            #expect(run.count("mask-jumps", "frames-without-previous") == nil)
        }
    }

    @Test func framesWithoutAUsableOneBeforeAreLeftAsTheyAre() throws {
        var capture = MemoryCapture([.init(recorded: [1, 1]), .init(recorded: [5, 5]), .init(recorded: [9, 9])])
        capture.items[1].recordedDepth?.bytes.removeLast()
        let run = try StageRun("- decompress\n- mask-jumps", on: capture)
        #expect(run.frames.map { $0.depth?.metres } == [[1, 1], [9, 9]])
        #expect(run.count("mask-jumps", "frames-without-previous") == 2)
    }

    /// A frame without a depth picture, and what it is once it was written and read again: one of zeros.
    @Test(arguments: [nil, [0, 0]] as [[Float]?])
    func aFrameWithoutDepthIsNothingToCompareWith(_ metres: [Float]?) throws {
        let middle = metres.map { MemoryCapture.Item(recorded: $0) } ?? MemoryCapture.Item()
        var capture = MemoryCapture([.init(recorded: [1, 1]), middle, .init(recorded: [5, 5])])
        capture.depthSize = PixelSize(2, 1)
        let run = try StageRun("- decompress\n- mask-jumps", on: capture)
        #expect(run.frames.map { $0.depth?.metres } == [[1, 1], [0, 0], [5, 5]])
        #expect(run.count("mask-jumps", "frames-without-previous") == 2)
    }

    /// All of what is rejected was made 0, and every pixel would differ from that.
    @Test func aRejectedFrameIsNothingToCompareWith() throws {
        func map(_ metres: Float) -> [Float] { Array(repeating: metres, count: 100) }
        let capture = MemoryCapture([map(1), map(-5), map(9)].map { MemoryCapture.Item(recorded: $0) })
        let run = try StageRun("- decompress\n- mask-jumps", on: capture)
        #expect(run.frames.map { $0.depth?.metres } == [map(1), map(9)])
        #expect(run.count("mask-jumps", "frames-without-previous") == 2)
    }
}
