import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Videos as DATA.md lays them out, written by hand.
@Suite struct ARKitScenesCaptureTests {
    /// Six pictures a tenth of a second apart; depth and cameras are named a millisecond beside.
    private func video(_ times: [Double] = [1, 1.1, 1.2, 1.3], folder: String = "lowres_wide") throws -> WrittenCapture
    {
        let video = try WrittenCapture("41069021")
        func name(_ time: Double) -> String {
            "41069021_\(DecimalSeconds.text(Int64((time * 1e9).rounded()), places: 3))"
        }
        for (number, time) in times.enumerated() {
            let beside = [0, -0.001, 0.001][number % 3]
            try video.picture("\(folder)/\(name(time)).png")
            try video.write("8 6 9.5 9 4.25 2.75\n", to: "\(folder)_intrinsics/\(name(time + beside)).pincam")
            try video.depth("lowres_depth/\(name(time - beside)).png", first: UInt16(1000 + number))
            try video.confidence("confidence/\(name(time)).png", [0, 1, 2])
        }
        try video.write("1.0 0 0 0 0 0 0\n", to: "lowres_wide.traj")
        return video
    }

    /// The data set's 3dod part has each video's frames in a folder below it.
    @Test func theFramesFolderIsCalledAfterTheVideo() throws {
        let video = try video()
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/41069021", withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            atPath: video.path, toPath: "\(folder.path)/41069021/41069021_frames")
        let found = try CaptureSearch(at: folder.path).captures
        #expect(found.map(\.id) == ["41069021"])
        #expect(ARKitScenesCapture.id(of: "41069022_frames", in: "41069021") == nil)
    }

    @Test func posesAreTurnedRound() throws {
        let video = try video([1, 1.1, 1.2])
        // A quarter turn about the camera's x: what is up in the world, z, is −y in the camera. Then none. Then a camera
        // that stands at (1, 2, 3): its translation is −R · (1, 2, 3).
        let quarter = Double.pi / 2
        try video.write(
            "1.004 \(quarter) 0 0 0 0 0\n1.099 0 0 0 -1 -2 -3\n1.205 \(quarter) 0 0 -1 3 -2\n", to: "lowres_wide.traj")
        let capture = try video.open(ARKitScenesCapture.self)
        #expect(capture.format == "arkitscenes" && capture.variant == "lowres_wide")
        #expect(capture.frames.allSatisfy { !$0.isDropped })
        #expect(capture.worldUp == Vector3(0, 0, 1))
        // x right, y down, z ahead in the file; R = [[1, 0, 0], [0, 0, −1], [0, 1, 0]]: the camera's z is the world's y,
        // its y the world's −z.
        let first = try #require(capture.frames[0].pose)
        #expect((first.apply(Vector3(0, 0, -1)) - Vector3(0, 1, 0)).length < 1e-15)
        #expect((first.apply(Vector3(0, 1, 0)) - Vector3(0, 0, 1)).length < 1e-15)
        let second = try #require(capture.frames[1].pose)
        #expect(second.position == Vector3(1, 2, 3))
        #expect(second.apply(Vector3(0, 0, -1)) == Vector3(1, 2, 4))
        let third = try #require(capture.frames[2].pose)
        #expect((third.position - Vector3(1, 2, 3)).length < 1e-14)
        let matches = capture.findings["time-match"]
        #expect(matches?["poses"]?["matched"]?.integer == 3)
        #expect(matches?["poses"]?["largest-gap-ms"]?.double == 5)
        #expect(matches?["cameras"]?["largest-gap-ms"]?.double == 1)
        #expect(matches?["depth"]?["largest-gap-ms"]?.double == 1)
    }

