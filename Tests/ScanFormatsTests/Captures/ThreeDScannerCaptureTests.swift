import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Exports as Laan Labs' sample scan is laid out, written by hand.
@Suite struct ThreeDScannerCaptureTests {
    /// A camera at (number, 2, −3) that looks along −x, row by row, for pictures of 8 × 6.
    private func camera(_ number: Int, _ more: String = "") -> String {
        """
        {"cameraPoseARFrame": [0, 0, 1, \(number), 0, 1, 0, 2, -1, 0, 0, -3, 0, 0, 0, 0.99999988], "frame_index": \(number),
         "intrinsics": [9.5, 0, 4.25, 0, 9, 2.75, 0, 0, 1], "time": \(1000 + number).25, "motionQuality": 0.9,
         "projectionMatrix": [2.375, 0, -0.1875, 0, 0, 3, 0.0833, 0, 0, 0, -1, -0.001, 0, 0, -1, 0],
         "averageVelocity": 0, "averageAngularVelocity": 0, "exposureDuration": 0.016\(more)}
        """
    }

    /// Pictures of every third frame, as the app keeps them beside depth.
    private func export(_ numbers: [Int] = Array(0..<7), everyPicture: Int = 3) throws -> WrittenCapture {
        let capture = try WrittenCapture("2026_11_26_10_00_00")
        for number in numbers {
            let stem = String(repeating: "0", count: 5 - String(number).count) + String(number)
            try capture.write(camera(number), to: "frame_\(stem).json")
            if number.isMultiple(of: everyPicture) { try capture.picture("frame_\(stem).jpg", isJPEG: true) }
            try capture.depth("depth_\(stem).png", first: UInt16(1000 * (number + 1)))
            try capture.confidence("conf_\(stem).png", [0, 1, 2])
        }
        try capture.write(#"{"appVersionString": "1.9.5", "numImages": \#(numbers.count)}"#, to: "info.json")
        try capture.picture("thumb_00000.jpg", isJPEG: true)
        return capture
    }

    @Test func anExport() throws {
        let capture = try export().open(ThreeDScannerCapture.self)
        #expect(capture.format == "3d-scanner-app" && capture.warnings == [])
        #expect(capture.frames.count == 7 && capture.frames.allSatisfy { !$0.isDropped })
        #expect(capture.frames.map { $0.pictureFile != nil } == [true, false, false, true, false, false, true])
        let times: [Int64?] = (1000..<1007).map { Int64($0) * 1_000_000_000 + 250_000_000 }
        #expect(capture.frames.map(\.timestamp) == times)
        #expect(capture.frames.allSatisfy { $0.exposure == 16_000_000 })
        let pose = try #require(capture.frames[1].pose)
        #expect(pose.position == Vector3(1, 2, -3))
        #expect(pose.apply(Vector3(0, 0, -1)) == Vector3(0, 2, -3))
        #expect(capture.worldUp == Vector3(0, 1, 0) && capture.isMetric)
        #expect(capture.channels.isSuperset(of: [.color, .pose, .intrinsics, .timestamp, .exposure, .recordedDepth]))
        let frames = try capture.loaded([.recordedDepth, .recordedConfidence])
        #expect(frames.map { $0.recordedDepth?.first } == [1, 2, 3, 4, 5, 6, 7])
        #expect(frames[0].recordedConfidence?.values.prefix(3) == [0, 1, 2])
        #expect(frames[0].recordedConfidence?.range == 0...2)
    }

    /// As some scripts write them: a camera at the origin that looks elsewhere would go unnoticed.
    @Test func matricesByColumnsAreBad() throws {
        let matrices = [
            (
                "[0, 0, 1, 3, 0, 1, 0, 2, -1, 0, 0, -3, 0, 0, 0, 0.99999988]",
                "[0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 3, 2, -3, 1]", "the last row of the matrix is not 0 0 0 1"
            ),
            (
                "[9.5, 0, 4.25, 0, 9, 2.75, 0, 0, 1]", "[9.5, 0, 0, 0, 9, 0, 4.25, 2.75, 1]",
                "the intrinsics are not fx 0 cx, 0 fy cy, 0 0 1"
            ),
        ]
        for (rows, columns, words) in matrices {
            let export = try export()
            try export.write(camera(3).replacing(rows, with: columns), to: "frame_00003.json")
            let drop = try #require(try export.open(ThreeDScannerCapture.self).frames[3].drop)
            #expect(drop.isBad && drop.reason.contains(words), "\(drop.reason)")
        }
    }

    /// Frames without a picture are whole ones for whoever wants their depth.
    @Test func theAppKeepsSomePicturesOnly() throws {
        let capture = try export().open(ThreeDScannerCapture.self)
        #expect(
            capture.sparse[.color]
                == SparseChannel(without: [1, 2, 4, 5], reason: "the app kept no picture of it", isByRule: true))
        #expect(capture.findings["frames-without-color"]?.integer == 4)
        #expect(capture.badFrames().isEmpty)
        #expect(try export(everyPicture: 1).open(ThreeDScannerCapture.self).sparse.isEmpty)
    }

