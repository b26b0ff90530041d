import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Scenes as the toolkit's reading side expects them, written by hand.
@Suite struct ScanNetPPCaptureTests {
    private func entry(_ number: Int, _ more: String = "") -> String {
        """
        "frame_\(String(repeating: "0", count: max(0, 6 - String(number).count)))\(number)": {"timestamp": \(2.5 + Double(number) / 4), \
        "pose": [[0, -1, 0, \(number)], [1, 0, 0, 2], [0, 0, 1, -3], [0, 0, 0, 1]], \
        "aligned_pose": [[1, 0, 0, 77], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], \
        "intrinsic": [[50, 0, 32.5], [0, 51, 24.25], [0, 0, 1]], "imu": {"gravity": [0, -1, 0]}\(more)}
        """
    }

    private func scene(
        _ numbers: [Int] = [0, 1, 2], top: String = "iphone/", frames: Int? = nil, video: String = "rgb.mkv"
    ) throws -> WrittenCapture {
        let scene = try WrittenCapture("0a5c013435")
        try scene.write("{\(numbers.map { entry($0) }.joined(separator: ", "))}", to: "\(top)pose_intrinsic_imu.json")
        if let frames {
            try TestVideo.gray("\(scene.name)/\(top)\(video)", in: scene.folder, frames: frames)
        }
        return scene
    }

    private func chunks(_ count: Int) throws -> [UInt8] {
        try (0..<count).flatMap { number in
            try ScanNetPPDepth.chunk(
                Gray16Image(width: 4, height: 3, pixels: Array(repeating: UInt16(1000 + number), count: 12)))
        }
    }