    @Test func picturesDepthAndConfidenceGoTogether() throws {
        let video = try video([1, 1.1])
        try video.write("1 0 0 0 0 0 0\n1.1 0 0 0 0 0 0\n", to: "lowres_wide.traj")
        let capture = try video.open(ARKitScenesCapture.self)
        #expect(capture.frames.map(\.timestamp) == [1_000_000_000, 1_100_000_000])
        #expect(
            capture.frames[1].intrinsics
                == CameraIntrinsics(fx: 9.5, fy: 9, cx: 4.25, cy: 2.75, width: 8, height: 6, pixelOrigin: .corner))
        let frames = try capture.loaded([.recordedDepth, .recordedConfidence, .color])
        #expect(frames.map { $0.recordedDepth?.first } == [1, 1.001])
        #expect(frames[0].recordedConfidence?.values.prefix(3) == [0, 1, 2])
        #expect(frames[1].picture == .file("lowres_wide/41069021_1.100.png"))
    }

    @Test func depthOfOtherTimesIsNotSaidToBeMissing() throws {
        let video = try video([1])
        try video.remove("lowres_depth/41069021_1.000.png")
        try video.remove("confidence/41069021_1.000.png")
        // Names are rounded to a millisecond, and no more.
        for time in ["1.002", "7.100"] { try video.depth("lowres_depth/41069021_\(time).png", first: 1000) }
        let absences = try video.open(ARKitScenesCapture.self).absences
        #expect(
            absences[.recordedDepth]?.reason
                == "no file in lowres_depth/ is called after a picture's time; it holds 2 files")
        let lack = "there are no pictures in confidence/, though depth is there"
        #expect(absences[.recordedConfidence]?.reason == lack)
    }

    @Test func depthThatDidNotArriveIsMissed() throws {
        let video = try video([1])
        try video.remove("lowres_depth/41069021_1.000.png")
        #expect(
            try video.open(ARKitScenesCapture.self).remedies[.recordedDepth] == "copy the folder lowres_depth/ too")
    }

    @Test func posesThatEndLongBeforeThePictures() throws {
        let video = try video([1, 1.1, 2, 3])
        try video.write("1 0 0 0 0 0 0\n1.1 0 0 0 0 0 0\n", to: "lowres_wide.traj")
        let capture = try video.open(ARKitScenesCapture.self)
        let reason = "the poses of lowres_wide.traj end before it"
        #expect(capture.dropReasons == [nil, nil, reason, reason])
        let warning =
            "the poses of lowres_wide.traj end 1.9 s before the pictures: copy the file again if it should be longer"
        #expect(capture.warnings.contains(warning), "\(capture.warnings)")
    }

    /// Nothing in such a capture says what range the values have.
    @Test func confidenceThatWasRescaled() throws {
        let video = try video([1])
        try video.confidence("confidence/41069021_1.000.png", [0, 127, 255])
        let findings = try CaptureInspection.inspect(video.path).findings
        let stray = findings.first { $0.problem.summary == "8 confidence values are outside 0 to 2" }
        #expect(
            stray?.problem.fix
                == "the values were rescaled after the recording: copy confidence again as the app wrote it")
    }

    @Test func picturesBetweenPosesHaveNone() throws {
        let video = try video([1, 1.017, 1.033, 1.1])
        try video.write("1.002 0 0 0 0 0 0\n1.0951 0 0 0 0 0 0\n", to: "lowres_wide.traj")
        let capture = try video.open(ARKitScenesCapture.self)
        let none = "no pose of lowres_wide.traj is within 5 ms of it"
        #expect(capture.dropReasons == [nil, none, none, nil])
        let close = try self.video([1, 1.003])
        try close.write("1.002 0 0 0 0 0 0\n", to: "lowres_wide.traj")
        let taken = "each pose of lowres_wide.traj within 5 ms of it belongs to another picture"
        #expect(try close.open(ARKitScenesCapture.self).dropReasons == [taken, nil])
        #expect(capture.frames.allSatisfy { $0.drop?.isBad != true })
        #expect(capture.findings["time-match"]?["poses"]?["unmatched"]?.integer == 2)
        // They are not even looked at.
        #expect(capture.files.filter { $0.path.hasPrefix("lowres_wide/") }.count == 2)
    }

    @Test func theLargestPicturesWithCamerasAreTaken() throws {
        let video = try video([1])
        try video.picture("wide/41069021_1.000.png", 16, 12)
        #expect(try video.open(ARKitScenesCapture.self).variant == "lowres_wide")
        try video.write("16 12 19 18 8.5 5.5", to: "wide_intrinsics/41069021_1.000.pincam")
        let wide = try video.open(ARKitScenesCapture.self)
        #expect(wide.variant == "wide")
        #expect(wide.frames[0].intrinsics?.fx == 19 && wide.depthSize == PixelSize(4, 3))
        // Cameras alone are a sign of larger pictures that did not arrive; those of smaller ones are not missed.
        try video.remove("wide")
        let smaller = try video.open(ARKitScenesCapture.self)
        #expect(smaller.variant == "lowres_wide")
        #expect(
            smaller.warnings == [
                "wide_intrinsics/ holds cameras, and wide/ none of their pictures: those of lowres_wide/ may be taken, "
                    + "though they are smaller; download wide too for the larger ones"
            ])
        try video.picture("wide/41069021_1.000.png", 16, 12)
        try video.remove("lowres_wide")
        #expect(try video.open(ARKitScenesCapture.self).warnings == [])
    }

    /// A set of larger pictures of some of the frames.
    private func addWide(_ times: [Double], to video: WrittenCapture, folder: String = "wide") throws {
        for time in times {
            let name = "41069021_\(DecimalSeconds.text(Int64((time * 1e9).rounded()), places: 3))"
            try video.picture("\(folder)/\(name).png", 16, 12)
            try video.write("16 12 19 18 8.5 5.5", to: "\(folder)_intrinsics/\(name).pincam")
        }
    }

    @Test func largerPicturesOfFewFramesGiveWayToMore() throws {
        let times = (10..<22).map { Double($0) / 10 }
        let video = try video(times)
        try video.write(times.map { "\($0) 0 0 0 0 0 0\n" }.joined(), to: "lowres_wide.traj")
        for name in ["wide/.DS_Store", "wide_intrinsics/.DS_Store"] { try video.write("x", to: name) }
        #expect(try video.open(ARKitScenesCapture.self).variant == "lowres_wide")
        try addWide(Array(times.prefix(3)), to: video)
        let few = try video.open(ARKitScenesCapture.self)
        #expect(few.variant == "lowres_wide" && few.keptFrames.count == 12)
        #expect(
            few.warnings == [
                "wide/ has camera and pose for 3 pictures, and lowres_wide/ has camera and pose for 12 pictures: the latter "
                    + "were taken, though they are smaller; download wide and wide_intrinsics again for the larger ones"
            ])
        try addWide(Array(times.prefix(6)), to: video)
        let half = try video.open(ARKitScenesCapture.self)
        #expect(half.variant == "wide" && half.keptFrames.count == 6)
        #expect(
            half.warnings == [
                "wide/ has camera and pose for 6 pictures, and lowres_wide/ has camera and pose for 12 pictures: the former "
                    + "were taken, because they are larger"
            ])
        try addWide(Array(times.prefix(11)), to: video)
        let nearly = try video.open(ARKitScenesCapture.self)
        #expect(nearly.variant == "wide" && nearly.warnings.isEmpty)
        // Pictures alone are of no use.
        try video.remove("wide_intrinsics")
        try video.write("16 12 19 18 8.5 5.5", to: "wide_intrinsics/41069021_1.000.pincam")
        #expect(try video.open(ARKitScenesCapture.self).variant == "lowres_wide")
        try video.remove("wide_intrinsics")
        #expect(
            try video.open(ARKitScenesCapture.self).warnings == [
                "wide/ holds pictures, and wide_intrinsics/ none of their cameras: those of lowres_wide/ may be taken; "
                    + "download wide_intrinsics too for the others"
            ])
        try addWide(times, to: video, folder: "vga_wide")
        #expect(try video.open(ARKitScenesCapture.self).variant == "vga_wide")
    }

    /// 60 pictures a second and poses 10 times a second: most pictures have none, in any folder.
    @Test func picturesWithoutPosesDoNotCount() throws {
        let times = (0..<24).map { 1 + Double($0) / 50 }
        let video = try video(times)
        let posed = stride(from: 0, to: 24, by: 5).map { times[$0] }
        try video.write(posed.map { "\($0) 0 0 0 0 0 0\n" }.joined(), to: "lowres_wide.traj")
        try addWide(posed, to: video)
        let capture = try video.open(ARKitScenesCapture.self)
        #expect(capture.variant == "wide" && capture.keptFrames.count == 5 && capture.warnings.isEmpty)
    }

    @Test func whatMacOSPutsBesideFilesIsNotTheirs() throws {
        let video = try video([1, 1.1])
        try video.write("1 0 0 0 0 0 0\n1.1 0 0 0 0 0 0\n", to: "lowres_wide.traj")
        for folder in ["lowres_wide", "lowres_wide_intrinsics", "lowres_depth", "confidence"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: "\(video.path)/\(folder)") {
                try video.write("Mac OS X", to: "\(folder)/._\(name)")
            }
        }
        let capture = try video.open(ARKitScenesCapture.self)
        #expect(capture.dropReasons == [nil, nil])
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth?.first } == [1, 1.001])
    }

    @Test func whatCannotBeUsed() throws {
        let video = try video([1, 1.1, 1.2])
        try video.write("x 1 2\n1 0 0 0 0 0 0\n1.1 nan 0 0 0 0 0\n1.2 0 0 0 0 0 0\n", to: "lowres_wide.traj")
        try video.write("8 6 0 9 4 3", to: "lowres_wide_intrinsics/41069021_1.201.pincam")
        let capture = try video.open(ARKitScenesCapture.self)
        #expect(capture.frames.map { $0.drop?.isBad } == [nil, false, true])
        #expect(capture.frames[1].drop?.reason == "tracking was lost: its pose in lowres_wide.traj is not finite")
        #expect(capture.warnings.first?.hasPrefix("2 lines of lowres_wide.traj cannot be used: ") == true)
        try video.remove("lowres_wide_intrinsics/41069021_1.000.pincam")
        #expect(try video.open(ARKitScenesCapture.self).dropReasons[0] == "its picture has no .pincam")
        for text in ["", "8 6 9 9 4", "8.5 6 9 9 4 3", "-8 6 9 9 4 3", "1e9 6 9 9 4 3", "a b c d e f"] {
            try video.write(text, to: "lowres_wide_intrinsics/41069021_1.000.pincam")
            #expect(try video.open(ARKitScenesCapture.self).frames[0].drop?.isBad == true, "\(text)")
        }
    }

    @Test func whatIsRefused() throws {
        let video = try video([1, 1.1])
        var rules = ReadRules()
        rules.maxFrames = 1
        #expect(try video.problem(ARKitScenesCapture.self, rules: rules)?.fault == .input)
        try video.write("1 2 3\n", to: "lowres_wide.traj")
        #expect(video.recognition?.reason == "lowres_wide.traj has the name of ARKitScenes' poses")
        #expect(try video.problem(ARKitScenesCapture.self)?.place.file == "lowres_wide.traj")
        try video.remove("lowres_wide_intrinsics")
        #expect(try video.problem(ARKitScenesCapture.self)?.summary == "there are no pictures with cameras")
    }

    @Test func linesAreWrittenAsTheyAreRead() throws {
        for angle in [0, 1e-9, 0.4, 3.1, -2.9] {
            let pose = Pose(rotation: .rotation(aboutY: angle), position: Vector3(0.25, -7, 1 / 3))
            let text = ARKitScenesText.line(timestamp: 1_234_567_890, pose: pose)
            var table = TextTable(MemorySource(Array(text.utf8), name: "t"), .space, lineLimit: 1000)
            let read = try ARKitScenesText.posed(try #require(try table.next()))
            #expect(read.timestamp == 1_234_567_890)
            #expect((read.pose.position - pose.position).length < 1e-14)
            #expect((read.pose.rotation.columns.0 - pose.rotation.columns.0).length < 1e-14)
            #expect((read.pose.rotation.columns.1 - pose.rotation.columns.1).length < 1e-14)
        }
    }

    /// The copy is not whole. Other frames keep their numbers, as if the picture were there.
    @Test func aCameraWithoutItsPictureIsListed() throws {
        let video = try video()
        try video.write((0..<4).map { "1.\($0) 0 0 0 \($0) 0 0\n" }.joined(), to: "lowres_wide.traj")
        let whole = try video.open(ARKitScenesCapture.self)
        try video.remove("lowres_wide/41069021_1.100.png")
        let capture = try video.open(ARKitScenesCapture.self)
        #expect(capture.dropReasons == [nil, "its camera has no picture", nil, nil])
        #expect(capture.frames[1].drop?.isBad == true && capture.frames[1].timestamp == 1_099_000_000)
        #expect(capture.frames.map(\.index) == [0, 1, 2, 3])
        for index in [0, 2, 3] {
            #expect(capture.frames[index].pose == whole.frames[index].pose)
            #expect(capture.frames[index].intrinsics == whole.frames[index].intrinsics)
            #expect(capture.frames[index].pictureFile == whole.frames[index].pictureFile)
        }
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth?.first } == [1, nil, 1.002, 1.003])
        #expect(capture.warnings == [] && capture.gaps.isEmpty)
    }

    /// A picture without a pose would have been dropped all the same.
    @Test func aCameraWithNeitherPictureNorPoseIsNotBad() throws {
        let video = try video()
        try video.write((0..<4).map { "1.\($0) 0 0 0 \($0) 0 0\n" }.joined(), to: "lowres_wide.traj")
        for time in ["1.017", "1.033", "1.303"] {
            try video.write("8 6 9.5 9 4.25 2.75\n", to: "lowres_wide_intrinsics/41069021_\(time).pincam")
        }
        let capture = try video.open(ARKitScenesCapture.self)
        let neither = "its camera has neither picture nor pose"
        #expect(capture.dropReasons == [nil, neither, neither, nil, nil, nil, neither])
        #expect(capture.frames.allSatisfy { $0.drop?.isBad != true })
    }

    @Test func framesWithoutDepthOrConfidenceAreSaid() throws {
        let video = try video()
        try video.write((0..<4).map { "1.\($0) 0 0 0 \($0) 0 0\n" }.joined(), to: "lowres_wide.traj")
        for file in ["lowres_depth/41069021_1.101.png", "confidence/41069021_1.200.png"] { try video.remove(file) }
        let capture = try video.open(ARKitScenesCapture.self)
        // Depth is matched by time, and a camera that is faster than the sensor has frames in between.
        #expect(capture.gaps.isEmpty)
        #expect(
            capture.warnings == [
                "1 of 4 frames has no depth: frame 1", "1 of 4 frames has no confidence: frame 2",
            ])
    }

    @Test func posesThatWereCutOff() throws {
        let times = [1, 1.1, 1.2, 1.3, 1.4]
        let video = try video(times)
        let poses = times.dropLast().map { "\($0) 0.1 0.2 0.3 1.25 2.5 \($0)23456789\n" }.joined()
        try video.write("\(poses)1.4 0.1 0.2 0.3 1.25 2.5 1", to: "lowres_wide.traj")
        let cut = try video.open(ARKitScenesCapture.self)
        #expect(cut.dropReasons == [nil, nil, nil, nil, "lowres_wide.traj was cut off before its pose"])
        #expect(cut.frames[4].drop?.isBad == true)
        #expect(cut.warnings.count == 1 && cut.warnings[0].contains("lowres_wide.traj:5"), "\(cut.warnings)")
        try video.write("\(poses)1.4 0.1 0.2 0.3 1.25 2.5 1.423456789", to: "lowres_wide.traj")
        let open = try video.open(ARKitScenesCapture.self)
        #expect(open.keptFrames.count == 5)
        #expect(
            open.warnings == [
                "the last line of lowres_wide.traj, line 5, has no end, as if the file had been cut off there; copy the file again, or end the line if it is whole"
            ])
    }

    /// One camera without a line feed among others with one may lack digits; where none has one, all are whole.
    @Test func camerasThatMayHaveBeenCutOff() throws {
        let times = [1, 1.1, 1.2, 1.3, 1.4]
        let video = try video(times)
        try video.write(times.map { "\($0) 0 0 0 0 0 0\n" }.joined(), to: "lowres_wide.traj")
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(video.path)/lowres_wide_intrinsics").sorted()
        let files = names.map { "lowres_wide_intrinsics/\($0)" }
        try #require(files.count == 5)
        for (index, file) in files.enumerated() { try video.write("8 6 9.5 9 4.25 2.75\(index)\n", to: file) }
        try video.write("8 6 9.5 9 4.25 2.7", to: files[1])
        let capture = try video.open(ARKitScenesCapture.self)
        #expect(capture.frames.map { $0.drop?.isBad } == [nil, true, nil, nil, nil])
        #expect(capture.frames[1].drop?.reason.contains("“2.7” fewer digits than the others") == true)
        // Whole ones that somebody wrote otherwise.
        try video.write("8 6 9.5 9 4.25 2.751", to: files[1])
        #expect(try video.open(ARKitScenesCapture.self).keptFrames.count == 5)
        for file in files { try video.write("8 6 9.5 9 4.25 2.75", to: file) }
        #expect(try video.open(ARKitScenesCapture.self).keptFrames.count == 5)
    }
}
