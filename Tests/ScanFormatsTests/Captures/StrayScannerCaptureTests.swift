import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Recordings as the app's own source lays them out, written by hand.
@Suite struct StrayScannerCaptureTests {
    private static let header = "timestamp, frame, x, y, z, qx, qy, qz, qw"
    /// q_ARKit · (half a turn about x), for a camera that ARKit has without rotation.
    private static let level = "1.0, 0.0, 0.0, 0.0"

    private func recording(_ count: Int = 3, lines: [String]? = nil) throws -> WrittenCapture {
        let capture = try WrittenCapture("0a1b2c3d4e")
        let own = (0..<count).map { "\(100 + Double($0) / 4), 00000\($0), \($0).5, 2, -3, \(Self.level)" }
        try capture.write(([Self.header] + (lines ?? own)).joined(separator: "\n") + "\n", to: "odometry.csv")
        try capture.write("50.0, 0.0, 32.5\n0.0, 51.0, 24.25\n0.0, 0.0, 1.0\n", to: "camera_matrix.csv")
        try capture.write("timestamp, a_x\n1, 2\n", to: "imu.csv")
        for n in 0..<count {
            try capture.depth("depth/00000\(n).png", first: UInt16(1000 + 100 * n))
            try capture.confidence("confidence/00000\(n).png", [0, 1, 2])
        }
        return capture
    }