    @Test(arguments: ["iphone/", ""]) func aSceneWithItsVideo(top: String) throws {
        let scene = try scene(top: top, frames: 3)
        try scene.write(try chunks(3), to: "\(top)depth.bin")
        let capture = try scene.open(ScanNetPPCapture.self)
        #expect(capture.format == "scannetpp" && capture.id == "0a5c013435")
        #expect(capture.frames.map(\.timestamp) == [2_500_000_000, 2_750_000_000, 3_000_000_000])
        let pose = try #require(capture.frames[1].pose)
        #expect(pose.position == Vector3(1, 2, -3))
        #expect(pose.apply(Vector3(1, 0, 0)) == Vector3(1, 3, -3))
        #expect(
            capture.frames[0].intrinsics
                == CameraIntrinsics(fx: 50, fy: 51, cx: 32.5, cy: 24.25, width: 64, height: 48, pixelOrigin: .arKit))
        #expect(capture.video?.file == "\(top)rgb.mkv")
        #expect(capture.depthSize == PixelSize(4, 3))
        let frames = try capture.loaded([.luma, .recordedDepth])
        #expect(frames.map { $0.recordedDepth?.first } == [1, 1.001, 1.002])
        #expect(frames.allSatisfy { $0.luma != nil })
        #expect(capture.frames.allSatisfy { !$0.isDropped } && capture.warnings == [])
    }

    @Test func theFirstReleasesVideo() throws {
        let scene = try scene([0, 1, 2, 3], frames: 3, video: "rgb.mp4")
        let capture = try scene.open(ScanNetPPCapture.self)
        #expect(capture.video?.file == "iphone/rgb.mp4" && capture.absences[.color] == nil)
        #expect(
            capture.warnings == [
                "iphone/rgb.mp4 has 3 frames, and there are 4 posed frames: the end was taken to be missing; if it is "
                    + "not, pictures and poses do not belong together"
            ])
        #expect(try capture.loaded([.luma]).prefix(3).allSatisfy { $0.luma != nil })
        // Of two the second release's is taken.
        try TestVideo.gray("\(scene.name)/iphone/rgb.mkv", in: scene.folder, frames: 4)
        #expect(try scene.open(ScanNetPPCapture.self).video?.file == "iphone/rgb.mkv")
    }

    /// It costs its frame, and where nobody reads it, nothing.
    @Test func aPoseThatIsNoNumber() throws {
        let scene = try WrittenCapture("0a5c013435")
        let entries = (0..<30).map { number in
            let text = entry(number)
            return number == 1
                ? text.replacing("[0, -1, 0, 1]", with: "[0, NaN, 0, 1]") : text.replacing("77", with: "NaN")
        }
        try scene.write("{\(entries.joined(separator: ", "))}", to: "pose_intrinsic_imu.json")
        try TestVideo.gray("\(scene.name)/rgb.mkv", in: scene.folder, frames: 30)
        let capture = try scene.open(ScanNetPPCapture.self)
        #expect(capture.frames.filter(\.isDropped).map(\.index) == [1] && capture.frames[1].drop?.isBad == true)
    }

    @Test func oneStreamOfFloats() throws {
        let scene = try scene([0, 1], frames: 2)
        let pixels = [Float(1.5), 2.25].flatMap { (metres: Float) -> [UInt8] in
            let bytes = withUnsafeBytes(of: metres.bitPattern.littleEndian) { Array($0) }
            return Array(repeating: bytes, count: 256 * 192).flatMap(\.self)
        }
        try scene.write(try MultiScanSample.deflate(pixels), to: "iphone/depth.bin")
        let capture = try scene.open(ScanNetPPCapture.self)
        #expect(capture.depthSize == PixelSize(256, 192))
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth?.first } == [1.5, 2.25])
    }

    @Test func oneEntryFewerThanFrames() throws {
        let scene = try scene([0, 1, 2], frames: 4)
        try scene.write(try chunks(4), to: "iphone/depth.bin")
        let capture = try scene.open(ScanNetPPCapture.self)
        #expect(capture.dropReasons == [nil, nil, nil, "there are only 3 posed frames"])
        #expect(capture.frames.allSatisfy { $0.drop?.isBad != true })
        #expect(try capture.loaded([.recordedDepth, .luma]).map { $0.recordedDepth?.first } == [1, 1.001, 1.002, nil])
    }

    @Test func depthThatIsShorterIsWarnedOf() throws {
        let scene = try scene([0, 1, 2, 3])
        try scene.write(try chunks(3), to: "iphone/depth.bin")
        #expect(
            try scene.open(ScanNetPPCapture.self).warnings.contains(
                "iphone/depth.bin has 3 frames, and there are 4 frames: the end was taken to be missing; if it is not, "
                    + "depth and pictures do not belong together"))
    }

    @Test func picturesThatTheVideoLacks() throws {
        let scene = try scene(Array(0..<6))
        let film = try TestVideo.gray(
            "film.mp4", in: scene.folder, at: (0..<6).map { Int64($0) * 250_000_000 }, dropping: [2])
        try TestVideo.ffmpeg(["-i", film, "-c", "copy", scene.folder.url("\(scene.name)/iphone/rgb.mkv").path])
        let capture = try scene.open(ScanNetPPCapture.self)
        #expect(capture.frames.map(\.isDropped) == [false, false, true, false, false, false])
        #expect(
            capture.warnings == [
                "iphone/rgb.mkv lacks the picture of one of the 6 posed frames: 2; the others were paired by their times"
            ])
        let luma = try capture.loaded([.luma]).map { $0.luma?.pixels.first }
        #expect(luma[2] == nil && luma[3].map { abs(Int($0) - (Int(TestVideo.luma(3)) - 16) * 255 / 219) <= 1 } == true)
        // At an even rate nothing tells which end is missing.
        let short = try self.scene(Array(0..<6), frames: 5)
        #expect(try short.open(ScanNetPPCapture.self).warnings.count == 1)
    }

    @Test func depthThatWasCutOffKeepsItsWholeFrames() throws {
        for (bytes, whole, more) in [
            (try chunks(8).dropLast(3), 7, ""), (try chunks(5) + [1], 5, ""),
            (try chunks(3) + [1], 3, " --set read.min-whole=0.37"),
        ] {
            let scene = try scene(Array(0..<8), frames: 8)
            try scene.write(Array(bytes), to: "iphone/depth.bin")
            let failure = try #require(throws: Problem.self) { try scene.open(ScanNetPPCapture.self) }
            #expect(failure.summary == "the depth file ends inside frame \(whole)")
            let way = "or keep the whole frames with  --set read.truncated=keep-whole\(more)"
            #expect(failure.fix == "copy the file again, \(way)")
            var rules = ReadRules()
            rules.truncated = .keepWhole
            rules.minWhole = 0.3
            let kept = try scene.open(ScanNetPPCapture.self, rules: rules)
            #expect(kept.forgiven == [failure])
            #expect(kept.frames.map(\.isDropped) == (0..<8).map { $0 >= whole })
            #expect(kept.frames.last?.drop?.reason == failure.oneLine)
            rules.minWhole = 0.9
            let few = try #require(throws: Problem.self) { try scene.open(ScanNetPPCapture.self, rules: rules) }
            #expect(few.notes.last == "\(whole) of 8 frames are whole; the minimum is 90 %")
        }
    }

    @Test func entriesAreFoundByNumber() throws {
        let scene = try scene([3, 0], frames: 4)
        let capture = try scene.open(ScanNetPPCapture.self)
        let missing = "it has no entry in iphone/pose_intrinsic_imu.json"
        #expect(capture.dropReasons == [nil, missing, missing, nil])
        #expect(capture.frames.map { $0.pose?.position.x } == [0, nil, nil, 3])
        #expect(capture.absences[.recordedDepth]?.reason.hasPrefix("iphone/depth.bin is missing") == true)
        #expect(capture.remedies[.recordedDepth] == nil)
        try scene.write("x", to: "iphone/depth.bin/notes.txt")
        let folder = try scene.open(ScanNetPPCapture.self)
        #expect(folder.absences[.recordedDepth]?.reason.hasPrefix("iphone/depth.bin is a folder") == true)
        #expect(folder.remedies[.recordedDepth] == "put the file iphone/depth.bin in its place")
    }

    @Test func aSceneWithoutPictures() throws {
        let scene = try scene([0, 1])
        let capture = try scene.open(ScanNetPPCapture.self)
        let reason = "iphone/rgb.mkv is missing, and there are no pictures in iphone/rgb/"
        #expect(capture.absences[.color]?.reason == reason)
        #expect(capture.remedies[.color] == "download iphone/rgb.mkv too")
    }

    @Test func whatTheToolkitExtracted() throws {
        let scene = try scene([0, 1, 2])
        for number in [0, 2] {
            try scene.picture("iphone/rgb/frame_00000\(number).jpg", 16, 12, isJPEG: true)
            try scene.depth("iphone/depth/frame_00000\(number).png", first: UInt16(1000 + number))
        }
        try scene.write(
            "{\([0, 1, 2].map { entry($0).replacing("32.5", with: "960").replacing("24.25", with: "720") }.joined(separator: ", "))}",
            to: "iphone/pose_intrinsic_imu.json")
        let capture = try scene.open(ScanNetPPCapture.self)
        #expect(capture.dropReasons == [nil, "it has no picture in iphone/rgb/", nil])
        // The matrix is for 1920 × 1440: (960 + ½) / 120 − ½.
        let cx = try #require(capture.frames[0].intrinsics?.cx)
        #expect(abs(cx - 7.504_166_666_666_667) < 1e-12)
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth?.first } == [1, nil, 1.002])
    }

    /// The principal point tells whether the matrices are for the recorder's pictures or for those that are there.
    @Test func picturesOfAnotherSize() throws {
        for (matrix, cx, warns) in [(("960", "720"), 960.5 / 120 - 0.5, true), (("8", "6"), 8.0, false)] {
            let scene = try scene([0])
            try scene.picture("iphone/rgb/frame_000000.jpg", 16, 12, isJPEG: true)
            try scene.write(
                "{\(entry(0).replacing("32.5", with: matrix.0).replacing("24.25", with: matrix.1))}",
                to: "iphone/pose_intrinsic_imu.json")
            let capture = try scene.open(ScanNetPPCapture.self)
            let camera = try #require(capture.frames[0].intrinsics)
            #expect(abs(camera.cx - cx) < 1e-12 && camera.width == 16)
            #expect(abs(camera.fx - (warns ? 50.0 / 120 : 50)) < 1e-12)
            #expect(
                capture.warnings
                    == (warns
                        ? ["the pictures are 16×12, and the intrinsics for 1920×1440; the intrinsics were scaled"]
                        : []))
        }
    }

    @Test func entriesThatCannotBeUsed() throws {
        let scene = try scene()
        let bad = [
            entry(0), entry(1).replacing("\"timestamp\": 2.75,", with: ""),
            entry(2).replacing("[[0, -1,", with: "[[0, 1,"),
            entry(3).replacing("[[50,", with: "[[0,"), entry(4).replacing("[0, 0, 0, 1]]", with: "[0, 0, 0, 0]]"),
            "\"frame_000005\": 7", "\"frame_x\": 8", "\"other\": {}",
        ]
        try scene.write("{\(bad.joined(separator: ", "))}", to: "iphone/pose_intrinsic_imu.json")
        let capture = try scene.open(ScanNetPPCapture.self)
        #expect(capture.frames.map { $0.drop?.isBad } == [nil, true, true, true, true, true])
        #expect(capture.dropReasons[2]?.hasPrefix("frame_000002: the pose is mirrored") == true)
    }

    @Test func whatIsRefused() throws {
        let scene = try scene()
        var rules = ReadRules()
        rules.maxFrames = 2
        #expect(try scene.problem(ScanNetPPCapture.self, rules: rules)?.summary == "there are more than 2 frames")
        try scene.write("{\(entry(5)), \(entry(999_999_999_999))}", to: "iphone/pose_intrinsic_imu.json")
        #expect(try scene.problem(ScanNetPPCapture.self)?.fault == .input)
        try scene.write("{\"frame_9223372036854775807\": {}}", to: "iphone/pose_intrinsic_imu.json")
        #expect(try scene.problem(ScanNetPPCapture.self)?.fault == .input)
        try scene.write("{\(entry(0)), \(entry(0))}", to: "iphone/pose_intrinsic_imu.json")
        #expect(try scene.problem(ScanNetPPCapture.self)?.summary == "“frame_000000” is there twice")
        try scene.write("{}", to: "iphone/pose_intrinsic_imu.json")
        #expect(
            scene.recognition?.reason
                == "iphone/pose_intrinsic_imu.json has the name of ScanNet++'s poses, and holds none")
        #expect(try scene.problem(ScanNetPPCapture.self)?.summary == "there are no frames in the file")
        try scene.write("{\"frame_000000\": {\"pose\": [", to: "iphone/pose_intrinsic_imu.json")
        #expect(try scene.problem(ScanNetPPCapture.self)?.summary.hasPrefix("invalid JSON") == true)
    }

    /// 8 of 64 pixels off the middle; for 1920×1440 it would be far more.
    @Test func aPrincipalPointOffTheMiddle() throws {
        let scene = try scene([0, 1, 2], frames: 3)
        let file = "iphone/pose_intrinsic_imu.json"
        let text = String(decoding: try scene.folder.bytes("\(scene.name)/\(file)"), as: UTF8.self)
        try scene.write(text.replacing("[50, 0, 32.5]", with: "[50, 0, 40]"), to: file)
        let capture = try scene.open(ScanNetPPCapture.self)
        #expect(capture.frames.map { $0.intrinsics?.cx } == [40, 40, 40])
        #expect(capture.warnings == [])
    }
}
