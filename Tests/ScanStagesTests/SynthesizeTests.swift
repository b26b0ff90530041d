import ScanFormats
import ScanModel
import ScanPipeline
import ScanStages
import TestSupport
import Testing

@Suite struct SynthesizeTests {
    // MARK: The capture

    @Test func givesACaptureWithEverything() throws {
        let capture = try synthesize("")
        #expect(capture.id == "made-up")
        #expect(capture.format == "synthetic")
        #expect(capture.frames.count == 60)
        #expect(capture.frames.map(\.index) == Array(0..<60))
        #expect(
            capture.channels == [
                .frames, .pose, .intrinsics, .timestamp, .color, .recordedDepth, .recordedConfidence, .box, .motion,
            ])
        #expect(capture.colorSize == PixelSize(640, 480))
        #expect(capture.depthSize == PixelSize(256, 192))
        #expect(capture.frameRate == 30)
        #expect(capture.worldUp == Vector3(0, 1, 0))
        #expect(capture.isMetric && capture.metadata == nil && capture.files.isEmpty)
        #expect(capture.motionFiles.map(\.path) == ["rot", "acce", "mag", "atti", "grav"].map { "made-up.\($0)" })
        for facts in capture.frames {
            #expect(facts.pose?.defect == nil && facts.intrinsics?.defect == nil)
            #expect(facts.intrinsics?.width == 640 && facts.intrinsics?.height == 480)
        }
    }

    @Test func neighbouringFramesMoveLessThanFiveCentimetres() throws {
        for options in ["", "{rate: 10, seed: 3}"] {
            let poses = try synthesize(options).frames.compactMap(\.pose)
            #expect(poses.count == 60)
            #expect(poses.allSatisfy { $0.rotation.orthonormalityError < 1e-12 })
            let steps = zip(poses, poses.dropFirst()).map { ($1.position - $0.position).length }
            #expect((steps.max() ?? 1) < 0.05)
            #expect((steps.min() ?? 0) > 0.001, "and it does move")
        }
    }

    @Test func theClockRunsAtTheRateWithGapsWhereAsked() throws {
        let steps = { (capture: Capture) in
            zip(capture.frames, capture.frames.dropFirst()).map { ($1.timestamp ?? 0) - ($0.timestamp ?? 0) }
        }
        #expect(try Set(steps(synthesize("{rate: 50}"))) == [20_000_000])
        let withGaps = try steps(synthesize("{rate: 50, gap-every: 4, frames: 12}"))
        let (one, two): (Int64, Int64) = (20_000_000, 40_000_000)
        #expect(withGaps == [one, one, one, two, one, one, one, two, one, one, one])
        #expect(try steps(synthesize("{rate: 60, frames: 4}")).map { $0 / 1_000_000 } == [16, 16, 16])
    }

    @Test func theExampleOfTheCardRuns() throws {
        let library = StageLibrary([.init(Synthesize.self)])
        let pipeline = try Pipeline.load(
            text: "stages:\n  \(Synthesize.card.example)\n", path: "example.yaml", library: library)
        let folder = try TemporaryFolder()
        let receipt = try run(pipeline, in: folder)
        #expect(receipt.capture.frames.count == 24)
        #expect(receipt.inputs.isEmpty)
    }

    // MARK: Depth, confidence, pictures

    /// Half floats have 11 significant bits: rounded to the nearest, z is off by at most z · 2⁻¹¹, which along a ray of
    /// slope s moves the point by z · 2⁻¹¹ · s. To that, 2 µm for the single precision of the points.
    @Test(arguments: ["float16", "uint16"])
    func unprojectedDepthLiesOnTheSurfaces(encoding: String) throws {
        let capture = try synthesize("{depth: \(encoding), rate: 5}")
        let room = SyntheticRoom()
        for index in [0, 17, 42] {
            let frame = try load(index, of: capture, [.recordedDepth])
            let depth = try decoded(frame.recordedDepth)
            let camera = try #require(frame.facts.intrinsics)
            let pose = try #require(frame.facts.pose)
            let points = Unprojection(camera: camera, pose: pose, width: 256, height: 192, centre: .half)
                .points(of: depth)
            #expect(points.count == 256 * 192, "there are no holes")
            var farthest = 0.0
            var offSurface: [Int] = []
            for (i, z) in depth.metres.enumerated() {
                let point = position(i, in: points)
                let rounding = encoding == "float16" ? Double(z) * 0x1p-11 : 0.0005
                let slope = (point - pose.position).length / Double(z)
                let distance = room.distanceToSurface(point)
                if distance > rounding * slope + 2e-6 { offSurface.append(i) }
                farthest = max(farthest, distance)
            }
            #expect(offSurface.isEmpty, "pixels of frame \(index); the farthest is off by \(farthest) m")
            #expect(farthest > 1e-4, "depth really is rounded")
            // With whole pixel coordinates, half a pixel off, points do not lie on the surfaces.
            let shifted = Unprojection(camera: camera, pose: pose, width: 256, height: 192, centre: .integer)
                .points(of: depth)
            #expect((0..<shifted.count).contains { room.distanceToSurface(position($0, in: shifted)) > 0.003 })
        }
    }

    /// The stages that a person would use, from the made-up recording to the object's cloud. A voxel's point is the mean
    /// of its points, so at an edge of the object it lies inside, by less than a voxel.
    @Test func aPipelineFindsTheObject() throws {
        let pipeline = try pipeline(
            "synthesize: {frames: 28, rate: 2, floor-clamp: true}", "filter-blur: {window: 7}", "decompress",
            "mask-confidence: {at-least: 2}", "unproject: {pixel-centre: half}", "cull-by-box: {margin: 0.02}",
            "voxel-downsample: {size: 0.005}")
        let receipt = try run(pipeline, in: try TemporaryFolder(), workers: 2)
        let kept = receipt.capture.keptFrames.map(\.index)
        #expect(kept.count == 4 && kept.allSatisfy { $0 % 7 != 6 }, "no blurred frame is the sharpest of its seven")
        let cloud = try #require(receipt.capture.cloud)
        let object = SyntheticRoom().object
        #expect(cloud.count > 3000)
        let distances = (0..<cloud.count).map { SyntheticRoom().distanceToSurface(position($0, in: cloud)) }
        #expect((distances.max() ?? 1) < 0.005)
        #expect(distances.count { $0 < 0.001 } > cloud.count * 9 / 10)
        let box = object.grown(by: 0.002, bottom: 0)
        #expect((0..<cloud.count).allSatisfy { box.contains(position($0, in: cloud)) })
    }

    @Test func theBoxHoldsTheObjectsPointsAlone() throws {
        let room = SyntheticRoom()
        for options in ["{frames: 3}", "{frames: 3, floor-clamp: true}"] {
            let capture = try synthesize(options)
            let box = try #require(capture.box)
            let frame = try load(1, of: capture, [.recordedDepth])
            let points = Unprojection(
                camera: try #require(frame.facts.intrinsics), pose: try #require(frame.facts.pose), width: 256,
                height: 192, centre: .half
            ).points(of: try decoded(frame.recordedDepth))
            let inside = box.filter(points)
            #expect(inside.count > 1000)
            let view = SyntheticTruth(SyntheticSettings()).depthView(of: 1)
            let selected = box.selection(points, keepInside: true)
            #expect(selected.allSatisfy { view.surface[Int($0)] >= 36 }, "surfaces of the object")
            #expect(box.center.x == room.object.center.x && box.worldFromBox == room.object.worldFromBox)
        }
    }

    @Test func blurredPicturesScoreLower() throws {
        let capture = try synthesize("{frames: 12, blur-every: 4}")
        let scores = try (0..<12).map { index in
            guard case .pixels(let image)? = try load(index, of: capture, [.color]).picture else { return -1.0 }
            return laplacianVariance(image)
        }
        let blurred = scores.indices.filter { $0 % 4 == 3 }.map { scores[$0] }
        let sharp = scores.indices.filter { $0 % 4 != 3 }.map { scores[$0] }
        #expect((sharp.min() ?? 0) > 300, "there is detail: \(sharp)")
        #expect((blurred.max() ?? 0) < (sharp.min() ?? 0) / 10, "\(blurred) against \(sharp)")
        #expect((sharp.max() ?? 0) < 2 * (sharp.min() ?? 0), "sharp pictures are much alike")
    }

    @Test func depthOfTheFrameBeforeComesFromTheFrameBefore() throws {
        let capture = try synthesize("{frames: 3}")
        let first = try load(0, of: capture, [.previousDepth])
        #expect(first.recordedDepthBefore == nil && first.recordedDepth == nil)
        let last = try load(2, of: capture, [.previousDepth])
        #expect(try last.recordedDepthBefore == load(1, of: capture, [.recordedDepth]).recordedDepth)
    }

    @Test func onlyWhatIsAskedForIsRendered() throws {
        let capture = try synthesize("{frames: 2}")
        let frame = try load(0, of: capture, [.recordedConfidence])
        #expect(frame.recordedConfidence != nil && frame.recordedDepth == nil && frame.picture == nil)
        #expect(frame.recordedConfidence?.range == 0...2)
        let other = try load(0, of: synthesize("{confidence: 0-255}"), [.recordedConfidence])
        #expect(other.recordedConfidence?.range == 0...255)
    }

    @Test func sizesAreAsAsked() throws {
        let capture = try synthesize("{picture-width: 96, picture-height: 72, depth-width: 31, depth-height: 17}")
        let frame = try load(0, of: capture, [.recordedDepth, .recordedConfidence, .color])
        guard case .pixels(let image)? = frame.picture else {
            Issue.record("no picture")
            return
        }
        #expect(image.width == 96 && image.height == 72)
        #expect(frame.recordedDepth?.width == 31 && frame.recordedDepth?.bytes.count == 31 * 17 * 2)
        #expect(frame.recordedConfidence?.values.count == 31 * 17)
    }

    // MARK: Files

    /// Python reads the motion files by the layout's description alone.
    @Test func motionFilesAreInTheLayoutOfIOS() throws {
        let capture = try synthesize("{frames: 30}")
        let folder = try TemporaryFolder()
        for file in capture.motionFiles {
            let path = try folder.write(try capture.source.bytes(of: file.path, limit: 1 << 20), to: file.path)
            let python = try runPython(
                """
                import struct, sys
                data = open(sys.argv[1], 'rb').read()
                head, body = data.split(b'end_header\\n', 1)
                lines = head.decode('ascii').split('\\n')
                kind, count = next(l.split()[1:] for l in lines if l.startswith('element'))
                assert lines[:2] == ['ply', 'format binary_little_endian 1.0'] and len(body) == 32 * int(count)
                print(kind, count)
                for i in (0, int(count) - 1): print(*struct.unpack_from('<qddd', body, 32 * i))
                """, [path])
            let samples = SyntheticTruth(settings(frames: 30)).motion.samples(file.kind)
            let lines = python.output.split(separator: "\n").map(String.init)
            try #require(lines.count == 3, "\(python.errors)")
            #expect(lines[0] == "\(file.kind.rawValue) \(samples.count)")
            for (line, sample) in zip(lines[1...], [samples.first, samples.last]) {
                let numbers = line.split(separator: " ").compactMap { Double($0) }
                let sample = try #require(sample)
                #expect(numbers == [Double(sample.timestamp)] + sample.value.components)
            }
            let bytes = try capture.source.open(file.path).readAll(limit: 1 << 20)
            #expect(try bytes == capture.source.bytes(of: file.path, limit: 1 << 20) && bytes.count > 32 * 60)
            #expect(capture.source.location(of: file.path) == nil)
        }
    }

    @Test func thereAreNoOtherFiles() throws {
        let source = try synthesize("{frames: 2}").source
        #expect(throws: Problem.self) { try source.bytes(of: "made-up.mp4", limit: 100) }
        #expect(throws: Problem.self) { try source.open("made-up.jsonl") }
        #expect(throws: Problem.self) { try source.bytes(of: "made-up.grav", limit: 100) }
    }

    // MARK: Options

    @Test func whatIsLeftOutIsNotThere() throws {
        let capture = try synthesize("{pictures: false, depth: none, confidence: none, box: false, motion: false}")
        #expect(capture.channels == [.frames, .pose, .intrinsics, .timestamp])
        #expect(capture.box == nil && capture.motionFiles.isEmpty && capture.depthSize == nil)
        #expect(capture.absences[.recordedDepth]?.reason == "`synthesize` was told `depth: none`")
        let frame = try load(0, of: capture, [.color, .recordedDepth, .recordedConfidence, .previousDepth])
        #expect(frame.picture == nil && frame.recordedDepth == nil && frame.recordedConfidence == nil)
        // A stage that needs what was left out is refused before anything runs.
        let mistakes = #expect(throws: PipelineMistakes.self) {
            try pipeline("synthesize: {depth: none}", "digest-frames")
        }
        #expect(mistakes?.problems.first?.summary.contains("needs \(Channel.recordedDepth)") == true)
        #expect(mistakes?.problems.first?.fix == "take `depth: none` out of `synthesize`")
        #expect(
            PipelineRun.mistakes("- synthesize: {pictures: false}\n- write-preview") == [
                "`write-preview` needs color, which no stage before it makes; take `pictures: false` out of `synthesize`"
            ])
    }

    @Test func thePageNamesTheRoomAsItIs() {
        let walls = SyntheticRoom().walls.corners
        #expect(Synthesize.card.details.contains("y from −1.4 (the floor)") && walls[0].y == -1.4)
        #expect(Synthesize.card.details.contains("y = −0.68") && SyntheticRoom.tableHeight == -0.68)
    }

    // MARK: The same bytes

    @Test func theSeedDecidesTheBytes() throws {
        let digests = try ["seed: 1", "seed: 1", "seed: 2"].map { seed in
            try digestLines("{frames: 2, \(seed)}", workers: 1).split(separator: "\n").map(String.init)
        }
        #expect(digests[0].count == 2)
        #expect(digests[0] == digests[1])
        for (a, b) in zip(digests[0], digests[2]) {
            let (one, other) = (a.split(separator: " "), b.split(separator: " "))
            #expect(one.count == 5 && zip(one, other).dropFirst().allSatisfy { $0 != $1 })
        }
    }

    @Test func workersDoNotShowInTheBytes() throws {
        let options = "{frames: 24, picture-width: 160, picture-height: 120}"
        let one = try digestLines(options, workers: 1)
        #expect(one.split(separator: "\n").count == 24)
        #expect(try digestLines(options, workers: 4) == one)
    }

    /// Taken on x86-64 Linux. A machine that differs from it in one bit of one pixel is found here; so is a change of the
    /// generator, which then needs a new `revision` on its card and new samples.
    @Test func theBytesAreTheSameOnEveryMachine() throws {
        let capture = try synthesize("{frames: 900, rate: 60}")
        let frame = try load(895, of: capture, [.recordedDepth, .recordedConfidence, .color])
        guard case .pixels(let image)? = frame.picture else {
            Issue.record("no picture")
            return
        }
        #expect(Digest.of(frame.recordedDepth?.bytes ?? []).hex.prefix(16) == "8d4271b1e13fef09")
        #expect(Digest.of(frame.recordedConfidence?.values ?? []).hex.prefix(16) == "5969d61aac60d461")
        #expect(Digest.of(image.pixels).hex.prefix(16) == "13353bee5f8f73e6")
        let motion = try capture.motionFiles.flatMap { try capture.source.bytes(of: $0.path, limit: 1 << 20) }
        #expect(Digest.of(motion).hex.prefix(16) == "cd61b5cdf8f354d1")
    }

    // MARK: Helpers

    private func settings(frames: Int) -> SyntheticSettings {
        var settings = SyntheticSettings()
        settings.frameCount = frames
        return settings
    }

    /// The capture that `synthesize` gives with these options.
    private func synthesize(_ options: String) throws -> Capture {
        let folder = try TemporaryFolder()
        return try run(try pipeline("synthesize\(options.isEmpty ? "" : ": " + options)"), in: folder).capture
    }

    private func pipeline(_ stages: String...) throws -> Pipeline {
        try Pipeline.load(
            text: "stages:\n" + stages.map { "  - \($0)\n" }.joined(), path: "test.yaml",
            library: StageLibrary(StageLibrary.builtIn.entries + [.init(DigestFrames.self)]))
    }

    private func run(_ pipeline: Pipeline, in folder: TemporaryFolder, workers: Int = 1) throws -> Receipt {
        let output = try OutputFolder(root: folder.path, id: "made-up")
        let runner = Runner(pipeline: pipeline, workers: workers, tool: "test")
        let receipt = try runner.run(CaptureInput(id: "made-up", path: "nowhere"), into: output)
        try output.publish(receipt: receipt.bytes)
        return receipt
    }

    private func load(_ index: Int, of capture: Capture, _ channels: Set<Channel>) throws -> Frame {
        var frame = Frame(capture.frames[index])
        try capture.source.prepare(&frame, for: channels)
        return frame
    }

    private func digestLines(_ options: String, workers: Int) throws -> String {
        let folder = try TemporaryFolder()
        _ = try run(try pipeline("synthesize: \(options)", "digest-frames"), in: folder, workers: workers)
        return String(decoding: try folder.bytes("made-up/digests.txt"), as: UTF8.self)
    }

    private func decoded(_ recorded: RecordedDepth?) throws -> DepthMap {
        let recorded = try #require(recorded)
        let words = (0..<recorded.width * recorded.height).map {
            UInt16(recorded.bytes[2 * $0]) | UInt16(recorded.bytes[2 * $0 + 1]) << 8
        }
        let metres =
            recorded.encoding == .float16Metres
            ? words.map { Float(Float16(bitPattern: $0)) } : words.map { Float(Double($0) / 1000) }
        return DepthMap(width: recorded.width, height: recorded.height, metres: metres)
    }

    private func position(_ i: Int, in cloud: PointCloud) -> Vector3 {
        let at = cloud.positions[(3 * i)..<(3 * i + 3)].map { Double($0) }
        return Vector3(at[0], at[1], at[2])
    }

    /// Of the picture's green, without its border.
    private func laplacianVariance(_ image: RGBImage) -> Double {
        let value = { (u: Int, v: Int) in Double(image.pixels[(v * image.width + u) * 3 + 1]) }
        var (sum, squares, count) = (0.0, 0.0, 0.0)
        for v in 1..<image.height - 1 {
            for u in 1..<image.width - 1 {
                let edge = value(u - 1, v) + value(u + 1, v) + value(u, v - 1) + value(u, v + 1) - 4 * value(u, v)
                (sum, squares, count) = (sum + edge, squares + edge * edge, count + 1)
            }
        }
        return squares / count - (sum / count) * (sum / count)
    }
}

/// Writes a line a frame: its number, and the digests of its depth, confidence, picture and the depth before.
private struct DigestFrames: FoldStage {
    static let card = StageCard(
        name: "digest-frames", summary: "Digest frames.", details: "", example: "- digest-frames")

    init(_ options: inout OptionReader) {}

    var uses: Uses {
        Uses(
            fold: .init(needs: [.recordedDepth, .recordedConfidence, .color], wants: [.previousDepth]),
            claims: ["digests.txt"])
    }

    func begin(_ context: StageContext) throws(Problem) -> OutputFile { try context.output.create("digests.txt") }

    func fold(_ frame: inout Frame, into file: inout OutputFile, in context: StageContext) throws(Problem) {
        guard case .pixels(let image)? = frame.picture else { throw Problem(.input, "no picture") }
        let parts = [
            frame.recordedDepth?.bytes ?? [], frame.recordedConfidence?.values ?? [], image.pixels,
            frame.recordedDepthBefore?.bytes ?? Array("\(frame.facts.pose?.position.x ?? 0)".utf8),
        ]
        try file.write("\(frame.facts.index) " + parts.map { Digest.of($0).hex }.joined(separator: " ") + "\n")
    }

    func end(_ file: consuming OutputFile, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        try file.close()
    }
}
