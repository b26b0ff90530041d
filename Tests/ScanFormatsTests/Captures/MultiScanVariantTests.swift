import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Captures of MultiScan's other apps: Android, and the ScannerApp before it, with one or two cameras.
@Suite struct MultiScanVariantTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url("scan"), withIntermediateDirectories: true)
    }

    private func open(_ files: [String: [UInt8]], rules: ReadRules = ReadRules()) throws -> Capture {
        let tree = try CaptureFormats.tree(at: try folder.write(files, under: "scan"))
        #expect(CaptureFormats.recognise(tree)?.format == "multiscan")
        return try MultiScanCapture.open(tree, rules: rules)
    }

    private func bigEndian(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { n in
            let words = [UInt64(1_000_000_000 + 10_000_000 * n)] + [1.5, -2, Double(n)].map(\.bitPattern)
            return words.flatMap { word in (0..<8).map { UInt8(word >> UInt64(56 - 8 * $0) & 255) } }
        }
    }

    // MARK: - Which app it was

    @Test func theAppIsToldByItsDescription() throws {
        func variant(_ change: (inout JSONObject) -> Void) throws -> String {
            var files = try MultiScanSample().files()
            var metadata = MultiScanSample().metadata()
            change(&metadata)
            files["scan.json"] = JSONWriter.text(.object(metadata))
            return try open(files).variant
        }
        #expect(try variant { _ in } == "iOS")
        #expect(try variant { $0["camera_orientation_quaternion_format"] = .string("wxyz") } == "iOS")
        #expect(try variant { $0["camera_orientation_quaternion_format"] = .string("xyzw") } == "Android")
        let motion: JSONObject = ["type": .string("acce"), "id": .string("acce")]
        let recorded = (MultiScanSample().metadata()["streams"]?.array ?? []).filter {
            $0["type"] != .string("camera_info")
        }
        let streams = recorded + [.object(motion)]
        #expect(try variant { $0["streams"] = .array(streams) } == "early ScannerApp")
    }

    // MARK: - Android

    /// Without a unit depth is half floats in metres, which Android's app never wrote.
    @Test(
        arguments: [
            (nil, nil, nil), ("float16_zlib", nil, nil), ("float16_zlib", "wxyz", nil),
            ("uint8_zlib", nil, "the depth stream is uint8_zlib"),
            ("uint16_zlib", "wxyz", "the depth stream is uint16_zlib"),
            (nil, "xyzw", "the format of quaternions is xyzw"),
            ("uint8_zlib", "xyzw", "the depth stream is uint8_zlib, and the format of quaternions is xyzw"),
        ] as [(String?, String?, String?)])
    func depthWithoutAUnit(_ encoding: String?, _ quaternions: String?, _ signs: String?) throws {
        var files = try MultiScanSample().files()
        var metadata = MultiScanSample().metadata()
        metadata["depth_unit"] = nil
        metadata["camera_orientation_quaternion_format"] = quaternions.map { .string($0) }
        let streams = (metadata["streams"]?.array ?? []).map { stream -> JSONValue in
            guard stream["type"] == .string("lidar_sensor"), var object = stream.object else { return stream }
            object["encoding"] = encoding.map { .string($0) }
            return .object(object)
        }
        metadata["streams"] = .array(streams)
        files["scan.json"] = JSONWriter.text(.object(metadata))
        guard let signs else {
            let capture = try open(files)
            #expect(capture.variant == "iOS" && capture.channels.contains(.recordedDepth))
            return
        }
        let problem = #expect(throws: Problem.self) { try open(files) }
        #expect(problem?.summary == "the unit of the depth is not given, and the recording looks like Android's")
        #expect(problem?.notes.first?.hasPrefix("\(signs): Android's app records whole millimetres") == true)
        #expect(problem?.place.file == "scan.json" && problem?.fix?.contains("\"depth_unit\": \"mm\"") == true)
        metadata["depth_unit"] = .string("mm")
        files["scan.json"] = JSONWriter.text(.object(metadata))
        #expect(try open(files).variant == "Android")
    }

    /// Half floats of millimetres: one of the two is not so.
    @Test func halfFloatsOfMillimetres() throws {
        var files = try MultiScanSample().files()
        var metadata = MultiScanSample().metadata()
        metadata["depth_unit"] = .string("mm")
        let streams = (metadata["streams"]?.array ?? []).map { stream -> JSONValue in
            guard stream["type"] == .string("lidar_sensor"), var object = stream.object else { return stream }
            object["encoding"] = .string("float16_zlib")
            return .object(object)
        }
        metadata["streams"] = .array(streams)
        files["scan.json"] = JSONWriter.text(.object(metadata))
        let problem = #expect(throws: Problem.self) { try open(files) }
        #expect(problem?.summary == "the depth stream is float16_zlib and its unit mm: no app records that")
        #expect(problem?.fault == .input && problem?.place.file == "scan.json")
        #expect(problem?.notes.first?.hasPrefix("half floats are metres, as iOS records them") == true)
        #expect(problem?.fix?.contains("change it to  \"depth_unit\": \"m\"  for half floats in metres") == true)
        metadata["depth_unit"] = .string("m")
        files["scan.json"] = JSONWriter.text(.object(metadata))
        #expect(try open(files).channels.contains(.recordedDepth))
    }

    @Test(arguments: ["avaliable", "available"]) func android(spelling: String) throws {
        var sample = MultiScanSample()
        sample.isAndroid = true
        let pose = MultiScanSample.pose(1).columnMajor.map { "\($0)" }.joined(separator: ",")
        // What the app adds to its lines; its angles are a text.
        sample.lines[1] = """
            {"timestamp":1100000000,"intrinsics":[30.25,0,0,0,31.25,0,15.5,12.25,1],"transform":[\(pose)],\
            "euler_angles":"null","quaternion":[0,0,0,1],"exposure_duration":16666666,\
            "transformMatrices_from_androidSensorPose":[1,0,0,0],"rotationQuaternion_from_androidSensorPose":[0,0,0,1]}
            """
        var files = try sample.files()
        var metadata = sample.metadata()
        metadata["depth_confidence_\(spelling)"] = .bool(true)
        metadata["camera_orientation_euler_angles_format"] = .null
        metadata["camera_orientation_quaternion_format"] = .string("xyzw")
        files["scan.json"] = JSONWriter.text(.object(metadata))
        for kind in MotionKind.allCases { files["scan.\(kind.rawValue)"] = bigEndian(5) }
        let capture = try open(files)
        #expect(capture.variant == "Android" && capture.keptFrames.count == 4)
        #expect(capture.frames[1].pose == MultiScanSample.pose(1))
        #expect(capture.motionFiles.count == 5)
        for motion in capture.motionFiles {
            let (samples, facts) = try MotionStream.samples(
                try capture.source.open(motion.path), kind: motion.kind)
            #expect(facts.layout == .bigEndian && samples[4].value == Vector3(1.5, -2, 4))
        }
    }

    @Test func theLastLineIsRepeatedUntilAllAreEquallyMany() throws {
        var sample = MultiScanSample()
        (sample.isAndroid, sample.frameCount) = (true, 6)
        let last = MultiScanSample.timestamp(3)
        (sample.timestamps, sample.poses) = (
            [4: last, 5: last], [4: MultiScanSample.pose(3), 5: MultiScanSample.pose(3)]
        )
        // The pictures of the others are of another pose.
        let capture = try open(try sample.files())
        #expect(capture.keptFrames.map(\.index) == [0, 1, 2, 3])
        #expect(capture.frames[5].drop?.reason == "the recorder padded its lines with copies of the last one")
        #expect(capture.warnings == [] && capture.frames[5].drop?.isBad == false)
        // A clock that stands still is another matter.
        sample.timestamps = (0..<6).reduce(into: [:]) { $0[$1] = last }
        sample.poses = (0..<6).reduce(into: [:]) { $0[$1] = MultiScanSample.pose(3) }
        var frozen = try open(try sample.files())
        #expect(frozen.keptFrames.count == 6)
        frozen.noteDoubts(in: MemoryTree([:]))
        #expect(frozen.warnings.contains { $0.hasPrefix("all 6 frames have the same time: ") })
    }

    // MARK: - The earlier app

    /// Motion streams first, no camera lines.
    private func metadata(depth: (frames: Int, size: PixelSize)? = nil, frames: Int = 6) -> [UInt8] {
        func stream(_ type: String, _ suffix: String, _ more: JSONObject = [:]) -> JSONValue {
            var stream: JSONObject = ["type": .string(type), "id": .string(type), "file_extension": .string(suffix)]
            stream["number_of_frames"] = .of(frames)
            for key in more.keys { stream[key] = more[key] }
            return .object(stream)
        }
        var streams = MotionKind.allCases.map { stream($0.rawValue, $0.rawValue) }
        streams.append(
            stream(
                "color_camera", "mp4",
                [
                    "resolution": .of([48, 64]), "frequency": .of(60),
                    "intrinsics": .of([50, 0, 0, 0, 50, 0, 31.5, 23.5, 1] as [Double]),
                ]))
        if let depth {
            streams.append(
                stream(
                    "dual_camera_stereo_depth", "depth.zlib",
                    [
                        "number_of_frames": .of(depth.frames), "frequency": .of(30),
                        "resolution": .of([depth.size.height, depth.size.width]),
                    ]))
        }
        let json: JSONObject = ["number_of_files": .of(7), "depth_unit": .string("m"), "streams": .array(streams)]
        return JSONWriter.text(.object(json))
    }

    @Test func oneCameraWithoutLines() throws {
        try TestVideo.gray("scan/scan.mp4", in: folder, frames: 6)
        let capture = try open(["scan.json": metadata(), "scan.rot": [1]])
        #expect(capture.frames.count == 6 && capture.keptFrames.count == 6)
        #expect(capture.channels == [.color, .luma, .video, .intrinsics, .motion])
        #expect(capture.absences[.pose]?.reason == "scan.jsonl is missing" && capture.forgiven.isEmpty)
        #expect(
            capture.frames[5].intrinsics
                == CameraIntrinsics(fx: 50, fy: 50, cx: 31.5, cy: 23.5, width: 64, height: 48, pixelOrigin: .centre))
        #expect(capture.warnings.contains { $0.contains("nominal field of view") })
        let tree = CaptureFolder(path: folder.path + "/scan")
        #expect(
            MultiScanCapture.recognise(tree)?.reason == "scan.json lists streams, and their files stand beside it")
    }

    @Test func ofTwoCamerasTheFirstIsRead() throws {
        try TestVideo.gray("scan/scan-primary.mp4", in: folder, frames: 6)
        try TestVideo.gray("scan/scan-secondary.mp4", in: folder, frames: 7)
        let capture = try open(["scan.json": metadata()])
        #expect(capture.video?.file == "scan-primary.mp4" && capture.frames.count == 6)
        #expect(capture.findings["passed-over"] == .of(["scan-secondary.mp4"]))
        #expect(capture.files.map(\.path) == ["scan-primary.mp4", "scan.json"])
    }

    @Test func linesThatAreListedAreMissed() throws {
        var files = try MultiScanSample().files()
        files["scan.jsonl"] = nil
        let tree = CaptureFolder(path: try folder.write(files, under: "scan"))
        let problem = #expect(throws: Problem.self) { try MultiScanCapture.open(tree, rules: ReadRules()) }
        #expect(problem?.summary == "the camera lines are missing")
    }

    /// Depth of 5 × 3 pixels in rows of 64 bytes, three frames for six pictures.
    /// The last picture with depth need not have one without behind it.
    @Test func depthOfTwoCamerasThatEndsWithTheLastPicture() throws {
        try TestVideo.gray("scan/scan-primary.mp4", in: folder, frames: 5)
        let raw = (0..<3 * 5 * 3).flatMap { _ -> [UInt8] in [0, 0x3C] }
        let capture = try open([
            "scan.json": metadata(depth: (3, PixelSize(5, 3)), frames: 5),
            "scan.depth.zlib": try MultiScanSample.deflate(raw),
        ])
        let track = try #require(try capture.source.tracks(for: [.recordedDepth], of: capture).first)
        var hasDepth: [Bool] = []
        for facts in capture.frames {
            var frame = Frame(facts)
            try track.advance(&frame, isWanted: true)
            hasDepth.append(frame.recordedDepth != nil)
        }
        #expect(hasDepth == [true, false, true, false, true])
        let end = try track.finish()
        #expect(end.extraFrames == 0 && end.warnings.isEmpty && end.forgiven.isEmpty)
    }

    /// The recorder lost every third frame of depth: by the counts, every third picture would have one.
    @Test(arguments: [(lost: 5, says: "one for every 2 of 30 pictures: 15, depth stream: 10"), (lost: 2, says: nil)])
    func depthOfTwoCamerasOfWhichFramesAreLost(lost: Int, says: String?) throws {
        try TestVideo.gray("scan/scan-primary.mp4", in: folder, frames: 30)
        let raw = (0..<(15 - lost) * 5 * 3).flatMap { _ -> [UInt8] in [0, 0x3C] }
        let capture = try open([
            "scan.json": metadata(depth: (15 - lost, PixelSize(5, 3)), frames: 30),
            "scan.depth.zlib": try MultiScanSample.deflate(raw),
        ])
        let track = try #require(try capture.source.tracks(for: [.recordedDepth], of: capture).first)
        func walk() throws {
            for facts in capture.frames {
                var frame = Frame(facts)
                try track.advance(&frame, isWanted: true)
            }
        }
        if let says {
            let refused = #expect(throws: Problem.self) { try walk() }
            #expect(refused?.notes.first == says, "\(refused?.notes ?? [])")
        } else {
            try walk()
            let warnings = try track.finish().warnings
            #expect(warnings.contains { $0.hasPrefix("scan.depth.zlib has 13 frames for 15: ") }, "\(warnings)")
        }
    }

    /// As many pictures for each frame of depth as no number can be.
    @Test func depthOfTwoCamerasOfAnAbsurdRate() throws {
        try TestVideo.gray("scan/scan-primary.mp4", in: folder, frames: 6)
        let text = String(decoding: metadata(depth: (3, PixelSize(5, 3))), as: UTF8.self)
        let absurd = text.replacing(#/"frequency": *30/#, with: #""frequency": 1e-300"#)
        #expect(absurd != text)
        let raw = [UInt8](repeating: 0, count: 3 * 5 * 3 * 2)
        let capture = try open(["scan.json": Array(absurd.utf8), "scan.depth.zlib": try MultiScanSample.deflate(raw)])
        #expect(capture.depthSize == PixelSize(5, 3) && capture.frames.count == 6)
        #expect(try capture.source.tracks(for: [.recordedDepth], of: capture).count == 1)
    }

    @Test func depthOfTwoCamerasWithoutTheirVideo() throws {
        let raw = (0..<3 * 5 * 3).flatMap { _ -> [UInt8] in [0, 0x3C] }
        let capture = try open([
            "scan.json": metadata(depth: (3, PixelSize(5, 3))), "scan.depth.zlib": try MultiScanSample.deflate(raw),
        ])
        #expect(capture.frames.count == 6)
    }

    @Test(arguments: [true, false]) func depthOfTwoCameras(isPadded: Bool) throws {
        try TestVideo.gray("scan/scan-primary.mp4", in: folder, frames: 6)
        let raw = (0..<3).flatMap { frame in
            (0..<3).flatMap { row -> [UInt8] in
                let halves = (0..<5).map { Float16(Float(frame + 1) + Float(row) / 4 + Float($0) / 32).bitPattern }
                let padding = [UInt8](repeating: 0xEE, count: isPadded ? 54 : 0)
                return halves.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } + padding
            }
        }
        let capture = try open([
            "scan.json": metadata(depth: (3, PixelSize(5, 3))), "scan.depth.zlib": try MultiScanSample.deflate(raw),
        ])
        #expect(capture.depthSize == PixelSize(5, 3) && capture.frames.count == 6)
        let track = try #require(
            try capture.source.tracks(for: [.recordedDepth, .previousDepth], of: capture).first)
        var maps: [DepthMap?] = []
        for facts in capture.frames {
            var frame = Frame(facts)
            try track.advance(&frame, isWanted: true)
            #expect(!frame.facts.isDropped)
            maps.append(try frame.recordedDepth.map { try DepthCodec.decode($0).map })
            if facts.index == 4 {
                #expect(try frame.recordedDepthBefore.map { try DepthCodec.decode($0).map.metres[0] } == 2)
            }
        }
        let end = try track.finish()
        #expect(end.extraFrames == 0 && end.warnings.isEmpty)
        #expect(maps.map { $0 == nil } == [false, true, false, true, false, true])
        let last = try #require(maps[4])
        #expect(last.metres[0] == 3 && last.metres[14] == 3.625)
    }
}
