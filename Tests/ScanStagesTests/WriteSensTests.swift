import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct WriteSensTests {
    /// A reader of its own, in plain Python: prints what the file holds as JSON.
    private static let reader = """
        import hashlib, json, struct, sys, zlib
        data, at = open(sys.argv[1], 'rb').read(), 0
        def take(form):
            global at
            size = struct.calcsize('<' + form)
            values = struct.unpack('<' + form, data[at:at + size])
            at += size
            return values if len(values) > 1 else values[0]
        def bytes_of(count):
            global at
            at += count
            assert at <= len(data)
            return data[at - count:at]
        out = {'version': take('I'), 'name': bytes_of(take('Q')).decode('utf-8')}
        for key in ['color_k', 'color_e', 'depth_k', 'depth_e']: out[key] = take('16f')
        out['compression'], out['sizes'], out['shift'] = take('2i'), take('4I'), take('f')
        out['frames'] = []
        for _ in range(take('Q')):
            frame = {'pose': [repr(x) if x != x or abs(x) == float('inf') else x for x in take('16f')]}
            frame['times'] = take('2Q')
            color, depth = take('2Q')
            frame['color'] = hashlib.sha256(bytes_of(color)).hexdigest()
            packed = bytes_of(depth)
            plain = zlib.decompress(packed) if packed else b''
            frame['depth'] = list(struct.unpack('<%dH' % (len(plain) // 2), plain))
            out['frames'].append(frame)
        out['motion'] = [take('15d') + (take('Q'),) for _ in range(take('Q'))]
        out['rest'] = len(data) - at
        json.dump(out, sys.stdout)
        """

    private func read(_ path: String) throws -> JSONValue {
        let result = try runPython(Self.reader, [path])
        try #require(result.status == 0, "\(result.errors)")
        return try JSONValue.parse(result.outputBytes, file: "python")
    }

    // MARK: - Round trips

    @Test func whatIsWrittenIsReadBack() throws {
        let trip = try ScanNetRoundTrip("write-sens", reading: "room.sens")
        #expect(trip.back.frames.count == 6)
        // Single precision holds metres of this room to a quarter of a thousandth of a millimetre.
        #expect(trip.centreError < 2.5e-7, "\(trip.centreError)")
        #expect(trip.rotationError < 1e-7, "\(trip.rotationError)")
        #expect(trip.cameraError < 1e-5, "\(trip.cameraError)")
        #expect(trip.depthError { ($0 * 1000).rounded(.toNearestOrEven) / 1000 } < 1e-6)
        #expect(trip.depthError() < 0.00051)
        for (one, other) in zip(trip.truth.frames, trip.back.frames) {
            #expect(abs((one.timestamp ?? 0) - (other.timestamp ?? 0)) <= 500)
        }
        #expect(trip.back.capture.depthCamera == nil)
        #expect(trip.written.counts("write-sens")["frames"]?.integer == 6)
    }

    @Test func anotherReaderFindsTheSame() throws {
        let trip = try ScanNetRoundTrip("write-sens", reading: "room.sens")
        let read = try read(trip.written.path + "/room.sens")
        #expect(read["version"]?.integer == 4 && read["rest"]?.integer == 0)
        #expect(read["name"]?.string == "ScanMill generator")
        #expect(read["compression"] == .of([2, 1]) && read["sizes"] == .of([64, 48, 32, 24]))
        #expect(read["shift"]?.double == 1000)
        let frames = try #require(read["frames"]?.array)
        #expect(frames.count == 6)
        for (frame, json) in zip(trip.truth.frames, frames) {
            let pose = try #require(frame.pose)
            // Theirs: the second and third column turned round.
            let numbers = (json["pose"]?.array ?? []).compactMap(\.double)
            for (row, ours) in pose.rowMajorRows.enumerated() {
                for column in 0..<4 {
                    let sign: Double = column == 1 || column == 2 ? -1 : 1
                    #expect(Float(sign * ours[column]) == Float(numbers[4 * row + column]))
                }
            }
            let time = Int64(((Double(frame.timestamp ?? 0)) / 1000).rounded())
            #expect(json["times"]?.array?.compactMap(\.integer) == [time, time])
            let depth = (json["depth"]?.array ?? []).compactMap(\.integer)
            #expect(depth == frame.depth?.metres.map { Int64(($0 * 1000).rounded(.toNearestOrEven)) })
        }
        let k = (read["color_k"]?.array ?? []).compactMap(\.double)
        #expect(abs(k[0] - trip.median(\.fx)) < 1e-5 && abs(k[2] - trip.median(\.cx)) < 1e-5)
        #expect(abs(k[5] - trip.median(\.fy)) < 1e-5 && abs(k[6] - trip.median(\.cy)) < 1e-5)
        // Half the size: c' = (c + ½) / 2 − ½.
        let d = (read["depth_k"]?.array ?? []).compactMap(\.double)
        #expect(abs(d[0] - k[0] / 2) < 1e-5 && abs(d[2] - ((k[2] + 0.5) / 2 - 0.5)) < 1e-5)
    }

    @Test func motionSamplesComeBack() throws {
        let trip = try ScanNetRoundTrip("write-sens", reading: "room.sens")
        let before = trip.truth.capture
        let after = trip.back.capture
        #expect(after.motionFiles.count == 5)
        for kind in MotionKind.allCases {
            let paths = [before, after].map { capture in capture.motionFiles.first { $0.kind == kind }?.path ?? "" }
            let one = try MotionStream.samples(try before.source.open(paths[0]), kind: kind).samples
            let other = try MotionStream.samples(try after.source.open(paths[1]), kind: kind).samples
            #expect(one.map(\.value) == other.map(\.value) && !one.isEmpty)
            #expect(zip(one, other).allSatisfy { abs($0.timestamp - $1.timestamp) <= 500 })
        }
    }

    /// The file's units are those of iOS; nobody could tell them from metres and degrees.
    @Test func motionOfAndroidIsLeftOut() throws {
        let folder = try TemporaryFolder()
        try folder.copySample("desk")
        let stages = "- read\n- select-frames: {include: [0]}\n- decompress\n- write-sens"
        let recorded = try StageRun(stages, reading: "\(folder.path)/desk")
        #expect(recorded.count("write-sens", "motion-samples") ?? 0 > 0 && recorded.warnings.isEmpty)
        for kind in MotionKind.allCases {
            let file = "desk/desk.\(kind.rawValue)"
            let samples = try MotionStream.samples(MemorySource(try folder.bytes(file), name: file), kind: kind).samples
            let records = samples.flatMap { sample -> [UInt8] in
                let words = [UInt64(bitPattern: sample.timestamp)] + sample.value.components.map(\.bitPattern)
                return words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
            }
            try folder.write(records, to: file)
        }
        let run = try StageRun(stages, reading: "\(folder.path)/desk")
        #expect(run.count("write-sens", "motion-samples") == nil)
        #expect(run.warnings == ["write-sens: motion samples were left out: those of Android are in other units"])
        let back = try StageRun("- read", reading: "\(run.path)/desk.sens", probing: [.pose])
        #expect(back.capture.motionFiles.isEmpty)
    }

    // MARK: - Pictures

    @Test func picturesAreCopiedByteForByte() throws {
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        let run = try PipelineRun("- read\n- select-every: {step: 25}\n- decompress\n- write-sens", on: desk)
        let frames = try #require(try read(run.path + "/desk.sens")["frames"]?.array)
        let digests = try [0, 25, 50].map { number in
            let name = "\(desk)/color/0000\(number < 10 ? "0" : "")\(number).jpg"
            return try runCommand(["sha256sum", name]).output.prefix(64)
        }
        #expect(frames.compactMap { $0["color"]?.string } == digests.map(String.init))
        // And out of it again.
        let again = try PipelineRun("- read\n- write-frames: {depth: none}", on: run.path + "/desk.sens", id: "desk")
        #expect(again.files == (0..<3).map { "outputs/color/\($0).jpg" })
        #expect(again.digests["outputs/color/1.jpg"] == String(digests[1]))
    }

    @Test func pngStaysPNG() throws {
        let source = try MiniSource()
        let run = try PipelineRun("- read\n- decompress\n- write-sens", on: source.path)
        let read = try read(run.path + "/mini.sens")
        #expect(read["compression"] == .of([1, 1]))
        let encoded = try PipelineRun("- read\n- decompress\n- write-sens: {color: jpeg}", on: source.path)
        #expect(try self.read(encoded.path + "/mini.sens")["compression"] == .of([2, 1]))
    }

    /// The first picture of a file says what the others are.
    @Test func picturesOfAnotherKindAreEncodedAgain() throws {
        var capture = try MemoryCapture.posed(2)
        let picture = RGBImage(width: 8, height: 6, pixels: Array(repeating: 99, count: 144))
        capture.files["color/1.png"] = try JPEG.encode(picture)
        let run = try StageRun("- write-sens", on: capture)
        #expect(try read(run.path + "/memory.sens")["compression"] == .of([1, 1]))
        #expect(run.count("write-sens", "pictures-encoded-again") == 1)
    }

    /// A picture in the file is no file that anybody could find or copy.
    @Test func damageToAPictureIsNamedByItsPlaceInTheFile() throws {
        let source = try MiniSource()
        let run = try PipelineRun("- read\n- decompress\n- write-sens", on: source.path)
        let path = run.path + "/mini.sens"
        let sens = try SensCapture.open(try CaptureFormats.tree(at: path), rules: ReadRules())
        let start = try #require(sens.source.location(of: "color/000001.png")?.range?.lowerBound)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        // Within the pixels.
        bytes[Int(start) + 45] ^= 0x40
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let reason = "PNG damaged (mini.sens at byte \(start) of \(bytes.count))"
        for stages in ["measure-blur", "turn: {quarter-turns: 1}\n- measure-blur"] {
            let read = try StageRun("- read: {bad-frame-limit: 1}\n- \(stages)", reading: path, probing: [])
            #expect(read.drops.count == 1 && read.drops.first?.contains(reason) == true, "\(read.drops)")
        }
    }

    // MARK: - What is not there

    @Test func framesWithoutPosesAreLost() throws {
        var capture = try MemoryCapture.posed(3)
        capture.items[1].pose = nil
        let run = try StageRun("- write-sens", on: capture)
        let frames = try #require(try read(run.path + "/memory.sens")["frames"]?.array)
        #expect(frames[1]["pose"]?.array?.first?.string == "-inf")
        #expect(run.count("write-sens", "frames-without-pose") == 1)
        let back = try StageRun("- read", reading: run.path + "/memory.sens", probing: [])
        #expect(back.kept == [0, 2])
        #expect(back.drops == ["1 read: tracking was lost"])
    }

    @Test func framesWithoutTimesOrBeforeZeroAreCounted() throws {
        var capture = try MemoryCapture.posed(3)
        for (index, words) in [(1, "1 frame has"), (2, "2 frames have")] {
            capture.items[index].timestamp = index == 1 ? nil : -1
            let run = try StageRun("- write-sens", on: capture)
            let warning = "write-sens: \(words) no time, or one before 0, and got 0"
            #expect(run.warnings.contains(warning), "\(run.warnings)")
        }
    }

    @Test func theMedianCameraStandsForAllAndTheWidestIsTold() throws {
        let capture = try MemoryCapture.posed(4)
        let run = try StageRun("- write-sens", on: capture)
        let k = try #require(try read(run.path + "/memory.sens")["color_k"]?.array?.compactMap(\.double))
        // The lower of the middle two of fx, fx + ¼, fx + ½, fx + ¾.
        let camera = try #require(capture.items[1].intrinsics)
        #expect(k[0] == camera.fx)
        let expected = (0.5 / camera.fx * Double(camera.width) / 2 * 1000).rounded() / 1000
        #expect(run.counts("write-sens")["camera-deviation"]?.double == expected)
        #expect(run.warnings.contains { $0.contains("one camera is written for all frames") } == (expected > 1))
        // One that also sees everything lower down is off by both in the corners.
        var lower = capture
        lower.items[3].intrinsics?.cy += 2.5
        let far = try StageRun("- write-sens", on: lower)
        let aside = 0.5 / camera.fx * Double(camera.width) / 2
        let corner = (aside * aside + 2.5 * 2.5).squareRoot()
        let told = try #require(far.counts("write-sens")["camera-deviation"]?.double)
        #expect(abs(told - corner) <= 0.0005)
        let said = "points are up to \(told) pixels from where some frames' own cameras see them"
        #expect(far.warnings.contains { $0.contains("one camera is written for all frames") && $0.contains(said) })
    }

    /// The edge that is farther from the principal point counts, be it the left one.
    @Test func theFartherEdgeTellsHowFarCamerasDiffer() throws {
        var capture = try MemoryCapture.posed(4)
        let camera = try #require(capture.items[1].intrinsics)
        for place in [0.25, 0.75] {
            for number in capture.items.indices { capture.items[number].intrinsics?.cx = place * Double(camera.width) }
            let run = try StageRun("- write-sens", on: capture)
            let told = try #require(run.counts("write-sens")["camera-deviation"]?.double)
            #expect(abs(told - 0.5 / camera.fx * 0.75 * Double(camera.width)) <= 0.0005)
        }
    }

    @Test func aDepthSensorKeepsItsCamera() throws {
        let memory = try MemoryCapture.twoCameras(2)
        let depthCamera = try #require(memory.depthCamera)
        let run = try StageRun("- write-sens", on: memory)
        let back = try StageRun("- read", reading: run.path + "/memory.sens", probing: []).capture
        let found = try #require(back.depthCamera)
        #expect(found.intrinsics == depthCamera.intrinsics)
        let pairs = zip(found.colorFromDepth.columnMajor, depthCamera.colorFromDepth.columnMajor)
        #expect(pairs.allSatisfy { abs($0 - $1) < 1e-7 })
    }

    @Test func theSameBytesForAnyNumberOfWorkers() throws {
        let source = "- synthesize: {frames: 9, \(ScanNetRoundTrip.small)}\n- decompress\n- write-sens"
        let one = try PipelineRun(source, on: "nowhere/room", workers: 1)
        let many = try PipelineRun(source, on: "nowhere/room", workers: 8)
        #expect(one.digests == many.digests && one.files == ["room.sens"])
    }
}
