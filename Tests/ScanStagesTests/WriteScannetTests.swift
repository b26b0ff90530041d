import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct WriteScannetTests {
    // MARK: - As ScanNet's exporter writes it

    @Test func extractedFramesAreReadBack() throws {
        let trip = try ScanNetRoundTrip("write-scannet", reading: "scannet")
        #expect(trip.back.capture.format == "scannet" && trip.back.frames.count == 6)
        #expect(trip.centreError < 1e-15 && trip.rotationError < 1e-15)
        #expect(trip.cameraError < 1e-12, "\(trip.cameraError)")
        #expect(trip.depthError { ($0 * 1000).rounded(.toNearestOrEven) / 1000 } < 1e-6)
        #expect(trip.depthError() < 0.00051)
        #expect(trip.back.capture.depthCamera == nil)
    }

    @Test func theFilesAreThoseOfTheExporter() throws {
        let source = try MiniSource()
        let run = try PipelineRun(
            "- read\n- select-frames: {exclude: [0, 3]}\n- decompress\n- write-scannet", on: source.path)
        let parts = [("color", "png"), ("depth", "png"), ("pose", "txt")]
        let frames = parts.flatMap { part, kind in [1, 2, 4, 5, 6].map { "scannet/\(part)/\($0).\(kind)" } }
        let matrices = ["intrinsic_color", "extrinsic_color", "intrinsic_depth", "extrinsic_depth"]
            .map { "scannet/intrinsic/\($0).txt" }
        #expect(run.files == (frames + matrices).sorted())
        #expect(run.counts("write-scannet")["source-frames"] == nil)
        #expect(try run.bytes("scannet/color/4.png") == source.bytes(MiniCapture.pictureName(4)))
        let script = """
            import json, sys
            depth = read_png(sys.argv[1] + '/depth/4.png')
            read = lambda name: [[float(x) for x in l.split()] for l in open(sys.argv[1] + '/' + name).readlines()]
            print(json.dumps({'depth': depth, 'pose': read('pose/4.txt'), 'k': read('intrinsic/intrinsic_depth.txt')}))
            """
        let read = try PythonReaders.run(script, [run.path + "/scannet"])
        let truth = try StageRun("- read\n- decompress", reading: source.path)
        let frame = truth.frames[4]
        let millimetres = (read["depth"]?["rows"]?.array ?? []).flatMap { $0.array ?? [] }.compactMap(\.integer)
        #expect(millimetres == frame.depth?.metres.map { Int64(($0 * 1000).rounded(.toNearestOrEven)) })
        let pose = try #require(frame.pose)
        let rows = (read["pose"]?.array ?? []).map { ($0.array ?? []).compactMap(\.double) }
        for (row, ours) in pose.rowMajorRows.enumerated() {
            #expect(rows[row] == [ours[0], -ours[1], -ours[2], ours[3]])
        }
        #expect(read["k"]?.array?.count == 4)
    }

    /// Gaps tell which frames were left out, and are no damage.
    @Test func numbersWithGapsAreReadBack() throws {
        let source = try MiniSource()
        let run = try PipelineRun(
            "- read\n- select-frames: {exclude: [0, 3]}\n- decompress\n- write-scannet", on: source.path)
        let back = try StageRun("- read", reading: run.path + "/scannet", probing: [])
        #expect(back.kept.count == 5 && back.frames[2].pictureFile == "color/4.png")
        #expect(!back.warnings.contains { $0.contains("missing") }, "\(back.warnings)")
    }

    @Test func numbersCountTheFramesThatAreWritten() throws {
        let source = try MiniSource()
        func written(_ options: String) throws -> PipelineRun {
            try PipelineRun(
                "- read\n- select-frames: {exclude: [0, 3]}\n- decompress\n- write-scannet: {\(options)}",
                on: source.path)
        }
        // Readers of 7-Scenes count up to the number of pictures.
        for (options, picture) in [
            ("number: kept", "scannet/color/2.png"), ("layout: 7-scenes", "7-scenes/seq-01/frame-000002.color.png"),
        ] {
            let run = try written(options)
            #expect(run.counts("write-scannet")["source-frames"] == .of([1, 2, 4, 5, 6]))
            #expect(try run.bytes(picture) == source.bytes(MiniCapture.pictureName(4)))
        }
        let numbered = try written("layout: 7-scenes, number: source")
        #expect(numbered.files.contains("7-scenes/seq-01/frame-000006.pose.txt"))
        #expect(numbered.counts("write-scannet")["source-frames"] == nil)
    }

    @Test func aDepthSensorKeepsItsCamera() throws {
        let memory = try MemoryCapture.twoCameras(2)
        let run = try StageRun("- write-scannet", on: memory)
        let back = try StageRun("- read", reading: run.path + "/scannet", probing: []).capture
        let (found, wanted) = (try #require(back.depthCamera), try #require(memory.depthCamera))
        #expect(found.intrinsics == wanted.intrinsics)
        let pairs = zip(found.colorFromDepth.columnMajor, wanted.colorFromDepth.columnMajor)
        #expect(pairs.allSatisfy { abs($0 - $1) < 1e-15 })
    }

    // MARK: - 7-Scenes

    @Test func sevenScenesAreReadBack() throws {
        let trip = try ScanNetRoundTrip("write-scannet: {layout: 7-scenes, color: png}", reading: "7-scenes/seq-01")
        #expect(trip.back.capture.format == "7-scenes" && trip.back.frames.count == 6)
        #expect(trip.centreError < 1e-15 && trip.rotationError < 1e-15)
        #expect(trip.cameraError < 1e-12)
        #expect(trip.depthError { ($0 * 1000).rounded(.toNearestOrEven) / 1000 } < 1e-6)
        #expect(trip.back.frames[3].pictureFile == "frame-000003.color.png")
        // Enlarged to the pictures' size.
        #expect(trip.back.capture.depthSize == PixelSize(64, 48))
    }

    /// As the format's readers do: the pixels of a depth picture through the one camera of the file.
    @Test func theOneCameraFitsDepthToo() throws {
        // A wall at 2 m before a camera of 8 × 6 pixels, f = 4, whose depth has 4 × 3: its picture spans x from
        // (0 − 3.5) / 4 · 2 to (7 − 3.5) / 4 · 2, between the centres of the outermost pixels.
        let run = try StageRun("- write-scannet: {layout: 7-scenes}", on: try MemoryCapture.posed(1))
        let script = """
            import json, sys
            rows = read_png(sys.argv[1] + '/frame-000000.depth.png')['rows']
            k = [[float(x) for x in l.split()] for l in open(sys.argv[1] + '/camera-intrinsics.txt') if l.strip()]
            points = [((u - k[0][2]) / k[0][0] * z / 1000, (v - k[1][2]) / k[1][1] * z / 1000)
                      for v, row in enumerate(rows) for u, z in enumerate(row)]
            print(json.dumps({'low': [min(p[i] for p in points) for i in (0, 1)],
                              'high': [max(p[i] for p in points) for i in (0, 1)]}))
            """
        let found = try PythonReaders.run(script, [run.path + "/7-scenes/seq-01"])
        #expect(found["low"]?.doubles == [-1.75, -1.25] && found["high"]?.doubles == [1.75, 1.25])
    }

    @Test func noDepthIsSixtyFiveThousand() throws {
        var memory = try MemoryCapture.posed(1)
        memory.items[0].depth = DepthMap(width: 4, height: 1, metres: [0, 1, 66, 0.0004])
        let run = try StageRun("- write-scannet: {layout: 7-scenes}", on: memory)
        let read = try PythonReaders.run(
            "import json, sys\nprint(json.dumps(read_png(sys.argv[1])))",
            [run.path + "/7-scenes/seq-01/frame-000000.depth.png"])
        // Each of the four pixels twice, to the picture's eight.
        #expect(
            read["rows"]?.array?.first == .of([65535, 65535, 1000, 1000, 65535, 65535, 65535, 65535]))
        #expect(run.count("write-scannet", "depth-pixels-too-far") == 1)
    }

    @Test func depthIsCarriedOverToTheOneCamera() throws {
        let memory = try MemoryCapture.twoCameras(1)
        let run = try StageRun("- write-scannet: {layout: 7-scenes}", on: memory)
        let back = try StageRun("- read\n- decompress", reading: run.path + "/7-scenes/seq-01")
        let expected = DepthRegistration.align(
            try #require(memory.items[0].depth), of: try #require(memory.depthCamera), with: MemoryCapture.camera)
        let found = try #require(back.frames[0].depth)
        #expect((found.width, found.height) == (8, 6))
        for (i, metres) in found.metres.enumerated() {
            #expect(abs(metres - expected.metres[i / 8 / 2 * 4 + i % 8 / 2]) <= 0.00051)
        }
        #expect(back.capture.depthCamera == nil)
    }

    // MARK: - As the recorder leaves it

    /// Half a step of the sensor at this depth, and the cut to whole millimetres.
    private static func step(_ metres: Float) -> Float { metres * metres / 600 + 0.0011 }

    @Test func rawFilesAreReadBack() throws {
        let trip = try ScanNetRoundTrip("write-scannet: {layout: raw}", reading: "scannet-raw")
        let capture = trip.back.capture
        #expect(capture.format == "scannet-raw" && trip.back.frames.count == 6)
        #expect(capture.channels.isSuperset(of: [.color, .timestamp, .recordedDepth, .motion, .intrinsics]))
        #expect(!capture.channels.contains(.pose))
        #expect(trip.cameraError < 1e-12)
        #expect(trip.back.frames.map(\.timestamp) == trip.truth.frames.map(\.timestamp))
        for (one, other) in zip(trip.truth.frames, trip.back.frames) {
            let (map, read) = (try #require(one.depth), try #require(other.depth))
            #expect(map.size == read.size)
            for (metres, found) in zip(map.metres, read.metres) {
                #expect(abs(metres - found) <= Self.step(metres))
            }
        }
    }

    @Test func rawMotionSamplesComeBack() throws {
        let trip = try ScanNetRoundTrip("write-scannet: {layout: raw}", reading: "scannet-raw")
        let (before, after) = (trip.truth.capture, trip.back.capture)
        for kind in MotionKind.allCases {
            let paths = [before, after].map { capture in capture.motionFiles.first { $0.kind == kind }?.path ?? "" }
            let one = try MotionStream.samples(try before.source.open(paths[0]), kind: kind).samples
            let other = try MotionStream.samples(try after.source.open(paths[1]), kind: kind).samples
            #expect(one.map(\.value) == other.map(\.value) && !one.isEmpty)
            #expect(zip(one, other).allSatisfy { abs($0.timestamp - $1.timestamp) <= 1 })
        }
    }

    @Test func rawPicturesComeBackInOrder() throws {
        let trip = try ScanNetRoundTrip(
            "write-scannet: {layout: raw}", reading: "scannet-raw", probing: [.depth, .color])
        let source = try StageRun(
            "- synthesize: {frames: 6, \(ScanNetRoundTrip.small)}", reading: "nowhere/room", probing: [.color])
        for (one, other) in zip(source.frames, trip.back.frames) {
            guard case .pixels(let before)? = one.picture, case .planes(let planes)? = other.picture else {
                Issue.record("a frame has no picture")
                return
            }
            let after = RGBImage(planes)
            // A video of 4:2:0 loses fine colours, and is still the same picture.
            let differences = zip(before.pixels, after.pixels).map { abs(Int($0) - Int($1)) }
            #expect(differences.reduce(0, +) / differences.count < 16)
        }
    }

    /// As ScanNet's own converter decodes it. It wants a file of motion samples, too, even an empty one.
    @Test func whoDecodesRawPicturesAtAConstantRateGetsEachOnce() throws {
        let run = try StageRun(
            """
            - synthesize: {frames: 60, picture-width: 32, picture-height: 24}
            - decompress
            - write-scannet: {layout: raw}
            """, reading: "nowhere/a")
        try expectEachFrameOnce("scannet-raw/a.h264", of: run, count: 60, bytes: 32 * 24)
        let still = try StageRun("- write-scannet: {layout: raw}", on: try MemoryCapture.posed(1))
        #expect(try still.bytes("scannet-raw/memory.imu") == [])
        #expect(try StageRun("- read", reading: still.path + "/scannet-raw", probing: []).frames.count == 1)
    }

    @Test func whatIsOutOfTheSensorsReachIsCounted() throws {
        var memory = try MemoryCapture.posed(1)
        memory.items[0].depth = DepthMap(width: 4, height: 1, metres: [0, 0.1, 1, 20])
        let run = try StageRun("- write-scannet: {layout: raw}", on: memory)
        #expect(run.count("write-scannet", "depth-pixels-out-of-range") == 2)
        let back = try StageRun("- read\n- decompress", reading: run.path + "/scannet-raw")
        let metres = try #require(back.frames[0].depth?.metres)
        #expect(metres[0] == 0 && metres[1] == 0 && abs(metres[2] - 1) < 0.004 && metres[3] == 0)
    }

    @Test func aRawDepthSensorKeepsItsCamera() throws {
        let memory = try MemoryCapture.twoCameras(2)
        let run = try StageRun("- write-scannet: {layout: raw}", on: memory)
        let back = try StageRun("- read", reading: run.path + "/scannet-raw", probing: []).capture
        let (found, wanted) = (try #require(back.depthCamera), try #require(memory.depthCamera))
        #expect(found.intrinsics == wanted.intrinsics)
        let pairs = zip(found.colorFromDepth.columnMajor, wanted.colorFromDepth.columnMajor)
        #expect(pairs.allSatisfy { abs($0 - $1) < 1e-14 })
    }

    /// A clock's times and nominal ones do not mix.
    @Test func rawFramesWithoutTimesHaveNominalOnes() throws {
        var memory = try MemoryCapture.posed(3)
        for missing in [[1], [0, 1, 2]] {
            for index in missing { memory.items[index].timestamp = nil }
            let run = try StageRun("- write-scannet: {layout: raw}", on: memory)
            let start = missing.count == 3 ? "the frames have no times" : "1 frame has no time"
            #expect(
                run.warnings.contains("write-scannet: \(start): all were given 30 a second from 0 on"),
                "\(run.warnings)")
            let back = try StageRun("- read", reading: run.path + "/scannet-raw", probing: [])
            #expect(back.frames.map(\.timestamp) == [0, 33_333_333, 66_666_666])
        }
    }

    // MARK: - All layouts

    @Test(arguments: ["extracted", "7-scenes", "raw"])
    func theSameBytesForAnyNumberOfWorkers(_ layout: String) throws {
        let source =
            "- synthesize: {frames: 9, \(ScanNetRoundTrip.small)}\n- decompress\n- write-scannet: {layout: \(layout)}"
        let one = try PipelineRun(source, on: "nowhere/room", workers: 1)
        let many = try PipelineRun(source, on: "nowhere/room", workers: 8)
        #expect(one.digests == many.digests && !one.files.isEmpty)
    }

    @Test func aCaptureWithoutDepthIsWritten() throws {
        let source = try MiniSource { ($0.hasDepth, $0.hasConfidence) = (false, false) }
        let run = try PipelineRun("- read\n- write-scannet: {depth: false}", on: source.path)
        #expect(!run.files.contains { $0.contains("/depth/") })
        let back = try StageRun("- read", reading: run.path + "/scannet", probing: [])
        #expect(back.kept.count == 7 && back.capture.absences[.recordedDepth]?.reason == "there are no depth pictures")
    }
}