    /// A picture that others say should be there has not arrived.
    @Test func picturesThatAreMissing() throws {
        let export = try export(Array(0..<15))
        try export.remove("frame_00006.jpg")
        let capture = try export.open(ThreeDScannerCapture.self)
        #expect(capture.sparse[.color]?.lost == [6: "its picture frame_00006.jpg is not there"])
        #expect(capture.sparse[.color]?.without == [1, 2, 4, 5, 7, 8, 10, 11, 13, 14])
        let rule = "since the app keeps one of every 3 frames: that of frame 6"
        #expect(capture.warnings == ["1 of 5 pictures is missing, \(rule)"])
        // At the end, and of each frame.
        try export.picture("frame_00006.jpg", isJPEG: true)
        try export.remove("frame_00012.jpg")
        #expect(try export.open(ThreeDScannerCapture.self).sparse[.color]?.lost.keys.sorted() == [12])
        let whole = try self.export(everyPicture: 1)
        try whole.remove("frame_00003.jpg")
        let one = try whole.open(ThreeDScannerCapture.self)
        #expect(one.sparse[.color]?.lost.keys.sorted() == [3] && one.sparse[.color]?.without == [])
        // Pictures without a rule may be all that there were.
        let odd = try self.export(Array(0..<15), everyPicture: 100)
        for name in ["frame_00004.jpg", "frame_00009.jpg", "frame_00011.jpg"] { try odd.picture(name, isJPEG: true) }
        let chosen = try odd.open(ThreeDScannerCapture.self)
        #expect(chosen.sparse[.color]?.lost == [:] && chosen.sparse[.color]?.isByRule == false)
        // One that was taken between the others makes no rule of half their step.
        let more = try self.export(Array(0..<17), everyPicture: 4)
        try more.picture("frame_00010.jpg", isJPEG: true)
        #expect(try more.open(ThreeDScannerCapture.self).sparse[.color]?.lost == [:])
    }

    @Test func framesThatAreMissing() throws {
        let export = try export([0, 1, 2, 5, 6, 7])
        try export.write(#"{"numImages": 9}"#, to: "info.json")
        let warnings = try export.open(ThreeDScannerCapture.self).warnings
        #expect(
            warnings.prefix(2) == [
                "2 of the frames' numbers are missing, first between 2 and 5: these frames did not arrive",
                "info.json counts 9 frames, and there are 6 files frame_….json: the others did not arrive",
            ])
        try export.write("{", to: "info.json")
        #expect(try export.open(ThreeDScannerCapture.self).warnings.count == warnings.count - 1)
    }

    /// What is only good to know costs no frame.
    @Test func valuesThatSayNothing() throws {
        let export = try export([0, 1, 2])
        for (number, recorded, said) in [
            (0, "0.016", "0"), (1, "0.016", "\"long\""), (2, "[2.375, 0, -0.1875,", "["),
        ] {
            try export.write(camera(number).replacing(recorded, with: said), to: "frame_0000\(number).json")
        }
        let capture = try export.open(ThreeDScannerCapture.self)
        #expect(capture.keptFrames.count == 3)
        #expect(capture.frames.map(\.exposure) == [nil, nil, 16_000_000])
        #expect(capture.frames[2].intrinsics?.size == PixelSize(8, 6))
    }

