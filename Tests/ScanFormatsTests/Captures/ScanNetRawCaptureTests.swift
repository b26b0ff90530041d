import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct ScanNetRawCaptureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Five frames of 4 × 3 pixels of depth; the colour camera is 64 × 48.
    private static let description = """
        colorWidth = 64\r
        colorHeight = 48\r
        depthWidth = 4\r
        depthHeight = 3\r
        fx_color = 60\r
        fy_color = 61\r
        mx_color = 31.5\r
        my_color = 23.5\r
        fx_depth = 4\r
        fy_depth = 4.5\r
        mx_depth = 1.5\r
        my_depth = 1\r
        colorToDepthExtrinsics = 1 0 0 -0.25 0 1 0 -0.5 0 0 1 -0.125 0 0 0 1\r
        deviceName = John's iPad\r
        numDepthFrames = 5\r
        numColorFrames = 5\r
        axisAlignment = 0 1 0 4 -1 0 0 5 0 0 1 6 0 0 0 1\r

        """

    /// Shift 100 + frame in the first pixel, and the same in all others.
    private static func frame(_ number: Int) -> [UInt8] {
        let shift = String(100 + number, radix: 2)
        return ByteText.bits("0111" + String(repeating: "0", count: 11 - shift.count) + shift + "010 00110")
    }

    private static func depth(_ frames: [[UInt8]], blocks: Int = 2) -> [UInt8] {
        var text = ByteText()
        for frame in frames {
            text.add(UInt32(frame.count))
            text.bytes += frame
        }
        for block in 0..<blocks {
            text.add((0..<frames.count).map { 1000.5 + Double($0) / 32 + Double(block) / 64 })
        }
        return text.bytes
    }

    private static let frames = (0..<5).map(frame)

    private func write(_ files: [String: [UInt8]], video frames: Int? = 5) throws -> String {
        let path = try folder.write(files, under: "scan")
        if let frames {
            let raw = ["-pix_fmt", "yuv420p", "-qp", "0", "-f", "h264"]
            try TestVideo.gray("scan/abc.h264", in: folder, frames: frames, encoder: raw)
        }
        return path
    }

    private func files(
        _ depth: [UInt8] = depth(frames), _ text: String = description
    ) -> [String: [UInt8]] { ["abc.txt": Array(text.utf8), "abc.depth": depth] }

    private func open(_ path: String, rules: ReadRules = ReadRules()) throws -> Capture {
        let tree = try CaptureFormats.tree(at: path)
        #expect(CaptureFormats.recognise(tree)?.format == "scannet-raw")
        return try ScanNetRawCapture.open(tree, rules: rules)
    }

    /// A folder may have been named anew, with an ü of one character for its files' two.
    @Test func aFolderInOtherUnicodeCharactersThanItsFiles() throws {
        let path = try write(files())
        for kind in ["txt", "depth", "h264"] {
            #expect(rename("\(path)/abc.\(kind)", "\(path)/Ku\u{308}che.\(kind)") == 0)
        }
        #expect(rename(path, "\(folder.path)/K\u{FC}che") == 0)
        #expect(try open("\(folder.path)/K\u{FC}che").frames.count == 5)
    }

    private func depth(_ capture: Capture, _ index: Int) throws -> [UInt8]? {
        var frame = Frame(capture.frames[index])
        try capture.source.prepare(&frame, for: [.recordedDepth])
        return frame.recordedDepth?.bytes
    }

    private static func pixels(_ frame: Int) -> [UInt8] {
        ByteText.words(Array(repeating: UInt16(300_000 / (1134.8335 - Double(100 + frame))), count: 12))
    }

    // MARK: - A sound scan

    @Test func everythingThatIsThere() throws {
        let capture = try open(try write(files()))
        #expect(capture.id == "scan" && capture.format == "scannet-raw" && capture.device == "John's iPad")
        #expect(capture.channels == [.color, .luma, .video, .intrinsics, .timestamp, .recordedDepth])
        #expect(capture.frames.count == 5 && capture.keptFrames.count == 5)
        // The colour block's, which comes second.
        #expect(capture.frames[1].timestamp == 1_000_546_875_000)
        #expect(capture.frameRate == 32)
        #expect(
            capture.frames[0].intrinsics
                == CameraIntrinsics(fx: 60, fy: 61, cx: 31.5, cy: 23.5, width: 64, height: 48, pixelOrigin: .centre))
        let depthCamera = try #require(capture.depthCamera)
        #expect(
            depthCamera.intrinsics
                == CameraIntrinsics(fx: 4, fy: 4.5, cx: 1.5, cy: 1, width: 4, height: 3, pixelOrigin: .centre))
        // What the file has takes points from colour to depth, with y down.
        #expect(depthCamera.colorFromDepth.position == Vector3(0.25, -0.5, -0.125))
        #expect(capture.absences[.pose]?.reason == "the recorder does not know where its camera is")
        let fix = capture.absences[.pose]?.advice ?? ""
        #expect(fix.contains("decode-images.yaml") && fix.contains("COLMAP"))
        #expect(capture.findings["axis-alignment"]?.array?.count == 16)
        #expect(capture.metadata?["numDepthFrames"]?.string == "5")
        for index in 0..<5 { #expect(try depth(capture, index) == Self.pixels(index)) }
        #expect(capture.warnings.isEmpty)
    }

    @Test func picturesComeFromTheStreamInOrder() throws {
        let capture = try open(try write(files()))
        let track = try #require(try capture.source.tracks(for: [.luma], of: capture).first)
        for facts in capture.frames {
            var frame = Frame(facts)
            try track.advance(&frame, isWanted: true)
            let expected = UInt8(clamping: ((Int(TestVideo.luma(facts.index)) - 16) * 255 + 109) / 219)
            #expect(frame.luma?.pixels.first == expected)
        }
        _ = try track.finish()
    }

    @Test func motionSamplesBecomeFiles() throws {
        var motion = ByteText()
        for n in 0..<3 {
            motion.add(2000.25 + Double(n) / 64)
            motion.add((0..<15).map { Double(100 * n + $0) })
        }
        var files = files()
        files["abc.imu"] = motion.bytes + [1, 2]
        let capture = try open(try write(files))
        #expect(capture.motionFiles.map(\.path) == ["abc.rot", "abc.acce", "abc.mag", "abc.atti", "abc.grav"])
        let samples = try MotionStream.samples(try capture.source.open("abc.grav"), kind: .gravity).samples
        for (n, sample) in samples.enumerated() {
            let start = Double(100 * n) + 12
            #expect(sample.value == Vector3(start, start + 1, start + 2))
        }
        #expect(samples[1].timestamp == 2_000_265_625_000)
        #expect(capture.warnings == ["the last record of abc.imu has 2 of 128 bytes and is left out"])
    }

    @Test(arguments: [("3", false), ("7", true), ("some", false)])
    func motionSamplesThatAreAnnounced(_ number: String, isMore: Bool) throws {
        var motion = ByteText()
        for n in 0..<3 {
            motion.add(2000.25 + Double(n) / 64)
            motion.add([Double](repeating: 1, count: 15))
        }
        var files = files(Self.depth(Self.frames), Self.description + "numIMUmeasurements = \(number)\r\n")
        files["abc.imu"] = motion.bytes
        let warning =
            "abc.imu has 3 of the 7 motion samples that abc.txt lists: if it was whole once, copy it again"
        #expect(try open(try write(files)).warnings == (isMore ? [warning] : []))
    }

    @Test func motionSamplesWithoutATimeAreLeftOut() throws {
        var motion = ByteText()
        for time in [2000.25, .nan, 2000.5] {
            motion.add(time)
            motion.add([Double](repeating: time, count: 15))
        }
        var files = files()
        files["abc.imu"] = motion.bytes
        let path = try write(files)
        let capture = try open(path)
        #expect(
            capture.warnings == ["1 of 3 motion samples of abc.imu has no time that can be read, and is left out"])
        let samples = try MotionStream.samples(try capture.source.open("abc.rot"), kind: .rotationRate).samples
        #expect(samples.map(\.timestamp) == [2_000_250_000_000, 2_000_500_000_000])
        // Of the file that is there, whatever is made of it.
        let inspection = try CaptureInspection.inspect(path)
        let stream = inspection.streams.first { $0.file == "abc.imu" }
        #expect(stream?.content == "motion" && stream?.frameCount == 2 && stream?.rate == 4)
        let strange = inspection.findings.map(\.problem).filter { $0.summary.hasPrefix("no motion sample falls into") }
        #expect(strange.map(\.place.file) == ["abc.imu"])
        #expect(strange.map(\.fix) == ["copy the file of this capture"])
    }

    @Test func motionWithoutAWholeRecord() throws {
        var files = files()
        files["abc.imu"] = [UInt8](repeating: 0, count: 100)
        let capture = try open(try write(files))
        #expect(capture.motionFiles.isEmpty && capture.absences[.motion]?.reason == "abc.imu holds no whole record")
        #expect(capture.warnings == ["the last record of abc.imu has 100 of 128 bytes and is left out"])
    }

    @Test func oneBlockOfTimesServesBoth() throws {
        let capture = try open(try write(files(Self.depth(Self.frames, blocks: 1))))
        #expect(capture.frames.map(\.timestamp).first == 1_000_500_000_000)
        #expect(capture.keptFrames.count == 5)
    }

    // MARK: - Counts

    @Test func theFileSaysHowManyFramesThereAre() throws {
        for count in ["", "4", "6", "17"] {
            let text = Self.description.replacing("numDepthFrames = 5", with: "numDepthFrames = \(count)")
            let capture = try open(try write(files(Self.depth(Self.frames), text)))
            #expect(capture.frames.count == 5, "\(count)")
            #expect(try depth(capture, 4) == Self.pixels(4))
            #expect(capture.frames[4].timestamp == 1_000_640_625_000)
        }
    }

    @Test func streamsThatDifferALittle() throws {
        let capture = try open(try write(files(), video: 7))
        #expect(capture.frames.count == 7 && capture.keptFrames.count == 5)
        #expect(capture.frames[5].drop == Drop(stage: "read", reason: "the depth stream has only 5 frames"))
        #expect(
            capture.warnings.contains(
                "abc.depth has 5 frames, and there are 7 frames: the end was taken to be missing; if it is not, depth "
                    + "and pictures do not belong together"), "\(capture.warnings)")
        let failure = problem { _ = try open(try write(files(), video: 12)) }
        #expect(failure?.notes.first == "depth stream: 5, video: 12")
        var rules = ReadRules()
        rules.mismatch = .shortest
        #expect(try open(folder.path + "/scan", rules: rules).keptFrames.count == 5)
    }

    @Test func aScanOfWhichOneStreamIsMissing() throws {
        let blind = try open(try write(files(), video: nil))
        #expect(blind.absences[.color]?.reason == "abc.h264 is missing, though abc.txt lists 5 pictures")
        #expect(blind.remedies == [.color: "copy abc.h264 too"] && blind.keptFrames.count == 5)
        try FileManager.default.removeItem(atPath: folder.path + "/scan/abc.depth")
        var files = files()
        files["abc.depth"] = nil
        let flat = try open(try write(files))
        #expect(flat.absences[.recordedDepth]?.reason == "abc.depth is missing, though abc.txt lists 5 depth frames")
        #expect(flat.remedies == [.recordedDepth: "copy abc.depth too"] && flat.keptFrames.count == 5)
        #expect(!flat.channels.contains(.timestamp) && flat.frameRate == 30)
        // A recorder without a depth sensor lists none.
        let without = Self.description.replacing("numDepthFrames = 5", with: "numDepthFrames = 0")
        files["abc.txt"] = Array(without.utf8)
        let plain = try open(try write(files))
        #expect(plain.absences[.recordedDepth]?.reason == "abc.depth is missing" && plain.remedies.isEmpty)
    }

    @Test func whatStandsInAStreamsPlace() throws {
        for (file, channel) in [("abc.depth", Channel.recordedDepth), ("abc.h264", .color), ("abc.imu", .motion)] {
            let path = try write(files())
            try? FileManager.default.removeItem(atPath: "\(path)/\(file)")
            try FileManager.default.createDirectory(atPath: "\(path)/\(file)", withIntermediateDirectories: false)
            let capture = try open(path)
            #expect(capture.absences[channel]?.reason.hasPrefix("\(file) is a folder") == true)
            #expect(capture.remedies == [channel: "put the file \(file) in its place"])
            try FileManager.default.removeItem(atPath: path)
        }
    }

    // MARK: - Damage

    @Test func aDamagedFrameCostsItselfAlone() throws {
        var frames = Self.frames
        frames[2] = Array(frames[2].prefix(1))
        frames[3] = []
        let capture = try open(try write(files(Self.depth(frames))))
        #expect(capture.frames.count == 5)
        #expect(problem { _ = try depth(capture, 2) }?.summary == "the depth frame is damaged")
        #expect(problem { _ = try depth(capture, 3) }?.place.file == "abc.depth")
        #expect(try depth(capture, 4) == Self.pixels(4))
    }

    @Test func aCutFileFailsOrKeepsItsWholeFrames() throws {
        let whole = Self.depth(Self.frames)
        let frameBytes = 5 * (4 + Self.frames[0].count)
        var rules = ReadRules()
        rules.truncated = .keepWhole
        rules.minWhole = 0
        for count in [0, 3, 5, 17, frameBytes, frameBytes + 1, frameBytes + 39, frameBytes + 79] {
            let path = try write(files(Array(whole.prefix(count))), video: nil)
            let failure = problem { _ = try open(path) }
            #expect(failure?.summary == "the depth stream is truncated or damaged", "\(count)")
            #expect(failure?.place.file == "abc.depth")
            let kept = try? open(path, rules: rules)
            let expected = min(5, count / (4 + Self.frames[0].count))
            #expect((kept?.keptFrames.count ?? 0) == expected, "\(count)")
            // The description says how many there were.
            #expect((kept?.frames.count ?? 0) == (expected > 0 ? 5 : 0), "\(count)")
        }
    }

    /// Every frame that the description announces is kept or dropped.
    @Test func announcedFramesThatACutFileLacksAreDropped() throws {
        let text = Self.description.replacing("numDepthFrames = 5", with: "numDepthFrames = 12")
        let frames = (0..<12).map(Self.frame)
        let cut = Array(Self.depth(frames).prefix(8 * (4 + frames[0].count) + 2))
        var rules = ReadRules()
        rules.truncated = .keepWhole
        for video: Int? in [nil, 8, 10] {
            let capture = try open(try write(files(cut, text), video: video), rules: rules)
            #expect(capture.frames.map(\.index) == Array(0..<12))
            #expect(capture.keptFrames.map(\.index) == Array(0..<8))
            for frame in capture.frames.dropFirst(8) {
                #expect(frame.drop?.reason.hasPrefix("the depth stream is truncated or damaged") == true)
                #expect(frame.drop?.isBad == false)
            }
            #expect(try depth(capture, 7) == Self.pixels(7))
            #expect(try depth(capture, 8) == nil)
        }
    }

    /// Where nothing but a longer video tells how many there should be, the fix works at once all the same.
    @Test func aCutFileBesideALongerVideo() throws {
        let text = Self.description.replacing("numDepthFrames = 5", with: "numDepthFrames = ")
        let frames = (0..<6).map(Self.frame)
        let cut = Array(Self.depth(frames).prefix(5 * (4 + frames[0].count) + 2))
        let path = try write(files(cut, text), video: 20)
        let failure = problem { _ = try open(path) }
        #expect(failure?.cut == Problem.Cut(whole: 5, count: 20))
        let way = "keep the whole frames with  --set read.truncated=keep-whole --set read.min-whole=0.25"
        #expect(failure?.fix == "copy the file again, or \(way)")
        var rules = ReadRules()
        (rules.truncated, rules.minWhole) = (.keepWhole, 0.25)
        #expect(try open(path, rules: rules).keptFrames.count == 5)
    }

    /// A number of frames that no scan has costs no memory.
    @Test func anAbsurdNumberOfAnnouncedFramesIsRefused() throws {
        var rules = ReadRules()
        (rules.truncated, rules.minWhole) = (.keepWhole, 0)
        let absurd = "Frames = \(Int32.max)"
        let depth = Self.description.replacing("numDepthFrames = 5", with: "numDepth\(absurd)")
        let cut = Array(Self.depth(Self.frames).dropLast(81))
        let failure = problem { _ = try open(try write(files(cut, depth), video: nil), rules: rules) }
        #expect(failure?.summary == "there are more than 250000 depth frames" && failure?.place.file == "abc.txt")
        try FileManager.default.removeItem(atPath: "\(folder.path)/scan/abc.depth")
        let color = Self.description.replacing("numColorFrames = 5", with: "numColor\(absurd)")
        let refusal = problem { _ = try open(try write(["abc.txt": Array(color.utf8)]), rules: rules) }
        #expect(refusal?.summary == "there are more than 250000 pictures" && refusal?.place.file == "abc.txt")
    }

    /// Without depth, the description alone tells that pictures are missing.
    @Test func aVideoOfFewerFramesThanAnnounced() throws {
        func path(_ count: String) throws -> String {
            let text = Self.description.replacing("numColorFrames = 5", with: "numColorFrames = \(count)")
            return try write(["abc.txt": Array(text.utf8)], video: 4)
        }
        let capture = try open(try path("6"))
        let reason = "the video has only 4 frames"
        #expect(capture.dropReasons == [nil, nil, nil, nil, reason, reason])
        #expect(
            capture.warnings.contains(
                "abc.h264 has 4 frames, and there are 6 listed pictures: the end was taken to be missing; if it is "
                    + "not, pictures and their numbers do not belong together"), "\(capture.warnings)")
        let failure = problem { _ = try open(try path("12")) }
        #expect(failure?.notes.first == "listed pictures: 12, video: 4")
        // As `inspect` opens it.
        let looked = try open(try path("12"), rules: .forgiving)
        #expect(looked.frames.count == 12 && looked.keptFrames.count == 4)
        #expect(looked.forgiven.map(\.summary) == ["the streams differ in length by 8 frames"])
        // A description of fewer is wrong: the file says how many there are.
        for count in ["", "0", "3"] {
            let whole = try open(try path(count))
            #expect(whole.dropReasons == [nil, nil, nil, nil] && whole.warnings.isEmpty, "\(count)")
        }
    }

    /// A stream that was cut off is none of another length, however many pictures there are.
    @Test func whatIsWholeOfACutStreamIsPairedWithTheVideo() throws {
        let path = try write(files(Array(Self.depth(Self.frames).prefix(4 + Self.frames[0].count + 2))), video: 8)
        var rules = ReadRules()
        rules.truncated = .keepWhole
        rules.minWhole = 0
        let capture = try open(path, rules: rules)
        #expect(capture.frames.count == 8 && capture.keptFrames.map(\.index) == [0])
        #expect(capture.frames[7].drop?.reason.contains("truncated or damaged") == true)
    }

    @Test func absurdNumbersAreRefused() throws {
        var huge = ByteText()
        huge.add(UInt32.max)
        huge.bytes += Self.depth(Self.frames)
        #expect(problem { _ = try open(try write(files(huge.bytes), video: nil)) }?.fault == .input)
        // Frames of no bytes at all: as many as the file has words.
        var rules = ReadRules()
        rules.maxFrames = 100
        let zeros = [UInt8](repeating: 0, count: 100_000)
        let silent = Self.description.replacing("numDepthFrames = 5", with: "")
        let many = problem { _ = try open(try write(files(zeros, silent), video: nil), rules: rules) }
        #expect(many?.summary == "there are more than 100 depth frames")
        for (key, value) in [
            ("depthWidth = 4", "depthWidth = 1e9"), ("depthWidth = 4", "depthWidth = 4.5"),
            ("fx_color = 60", "fx_color = nan"), ("fx_color = 60", "fx_color = sixty"), ("my_depth", "other"),
            ("colorToDepthExtrinsics = 1", "colorToDepthExtrinsics = 7"),
            ("colorToDepthExtrinsics = 1 0", "colorToDepthExtrinsics = 1"),
            ("numDepthFrames = 5", "numDepthFrames = -5"),
        ] {
            let text = Self.description.replacing(key, with: value)
            let failure = problem { _ = try open(try write(files(Self.depth(Self.frames), text))) }
            #expect(failure?.fault == .input, "\(value)")
            #expect(failure?.place.file == "abc.txt", "\(value)")
        }
    }

    @Test func depthWithItsSidesExchanged() throws {
        let text = Self.description.replacing("depthWidth = 4", with: "depthWidth = 3")
            .replacing("depthHeight = 3", with: "depthHeight = 4")
        let failure = problem { _ = try open(try write(files(Self.depth(Self.frames), text))) }
        #expect(failure?.summary == "depth of 3×4 does not fit pictures of 64×48")
        #expect(failure?.place.file == "abc.txt" && failure?.fix == "correct depthWidth and depthHeight in abc.txt")
    }

    /// A video of half the size has half of each number, counted from the picture's corner.
    @Test func theColourCameraIsForTheVideosSize() throws {
        let twice = Self.description.replacing("colorWidth = 64", with: "colorWidth = 128")
            .replacing("colorHeight = 48", with: "colorHeight = 96")
        let capture = try open(try write(files(Self.depth(Self.frames), twice)))
        #expect(
            capture.warnings.first
                == "the video is 64×48, and the description says 128×96; the intrinsics were scaled")
        #expect(
            capture.frames[0].intrinsics
                == CameraIntrinsics(fx: 30, fy: 30.5, cx: 15.5, cy: 11.5, width: 64, height: 48, pixelOrigin: .centre))
        let other = Self.description.replacing("colorHeight = 48", with: "colorHeight = 40")
        let failure = problem { _ = try open(try write(files(Self.depth(Self.frames), other))) }
        #expect(failure?.summary == "the video is 64×48, and the description says 64×40")
        #expect(failure?.fault == .input && failure?.place.file == "abc.h264")
        #expect(failure?.fix == "correct colorWidth and colorHeight in abc.txt, or copy both files again")
    }

    @Test func aDepthSensorThatIsMountedOnItsSide() throws {
        let text = Self.description.replacing("depthWidth = 4", with: "depthWidth = 3")
            .replacing("depthHeight = 3", with: "depthHeight = 4")
            .replacing("1 0 0 -0.25 0 1 0 -0.5", with: "0 -1 0 -0.25 1 0 0 -0.5")
        let capture = try open(try write(files(Self.depth(Self.frames), text)))
        #expect(capture.depthCamera != nil && capture.depthSize == PixelSize(3, 4))
    }

    @Test func otherTextsAreNotTheirs() throws {
        for text in ["", "notes", "width = 3"] {
            let tree = CaptureFolder(path: try folder.write(files([], text), under: "other"))
            #expect(ScanNetRawCapture.recognise(tree) == nil)
        }
        let path = try folder.write(["abc.txt": Array(Self.description.utf8)], under: "lonely")
        #expect(ScanNetRawCapture.recognise(CaptureFolder(path: path)) == nil)
    }
}
