import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct SensCaptureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A quarter turn about the world's z, at (1, 2, 3).
    private static let turned: [Float] = [0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1]
    private static let lost = [Float](repeating: -.infinity, count: 16)
    private static let depth: [UInt16] = [0, 1000, 2000, 65535, 500, 501, 502, 503, 1, 2, 3, 4]

    private static func png(_ number: Int, _ width: Int = 8, _ height: Int = 6) throws(Problem) -> [UInt8] {
        let pixels = [UInt8](repeating: UInt8(10 * number), count: width * height * 3)
        return try PNG.encodeRGB(RGBImage(width: width, height: height, pixels: pixels))
    }

    /// Three frames, the first without a time.
    private static func sample() throws(Problem) -> SensBytes {
        var sens = SensBytes()
        for number in 0..<3 {
            var frame = SensBytes.Frame(pose: turned)
            frame.pose[3] = Float(number)
            (frame.colorTime, frame.depthTime) = (UInt64(number) * 33_333, UInt64(number) * 33_334)
            frame.color = try png(number)
            frame.depth = ByteText.words(depth)
            sens.frames.append(frame)
        }
        return sens
    }

    private func open(
        _ sens: SensBytes, as name: String = "scene.sens", rules: ReadRules = ReadRules()
    ) throws -> Capture {
        try open(sens.bytes, as: name, rules: rules)
    }

    private func open(_ bytes: [UInt8], as name: String = "scene.sens", rules: ReadRules = ReadRules()) throws
        -> Capture
    {
        let path = try folder.write(bytes, to: name)
        let tree = try CaptureFormats.tree(at: path)
        #expect(CaptureFormats.recognise(tree)?.format == "sens")
        return try SensCapture.open(tree, rules: rules)
    }

    private func prepared(_ capture: Capture, _ index: Int, _ channels: Set<Channel>) throws(Problem) -> Frame {
        var frame = Frame(capture.frames[index])
        try capture.source.prepare(&frame, for: channels)
        return frame
    }

    // MARK: - Sound files

    @Test func everythingThatIsThere() throws {
        let capture = try open(try Self.sample())
        #expect(capture.id == "scene" && capture.format == "sens" && capture.variant == "version 4")
        #expect(capture.device == "StructureSensor")
        #expect(capture.channels == [.color, .pose, .intrinsics, .timestamp, .recordedDepth])
        #expect(capture.frames.count == 3 && capture.frames.allSatisfy { !$0.isDropped })
        #expect(capture.frames.map(\.timestamp) == [0, 33_333_000, 66_666_000])
        #expect(abs((capture.frameRate ?? 0) - 30) < 0.01)
        #expect(capture.colorSize == PixelSize(8, 6) && capture.depthSize == PixelSize(4, 3))
        #expect(
            capture.frames[1].intrinsics
                == CameraIntrinsics(fx: 9, fy: 9.5, cx: 3.5, cy: 2.5, width: 8, height: 6, pixelOrigin: .centre))
        // Half a picture's view: no camera of its own.
        #expect(capture.depthCamera == nil && capture.worldUp == nil && capture.isMetric)
        let pose = try #require(capture.frames[2].pose)
        #expect(pose.position == Vector3(2, 2, 3))
        // Theirs look down +z with y down; what is ahead of ours is at −z.
        #expect(pose.apply(Vector3(0, 0, -1)) == Vector3(2, 2, 4))
        #expect(pose.apply(Vector3(1, 0, 0)) == Vector3(2, 3, 3))
        #expect(pose.apply(Vector3(0, 1, 0)) == Vector3(3, 2, 3))
        #expect(capture.files.map(\.path) == ["scene.sens"])
        #expect(capture.warnings.isEmpty)
        let frame = try prepared(capture, 1, [.recordedDepth, .color, .previousDepth])
        let recorded = try #require(frame.recordedDepth)
        #expect(recorded.bytes == ByteText.words(Self.depth))
        #expect(recorded.encoding == .uint16(unitsPerMetre: 1000))
        #expect(frame.recordedDepthBefore == recorded)
        #expect(frame.picture == .file("color/000001.png"))
    }

    @Test func picturesThatWereTurned() throws {
        var sens = try Self.sample()
        sens.sizes = [6, 8, 4, 3]
        for number in 0..<3 { sens.frames[number].color = try Self.png(number, 6, 8) }
        let refusal = problem { _ = try open(sens) }
        #expect(refusal?.summary == "depth of 4×3 does not fit pictures of 6×8" && refusal?.place.file == "scene.sens")
    }

    /// The depth sensor stands in for the colour camera, and is where its own extrinsic puts it.
    @Test func depthWithoutPictures() throws {
        var sens = try Self.sample()
        (sens.sizes[0], sens.sizes[1]) = (0, 0)
        sens.colorIntrinsic = SensBytes.identity
        sens.depthExtrinsic = [1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
        for index in 0..<3 { sens.frames[index].color = [] }
        let capture = try open(sens)
        #expect(capture.channels == [.pose, .intrinsics, .timestamp, .recordedDepth] && capture.warnings.isEmpty)
        #expect(capture.absences[.color]?.reason == "the frames have no pictures")
        #expect(
            capture.frames[1].intrinsics
                == CameraIntrinsics(
                    fx: 4.5, fy: 4.75, cx: 1.5, cy: 1, width: 4, height: 3, pixelOrigin: .centre))
        #expect(capture.depthCamera == nil && capture.depthSize == PixelSize(4, 3))
        // Half a metre along the rig's x, which points along the world's y.
        #expect(capture.frames[2].pose?.position == Vector3(2, 2.5, 3))
    }

    /// A recorder of depth alone may give the pictures a size all the same, and a program that cuts them out leaves it.
    @Test(arguments: [true, false]) func aPictureSizeWithoutPictures(areEmpty: Bool) throws {
        var sens = try Self.sample()
        sens.colorIntrinsic = [Float](repeating: 0, count: 16)
        sens.depthExtrinsic = [1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
        sens.colorCompression = -1
        for index in 0..<3 { sens.frames[index].color = areEmpty ? [] : [1, 2, 3] }
        let capture = try open(sens)
        #expect(capture.channels == [.pose, .intrinsics, .timestamp, .recordedDepth])
        #expect(capture.frames.allSatisfy { !$0.isDropped && $0.intrinsics?.fx == 4.5 })
        #expect(capture.depthCamera == nil && capture.colorSize == nil)
        #expect(capture.frames[2].pose?.position == Vector3(2, 2.5, 3))
    }

    @Test func picturesAreStretchesOfTheFile() throws {
        let sens = try Self.sample()
        let capture = try open(sens)
        for index in 0..<3 {
            let name = try #require(capture.frames[index].pictureFile)
            let location = try #require(capture.source.location(of: name))
            let range = try #require(location.range)
            let bytes = try folder.bytes("scene.sens")[Int(range.lowerBound)..<Int(range.upperBound)]
            #expect(Array(bytes) == sens.frames[index].color)
            #expect(try capture.source.bytes(of: name, limit: 1 << 20) == sens.frames[index].color)
        }
        for name in ["color/000003.png", "color/000001.jpg", "color/1.png", "color/x", "../scene.sens"] {
            #expect(capture.source.location(of: name) == nil)
            #expect(throws: Problem.self) { try capture.source.open(name) }
        }
    }

    @Test func depthIsPackedInThreeWays() throws {
        for (compression, payload) in [
            (Int32(0), ByteText.words(Self.depth)), (1, ByteText.zlib(ByteText.words(Self.depth))),
        ] {
            var sens = try Self.sample()
            sens.depthCompression = compression
            for index in 0..<3 { sens.frames[index].depth = payload }
            let frame = try prepared(try open(sens), 2, [.recordedDepth])
            #expect(frame.recordedDepth?.bytes == ByteText.words(Self.depth))
        }
        // Shift 1000, five times again, one more and one less; the last one that stands for a depth, the first that does not.
        var sens = try Self.sample()
        sens.depthCompression = 2
        sens.frames[0].depth = ByteText.bits("0111 01111101000  010 00000  11 10 0111 10001001111 11 01100 00")
        let recorded = try #require(try prepared(try open(sens), 0, [.recordedDepth]).recordedDepth)
        #expect(
            recorded.bytes == ByteText.words([2224, 2224, 2224, 2224, 2224, 2224, 2241, 2224, 9424, 0, 9137, 9137]))
    }

    @Test func anotherUnitOfDepth() throws {
        var sens = try Self.sample()
        sens.depthShift = 4000
        let recorded = try #require(try prepared(try open(sens), 0, [.recordedDepth]).recordedDepth)
        #expect(try DepthCodec.decode(recorded).map.metres[1] == 0.25)
    }

    @Test func rawPictures() throws {
        var sens = try Self.sample()
        sens.colorCompression = 0
        let pixels = (0..<144).map { UInt8($0) }
        for index in 0..<3 { sens.frames[index].color = pixels }
        sens.frames[2].color.removeLast()
        let capture = try open(sens)
        #expect(capture.frames.allSatisfy { $0.pictureFile == nil })
        let frame = try prepared(capture, 0, [.color])
        #expect(frame.picture == .pixels(RGBImage(width: 8, height: 6, pixels: pixels)))
        #expect(problem { _ = try prepared(capture, 2, [.color]) }?.fault == .input)
        // `inspect` says it before a run comes to it.
        let inspection = try CaptureInspection.inspect("\(folder.path)/scene.sens")
        let reason = try #require(inspection.errors.first?.problem.notes.last)
        #expect(reason.hasPrefix("frame 2: 143 bytes are no picture of 8×6 pixels"), "\(reason)")
        #expect(inspection.frames?.wholeCount == 2)
    }

    /// A light first pixel is no beginning of a file.
    @Test(arguments: [[0xFF, 0xD8], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]])
    func rawPicturesThatBeginAsFilesDo(_ start: [UInt8]) throws {
        var sens = try Self.sample()
        sens.colorCompression = 0
        let pixels = start + [UInt8](repeating: 7, count: 144 - start.count)
        for index in 0..<3 { sens.frames[index].color = pixels }
        let frame = try prepared(try open(sens), 0, [.color])
        #expect(frame.picture == .pixels(RGBImage(width: 8, height: 6, pixels: pixels)))
        // Files that the header calls raw are what they are all the same.
        for index in 0..<3 { sens.frames[index].color = try Self.png(index) }
        #expect(try open(sens).frames[0].pictureFile == "color/000000.png")
    }

    @Test func picturesAreKnownByTheirContent() throws {
        var sens = try Self.sample()
        sens.colorCompression = 2
        #expect(try open(sens).frames[0].pictureFile == "color/000000.png")
        sens.colorCompression = -1
        let jpeg = try JPEG.encode(RGBImage(width: 8, height: 6, pixels: Array(repeating: 9, count: 144)))
        for index in 0..<3 { sens.frames[index].color = jpeg }
        #expect(try open(sens).frames[0].pictureFile == "color/000000.jpg")
        for index in 0..<3 { sens.frames[index].color = [1, 2, 3] }
        #expect(try open(sens).absences[.color]?.reason.contains("neither JPEG nor PNG") == true)
    }

    @Test func versionThreeHasNoMotion() throws {
        var sens = try Self.sample()
        sens.version = 3
        sens.motion = nil
        let capture = try open(sens)
        #expect(capture.variant == "version 3" && capture.motionFiles.isEmpty)
        #expect(capture.absences[.motion]?.reason == "the file has no motion samples")
        // Nor do other programs always write its block.
        sens.version = 4
        #expect(try open(sens).warnings.isEmpty)
    }

    @Test func motionSamplesBecomeFiles() throws {
        var sens = try Self.sample()
        sens.motion = (0..<1100).map { n in
            let values = (0..<15).map { place in Double(place) + Double(n) / 16 }
            return (values: values, time: 5_000_000 + 10_000 * UInt64(n))
        }
        let capture = try open(sens)
        #expect(capture.channels.contains(.motion))
        #expect(
            capture.motionFiles.map(\.path) == ["scene.rot", "scene.acce", "scene.mag", "scene.atti", "scene.grav"])
        for (place, file) in capture.motionFiles.enumerated() {
            let (samples, facts) = try MotionStream.samples(try capture.source.open(file.path), kind: file.kind)
            #expect(facts.layout == .header && facts.declaredCount == 1100 && samples.count == 1100)
            let start = Double(3 * place) + 1099.0 / 16
            #expect(samples[1099].value == Vector3(start, start + 1, start + 2))
            #expect(samples[1099].timestamp == 15_990_000_000)
        }
    }

    /// Nanoseconds since 1970, where microseconds belong.
    @Test func timesThatAreTooLargeAreNone() throws {
        var sens = try Self.sample()
        for index in 0..<3 { sens.frames[index].colorTime = 1_700_000_000_000_000_000 + UInt64(index) }
        let none = try open(sens)
        #expect(!none.channels.contains(.timestamp))
        #expect(none.absences[.timestamp]?.reason == "the frames' times are too large for microseconds")
        sens.frames[0].colorTime = 10_000_000
        let some = try open(sens)
        #expect(some.channels.contains(.timestamp))
        let warning = "2 of 3 frames have a time that is too large for microseconds, and is left out: frames 1 to 2"
        #expect(some.warnings == [warning], "\(some.warnings)")
    }

    /// A time that cannot be read is none: 0 would be the time of something else.
    @Test func motionSamplesWithoutATimeAreLeftOut() throws {
        var sens = try Self.sample()
        sens.motion = (0..<1100).map { n in
            let values = [Double](repeating: Double(n), count: 15)
            return (values: values, time: n < 600 ? UInt64.max : 10_000 * UInt64(n))
        }
        let capture = try open(sens)
        let warning = "600 of 1100 motion samples of scene.sens have no time that can be read, and are left out"
        #expect(capture.warnings == [warning])
        let source = try capture.source.open("scene.acce")
        let (samples, facts) = try MotionStream.samples(source, kind: .acceleration)
        #expect(samples.count == 500 && facts.warnings == [])
        #expect(samples.first?.timestamp == 6_000_000_000 && samples.first?.value == Vector3(600, 600, 600))
        #expect(samples.last?.timestamp == 10_990_000_000)
        for index in 0..<1100 { sens.motion?[index].time = .max }
        let none = try open(sens)
        #expect(none.motionFiles.isEmpty && !none.channels.contains(.motion))
        #expect(none.absences[.motion]?.reason == "no motion sample of scene.sens has a time that can be read")
    }

    /// The five files that are made of its samples are on no disk.
    @Test func faultsOfMotionAreSaidOnceOfTheFileItself() throws {
        var sens = try Self.sample()
        let times: [UInt64] = [0, 20_000, 20_000, 40_000, 60_000]
        sens.motion = times.map { time in (values: [Double](repeating: 1, count: 15), time: time) }
        // The third number is rotation's last, the fourth acceleration's first.
        sens.motion?[4].values[3] = .nan
        let inspection = try CaptureInspection.inspect(try folder.write(sens.bytes, to: "scene.sens"))
        let problems = inspection.findings.map(\.problem).filter { $0.summary.contains("sample") }
        #expect(
            problems.map(\.summary) == ["1 sample is not later than the one before it", "1 sample is not finite"])
        #expect(problems.map(\.place.file) == ["scene.sens", "scene.sens"])
        #expect(problems.map(\.notes) == [[], ["in the samples of acce alone"]])
        for index in 0..<5 { sens.motion?[index].time += 3_600_000_000 }
        let later = try CaptureInspection.inspect(try folder.write(sens.bytes, to: "scene.sens"))
        let strange = later.findings.map(\.problem).filter { $0.summary.hasPrefix("no motion sample falls into") }
        #expect(strange.map(\.notes) == [["their clock is not the camera's"]])
    }

    @Test func aFolderWithOneFileIsACapture() throws {
        try folder.write(try Self.sample().bytes, to: "scene0000_00/scan.sens")
        let alignment = "axisAlignment = 0 1 0 4 -1 0 0 5 0 0 1 6 0 0 0 1 \nsceneType = Office\n"
        try folder.write(alignment, to: "scene0000_00/scan.txt")
        let tree = try CaptureFormats.tree(at: folder.path + "/scene0000_00")
        #expect(CaptureFormats.recognise(tree)?.reason == "scan.sens begins as a .sens file does")
        let capture = try SensCapture.open(tree, rules: ReadRules())
        #expect(capture.id == "scene0000_00")
        // The world stays as it was recorded.
        #expect(capture.findings["axis-alignment"]?.array?.count == 16)
        // It goes into the receipt, so that another one is a change.
        #expect(capture.files.map(\.path) == ["scan.sens", "scan.txt"])
        #expect(capture.frames[0].pose?.position == Vector3(0, 2, 3))
        // What macOS puts beside it is none.
        try folder.write("Mac OS X", to: "scene0000_00/._scan.sens")
        #expect(CaptureFormats.recognise(tree) != nil)
        try folder.write(try Self.sample().bytes, to: "two/a.sens")
        try folder.write(try Self.sample().bytes, to: "two/B.SENS")
        #expect(CaptureFormats.recognise(CaptureFolder(path: folder.path + "/two")) == nil)
        #expect(
            try CaptureSearch.captures(at: folder.path).map(\.id) == ["scene0000_00", "B", "a"])
    }

    @Test func isReadFromAnArchive() throws {
        let script = """
            import sys, zipfile
            for name, method in [('stored', 0), ('packed', 8)]:
                with zipfile.ZipFile(f'{sys.argv[1]}/{name}.zip', 'w', method) as z:
                    z.write(sys.argv[1] + '/scene.sens', 'x/scene.sens')
            """
        let sens = try Self.sample()
        _ = try open(sens)
        #expect(try runPython(script, [folder.path]).status == 0)
        for name in ["stored", "packed"] {
            let capture = try SensCapture.open(
                try CaptureFormats.tree(at: "\(folder.path)/\(name).zip"), rules: ReadRules())
            #expect(try prepared(capture, 1, [.recordedDepth]).recordedDepth?.bytes == ByteText.words(Self.depth))
            let location = try #require(capture.source.location(of: "color/000001.png"))
            let range = try #require(location.range)
            let bytes = try FileSource(path: location.path, name: "x", range: range).readAll(limit: 1 << 20)
            #expect(bytes == sens.frames[1].color)
        }
    }

    @Test func inspectionLooksIntoTheFile() throws {
        var sens = try Self.sample()
        sens.frames[1].color = Array(sens.frames[1].color.dropLast(20))
        for name in ["scene.sens", "renamed"] {
            let inspection = try CaptureInspection.inspect(try folder.write(sens.bytes, to: name))
            #expect(inspection.recognition.format == "sens")
            #expect(inspection.pictures?.count == 3 && inspection.pictures?.damagedCount == 1)
            #expect(inspection.pictures?.byteCount == sens.frames.reduce(0) { $0 + Int64($1.color.count) })
            #expect(inspection.depth?.frameCount == 3)
            // As in a run, which looks at each picture when it comes to it.
            let reason = try #require(inspection.errors.first?.problem.notes.last)
            #expect(reason.hasPrefix("frame 1: "), "\(reason)")
            #expect(inspection.frames?.wholeCount == 2)
        }
        sens.frames[1].color = try Self.png(1, 6, 8)
        let turned = try CaptureInspection.inspect(try folder.write(sens.bytes, to: "scene.sens"))
        let reason = try #require(turned.errors.first?.problem.notes.last)
        #expect(reason.hasPrefix("frame 1: the picture is 6×8, and the header says 8×6"), "\(reason)")
        let cut = try folder.write(Array(sens.bytes.dropLast(20)), to: "cut.sens")
        let inspection = try CaptureInspection.inspect(cut)
        #expect(inspection.errors.first?.problem.summary == "the file ends inside frame 2 of 3")
        #expect(inspection.frames?.sourceCount == 3)
    }

    // MARK: - Two cameras

    @Test func aDepthSensorWithItsOwnCamera() throws {
        var sens = try Self.sample()
        sens.depthIntrinsic[0] = 5
        // 4 cm to the right in their axes, 2 down, 1 ahead.
        (sens.depthExtrinsic[3], sens.depthExtrinsic[7], sens.depthExtrinsic[11]) = (0.25, 0.5, 0.125)
        var depthCamera = try #require(try open(sens).depthCamera)
        #expect(
            depthCamera.intrinsics
                == CameraIntrinsics(fx: 5, fy: 4.75, cx: 1.5, cy: 1, width: 4, height: 3, pixelOrigin: .centre))
        #expect(depthCamera.colorFromDepth == Pose(rotation: .identity, position: Vector3(0.25, -0.5, -0.125)))
        // Where colour has an extrinsic, both are relative to what the poses are of.
        sens.colorExtrinsic = sens.depthExtrinsic
        let capture = try open(sens)
        depthCamera = try #require(capture.depthCamera)
        #expect(depthCamera.colorFromDepth == .identity)
        #expect(capture.frames[0].pose?.position == Vector3(-0.5, 2.25, 3.125))
        // A turn about their x is one about ours, the other way round in y and z.
        sens = try Self.sample()
        sens.depthExtrinsic = [1, 0, 0, 0, 0, 0.8, -0.6, 0, 0, 0.6, 0.8, 0, 0, 0, 0, 1]
        let turn = try #require(try open(sens).depthCamera?.colorFromDepth)
        #expect(abs(turn.apply(Vector3(0, 0, -1)).y - 0.6) < 1e-6 && abs(turn.apply(Vector3(0, 0, -1)).z + 0.8) < 1e-6)
    }

    /// Rows of the one are columns of the other.
    @Test func aDepthSensorThatIsMountedOnItsSide() throws {
        var sens = try Self.sample()
        sens.sizes = [6, 8, 4, 3]
        for number in 0..<3 { sens.frames[number].color = try Self.png(number, 6, 8) }
        sens.depthExtrinsic = [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
        let capture = try open(sens)
        #expect(capture.depthCamera != nil && capture.depthSize == PixelSize(4, 3))
        // Where both are turned alike, neither lies otherwise.
        sens.colorExtrinsic = sens.depthExtrinsic
        #expect(problem { _ = try open(sens) }?.summary == "depth of 4×3 does not fit pictures of 6×8")
    }

    @Test func zerosAreNoExtrinsicAndNonsenseIsRefused() throws {
        var sens = try Self.sample()
        sens.depthExtrinsic = Array(repeating: 0, count: 16)
        #expect(try open(sens).depthCamera == nil)
        sens.depthExtrinsic = (0..<16).map { Float($0) }
        #expect(problem { _ = try open(sens) }?.summary.contains("depth camera's extrinsics") == true)
        sens = try Self.sample()
        sens.depthIntrinsic = Array(repeating: .nan, count: 16)
        #expect(try open(sens).warnings.first?.contains("taken for the colour camera") == true)
        sens.colorIntrinsic[0] = 0
        let capture = try open(sens)
        #expect(
            !capture.channels.contains(.intrinsics) && capture.absences[.intrinsics]?.reason.contains("focal") == true)
    }

    // MARK: - Bad frames

    @Test func lostTrackingIsNotBad() throws {
        var sens = try Self.sample()
        sens.frames[0].pose = Self.lost
        sens.frames[2].pose[5] = .nan
        sens.frames.append(SensBytes.Frame(pose: Array(repeating: 0, count: 16), color: try Self.png(0)))
        let mirrored: [Float] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]
        sens.frames.append(SensBytes.Frame(pose: mirrored, color: try Self.png(0)))
        let large: [Float] = [3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1]
        sens.frames.append(SensBytes.Frame(pose: large, color: try Self.png(0)))
        let capture = try open(sens)
        #expect(
            capture.frames.map { $0.drop?.reason.prefix(17) } == [
                "tracking was lost", nil, "tracking was lost", "tracking was lost", "the pose is mirro",
                "the pose is not a",
            ])
        #expect(capture.frames.map { $0.drop?.isBad } == [false, nil, false, false, true, true])
    }

    @Test func aFileThatWasNeverTrackedKeepsItsFrames() throws {
        var sens = try Self.sample()
        for index in 0..<3 { sens.frames[index].pose = Self.lost }
        let capture = try open(sens)
        #expect(capture.keptFrames.count == 3 && !capture.channels.contains(.pose))
        #expect(capture.absences[.pose]?.reason.contains("never tracked") == true)
    }

    @Test func damagedPayloadsCostTheirFrameAlone() throws {
        var sens = try Self.sample()
        sens.depthCompression = 1
        for index in 0..<3 { sens.frames[index].depth = ByteText.zlib(ByteText.words(Self.depth)) }
        sens.frames[0].depth[12] ^= 0x40
        sens.frames[2].depth = ByteText.zlib(ByteText.words(Self.depth + [1]))
        sens.frames[2].color.removeLast(4)
        let capture = try open(sens)
        #expect(capture.frames.allSatisfy { !$0.isDropped })
        let first = problem { _ = try prepared(capture, 0, [.recordedDepth]) }
        #expect(first?.fault == .input && first?.place.file == "scene.sens")
        let frame = try prepared(capture, 1, [.recordedDepth, .previousDepth, .color])
        #expect(frame.recordedDepth?.bytes == ByteText.words(Self.depth) && frame.recordedDepthBefore == nil)
        #expect(problem { _ = try prepared(capture, 2, [.recordedDepth]) }?.fault == .input)
        let cut = problem { _ = try prepared(capture, 2, [.color]) }
        let start = try #require(capture.source.location(of: "color/000002.png")?.range?.lowerBound)
        #expect(cut?.place.file == "scene.sens" && cut?.place.byte == start)
        #expect(cut?.place.byteCount == Int64(sens.bytes.count))
    }

    /// A picture in the file is no file that anybody could find or copy.
    @Test func damageThatDecodingFindsIsNamedByItsPlaceInTheFile() throws {
        var sens = try Self.sample()
        // Within the pixels.
        sens.frames[1].color[45] ^= 0x40
        let start = try #require(try open(sens).source.location(of: "color/000001.png")?.range?.lowerBound)
        let pictures = try CapturePictures(at: "\(folder.path)/scene.sens")
        let damage = problem { _ = try pictures.picture(of: 1, within: PixelSize(8, 6)) }
        #expect(damage?.summary == "PNG damaged" && damage?.fix == "copy the file again")
        #expect(damage?.place.file == "scene.sens" && damage?.place.byte == start)
    }

    @Test(arguments: [0, 1] as [Int32]) func depthOfAnotherLength(_ compression: Int32) throws {
        var sens = try Self.sample()
        sens.depthCompression = compression
        let short = Array(Self.depth.dropLast())
        for index in 0..<3 {
            let bytes = ByteText.words(index == 1 ? short : Self.depth)
            sens.frames[index].depth = compression == 0 ? bytes : ByteText.zlib(bytes)
        }
        let capture = try open(sens)
        let damage = problem { _ = try prepared(capture, 1, [.recordedDepth]) }
        #expect(damage?.summary == "the depth frame is damaged" && damage?.fault == .input)
        #expect(damage?.notes == ["it has 22 bytes, and 4×3 pixels have 24"])
        #expect(damage?.fix == "copy the file again" && damage?.place.file == "scene.sens")
        #expect(damage?.place.byteCount == Int64(sens.bytes.count))
        for index in [0, 2] {
            #expect(try prepared(capture, index, [.recordedDepth]).recordedDepth?.bytes == ByteText.words(Self.depth))
        }
    }

    @Test func framesWithoutPayloads() throws {
        var sens = try Self.sample()
        sens.frames[1].color = []
        sens.frames[2].depth = []
        let capture = try open(sens)
        #expect(capture.frames[1].drop == Drop(stage: "read", reason: "it has no picture", isBad: true))
        #expect(try prepared(capture, 2, [.recordedDepth]).recordedDepth == nil)
        #expect(capture.warnings == ["1 of 3 frames has no depth: frame 2"])
        #expect(capture.findings["frames-without-depth"] == .of(1) && capture.gaps[.recordedDepth] == nil)
        for index in 0..<3 { (sens.frames[index].color, sens.frames[index].depth) = ([], []) }
        let empty = try open(sens)
        #expect(empty.channels == [.pose, .intrinsics, .timestamp])
        #expect(empty.absences[.color]?.reason == "the frames have no pictures")
    }

    @Test func filesWithoutTimes() throws {
        var sens = try Self.sample()
        for index in 0..<3 { sens.frames[index].colorTime = 0 }
        let capture = try open(sens)
        #expect(!capture.channels.contains(.timestamp) && capture.frames[0].timestamp == nil)
        #expect(capture.frameRate == nil)
        sens.frames[1].colorTime = .max
        // One that cannot be is no sign that the others are times.
        #expect(try open(sens).frames.map(\.timestamp) == [nil, nil, nil])
    }

    /// Later than 126 years after the clock began.
    @Test func aTimeThatCannotBeIsNone() throws {
        var sens = try Self.sample()
        sens.frames[2].colorTime = 5_000_000_000_000_000
        #expect(try open(sens).frames.map(\.timestamp) == [0, 33_333_000, nil])
    }

    /// The clocks of trackers run for hours; first frames with the time 0 were stamped before they were asked.
    @Test func firstFramesWithoutATime() throws {
        var sens = try Self.sample()
        let hours: UInt64 = 23_456_000_000
        for (times, expected) in [
            ([0, hours, hours + 33_333], [hours - 33_333, hours, hours + 33_333]),
            ([0, 0, hours], [0, 0, hours]), ([0, 40_000, 73_333], [0, 40_000, 73_333]),
            ([0, 0, 33_333], [0, 0, 33_333]),
        ] {
            for (index, time) in times.enumerated() { sens.frames[index].colorTime = time }
            let capture = try open(sens)
            #expect(capture.frames.map(\.timestamp) == expected.map { Int64($0) * 1000 }, "\(times)")
            #expect(
                capture.warnings.contains(
                    "the first frame has the time 0, and the next one 23456.000 s: frames were taken to be 0.033 s apart there"
                )
                    == (times != expected))
        }
        // No clock began before 0.
        sens.frames.append(sens.frames[2])
        for (index, time) in [0, 0, 40_000, 73_333].enumerated() { sens.frames[index].colorTime = UInt64(time) }
        #expect(try open(sens).frames.map(\.timestamp) == [0, 0, 40_000_000, 73_333_000])
    }

    @Test func picturesOfAnotherSizeAreBad() throws {
        var sens = try Self.sample()
        sens.frames[1].color = try Self.png(1, 6, 8)
        let capture = try open(sens)
        let odd = problem { _ = try prepared(capture, 1, [.color]) }
        #expect(odd?.summary == "the picture is 6×8, and the header says 8×6" && odd?.fault == .input)
    }

    // MARK: - Damaged and hostile files

    @Test func everyCutIsNamedAndWholeFramesCanBeKept() throws {
        let whole = try Self.sample().bytes
        let start = try Self.sample().header.count
        var keep = ReadRules()
        keep.truncated = .keepWhole
        for count in stride(from: 0, to: whole.count - 8, by: 7) {
            let cut = Array(whole.prefix(count))
            let failure = problem { _ = try open(cut) }
            #expect(failure?.fault == .input && failure?.place.file == "scene.sens", "\(count)")
            guard count > start else { continue }
            #expect(failure?.summary.hasPrefix("the file ends inside frame") == true && failure?.cut?.count == 3)
            if let capture = try? open(cut, rules: keep) {
                #expect(capture.frames.count == 3 && capture.forgiven.count == 1)
                #expect(capture.keptFrames.allSatisfy { $0.pictureFile != nil })
            }
        }
        let two = try open(Array(whole.dropLast(20)), rules: keep)
        #expect(two.keptFrames.map(\.index) == [0, 1])
        #expect(two.frames[2].drop?.isBad == false)
        keep.minWhole = 0.7
        let few = problem { _ = try open(Array(whole.dropLast(20)), rules: keep) }
        #expect(few?.notes == ["2 of 3 frames are whole; the minimum is 70 %"])
    }

    @Test func absurdCountsAreRefusedBeforeMemoryIsTaken() throws {
        let changes: [(inout SensBytes) -> Void] = [
            { $0.announced = .max }, { $0.announced = 1 << 40 }, { $0.announced = 300_000 },
            { $0.announced = 0 }, { $0.frames[1].colorCount = .max }, { $0.frames[1].depthCount = .max - 3 },
            { $0.frames[2].depthCount = 1 << 62 }, { $0.nameLength = .max }, { $0.nameLength = 5000 },
            { $0.sizes = [1 << 31, 1, 4, 3] }, { $0.sizes = [8, 6, .max, .max] }, { $0.sizes = [8, 6, 65536, 65536] },
            { $0.depthShift = 0 }, { $0.depthShift = .nan }, { $0.depthShift = -1000 }, { $0.colorCompression = 3 },
            { $0.depthCompression = -2 }, { $0.announcedMotion = .max }, { $0.announcedMotion = 1 }, { $0.version = 5 },
        ]
        for (number, change) in changes.enumerated() {
            var sens = try Self.sample()
            change(&sens)
            let failure = problem { _ = try open(sens) }
            #expect(failure?.fault == .input, "change \(number)")
            #expect(failure?.place.file == "scene.sens", "change \(number)")
        }
        var rules = ReadRules()
        rules.maxFrames = 2
        #expect(problem { _ = try open(try Self.sample(), rules: rules) }?.summary == "there are more than 2 frames")
        rules = ReadRules()
        rules.maxPicturePixels = 40
        #expect(
            problem { _ = try open(try Self.sample(), rules: rules) }?.summary
                == "the colour picture is 8×6, more than 40 pixels")
    }

    @Test func olderVersionsSaySo() throws {
        for version in UInt32(0)...2 {
            var sens = try Self.sample()
            sens.version = version
            #expect(
                problem { _ = try open(sens) }?.summary
                    == "version \(version) of the format is not read, only 3 and 4")
        }
    }

    @Test func withoutItsNameOnlyTheContentCounts() throws {
        #expect(try open(try Self.sample(), as: "renamed").id == "renamed")
        let path = try folder.write("no scan at all", to: "text")
        #expect(throws: Problem.self) { try CaptureFormats.tree(at: path) }
    }

    @Test func whatStandsBehindTheEndIsMentioned() throws {
        let bytes = try Self.sample().bytes
        #expect(try open(bytes + [1, 2, 3]).warnings == ["3 bytes stand after the last motion sample"])
        var sens = try Self.sample()
        (sens.version, sens.motion) = (3, nil)
        #expect(try open(sens.bytes + [1]).warnings == ["1 byte stands after the last frame"])
    }
}