    /// Numbers of Laan Labs' own scan: the projection is for 1920 × 1440, and has the principal point half a pixel
    /// further from the corner than the intrinsics have it.
    @Test func intrinsicsCountFromTheMiddleOfTheFirstPixel() throws {
        let text = """
            {"cameraPoseARFrame": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
             "intrinsics": [1448.07470703125, 0, 968.5670166015625, 0, 1448.07470703125, 692.13751220703125, 0, 0, 1],
             "projectionMatrix": [1.508411169052124, 0, -0.0094448328018188477, 0, 0, 2.0112149715423584,
               -0.038003444671630859, 0, 0, 0, -0.9999997615814209, -0.00099999981466680765, 0, 0, -1, 0]}
            """
        let frame = try ThreeDScannerFrame(Array(text.utf8), file: "frame_00069.json")
        #expect(frame.size == PixelSize(1920, 1440))
        let export = try WrittenCapture("scan")
        try export.write(text, to: "frame_00069.json")
        try export.depth("depth_00069.png", first: 1000)
        let camera = try #require(try export.open(ThreeDScannerCapture.self).frames[0].intrinsics)
        let corner = camera.counted(from: .corner)
        // From the corner, which is −1 of the projection's x, and +1 of its y.
        #expect(abs(corner.cx / 1920 * 2 - 1 - 0.0094448328018188477) < 1e-6)
        #expect(abs(1 - corner.cy / 1440 * 2 - 0.038003444671630859) < 1e-6)
        #expect((corner.width, corner.height) == (1920, 1440))
    }