    @Test func aRecordingWithItsVideo() throws {
        let recording = try recording()
        // 60 a second, of which the app has left out some: the times keep the gaps.
        try TestVideo.gray("\(recording.name)/rgb.mp4", in: recording.folder, frames: 5, dropping: [1, 3], rate: 60)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.id == "0a1b2c3d4e" && capture.format == "stray-scanner")
        #expect(capture.frames.count == 3 && capture.frames.allSatisfy { !$0.isDropped })
        #expect(capture.frames.map(\.timestamp) == [100_000_000_000, 100_250_000_000, 100_500_000_000])
        #expect(capture.warnings == [])
        #expect(capture.frameRate == 4)
        #expect(capture.worldUp == Vector3(0, 1, 0) && capture.isMetric)
        let pose = try #require(capture.frames[1].pose)
        #expect(pose.position == Vector3(1.5, 2, -3))
        // Half a turn about x and OpenCV's axes cancel out.
        #expect(pose.rotation == .identity)
        #expect(
            capture.frames[0].intrinsics
                == CameraIntrinsics(fx: 50, fy: 51, cx: 32.5, cy: 24.25, width: 64, height: 48, pixelOrigin: .arKit))
        #expect(capture.findings["intrinsics"]?.string?.contains("last frame's camera alone") == true)
        let frames = try capture.loaded([.luma, .recordedDepth, .recordedConfidence])
        #expect(frames.map { $0.recordedDepth?.first } == [1, 1.1, 1.2])
        #expect(frames[0].recordedConfidence?.values.prefix(4) == [0, 1, 2, 0])
        #expect(frames[0].recordedConfidence?.range == 0...2)
        // By their order, not by their times: the frames 0, 2 and 4 of what was filmed.
        for (frame, number) in zip(frames, [0, 2, 4]) {
            #expect(abs(Int(frame.luma?.pixels.first ?? 0) - Int(grey(number))) <= 1)
        }
        #expect(!capture.files.map(\.path).contains("imu.csv"))
    }

    /// A clock that is too coarse gives two frames one time, and the next comes as much later.
    @Test func framesOfEqualTimesCountForTheRate() throws {
        let times = ["100", "100.25", "100.25", "100.75", "100.75"]
        let lines = times.enumerated().map { "\($1), 00000\($0), \($0).5, 2, -3, \(Self.level)" }
        #expect(try recording(5, lines: lines).open(StrayScannerCapture.self).frameRate == 4)
    }

    /// The app always films, so a copy without the video is not whole.
    @Test func aRecordingWithoutItsVideo() throws {
        let capture = try recording().open(StrayScannerCapture.self)
        for channel in [Channel.color, .luma, .video] {
            #expect(capture.absences[channel]?.reason == "rgb.mp4 is missing")
            #expect(capture.absences[channel]?.remedy == "copy rgb.mp4 too")
        }
    }

    /// A copy's name, in whatever language, holds the frame's number too.
    @Test(arguments: [
        "000001 - Kopie.png", "000001 copie.png", "000001(1).png", "000001 (1).png", "000001_edited.png",
        "000001 copy 2.png", "000001 - Copy (2).png",
    ])
    func copiesOfDepthAreNoFrames(_ name: String) throws {
        let recording = try recording()
        try recording.depth("depth/\(name)", first: 9000)
        let capture = try recording.open(StrayScannerCapture.self)
        var frame = Frame(capture.frames[1])
        try capture.source.prepare(&frame, for: [.recordedDepth])
        let recorded = try #require(frame.recordedDepth)
        #expect(abs((try DepthCodec.decode(recorded).map.metres.first ?? 0) - 1.1) < 1e-6)
    }

    /// As an optimiser of PNG files packs them, here by Python: 0, 1, 2 in 2 or 4 bits a pixel.
    @Test(arguments: [2, 4]) func confidenceOfFewBits(_ bits: Int) throws {
        let recording = try recording(2)
        let script = """
            import struct, sys, zlib
            bits = int(sys.argv[1])
            def chunk(name, data):
                return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
            def row(levels):
                number = 0
                for level in levels: number = number << bits | level
                return bytes(1) + (number << -len(levels) * bits % 8).to_bytes((len(levels) * bits + 7) // 8, 'big')
            rows = b''.join(row([(x + y) % 3 for x in range(4)]) for y in range(3))
            for path in sys.argv[2:]:
                open(path, 'wb').write(
                    bytes([0x89]) + b'PNG' + bytes([13, 10, 26, 10])
                    + chunk(b'IHDR', struct.pack('>IIBBBBB', 4, 3, bits, 0, 0, 0, 0))
                    + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
            """
        let paths = (0..<2).map { "\(recording.path)/confidence/00000\($0).png" }
        let made = try runPython(script, [String(bits)] + paths)
        try #require(made.status == 0, "\(made.errors)")
        let capture = try recording.open(StrayScannerCapture.self)
        var frame = Frame(capture.frames[0])
        try capture.source.prepare(&frame, for: [.recordedConfidence])
        #expect(frame.recordedConfidence?.values == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2])
    }

    /// As OpenCV writes what it was given as 16 bits: the numbers themselves, not shares of 65535.
    @Test func confidenceOf16Bits() throws {
        let recording = try recording(2)
        for (n, third) in [UInt16(2), 256].enumerated() {
            let pixels = (0..<12).map { [0, 1, third][$0 % 3] }
            let image = Gray16Image(width: 4, height: 3, pixels: pixels)
            try recording.write(try PNG.encodeGray16(image), to: "confidence/00000\(n).png")
        }
        let capture = try recording.open(StrayScannerCapture.self)
        var frame = Frame(capture.frames[0])
        try capture.source.prepare(&frame, for: [.recordedConfidence])
        #expect(frame.recordedConfidence?.values.prefix(4) == [0, 1, 2, 0])
        var other = Frame(capture.frames[1])
        let problem = problem { () throws(Problem) in try capture.source.prepare(&other, for: [.recordedConfidence]) }
        #expect(problem?.summary == "no confidence: the picture holds the number 256, and 255 is the largest")
    }

    @Test func withoutItsPosesItFailsByName() throws {
        let recording = try recording()
        try recording.remove("odometry.csv")
        #expect(recording.recognition?.format == "stray-scanner")
        let problem = try recording.problem(StrayScannerCapture.self)
        #expect(problem?.summary == "the poses are missing" && problem?.fix == "copy odometry.csv too")
    }

    /// Lines that are gone from the middle shift nothing: their numbers tell where the others belong.
    @Test func missingLinesShiftNothing() throws {
        let lines = [0, 3, 4].map { "\(100 + Double($0) / 4), 00000\($0), \($0).5, 2, -3, \(Self.level)" }
        let recording = try recording(5, lines: lines)
        try TestVideo.gray("\(recording.name)/rgb.mp4", in: recording.folder, frames: 5, rate: 60)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.frames.map(\.isDropped) == [false, true, true, false, false])
        #expect(capture.frames.map { $0.pose?.position.x } == [0.5, nil, nil, 3.5, 4.5])
        let reason = capture.frames[1].drop?.reason
        #expect(reason == "odometry.csv has no line for it")
        #expect(capture.warnings.contains { $0.hasPrefix("2 lines are missing in odometry.csv") })
        #expect(try capture.loaded([.recordedDepth])[3].recordedDepth?.first == 1.3)
    }

    /// Full range, as the decoder gives it.
    private func grey(_ number: Int) -> UInt8 { UInt8((Int(TestVideo.luma(number)) - 16) * 255 / 219) }

    @Test func rotationsAreTheCamerasOwn() throws {
        // ARKit's camera turned by 90° about y, so that it looks along −x; after half a turn about x in OpenCV's
        // axes: q = (0, √½, 0, √½) · (1, 0, 0, 0) = √½ · (x: 1, z: −1).
        let half = 0.5.squareRoot()
        let recording = try recording(1, lines: ["1, 000000, 0, 0, 0, \(half), 0, \(-half), 0"])
        let pose = try #require(try recording.open(StrayScannerCapture.self).frames[0].pose)
        let ahead = pose.apply(Vector3(0, 0, -1))
        let up = pose.apply(Vector3(0, 1, 0))
        #expect((ahead - Vector3(-1, 0, 0)).length < 1e-15)
        #expect((up - Vector3(0, 1, 0)).length < 1e-15)
    }

    @Test func depthIsFoundByNumberAndMayBeMissing() throws {
        let recording = try recording(
            3, lines: (0..<3).map { "\($0), 00000\($0 + 1), 0, 0, 0, \(Self.level)" })
        try recording.remove("depth/000002.png")
        let capture = try recording.open(StrayScannerCapture.self)
        let frames = try capture.loaded([.recordedDepth])
        // The numbers are 1, 2 and 3; 2 was taken away and 3 never was.
        #expect(frames.map { $0.recordedDepth?.first } == [1.1, nil, nil])
        #expect(capture.findings["frames-without-depth"]?.integer == 2)
        #expect(capture.frames.allSatisfy { !$0.isDropped })
        #expect(capture.absences[.color]?.reason == "rgb.mp4 is missing")
        // Nobody can look at a video: the app's own size.
        #expect(capture.frames[0].intrinsics?.width == 1920)
    }

    @Test func veryOldRecordings() throws {
        let recording = try recording(2)
        // As the app wrote them: without names of columns, joined by line feeds, and none behind the last.
        try recording.write("1, 2, 3, \(Self.level)\n4, 5, 6, \(Self.level)", to: "odometry.csv")
        for n in 0..<2 {
            try recording.remove("depth/00000\(n).png")
            let made = try runPython(
                """
                import struct, sys
                head = "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 4), }".ljust(117) + '\\n'
                data = struct.pack('<12H', *range(2000 + \(n), 2012 + \(n)))
                open(sys.argv[1], 'wb').write(b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(head)) + head.encode() + data)
                """, ["\(recording.path)/depth/00000\(n).npy"])
            #expect(made.status == 0, "\(made.errors)")
        }
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.variant == "before 1.2")
        #expect(capture.frames.map { $0.pose?.position } == [Vector3(1, 2, 3), Vector3(4, 5, 6)])
        #expect(capture.frames.allSatisfy { $0.timestamp == nil })
        #expect(!capture.channels.contains(.timestamp))
        #expect(capture.absences[.timestamp]?.reason == "the app wrote none before version 1.2")
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth?.first } == [2, 2.001])
        #expect(!capture.warnings.contains { $0.hasPrefix("the last line") })
        // With names of columns, too.
        try recording.write("x, y, z, qx, qy, qz, qw\n1, 2, 3, \(Self.level)\n", to: "odometry.csv")
        #expect(try recording.open(StrayScannerCapture.self).frames.count == 1)
    }

    /// That nothing ends the last line of such a recording tells nothing, and neither does that its number is short.
    @Test func theLastLineOfAVeryOldRecording() throws {
        let recording = try recording(5)
        let lines = (0..<5).map { "0.5, 2.0, -3.0, 0.7, 0.1, 0.1, 0.69999\($0)" }
        func open(_ last: String) throws -> Capture {
            try recording.write((lines.dropLast() + [last]).joined(separator: "\n"), to: "odometry.csv")
            return try recording.open(StrayScannerCapture.self)
        }
        for last in [lines[4], String(lines[4].dropLast(3))] {
            let capture = try open(last)
            #expect(capture.keptFrames.count == 5)
            #expect(!capture.warnings.contains { $0.hasPrefix("the last line") })
        }
        // One that lacks numbers was cut off.
        let cut = try open("0.5, 2.0, -3.0, 0.7")
        #expect(cut.frames.map { $0.drop?.isBad } == [nil, nil, nil, nil, true])
        #expect(
            cut.frames[4].drop?.reason
                == "the line has 4 columns, and column 5 is needed: the file was cut off here (odometry.csv:5)")
    }

    @Test func linesThatCannotBeUsedCostTheirFrame() throws {
        let lines = [
            "0, 000000, 0, 0, 0, \(Self.level)", "1, 000001, 0, 0, 0, 0, 0, 0, 0",
            "2, 000002, nan, 0, 0, \(Self.level)",
            "3, 000003, 1, 2", "x, 000004, 0, 0, 0, \(Self.level)", "5, -5, 0, 0, 0, \(Self.level)",
            "1e30, 000006, 0, 0, 0, \(Self.level)", "7, 000007, 1e300, 0, 0, \(Self.level)",
        ]
        let capture = try recording(8, lines: lines).open(StrayScannerCapture.self)
        #expect(
            capture.dropReasons == [
                nil, "the quaternion is no rotation (its length is 0.0) (odometry.csv:3)",
                "“nan” is not a number (odometry.csv:4)",
                "the line has 4 columns, and column 5 is needed (odometry.csv:5)",
                "“x” is not a time in seconds (odometry.csv:6)", "“-5” is not a frame's number (odometry.csv:7)",
                "“1e30” is not a time in seconds (odometry.csv:8)",
                "the camera is more than 10,000 km from the origin (odometry.csv:9)",
            ])
        #expect(capture.frames.dropFirst().allSatisfy { $0.drop?.isBad == true })
    }

    @Test func aVideoOfAnotherLength() throws {
        let recording = try recording(3)
        try TestVideo.gray("\(recording.name)/rgb.mp4", in: recording.folder, frames: 2)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.dropReasons == [nil, nil, "the video has only 2 frames"])
        try TestVideo.gray("\(recording.name)/rgb.mp4", in: recording.folder, frames: 9)
        #expect(
            try recording.problem(StrayScannerCapture.self)?.notes.first == "odometry lines: 3, video: 9")
    }

    @Test func depthOfOtherNumbersIsNotSaidToBeMissing() throws {
        let recording = try recording(1)
        for folder in ["depth", "confidence"] { try recording.remove("\(folder)/000000.png") }
        for number in [7, 8] { try recording.depth("depth/00000\(number).png", first: 1000) }
        let absences = try recording.open(StrayScannerCapture.self).absences
        #expect(absences[.recordedDepth]?.reason == "no file in depth/ has the number of a frame; it holds 2 files")
        let lack = "there are no pictures in confidence/, though depth is there"
        #expect(absences[.recordedConfidence]?.reason == lack)
        #expect(absences[.recordedConfidence]?.remedy == "copy the folder confidence/ too")
    }

    /// The app makes both folders, and fills them, for every recording.
    @Test(arguments: [true, false]) func depthThatDidNotArriveIsMissed(hasConfidence: Bool) throws {
        let recording = try recording(2)
        for folder in ["depth", "confidence"] where folder == "depth" || !hasConfidence {
            for number in 0..<2 { try recording.remove("\(folder)/00000\(number).png") }
        }
        let capture = try recording.open(StrayScannerCapture.self)
        let sign = hasConfidence ? "confidence" : "the folder"
        #expect(capture.absences[.recordedDepth]?.reason == "there are no pictures in depth/, though \(sign) is there")
        #expect(capture.remedies[.recordedDepth] == "copy the folder depth/ too")
    }

    @Test func foldersThatDidNotArriveAreMissed() throws {
        let recording = try recording(2)
        for folder in ["depth", "confidence"] { try recording.remove(folder) }
        let capture = try recording.open(StrayScannerCapture.self)
        let remedies = ["depth", "confidence"].map { "copy the folder \($0)/ too" }
        #expect([.recordedDepth, .recordedConfidence].map { capture.remedies[$0] } == remedies)
        // Other programs need not make them.
        try recording.write("{}", to: "receipt.json")
        let written = try recording.open(StrayScannerCapture.self).remedies
        #expect(written[.recordedDepth] == nil && written[.recordedConfidence] == nil)
    }

    @Test func aVideoThatWasMadeSmaller() throws {
        let recording = try recording(1)
        try recording.write("1500, 0, 959.5\n0, 1500, 719.5\n0, 0, 1\n", to: "camera_matrix.csv")
        try TestVideo.gray("\(recording.name)/rgb.mp4", in: recording.folder, frames: 1)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(
            capture.frames[0].intrinsics
                == CameraIntrinsics(fx: 50, fy: 50, cx: 31.5, cy: 23.5, width: 64, height: 48, pixelOrigin: .arKit))
        #expect(
            capture.warnings == [
                "the pictures are 64×48, and the intrinsics for 1920×1440; the intrinsics were scaled"
            ])
    }

    @Test func whatIsNoRecording() throws {
        let other = try WrittenCapture()
        try other.write("a, b, c\n1, 2, 3\n", to: "odometry.csv")
        try other.write("1", to: "camera_matrix.csv")
        #expect(other.recognition == nil)
        #expect(try other.problem(StrayScannerCapture.self)?.place.file == "odometry.csv")
        // With all the other files beside it, it is one that is damaged.
        try other.write("x", to: "rgb.mp4")
        #expect(other.recognition?.format == "stray-scanner")
        let empty = try recording(0)
        #expect(try empty.problem(StrayScannerCapture.self)?.summary == "there are no frames in the file")
        let matrix = try recording(1)
        for text in ["", "1, 2, 3\n", "x, 0, 0\n0, 1, 0\n0, 0, 1\n", "0, 0, 0\n0, 0, 0\n0, 0, 0\n"] {
            try matrix.write(text, to: "camera_matrix.csv")
            #expect(try matrix.problem(StrayScannerCapture.self)?.place.file == "camera_matrix.csv", "\(text)")
        }
        // All that counts stands in the first two rows, and yet the file was cut off.
        try matrix.write("1500, 0, 960\n0, 1500, 720\n", to: "camera_matrix.csv")
        let short = try matrix.problem(StrayScannerCapture.self)
        #expect(short?.summary == "the camera matrix has 2 rows of 3" && short?.place.file == "camera_matrix.csv")
        var rules = ReadRules()
        rules.maxFrames = 2
        #expect(try recording(3).problem(StrayScannerCapture.self, rules: rules)?.fault == .input)
        rules = ReadRules()
        rules.maxPicturePixels = 11
        let large = try recording(3).open(StrayScannerCapture.self, rules: rules)
        let allowed = "4 × 3 pixels, where `max-picture-pixels` of read allows 11 (depth/000000.png)"
        #expect(
            large.absences[.recordedDepth]?.reason == "none of the depth pictures can be read: a picture of \(allowed)")
        #expect(large.remedies[.recordedDepth]?.hasSuffix("--set read.max-picture-pixels=12") == true)
    }

    @Test func linesAreWrittenAsTheyAreRead() throws {
        let pose = Pose(rotation: .rotation(aboutY: 0.7), position: Vector3(0.1, -2, 3e-7))
        let text = StrayOdometry.header + StrayOdometry.line(timestamp: 123_456_789, name: "000007", pose: pose)
        var rows = try StrayOdometry(MemorySource(Array(text.utf8), name: "odometry.csv"), lineLimit: 1000)
        let line = try #require(try rows.next())
        let row = try line.row.get()
        #expect(row.timestamp == 123_456_789 && line.number == 7 && row.camera == nil)
        #expect(row.pose.position == pose.position)
        #expect((row.pose.rotation.columns.0 - pose.rotation.columns.0).length < 1e-15)
        #expect(try rows.next() == nil)
    }

    @Test func framesWithoutDepthOrConfidenceAreSaid() throws {
        let recording = try recording(6)
        for file in ["depth/000001.png", "depth/000004.png", "confidence/000002.png"] { try recording.remove(file) }
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.gaps == [.recordedDepth: [1, 4], .recordedConfidence: [2]])
        #expect(capture.warnings.contains("2 of 6 frames have no depth: frames 1, 4"))
        #expect(capture.warnings.contains("1 of 6 frames has no confidence: frame 2"))
        #expect(capture.frames.allSatisfy { !$0.isDropped })
    }

    @Test func aLastLineThatWasCutOff() throws {
        let lines = (0..<5).map { "\(100 + $0), 00000\($0), 0.5, 2.0, -3.0, 0.7, 0.1, 0.1, 0.69999\($0)" }
        let recording = try recording(5)
        func open(_ last: String) throws -> Capture {
            let text = [Self.header] + lines.dropLast() + [last]
            try recording.write(text.joined(separator: "\n"), to: "odometry.csv")
            return try recording.open(StrayScannerCapture.self)
        }
        let cut = try open(String(lines[4].dropLast(3)))
        #expect(cut.frames.map { $0.drop?.isBad } == [nil, nil, nil, nil, true])
        #expect(
            cut.frames[4].drop?.reason
                == "the last line has no end, and its number “0.699” fewer digits than the others: the file was cut off (odometry.csv:6)"
        )
        let unended = try open(lines[4])
        #expect(
            unended.keptFrames.count == 5
                && unended.warnings.contains { $0.hasPrefix("the last line of odometry.csv, line 6") })
        let whole = try open("\(lines[4])\n")
        #expect(!whole.warnings.contains { $0.hasPrefix("the last line") })
    }
}
