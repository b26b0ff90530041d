import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct WriteStagingTests {
    private static let all = "- read\n- write-staging: {depth: source}"
    private static let third = "- read\n- select-every: {step: 3}\n- decompress\n- write-staging"

    // MARK: - What is written

    @Test func everyFrameAsRecorded() throws {
        let source = try MiniSource()
        let run = try PipelineRun(Self.all, on: source.path)
        // Named after the folder, whatever the files were called in it.
        #expect(
            run.files
                == (["boundingbox.json"] + (0..<7).map(MiniCapture.pictureName)
                    + ["mini.confidence.zlib", "mini.depth.zlib", "mini.grav", "mini.json", "mini.jsonl", "mini.rot"]
                    + ["processed.txt"]))
        #expect(try run.inflated("mini.depth.zlib") == (0..<7).flatMap(source.mini.depthBytes))
        #expect(try run.inflated("mini.confidence.zlib") == (0..<7).flatMap(source.mini.confidenceBytes))
        for frame in 0..<7 {
            let name = MiniCapture.pictureName(frame)
            #expect(try run.bytes(name) == source.bytes(name))
        }
        for kind in ["rot", "grav"] {
            #expect(try run.bytes("mini.\(kind)") == source.bytes("recorded.\(kind)"))
        }
        #expect(try run.text("boundingbox.json") == MiniCapture.box)
        #expect(run.warnings == [])
        #expect(
            run.notes == ["write-staging: MultiScan's server takes pictures from an mp4 only; `rgb: mp4` writes it"])
    }

    /// They are copied all the same, and whoever reads the result hears of it.
    @Test func damagedMotionFilesAreNamed() throws {
        let source = try MiniSource()
        let rotation = try source.bytes("recorded.rot")
        try Data(rotation + [1, 2, 3]).write(to: URL(filePath: "\(source.path)/recorded.rot"))
        try Data("no samples".utf8).write(to: URL(filePath: "\(source.path)/recorded.grav"))
        let run = try PipelineRun(Self.all, on: source.path)
        #expect(try run.bytes("mini.rot") == rotation + [1, 2, 3])
        #expect(
            run.warnings.contains(
                "write-staging: recorded.rot was copied as it is, and the last record has only 3 of 32 bytes"),
            "\(run.warnings)")
        #expect(
            run.warnings.contains { $0.hasPrefix("write-staging: recorded.grav was copied as it is, and ") },
            "\(run.warnings)")
    }

    /// What could not be read again is not written: a tilted box is left out, a time before 0 fails its capture.
    @Test func whatTheFormatCannotSay() throws {
        var capture = try MemoryCapture.posed(3)
        let tilt = Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0.8, -0.6), Vector3(0, 0.6, 0.8))
        capture.box = OrientedBox(center: .zero, worldFromBox: tilt, halfSize: Vector3(1, 2, 3))
        let run = try StageRun("- write-staging", on: capture)
        let warning =
            "write-staging: the box was left out: the box is tilted, and boundingbox.json holds only boxes turned about y"
        #expect(run.warnings.contains(warning) && !run.files.contains("boundingbox.json"))
        for index in capture.items.indices { capture.items[index].timestamp = Int64(index) - 5 }
        let problem = problem { _ = try StageRun("- write-staging", on: capture) }
        #expect(problem?.summary == "a camera line cannot have the time -5 ns")
    }

    @Test func onlyKeptFramesCountedAnew() throws {
        let source = try MiniSource()
        let run = try PipelineRun(Self.third, on: source.path)
        let kept = [0, 3, 6]
        #expect(try run.inflated("mini.depth.zlib") == kept.flatMap(source.mini.depthBytes))
        #expect(try run.inflated("mini.confidence.zlib") == kept.flatMap(source.mini.confidenceBytes))
        for (number, frame) in kept.enumerated() {
            let picture = try source.bytes(MiniCapture.pictureName(frame))
            #expect(try run.bytes(MiniCapture.pictureName(number)) == picture)
        }
        #expect(!run.files.contains(MiniCapture.pictureName(3)))
        #expect(run.warnings == [])
        #expect(run.notes.contains(Self.takesEveryTenth))
    }

    /// The same words for every capture, so that a run can say them once.
    private static let filtersOnceMore =
        "write-staging: frames are missing in between or depth was masked, and MultiScan itself zeroes depth that "
        + "differs from the frame before: set its `delta_thresh` and `depth_delta` to 0"
    private static let takesEveryTenth = "\(filtersOnceMore), and its `step`, by which it takes every tenth frame, to 1"
    private static let wantsConfidence =
        "write-staging: MultiScan's server decodes no depth without confidence, and the capture has none"

    /// One missing frame is a gap, if it is missing between others.
    @Test(arguments: [("[0, 2]", true), ("[0, 1]", false)])
    func aGapOfOneFrameIsNoted(_ kept: String, _ isGap: Bool) throws {
        let run = try StageRun(
            "- select-frames: {include: \(kept)}\n- write-staging", on: try MemoryCapture.posed(3))
        let notes = (run.receipt["notes"]?.array ?? []).compactMap(\.string)
        #expect(notes.contains(Self.takesEveryTenth) == isGap, "\(notes)")
    }

    @Test func linesStayAsRecordedButForTheSourcesNumber() throws {
        let source = try MiniSource()
        let run = try PipelineRun(Self.third, on: source.path)
        let expected = [0, 3, 6].map { String(source.mini.line($0).dropLast(1)) + ",\"source_frame\":\($0)}\n" }
            .joined()
        #expect(try run.text("mini.jsonl") == expected)
        // Written once more, the number is that of the capture at hand.
        let again = try PipelineRun(
            "- read\n- select-frames: {exclude: [0]}\n- write-staging: {depth: source}", on: run.path)
        let numbers = try again.text("mini.jsonl").split(separator: "\n").map { $0.suffix(17) }
        #expect(numbers == ["\"source_frame\":1}", "\"source_frame\":2}"])
    }

    /// The recorded lines have a camera for each picture, and no longer hold; what else they say does.
    @Test func linesHaveTheOneCameraThatPicturesWereGiven() throws {
        let source = try MiniSource()
        let run = try PipelineRun(
            "- read\n- undistort: {one-camera: true}\n- write-staging: {depth: source}", on: source.path)
        let lines = try run.text("mini.jsonl").split(separator: "\n").map {
            try JSONValue.parse(Array($0.utf8), file: "mini.jsonl")
        }
        let cameras = lines.compactMap { $0["intrinsics"]?.doubles }
        let camera = try #require(cameras.first)
        #expect(cameras == Array(repeating: camera, count: 7))
        #expect(camera[0] >= MiniCapture.focalLength(6) && camera[6] == 15.5 && camera[7] == 11.5, "\(camera)")
        #expect(lines.allSatisfy { $0["lens"]?["name"]?.string == "wide é" })
        #expect(lines.map { $0["source_frame"]?.integer } == [0, 1, 2, 3, 4, 5, 6])
    }

    @Test func metadataSayWhatWasWrittenAndKeepTheRest() throws {
        let source = try MiniSource()
        let before = try JSONValue.parse(try source.bytes("recorded.json"), file: "recorded.json")
        let after = try PipelineRun(Self.third, on: source.path).json("mini.json")
        for key in try #require(before.object).keys where key != "streams" && key != "number_of_files" {
            #expect(after[key] == before[key])
        }
        // Camera lines, metadata, depth, confidence, pictures, two motion files.
        #expect(after["number_of_files"]?.integer == 7)
        let streams = try #require(after["streams"]?.array)
        #expect(
            streams.map { $0["type"]?.string }
                == ["color_camera", "lidar_sensor", "confidence_map", "camera_info", "rot", "grav"])
        #expect(streams.map { $0["number_of_frames"]?.integer } == [3, 3, 3, 3, 2, 2])
        #expect(streams[0]["encoding"]?.string == "png")
        #expect(streams[0]["resolution"] == .of([24, 32]))
    }

    @Test func maskedDepthIsZeroAndConfidenceStays() throws {
        let source = try MiniSource()
        let run = try PipelineRun(
            "- read\n- decompress\n- mask-confidence: {at-least: 2}\n- write-staging", on: source.path)
        let expected = (0..<7).flatMap { frame in
            let confidence = source.mini.confidenceBytes(frame)
            return source.mini.depthBytes(frame).enumerated().map { confidence[$0 / 2] == 2 ? $1 : 0 }
        }
        #expect(try run.inflated("mini.depth.zlib") == expected)
        #expect(try run.inflated("mini.confidence.zlib") == (0..<7).flatMap(source.mini.confidenceBytes))
        #expect(run.counts("write-staging")["frames-masked"]?.integer == 7)
        #expect(run.notes.contains(Self.filtersOnceMore))

        let unmasked = try PipelineRun(
            "- read\n- decompress\n- mask-confidence: {at-least: 2}\n- write-staging: {depth: source}", on: source.path)
        #expect(try unmasked.inflated("mini.depth.zlib") == (0..<7).flatMap(source.mini.depthBytes))
        #expect(!unmasked.notes.contains(Self.filtersOnceMore))
    }

    @Test func millimetresStayMillimetres() throws {
        let source = try MiniSource { $0.isAndroid = true }
        let run = try PipelineRun("- read\n- decompress\n- write-staging", on: source.path)
        #expect(try run.inflated("mini.depth.zlib") == (0..<7).flatMap(source.mini.depthBytes))
        #expect(run.counts("write-staging")["frames-masked"]?.integer == 0)
        let metadata = try run.json("mini.json")
        #expect(metadata["depth_unit"]?.string == "mm")
        #expect(metadata["streams"]?.array?[1]["encoding"]?.string == "uint8_zlib")
    }

    /// A stream has one unit, whatever its first and last frames are like.
    @Test(arguments: ["masked", "source"]) func oneUnitForAllFrames(_ depth: String) throws {
        func item(_ encoding: DepthEncoding?, _ metres: Float) throws -> MemoryCapture.Item {
            var item = MemoryCapture.Item(depth: Array(repeating: metres, count: 12), height: 3)
            item.timestamp = 0
            item.recordedDepth = try encoding.map { encoding in
                RecordedDepth(
                    width: 4, height: 3, encoding: encoding,
                    bytes: try DepthCodec.encode(item.depth ?? DepthMap(width: 4, height: 3, metres: []), as: encoding)
                        .bytes)
            }
            return item
        }
        let (millimetres, halves) = (DepthEncoding.uint16(unitsPerMetre: 1000), DepthEncoding.float16Metres)
        let items =
            [(nil, 0), (millimetres, 1.5), (halves, 2.25), (halves, 9), (millimetres, 3), (nil, 0)]
            as [(DepthEncoding?, Float)]
        let capture = MemoryCapture(try items.map(item))
        let run = try StageRun("- write-staging: {depth: \(depth)}", on: capture)
        let metadata = try JSONValue.parse(try run.bytes("memory.json"), file: "json")
        #expect(metadata["depth_unit"]?.string == "mm")
        // Thirteen bits of millimetres end before 9 m.
        let expected: [UInt16] = [0, 1500, 2250, 0, 3000, 0]
        #expect(run.count("write-staging", "depth-pixels-too-far") == 12)
        let bytes = try PipelineRun.inflated("\(run.path)/memory.depth.zlib")
        #expect(
            bytes == expected.flatMap { value in (0..<12).flatMap { _ in [UInt8(value & 255), UInt8(value >> 8)] } })
    }

    @Test func whatTheCaptureDoesNotHaveIsLeftOut() throws {
        let source = try MiniSource {
            $0.pictures = .none
            ($0.hasDepth, $0.hasConfidence, $0.hasBox, $0.hasMotion) = (false, false, false, false)
        }
        let run = try PipelineRun(Self.all, on: source.path)
        #expect(run.files == ["mini.json", "mini.jsonl", "processed.txt"])
        #expect(
            run.warnings == [
                "there is no folder color/, rgb/ or images/ with pictures, though the metadata lists colour as .png files: copy "
                    + "the folder with the .png files too",
                "write-staging: MultiScan's server wants mini.mp4, and the capture has no pictures",
            ])
        let metadata = try run.json("mini.json")
        #expect(metadata["number_of_files"]?.integer == 2)
        #expect(metadata["depth_confidence_avaliable"]?.bool == false)
        // The colour stream says for which pictures the intrinsics are, and that there are none.
        #expect(metadata["streams"]?.array?.map { $0["type"]?.string } == ["color_camera", "camera_info"])
        #expect(metadata["streams"]?.array?.first?["number_of_frames"]?.integer == 0)
    }

    @Test func processedStepsAreThoseWhoseFilesAreThere() throws {
        let source = try MiniSource()
        let steps = ["recons", "texturing", "segmentation", "render", "thumbnail", "alignpairs", "allValid"]
        let rest = steps.map { "\($0)=false\n" }.joined()
        let decompressed = "- read\n- decompress\n"
        #expect(try PipelineRun(Self.all, on: source.path).text("processed.txt") == "convert=false\n" + rest)
        for frames in ["- write-frames\n- write-staging", "- write-staging\n- write-frames"] {
            #expect(
                try PipelineRun(decompressed + frames, on: source.path).text("processed.txt") == "convert=true\n" + rest
            )
        }
        // Numbers that are not those of the camera lines, or not all of them.
        for option in ["step: 2", "depth: none"] {
            let run = try PipelineRun("\(decompressed)- write-frames: {\(option)}\n- write-staging", on: source.path)
            #expect(try run.text("processed.txt") == "convert=false\n" + rest)
        }
        // As many as there are lines, and of other frames.
        let between = "- select-frames: {exclude: [0]}\n"
        for stages in [
            "- write-frames\n\(between)- write-staging",
            "- write-frames: {step: 2}\n- select-every: {step: 2, offset: 1}\n- write-staging",
            // Numbered alike, too.
            "- select-frames: {exclude: [6]}\n- write-frames: {step: 2, number: kept}\n"
                + "- select-every: {step: 2, offset: 1}\n- write-staging",
        ] {
            let run = try PipelineRun(decompressed + stages, on: source.path)
            #expect(try run.text("processed.txt") == "convert=false\n" + rest)
        }
        let after = try PipelineRun("\(decompressed)\(between)- write-frames\n- write-staging", on: source.path)
        #expect(try after.text("processed.txt") == "convert=true\n" + rest)
    }

    // MARK: - What it is good for

    @Test(arguments: [MiniCapture.Pictures.png, .mp4]) func readsBackAsTheSameCapture(pictures: MiniCapture.Pictures)
        throws
    {
        for isAndroid in [false, true] {
            let source = try MiniSource { ($0.pictures, $0.isAndroid) = (pictures, isAndroid) }
            let read = try ReadCapture(source.path)
            #expect(read.capture.channels.contains(.video) == (pictures == .mp4))
            #expect(read.capture.cameraLineFile == "recorded.jsonl")
            for (stages, kept) in [(Self.all, Array(0..<7)), (Self.third, [0, 3, 6])] {
                let run = try PipelineRun(stages, on: source.path)
                let back = try ReadCapture(run.path)
                try expect(back, equals: read, at: kept)
                // A second time, nothing changes but the source's numbers.
                let again = try PipelineRun(Self.all, on: run.path)
                var (first, second) = (run.digests, again.digests)
                (first["mini.jsonl"], second["mini.jsonl"]) = (nil, nil)
                #expect(first == second)
            }
        }
    }

    private func expect(_ back: ReadCapture, equals source: ReadCapture, at kept: [Int]) throws {
        #expect(back.capture.frames.count == kept.count)
        #expect(back.capture.frames.allSatisfy { !$0.isDropped })
        #expect(back.capture.warnings.isEmpty)
        let facts = kept.map { source.capture.frames[$0] }
        #expect(back.capture.frames.map(\.timestamp) == facts.map(\.timestamp))
        #expect(back.capture.frames.map(\.pose) == facts.map(\.pose))
        #expect(back.capture.frames.map(\.intrinsics) == facts.map(\.intrinsics))
        #expect(back.depth == kept.map { source.depth[$0] })
        #expect(back.confidence == kept.map { source.confidence[$0] })
        #expect(back.capture.colorSize == source.capture.colorSize)
        #expect(back.capture.channels == source.capture.channels)
        #expect(back.capture.box == source.capture.box)
        #expect(back.capture.motionFiles.map(\.kind) == source.capture.motionFiles.map(\.kind))
    }

    @Test func theBytesDoNotDependOnTheNumberOfWorkers() throws {
        for pictures in [MiniCapture.Pictures.png, .mp4] {
            let source = try MiniSource { ($0.pictures, $0.frameCount) = (pictures, 20) }
            for rgb in ["auto", "mp4", "frames"] {
                let stages =
                    "- read\n- select-every: {step: 2}\n- decompress\n- mask-jumps\n- write-staging: {rgb: \(rgb)}"
                let runs = try [1, 1, 4].map { try PipelineRun(stages, on: source.path, workers: $0) }
                #expect(runs[0].digests == runs[1].digests)
                #expect(runs[0].digests == runs[2].digests)
                #expect(runs[0].receipt == runs[2].receipt)
            }
        }
    }

    @Test func aBadFrameOfTheSamePassIsMissingInAllStreams() throws {
        let source = try MiniSource { $0.damagedPictures = [2] }
        let run = try PipelineRun(
            "- read: {bad-frame-limit: 0.5}\n- write-staging: {depth: source, rgb: mp4}", on: source.path)
        let kept = [0, 1, 3, 4, 5, 6]
        #expect(try run.inflated("mini.depth.zlib") == kept.flatMap(source.mini.depthBytes))
        #expect(try ReadCapture(run.path).capture.frames.map(\.timestamp) == kept.map(source.mini.timestamp))
        #expect(try run.json("mini.json")["streams"]?.array?.first?["number_of_frames"]?.integer == 6)
    }

    /// A recorder whose encoder was not ready has left frames 2 and 5 out of the video, and written their cameras.
    @Test func picturesThatAVideoLacksAreMissingInAllStreams() throws {
        let source = try MiniSource { ($0.pictures, $0.frameCount) = (.mp4, 8) }
        let video = "\(source.path)/recorded.mp4"
        let cut = try runCommand([
            "ffmpeg", "-nostdin", "-loglevel", "error", "-i", video, "-vf", "select='not(eq(n,2)+eq(n,5))'",
            "-fps_mode", "passthrough", "-c:v", "libx264", "-qp", "0", "-bf", "0", "\(source.path)/cut.mp4",
        ])
        #expect(cut.status == 0, "\(cut)")
        #expect(rename("\(source.path)/cut.mp4", video) == 0)
        for (stages, kept) in [("", [0, 1, 3, 4, 6, 7]), ("- select-frames: {exclude: [1, 7]}\n", [0, 3, 4, 6])] {
            let run = try PipelineRun("- read\n\(stages)- write-staging: {depth: source}", on: source.path)
            #expect(try run.inflated("mini.depth.zlib") == kept.flatMap(source.mini.depthBytes))
            #expect(try ReadCapture(run.path).capture.frames.map(\.timestamp) == kept.map(source.mini.timestamp))
            let shown = try PipelineRun("- read\n- write-frames: {depth: none}", on: run.path)
            for (number, frame) in kept.enumerated() {
                let image = try JPEG.decodeRGB(try shown.bytes("outputs/color/\(number).jpg"))
                let grey = (Int(MiniCapture.grey(frame)) - 16) * 255 / 219
                #expect(image.pixels.allSatisfy { abs(Int($0) - grey) <= 2 }, "\(frame)")
            }
        }
    }

    /// Moves the cameras and the box of a capture.
    private struct Move: FrameStage, CaptureStage {
        static let card = StageCard(name: "move", summary: "Move.", details: "For tests.", example: "- move")

        init(_ options: inout OptionReader) {}

        var uses: Uses { Uses(frame: .init(changes: [.pose]), finish: .init(changes: [.box])) }

        func process(_ frame: inout Frame, in context: StageContext) { frame.facts.pose?.position.y += 4 }
        func finish(_ capture: inout Capture, in context: StageContext) { capture.box?.center.y += 4 }
    }

    @Test func whatStagesHaveMovedIsWrittenAsItIsNow() throws {
        let source = try MiniSource()
        let run = try PipelineRun(
            "- read\n- move\n- write-staging: {depth: source}", on: source.path, with: [StageLibrary.Entry(Move.self)])
        let (before, after) = (try ReadCapture(source.path).capture, try ReadCapture(run.path).capture)
        for (old, new) in zip(before.frames, after.frames) {
            #expect(new.pose?.position.y == 4.5)
            #expect(new.pose?.rotation == old.pose?.rotation)
            #expect(new.intrinsics == old.intrinsics)
            #expect(new.timestamp == old.timestamp)
        }
        #expect(after.box?.center == Vector3(0.5, 4.25, -2))
        #expect(after.box?.halfSize == before.box?.halfSize)
        #expect(try run.text("mini.jsonl").split(separator: "\n")[2].hasSuffix(",\"source_frame\":2}"))
    }

    // MARK: - A depth sensor with a camera of its own

    @Test(arguments: ["masked", "source"]) func depthIsCarriedOverToThePicturesView(_ depth: String) throws {
        let run = try StageRun("- decompress\n- write-staging: {depth: \(depth)}", on: try MemoryCapture.depthBeside())
        // A column to the left; nothing is seen in the last one.
        let row = [2000, 3000, 4000, 0].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(try PipelineRun.inflated("\(run.path)/memory.depth.zlib") == row + row + row)
        // No stage has masked anything.
        #expect(run.count("write-staging", "frames-masked") == 0)
        let warning =
            "write-staging: depth has a camera of its own, which MultiScan's format cannot hold: it was reprojected "
            + "to the pictures' view, so `depth: source` did not keep its bytes"
        #expect(run.warnings == [Self.wantsConfidence] + (depth == "source" ? [warning] : []))
        let back = try StageRun("- read\n- decompress", reading: run.path)
        #expect(back.capture.depthCamera == nil)
        #expect(back.frames[0].depth?.metres.prefix(4) == [2, 3, 4, 0])
    }

    @Test func whatIsMaskedIsCountedOfDepthThatIsCarriedOver() throws {
        let run = try StageRun(
            "- decompress\n- mask-range: {far: 3.5}\n- write-staging", on: try MemoryCapture.depthBeside())
        let row = [2000, 3000, 0, 0].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(try PipelineRun.inflated("\(run.path)/memory.depth.zlib") == row + row + row)
        #expect(run.count("write-staging", "frames-masked") == 1)
    }

    // MARK: - Worlds that have another up

    private static let turned =
        "write-staging: the world has z up and was turned by (x, y, z) → (x, z, −y), because MultiScan's readers take y "
        + "for up"

    @Test func aWorldWithZUpIsTurnedPosesAndBoxAlike() throws {
        var memory = try MemoryCapture.posed(3)
        memory.worldUp = Vector3(0, 0, 1)
        // Upright along z, its own x axis towards (0.6, 0.8).
        memory.box = OrientedBox(
            center: Vector3(1, 2, 3),
            worldFromBox: Matrix3(columns: Vector3(0.6, 0.8, 0), Vector3(0, 0, 1), Vector3(0.8, -0.6, 0)),
            halfSize: Vector3(0.5, 1, 0.25))
        let run = try StageRun("- write-staging", on: memory)
        let notes = (run.receipt["notes"]?.array ?? []).compactMap(\.string)
        #expect(notes.contains(Self.turned) && run.warnings == [Self.wantsConfidence])
        #expect(
            run.counts("write-staging")["applied-transform"]?.array?.map(\.doubles)
                == [[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0]])
        let back = try StageRun("- read", reading: run.path).capture
        #expect(back.worldUp == Vector3(0, 1, 0) && back.frames.count == 3)
        for (item, frame) in zip(memory.items, back.frames) {
            let (pose, found) = (try #require(item.pose), try #require(frame.pose))
            for point in [Vector3.zero, Vector3(1, 0, 0), Vector3(0, 1, -2)] {
                let world = pose.apply(point)
                #expect((found.apply(point) - Vector3(world.x, world.z, -world.y)).length < 1e-9)
            }
        }
        let box = try JSONValue.parse(try run.bytes("boundingbox.json"), file: "boundingbox.json")
        let center = ["x", "y", "z"].map { box["center"]?[$0]?.double }
        #expect(center == [1, 3, -2])
        // Its x axis is now (0.6, 0, −0.8) = (cos r, 0, −sin r).
        #expect(abs((box["rad_rot_about_y"]?.double ?? 0) - atan2(0.8, 0.6)) < 1e-12)
        #expect(box["positions"]?["top_left_back"]?["y"]?.double == 4)
        #expect(box["positions"]?["bot_left_back"]?["y"]?.double == 2)
    }

    /// y up, written with z up, and back again.
    @Test func aCaptureOfARKitScenesHasYUpAgain() throws {
        let made = "- synthesize: {frames: 6, \(ScanNetRoundTrip.small)}\n"
        let truth = try StageRun("\(made)- write-capture: {format: arkitscenes}", reading: "nowhere/room")
        let stages = "- read\n- decompress\n- unproject\n- voxel-downsample: {size: 0.05}\n- fit-box"
        let run = try StageRun("\(stages)\n- write-staging", reading: truth.path)
        let back = try ReadCapture(run.path).capture
        #expect(back.frames.count == 6)
        for (one, other) in zip(truth.frames, back.frames) {
            let (pose, found) = (try #require(one.pose), try #require(other.pose))
            #expect((pose.position - found.position).length < 1e-9)
            #expect((pose.rotation.columns.2 - found.rotation.columns.2).length < 1e-6)
        }
        // The box stands in the turned world, as the receipt has it in the recorded one.
        let (box, counts) = (try #require(back.box), run.counts("fit-box"))
        let (center, size) = (try #require(counts["box-center"]?.doubles), try #require(counts["box-size"]?.doubles))
        #expect((box.center - Vector3(center[0], center[2], -center[1])).length < 1e-9)
        #expect((box.halfSize * 2 - Vector3(size[0], size[1], size[2])).length < 1e-9)
        #expect(box.worldFromBox.columns.1 == Vector3(0, 1, 0) && size.allSatisfy { $0 > 0.5 })
    }

    @Test func aWorldOfUnknownUpIsWrittenAsItIsWithAWarning() throws {
        var memory = try MemoryCapture.posed(1)
        memory.worldUp = nil
        let run = try StageRun("- write-staging", on: memory)
        let warning =
            "write-staging: the capture does not say which way is up, and MultiScan's readers take y for it; say it, "
            + "such as  --set read.up=z"
        #expect(run.warnings == [Self.wantsConfidence, warning])
        #expect(run.counts("write-staging")["applied-transform"] == nil)
        let pose = try #require(try ReadCapture(run.path).capture.frames[0].pose)
        #expect(pose.position == MemoryCapture.pose(0).position)
    }

    // MARK: - What it needs

    @Test func maskedDepthNeedsDecompress() {
        #expect(
            PipelineRun.mistakes("- read\n- write-staging") == [
                "`write-staging` needs depth, which no stage before it makes; put `decompress` above it, or set `depth: source`"
            ])
        #expect(PipelineRun.mistakes(Self.all).isEmpty)
        #expect(PipelineRun.mistakes("- synthesize: {depth: none}\n- write-staging").isEmpty)
    }

    @Test func framesNeedPosesIntrinsicsAndTimestamps() throws {
        let folder = try TemporaryFolder()
        let mini = MiniCapture()
        for frame in 0..<3 { try folder.write(mini.picture(frame), to: "plain/color/\(frame).png") }
        let problem = try PipelineRun.problem(Self.all, on: folder.url("plain").path)
        #expect(problem?.summary == "write-staging needs pose, intrinsics, timestamp, and this capture has none")
        #expect(problem?.notes == ["a plain folder of pictures has none"])
    }

    @Test(arguments: ["frames", "mp4"]) func picturesThatAreAskedForMustBeThere(rgb: String) throws {
        let source = try MiniSource { $0.pictures = .none }
        let problem = try PipelineRun.problem("- read\n- write-staging: {depth: source, rgb: \(rgb)}", on: source.path)
        let channels = rgb == "mp4" ? "video or color" : "color"
        #expect(problem?.summary == "write-staging needs \(channels), and this capture has none")
    }

    // MARK: - Captures of other formats

    @Test(arguments: ["float16, confidence: 0-2", "uint16, confidence: 0-255"])
    func aCaptureOfAnotherFormatBecomesMultiScans(depth: String) throws {
        let folder = try TemporaryFolder()
        let made =
            "- synthesize: {frames: 5, picture-width: 64, picture-height: 48, depth-width: 32, depth-height: 24, depth: \(depth)}"
        let run = try PipelineRun(made + "\n- write-staging: {depth: source}", on: folder.path, id: "made")
        let back = try ReadCapture(run.path)
        #expect(back.capture.warnings.isEmpty)
        #expect(back.capture.frames.count == 5)
        #expect(back.capture.variant == (depth.hasPrefix("uint16") ? "Android" : "iOS"))
        #expect(back.capture.device == "ScanMill generator")
        #expect(back.depth.count == 5)
        #expect(back.confidence.first?.range == (depth.hasPrefix("uint16") ? 0...255 : 0...2))
        #expect(back.capture.motionFiles.count == 5)
        // Depth pixels of both captures are the same points of the world, so poses and intrinsics are right too.
        let points = "\n- decompress\n- unproject: {color: false, pixel-centre: half}\n- write-ply"
        let first = try PipelineRun(made + points, on: folder.path, id: "made")
        let again = try PipelineRun("- read" + points, on: run.path)
        var clouds: [PointCloud] = []
        for run in [first, again] {
            var file = try PLYReader(MemorySource(try run.bytes("made.ply"), name: "made.ply"))
            clouds.append(try #require(try file.next(1 << 20)))
        }
        #expect(clouds[0].count > 100 && clouds[0].count == clouds[1].count)
        let errors = zip(clouds[0].positions, clouds[1].positions).map { abs($0 - $1) }
        #expect(errors.allSatisfy { $0 < 1e-5 })
    }

    /// Readers take all intrinsics to be for one size.
    @Test func picturesOfSeveralSizesHaveNoPlace() throws {
        var capture = MemoryCapture((0..<3).map { MemoryCapture.Item(timestamp: Int64($0) * 33_000_000) })
        capture.items[2].intrinsics = MemoryCapture.camera.resized(to: PixelSize(4, 3))
        let problem = #expect(throws: Problem.self) { try StageRun("- write-staging", on: capture) }
        #expect(problem?.summary == "the frame's pictures are 4×3, and those before are 8×6")
        capture.items.removeLast()
        #expect(try StageRun("- write-staging", on: capture).count("write-staging", "frames") == 2)
    }

    /// A stream that vouches for nothing is a stream all the same.
    @Test func confidenceThatNoFrameHasIsListedToo() throws {
        let scene =
            "- synthesize: {frames: 2, picture-width: 32, picture-height: 24, depth-width: 16, depth-height: 12}\n"
        let made = try StageRun(scene + "- write-capture: {format: polycam}", reading: "nowhere/own", probing: [])
        let first = try #require(made.files.first { $0.contains("/confidence/") })
        try FileManager.default.removeItem(atPath: "\(made.path)/\(first)")
        let run = try PipelineRun(
            "- read\n- select-frames: {include: [0]}\n- decompress\n- write-staging", on: made.path, id: "own")
        #expect(try run.inflated("own.confidence.zlib") == Array(repeating: 0, count: 16 * 12))
        let metadata = try JSONValue.parse(try run.bytes("own.json"), file: "own.json")
        // Metadata, lines, depth, confidence, pictures.
        #expect(metadata["number_of_files"] == .integer(5))
        #expect(metadata["streams"]?.array?.contains { $0["type"]?.string == "confidence_map" } == true)
    }

    /// The zeros that a frame without confidence gets are of the range of the others.
    @Test func confidenceKeepsItsRangeWhereTheLastFrameHasNone() throws {
        var capture = try MemoryCapture.posed(2)
        capture.items[0].recordedConfidence = ConfidenceMap(
            width: 4, height: 3, values: Array(repeating: 200, count: 12), range: 0...255)
        let run = try StageRun("- write-staging", on: capture)
        let metadata = try JSONValue.parse(try run.bytes("memory.json"), file: "memory.json")
        #expect(metadata["depth_confidence_value_range"] == .of([0, 255]))
    }

    /// Eleven pictures from 1 on for twelve lines may be all but the first, or all but the last of a program that counts
    /// from 1; ScanMill counts its own from 0.
    @Test func aFirstPictureThatIsMissingShiftsNothing() throws {
        let scene = "- synthesize: {frames: 4, picture-width: 32, picture-height: 24, depth: none, confidence: none}\n"
        let run = try StageRun(scene + "- write-staging: {rgb: frames}", reading: "nowhere/own", probing: [.pose])
        try FileManager.default.removeItem(atPath: "\(run.path)/color/000000.jpg")
        let back = try StageRun("- read: {bad-frame-limit: 0.5}", reading: run.path, probing: [.pose])
        #expect(back.kept == [1, 2, 3])
        #expect(back.frames.map(\.facts.pictureFile) == (1...3).map { "color/00000\($0).jpg" })
        #expect(back.frames.map(\.pose) == run.frames.dropFirst().map(\.pose))
    }
}