    @Test func camerasOfPicturesThatWereResized() throws {
        let export = try export([0])
        try export.picture("frame_00000.jpg", 16, 12, isJPEG: true)
        let resized = try export.open(ThreeDScannerCapture.self)
        #expect(resized.frames[0].intrinsics?.fx == 19 && resized.frames[0].intrinsics?.width == 16)
        #expect(resized.warnings == ["the pictures are 16×12, and the intrinsics for 8×6; the intrinsics were scaled"])
        // A picture that somebody has turned upright is not what the camera is for.
        try export.picture("frame_00000.jpg", 6, 8, isJPEG: true)
        #expect(
            try export.problem(ThreeDScannerCapture.self)?.summary == "depth of 4×3 does not fit pictures of 6×8")
        try export.remove("depth_00000.png")
        let turned = try export.open(ThreeDScannerCapture.self)
        #expect(turned.dropReasons[0]?.contains("the picture is 6×8, and its intrinsics are for 8×6") == true)
        // A projection for a view of another shape says nothing of the picture.
        try export.picture("frame_00000.jpg", 9, 6, isJPEG: true)
        #expect(try export.open(ThreeDScannerCapture.self).frames[0].intrinsics?.size == PixelSize(9, 6))
        // Without one the picture's size is all there is.
        let bare = #"{"cameraPoseARFrame": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], "intrinsics": [9,0,4,0,9,3,0,0,1]}"#
        try export.write(bare, to: "frame_00000.json")
        let old = try export.open(ThreeDScannerCapture.self)
        #expect(old.frames[0].intrinsics?.size == PixelSize(9, 6))
        #expect(old.absences[.timestamp]?.reason == "no frame_….json has a “time”")
        #expect(!old.channels.contains(.exposure))
        try export.remove("frame_00000.jpg")
        let lost = try export.open(ThreeDScannerCapture.self)
        #expect(lost.dropReasons[0]?.contains("it is unknown for which picture size") == true)
        #expect(lost.remedies[.color] == "share the scan once more, as “All Data”")
    }

    @Test func whatCannotBeUsedCostsItsFrame() throws {
        let export = try export()
        try export.write("{", to: "frame_00000.json")
        try export.remove("frame_00003.json")
        for (number, sound, damaged) in [
            (1, "[0, 0, 1, 1,", "[0, 0, 0, 1,"), (2, "[9.5,", "[0,"), (4, "1004.25", "1e40"),
        ] {
            try export.write(camera(number).replacing(sound, with: damaged), to: "frame_0000\(number).json")
        }
        let capture = try export.open(ThreeDScannerCapture.self)
        #expect(capture.frames.map { $0.drop?.isBad } == [true, true, true, true, true, nil, nil])
        #expect(capture.dropReasons[1]?.contains("singular") == true)
        #expect(capture.dropReasons[2]?.contains("the focal length is") == true)
        #expect(capture.dropReasons[3] == "it has no frame_00003.json")
        #expect(capture.dropReasons[4]?.contains("seconds") == true)
    }

    /// The app keeps cameras that it has corrected in a folder of their own.
    @Test func whatIsLeftOfAnExport() throws {
        let export = try export()
        for number in 0..<7 { try export.remove("frame_0000\(number).json") }
        #expect(export.recognition?.format == "3d-scanner-app")
        #expect(
            try export.problem(ThreeDScannerCapture.self)?.fix == "share the scan once more, as “All Data”")
        let poses = try WrittenCapture("optimized_poses")
        try poses.write(camera(0), to: "frame_00000.json")
        #expect(poses.recognition == nil)
        let alone = try WrittenCapture("scan")
        try alone.write(camera(0), to: "frame_00000.json")
        #expect(alone.recognition?.format == "3d-scanner-app")
        // Another program's frames.
        let other = try WrittenCapture("scan")
        try other.write(#"{"label": "chair"}"#, to: "frame_00000.json")
        try other.picture("frame_00000.jpg", isJPEG: true)
        #expect(other.recognition?.format != "3d-scanner-app")
    }

    /// Confidence is never without depth.
    @Test func depthThatWasLostOnTheWay() throws {
        let export = try export([0, 1])
        for number in 0..<2 { try export.remove("depth_0000\(number).png") }
        let capture = try export.open(ThreeDScannerCapture.self)
        #expect(
            capture.absences[.recordedDepth]?.reason
                == "there are no pictures depth_….png, though confidence is there")
        #expect(capture.remedies[.recordedDepth] == "copy the pictures depth_….png too")
    }

    @Test func depthThatIsNotThere() throws {
        let export = try export([0, 1])
        for number in 0..<2 {
            try export.remove("depth_0000\(number).png")
            try export.remove("conf_0000\(number).png")
        }
        let pictures = try export.open(ThreeDScannerCapture.self)
        #expect(pictures.variant == "pictures")
        #expect(pictures.absences[.recordedDepth]?.reason.contains("lidar scans in low resolution only") == true)
        try export.write("v/1\u{1}", to: "frame_00000.exr")
        #expect(
            try export.open(ThreeDScannerCapture.self).absences[.recordedDepth]?.reason.hasPrefix(
                "frame_00000.exr is OpenEXR")
                == true)
    }

    @Test func moreFramesThanAreAllowed() throws {
        var rules = ReadRules()
        rules.maxFrames = 6
        #expect(try export().problem(ThreeDScannerCapture.self, rules: rules)?.fault == .input)
        // Frames of a video are counted from 0, whatever their number.
        let export = try export([1])
        try export.write(camera(9), to: "frame_9223372036854775807.json")
        try export.write([0], to: "frames.mp4")
        #expect(try export.problem(ThreeDScannerCapture.self)?.fault == .input)
        // One that cannot be read leaves the pictures.
        let cut = try self.export()
        try cut.write([0], to: "frames.mp4")
        let capture = try cut.open(ThreeDScannerCapture.self)
        #expect(capture.keptFrames.count == 7 && capture.channels.contains(.color) && capture.video == nil)
        let passed = "frames.mp4 was passed over, and the 3 pictures beside it were taken"
        #expect(capture.warnings.first?.hasPrefix(passed) == true)
    }

    // MARK: - Videos

    /// An export whose pictures are a video, a frame a second.
    private func filmed(_ make: (TemporaryFolder) throws -> String) throws -> WrittenCapture {
        let folder = try TemporaryFolder()
        let name = URL(fileURLWithPath: try make(folder)).lastPathComponent
        let export = try export(Array(0..<8), everyPicture: 100)
        try export.write(try folder.bytes(name), to: "frames.mp4")
        return export
    }

    @Test func aVideoThatLacksAFrameIsPairedByTime() throws {
        let times = (0..<8).map { Int64($0) * 1_000_000_000 }
        let capture = try filmed { try TestVideo.gray("a.mp4", in: $0, at: times, dropping: [3]) }
            .open(ThreeDScannerCapture.self)
        #expect(capture.video?.places == [0, 1, 2, nil, 3, 4, 5, 6])
        #expect(capture.frames.filter(\.isDropped).map(\.index) == [3])
        #expect(
            capture.warnings.first
                == "frames.mp4 lacks the picture of one of the 8 cameras: 3; the others were paired by their times")
        // Of one that lacks a frame and has another one, nobody knows whose its pictures are.
        let shifted = times[..<3] + times[4...] + [8_000_000_000]
        let export = try filmed { try TestVideo.gray("a.mp4", in: $0, at: Array(shifted)) }
        let doubtful = try export.open(ThreeDScannerCapture.self)
        #expect(doubtful.findings["frames-off-time"]?.array?.count == 5)
        #expect(
            doubtful.warnings.first?.contains("shown at another time than their camera says, from frame 3 on") == true)
        #expect(try CaptureInspection.inspect(export.path).video?.offTimeCount == 5)
    }

    @Test func picturesOfAllFramesGoBeforeTheVideo() throws {
        let export = try export(Array(0..<8), everyPicture: 1)
        let folder = try TemporaryFolder()
        try TestVideo.gray("a.mp4", in: folder, frames: 8, rate: 1)
        try export.write(try folder.bytes("a.mp4"), to: "frames.mp4")
        let capture = try export.open(ThreeDScannerCapture.self)
        #expect(capture.video == nil && capture.frames.allSatisfy { $0.pictureFile != nil })
    }

    @Test func framesThatTheEditListHidesCount() throws {
        let capture = try filmed { folder in
            let whole = try TestVideo.gray("a.mp4", in: folder, frames: 8, rate: 1)
            return try TestVideo.hidingFirst(whole, rate: 1, as: "hiding.mp4", in: folder)
        }.open(ThreeDScannerCapture.self)
        #expect(capture.video?.ignoresEditList == true && capture.frames.allSatisfy { !$0.isDropped })
        #expect(capture.warnings.first?.hasPrefix("frames.mp4 hides 1 of its frames from players") == true)
    }

    @Test(arguments: [("arib-std-b67", "HLG"), ("smpte2084", "PQ")])
    func brightnessThatScreensHaveToKnow(_ transfer: String, _ name: String) throws {
        let capture = try filmed {
            try TestVideo.gray(
                "a.mp4", in: $0, frames: 8, rate: 1,
                encoder: ["-pix_fmt", "yuv420p", "-x264-params", "transfer=\(transfer)"])
        }.open(ThreeDScannerCapture.self)
        #expect(capture.warnings.first?.hasPrefix("frames.mp4 is HDR (\(name))") == true)
    }

    @Test func camerasAreWrittenAsTheyAreRead() throws {
        let k = CameraIntrinsics(fx: 7, fy: 8, cx: 3.5, cy: 2.5, width: 9, height: 5, pixelOrigin: .centre)
        let pose = Pose(rotation: .rotation(aboutY: 0.3), position: Vector3(1e-9, -2.5, 1 / 3))
        let text = ThreeDScannerFrame.text(index: 3, timestamp: 402_896_974_609_125, pose: pose, camera: k, exposure: 5)
        let read = try ThreeDScannerFrame(text, file: "frame_00003.json")
        #expect(read.pose == pose && read.size == PixelSize(9, 5))
        #expect((read.fx, read.fy, read.cx, read.cy) == (7, 8, 3.5, 2.5))
        #expect(read.timestamp == 402_896_974_609_125 && read.exposure == 5)
        // The principal point is 4 of 9 pixels from the left, 3 of 5 from the top.
        let projection = try #require(JSONValue.parse(text, file: "a")["projectionMatrix"]?.doubles)
        #expect(abs(projection[2] - 1 / 9) < 1e-6 && abs(projection[6] - 1 / 5) < 1e-6)
    }
}
