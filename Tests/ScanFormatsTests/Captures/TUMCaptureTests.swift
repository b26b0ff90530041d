import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Sequences as the benchmark lays them out, written by hand.
@Suite struct TUMCaptureTests {
    /// Rounded to few digits a quaternion is one still; what is farther off is another row's numbers, or none.
    @Test func howFarAQuaternionMayBeOff() {
        func isTaken(_ w: Double) -> Bool { (try? Pose(trajectory: [1, 2, 3, 0, 0, 0, w])) != nil }
        #expect(isTaken(1) && isTaken(0.995) && isTaken(1.005) && isTaken(-1))
        #expect(!isTaken(0.98) && !isTaken(1.02) && !isTaken(0))
    }

    private func sequence(_ count: Int = 3, size: (Int, Int) = (8, 6)) throws -> WrittenCapture {
        let sequence = try WrittenCapture("freiburg1")
        var (rgb, depth) = ("# color images\n# file: 'x.bag'\n# timestamp filename\n", "# depth maps\n")
        var poses = "# ground truth trajectory\n# timestamp tx ty tz qx qy qz qw\n"
        for n in 0..<count {
            let time = "130503110\(n).175304"
            rgb += "\(time) rgb/\(time).png\n"
            // 11 ms later.
            depth += "130503110\(n).186304 depth/\(n).png\n"
            // Three poses about each picture.
            for (offset, x) in [("163", 7.5), ("178", Double(n)), ("190", 8.5)] {
                poses += "130503110\(n).\(offset)000 \(x) 2 -3 0 0 0 1\n"
            }
            try sequence.picture("rgb/\(time).png", size.0, size.1)
            try sequence.depth("depth/\(n).png", first: UInt16(5000 + 500 * n))
        }
        try sequence.write(rgb, to: "rgb.txt")
        try sequence.write(depth, to: "depth.txt")
        try sequence.write(poses, to: "groundtruth.txt")
        try sequence.write("# ours\n9.5 9 3.75 2.25 8 6\n", to: "calibration.txt")
        return sequence
    }

    /// Without its list it is no folder of pictures.
    @Test func aSequenceWithoutItsListFailsByName() throws {
        let sequence = try sequence()
        try sequence.remove("rgb.txt")
        #expect(sequence.recognition?.format == "tum")
        let missing = try sequence.problem(TUMCapture.self)
        #expect(missing?.summary == "the list of the pictures is missing" && missing?.fix == "copy rgb.txt too")
        // What was made of it is what it says.
        try sequence.write(
            #"{"fl_x": 9, "frames": [{"file_path": "a.png", "transform_matrix": []}]}"#, to: "transforms.json")
        #expect(sequence.recognition?.format == "transforms")
        try sequence.remove("transforms.json")
        try sequence.write([0xFF, 0xFE, 0x31, 0, 0x20, 0, 0x61, 0, 0x0A, 0], to: "rgb.txt")
        #expect(sequence.recognition?.format == "tum")
        let encoded = try sequence.problem(TUMCapture.self)
        #expect(encoded?.summary == "the text is UTF-16, where UTF-8 is needed" && encoded?.place.file == "rgb.txt")
        try sequence.write("x\ny\n", to: "rgb.txt")
        let unread = try sequence.problem(TUMCapture.self)
        #expect(unread?.summary == "the list names no pictures")
        #expect(unread?.fix == "copy rgb.txt again: it holds a line  seconds path  for each picture")
        #expect(unread?.notes.first?.hasPrefix("2 lines of rgb.txt cannot be used") == true, "\(unread?.notes ?? [])")
    }

    /// A command cannot rename what lies in an archive.
    @Test func capitalsInAnArchiveAreRenamedOutsideOfIt() throws {
        let tree = MemoryTree(["RGB.TXT": Array("1.0 rgb/1.png\n".utf8), "DEPTH.TXT": []])
        let problem = #expect(throws: Problem.self) { try TUMCapture.open(tree, rules: ReadRules()) }
        #expect(
            problem?.fix
                == "unpack the archive, name the folder instead, and rename them there:  mv DEPTH.TXT depth.txt; mv RGB.TXT rgb.txt"
        )
    }

    @Test func aSequence() throws {
        let capture = try sequence().open(TUMCapture.self)
        #expect(capture.format == "tum" && capture.worldUp == nil && capture.isMetric)
        // Exact, though a double of such seconds goes in steps of 240 ns.
        #expect(capture.frames.map(\.timestamp) == (0..<3).map { 1_305_031_100_175_304_000 + $0 * 1_000_000_000 })
        #expect(capture.frames.map { $0.pose?.position } == (0..<3).map { Vector3(Double($0), 2, -3) })
        // OpenCV's axes: no rotation looks along +z, with y down.
        let pose = try #require(capture.frames[0].pose)
        #expect(pose.apply(Vector3(0, 0, -1)) == Vector3(0, 2, -2))
        #expect(pose.apply(Vector3(0, 1, 0)) == Vector3(0, 1, -3))
        #expect(
            capture.frames[2].intrinsics
                == CameraIntrinsics(fx: 9.5, fy: 9, cx: 3.75, cy: 2.25, width: 8, height: 6, pixelOrigin: .centre))
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth?.first } == [1, 1.1, 1.2])
        let match = capture.findings["time-match"]
        #expect(match?["poses"] == .object(["matched": .of(3), "unmatched": .of(0), "largest-gap-ms": .number(2.696)]))
        #expect(match?["depth"]?["largest-gap-ms"]?.double == 11)
        #expect(capture.warnings == [])
    }

    @Test func whatIsTooFarAwayInTime() throws {
        let sequence = try sequence()
        try sequence.write("1305031100.195304 depth/0.png\n1305031101.196304 depth/1.png\n", to: "depth.txt")
        try sequence.write("1305031102.160 1 2 3 0 0 0 1\n", to: "groundtruth.txt")
        let capture = try sequence.open(TUMCapture.self)
        let none = "no pose of groundtruth.txt is within 20 ms of it"
        #expect(capture.dropReasons == [none, none, nil])
        #expect(capture.frames.allSatisfy { $0.drop?.isBad != true })
        #expect(capture.findings["time-match"]?["depth"]?["matched"]?.integer == 1)
    }

    /// Nothing is missing, so nothing is to be copied.
    @Test func posesOfAnotherClockAreSaid() throws {
        let sequence = try sequence()
        try sequence.write("0 1 2 3 0 0 0 1\n1 1 2 3 0 0 0 1\n2.5 1 2 3 0 0 0 1\n", to: "groundtruth.txt")
        #expect(
            try sequence.open(TUMCapture.self).warnings == [
                "the pictures are from 1305031100.175 to 1305031102.175 s, the poses of groundtruth.txt from 0.000 to 2.500 s: another clock, or another recording; shift the times of one of them, or copy the poses that belong to them"
            ])
        // Half a second late, but for one pose.
        try sequence.write(
            "1305031100.676 1 2 3 0 0 0 1\n1305031101.125304 1 2 3 0 0 0 1\n1305031102.675304 1 2 3 0 0 0 1\n",
            to: "groundtruth.txt")
        #expect(
            try sequence.open(TUMCapture.self).warnings == [
                "the nearest pose of groundtruth.txt is 500 ms away at the median, and 20 ms are allowed: if one of the clocks is late, shift the times of one of them"
            ])
    }

    /// As a program writes numbers in a German or French system.
    @Test func decimalCommasAreNamed() throws {
        let sequence = try sequence(2)
        let lines = (0..<2).map { "130503110\($0),175 -1,06 0,163 2 5e-05 -0,28 0,77 1,2e-05\n" }.joined()
        try sequence.write(lines, to: "groundtruth.txt")
        #expect(
            try sequence.open(TUMCapture.self).warnings == [
                "2 lines of groundtruth.txt cannot be used: the numbers have decimal commas; replace them with  sed -i 's/,/./g' groundtruth.txt (groundtruth.txt:1)"
            ])
        // Commas between the columns are what the benchmark's own tools take too.
        for separator in [",", ", ", " , "] {
            let columns = ["1305031100.175", "1", "2", "3", "0", "0", "0", "1"]
            try sequence.write(columns.joined(separator: separator) + "\n", to: "groundtruth.txt")
            let capture = try sequence.open(TUMCapture.self)
            #expect(capture.frames[0].pose?.position == Vector3(1, 2, 3), "\(separator)")
        }
        try sequence.write("1305031100.175, 1, 2, 3, 0, 0, 0, 9\n", to: "groundtruth.txt")
        #expect(try sequence.open(TUMCapture.self).warnings.first?.contains("the quaternion is no rotation") == true)
    }

    @Test func whatBelongsToAnotherPicture() throws {
        let sequence = try sequence()
        try sequence.write("1305031100.190 1 2 3 0 0 0 1\n1305031101.195 1 2 3 0 0 0 1\n", to: "groundtruth.txt")
        let list = "1305031100.175304 rgb/1305031100.175304.png\n1305031100.185 rgb/1305031101.175304.png\n"
        try sequence.write(list + "1305031101.175 rgb/1305031102.175304.png\n", to: "rgb.txt")
        let reasons = try sequence.open(TUMCapture.self).dropReasons
        #expect(reasons == ["each pose of groundtruth.txt within 20 ms of it belongs to another picture", nil, nil])
    }

    /// A picture that a list names and that is not there is a gap; a frame that none belongs to rightly has none.
    @Test func depthThatIsNotThereIsSaid() throws {
        let sequence = try sequence(6)
        for n in [1, 4] { try sequence.remove("depth/\(n).png") }
        let capture = try sequence.open(TUMCapture.self)
        #expect(capture.gaps == [.recordedDepth: [1, 4]])
        #expect(capture.warnings == ["2 of 6 frames have no depth, though the capture lists it: frames 1, 4"])
        #expect(capture.frames.allSatisfy { !$0.isDropped })
        let list = (0..<5).filter { $0 != 2 }.map { "130503110\($0).186304 depth/\($0).png\n" }.joined()
        try sequence.write(list, to: "depth.txt")
        let shorter = try sequence.open(TUMCapture.self)
        #expect(shorter.gaps == [.recordedDepth: [1, 4]])
        #expect(
            shorter.warnings == [
                "2 of 6 frames have no depth, though the capture lists it: frames 1, 4",
                "2 of 6 frames have no depth, and none is listed: frames 2, 5",
            ])
        try sequence.write("1305031100.186304 depth/0.png\n", to: "depth.txt")
        let first = try sequence.open(TUMCapture.self)
        #expect(first.gaps.isEmpty && first.warnings == ["5 of 6 frames have no depth: frames 1 to 5"])
    }

    /// Whoever wants no depth goes on; whoever wants it learns why there is none.
    @Test func depthThatCannotBeReadIsNone() throws {
        let sequence = try sequence(2)
        for n in 0..<2 { try sequence.write("no picture", to: "depth/\(n).png") }
        let capture = try sequence.open(TUMCapture.self)
        #expect(!capture.channels.contains(.recordedDepth) && capture.channels.contains(.color))
        #expect(
            capture.absences[.recordedDepth]?.reason.hasPrefix("none of the depth pictures can be read: PNG damaged")
                == true)
        #expect(capture.remedies[.recordedDepth] == "copy the picture again from the device")
        #expect(capture.files.contains { $0.path == "depth/0.png" })
    }

    @Test func withoutPosesOrDepth() throws {
        let sequence = try sequence()
        try sequence.remove("groundtruth.txt")
        let capture = try sequence.open(TUMCapture.self)
        #expect(capture.absences[.pose]?.reason == "groundtruth.txt is missing")
        #expect(capture.remedies[.pose]?.hasPrefix("copy groundtruth.txt too") == true)
        #expect(!capture.channels.contains(.pose) && capture.frames.allSatisfy { !$0.isDropped })
        try sequence.remove("depth.txt")
        #expect(sequence.recognition?.format == "frames")
    }

    @Test func aListOfDepthThatIsMissing() throws {
        let sequence = try sequence()
        try sequence.remove("depth.txt")
        #expect(try sequence.open(TUMCapture.self).remedies[.recordedDepth] == "copy depth.txt too")
        // Without its pictures it was left out on purpose.
        try sequence.remove("depth")
        let without = try sequence.open(TUMCapture.self)
        #expect(without.absences[.recordedDepth]?.reason == "depth.txt is missing" && without.remedies.isEmpty)
    }

    /// Poses and depth are there all the same.
    @Test func picturesThatAreAllMissing() throws {
        let sequence = try sequence()
        for n in 0..<3 {
            let stem = "\(sequence.path)/rgb/130503110\(n).175304"
            try FileManager.default.moveItem(atPath: "\(stem).png", toPath: "\(stem).PNG")
        }
        let renamed = try sequence.open(TUMCapture.self)
        #expect(renamed.frames.count == 3 && renamed.frames.allSatisfy { !$0.isDropped })
        #expect(renamed.frames[0].intrinsics?.fx == 9.5 && !renamed.channels.contains(.color))
        #expect(renamed.remedies[.color] == "let the names in rgb.txt have the files' own extension, .jpg or .png")
        try sequence.remove("rgb")
        try sequence.remove("calibration.txt")
        let bare = try sequence.open(TUMCapture.self)
        #expect(bare.absences[.color]?.reason == "rgb.txt lists 3 pictures, and none is there")
        #expect(bare.remedies == [.color: "copy the folder rgb/ too", .intrinsics: "copy the folder rgb/ too"])
    }

    @Test func theCameraThatIsInNoFile() throws {
        let sequence = try sequence()
        try sequence.remove("calibration.txt")
        let unknown = try sequence.open(TUMCapture.self)
        #expect(!unknown.channels.contains(.intrinsics))
        #expect(unknown.remedies[.intrinsics] == "put a line  fx fy cx cy width height  into calibration.txt")
        // Four numbers are for the pictures; a lens's distortion may follow.
        try sequence.write("9.5, 9, 3.75, 2.25\n", to: "camera.txt")
        #expect(try sequence.open(TUMCapture.self).frames[0].intrinsics?.width == 8)
        try sequence.write("9.5 9 3.75 2.25 0.1 -0.2 0 0 0\n", to: "camera.txt")
        let distorted = try sequence.open(TUMCapture.self)
        #expect(distorted.channels.contains(.lens) && !distorted.channels.contains(.intrinsics))
        #expect(distorted.undistortions[0]?.recorded.lens.radial == [0.1, -0.2, 0, 0])
        #expect(distorted.absences[.intrinsics]?.reason == "the lens distorts (k1 0.1, k2 -0.2)")
        #expect(distorted.warnings.isEmpty)
        try sequence.write("9.5 9 3.75 2.25 0.1 -0.2 0.003 -0.004 0.5\n", to: "camera.txt")
        let whole = try sequence.open(TUMCapture.self).undistortions[0]?.recorded.lens
        #expect(whole == LensDistortion(radial: [0.1, -0.2, 0.5, 0], tangential: [0.003, -0.004]))
        try sequence.write("9.5 9 3.75 2.25 8 6 0.1 -0.2 0.003 -0.004\n", to: "camera.txt")
        let sized = try sequence.open(TUMCapture.self).undistortions[0]?.recorded.lens
        #expect(sized == LensDistortion(radial: [0.1, -0.2, 0, 0], tangential: [0.003, -0.004]))
        // Other numbers, and a lens that cannot be.
        try sequence.write("9.5 9 3.75 2.25 8 6 5000 0 0 0\n", to: "camera.txt")
        #expect(try sequence.open(TUMCapture.self).frames[0].intrinsics?.fx == 9.5)
        try sequence.write("9.5 9 3.75 2.25 0.1 -0.2 0 0 0 0 7\n", to: "camera.txt")
        let other = try sequence.open(TUMCapture.self)
        #expect(other.frames[0].intrinsics?.fx == 9.5 && !other.channels.contains(.lens))
        #expect(
            other.warnings
                == ["camera.txt gives a lens's distortion, which is passed over: expected k1 k2 p1 p2 k3"])
        for text in ["", "1 2 3", "0 0 1 1 8 6", "a b c d", "9 9 4 3 6 8"] {
            try sequence.write(text, to: "camera.txt")
            do {
                let capture = try sequence.open(TUMCapture.self)
                #expect(capture.frames.allSatisfy { $0.drop?.isBad == true }, "\(text)")
            } catch let error as Problem {
                #expect(error.fault == .input && error.place.file == "camera.txt", "\(error.message())")
            }
        }
    }

    @Test func theUsualCameraIsTakenWithAWarning() throws {
        let sequence = try sequence(1, size: (640, 480))
        try sequence.remove("calibration.txt")
        let capture = try sequence.open(TUMCapture.self)
        #expect(
            capture.frames[0].intrinsics
                == CameraIntrinsics(
                    fx: 525, fy: 525, cx: 319.5, cy: 239.5, width: 640, height: 480, pixelOrigin: .centre))
        #expect(
            capture.warnings.first?.hasPrefix("the intrinsics are unknown, so the usual ones were taken") == true)
    }

    @Test func whatStandsInAPicturesPlaceIsNamed() throws {
        let sequence = try sequence()
        let files = (1...2).map { "rgb/130503110\($0).175304.png" }
        for file in files { try sequence.remove(file) }
        try sequence.write("x", to: "\(files[0])/x")
        try FileManager.default.createSymbolicLink(
            atPath: "\(sequence.path)/\(files[1])", withDestinationPath: files[1].lastPart)
        let capture = try sequence.open(TUMCapture.self)
        #expect(
            capture.dropReasons == [
                nil, "its picture \(files[0]) is a folder", "its picture \(files[1]) is a link that leads in a circle",
            ])
        #expect(capture.frames[1].drop?.fix == "put the file \(files[0]) in its place")
    }

    @Test func pathsStayInTheSequence() throws {
        let sequence = try sequence(1)
        try sequence.folder.write([1, 2, 3], to: "secret.png")
        try FileManager.default.createSymbolicLink(
            atPath: "\(sequence.path)/rgb/link.png", withDestinationPath: "../../secret.png")
        try sequence.write(
            "1305031100.175304 ../secret.png\n1305031100.18 /etc/passwd\n1305031100.185 rgb/link.png\n1305031100.19 rgb/no.png\n",
            to: "rgb.txt")
        let capture = try sequence.open(TUMCapture.self)
        #expect(capture.frames.allSatisfy { $0.drop?.isBad == true && $0.pictureFile == nil })
        #expect(capture.dropReasons[0]?.hasPrefix("a path leads out of the capture") == true)
        #expect(capture.dropReasons[2]?.hasPrefix("a link leads out of the capture") == true)
        #expect(capture.frames[2].drop?.fix == "copy the file itself into the capture")
        #expect(capture.dropReasons[3] == "its picture is not there: rgb/no.png")
        try sequence.write("1305031100.175304 rgb/\n", to: "rgb.txt")
        #expect(try sequence.open(TUMCapture.self).dropReasons[0]?.hasPrefix("a path names no file: \"rgb/\"") == true)
        // Depth that leads out is as good as none, and no reason to lose the frame.
        let depth = try self.sequence(2)
        try depth.write("1305031100.175304 ../../etc/passwd\n1305031101.186304 depth/1.png\n", to: "depth.txt")
        let other = try depth.open(TUMCapture.self)
        #expect(other.dropReasons == [nil, nil])
        #expect(try other.loaded([.recordedDepth]).map { $0.recordedDepth == nil } == [true, false])
        try depth.write("1305031100.175304 /data/depth/0.png\n1305031101.186304 /data/depth/1.png\n", to: "depth.txt")
        let none = try depth.open(TUMCapture.self)
        #expect(none.dropReasons == [nil, nil] && !none.channels.contains(.recordedDepth))
        #expect(none.absences[.recordedDepth]?.reason.contains("paths that lead out of the capture") == true)
        #expect(none.remedies[.recordedDepth]?.contains("depth/0.png instead of /data/depth/0.png") == true)
    }

    /// As of a list that was cut off where a line ends.
    @Test func picturesThatTheListLacks() throws {
        let sequence = try sequence(2)
        #expect(try sequence.open(TUMCapture.self).warnings == [])
        for name in ["0", "1"] { try sequence.picture("rgb/later-\(name).png") }
        #expect(
            try sequence.open(TUMCapture.self).warnings == [
                "2 pictures were left out, the first rgb/later-0.png: each is not listed in rgb.txt"
            ])
    }

    @Test func linesThatCannotBeUsed() throws {
        let sequence = try sequence(2)
        try sequence.write(
            "1305031100.175304 0 0 0 0 0 0 1\nnan 0 0 0 0 0 0 1\n1305031101.175304 0 0 0 0 0 0 0\n1 2\n",
            to: "groundtruth.txt")
        let capture = try sequence.open(TUMCapture.self)
        #expect(capture.frames.map { $0.drop?.isBad } == [nil, true])
        #expect(capture.frames[1].drop?.reason == "the line of groundtruth.txt with its pose cannot be used")
        // As recorders write it where they do not know where they are.
        try sequence.write(
            "1305031100.175304 0 0 0 0 0 0 1\n1305031101.175304 nan nan nan nan nan nan nan\n", to: "groundtruth.txt")
        let lost = try sequence.open(TUMCapture.self)
        #expect(lost.frames.map { $0.drop?.isBad } == [nil, false])
        #expect(lost.frames[1].drop?.reason == "tracking was lost: its pose in groundtruth.txt is not finite")
        #expect(
            capture.warnings.first?.hasPrefix("3 lines of groundtruth.txt cannot be used: “nan” is not a time") == true)
        var rules = ReadRules()
        rules.maxFrames = 1
        #expect(try sequence.problem(TUMCapture.self, rules: rules)?.summary == "there is more than 1 picture")
        try sequence.write("# nothing\n", to: "rgb.txt")
        #expect(try sequence.problem(TUMCapture.self)?.summary == "the list names no pictures")
        try sequence.remove("depth.txt")
        #expect(sequence.recognition?.format != "tum")
    }

    @Test func linesAreWrittenAsTheyAreRead() throws {
        let pose = Pose(rotation: .rotation(aboutY: -1.2), position: Vector3(0.1, -2, 3e-7))
        let text = TUMText.trajectoryHeader + TUMText.trajectoryLine(timestamp: 1_305_031_102_175_304_000, pose: pose)
        #expect(text.contains("\n1305031102.175304 0.1 -2.0 3e-07 "))
        var table = TextTable(MemorySource(Array(text.utf8), name: "t"), .space, lineLimit: 1000)
        let read = try TUMText.posed(try #require(try table.next()))
        #expect(read.timestamp == 1_305_031_102_175_304_000)
        #expect(read.pose.position == pose.position)
        #expect((read.pose.rotation.columns.0 - pose.rotation.columns.0).length < 1e-15)
    }

    /// Half of an upload: the last pose is none, and the frames behind it have lost theirs.
    @Test func posesThatWereCutOff() throws {
        let sequence = try sequence(6)
        let poses = (0..<5).map { "130503110\($0).175 0.5 2 -3 0.10000\($0) 0.2 0.3 0.927362\n" }.joined()
        for (end, isCut) in [("0.3 0.9", true), ("0.3 0.927362", false), ("0.3", true)] {
            try sequence.write("\(poses)1305031105.175 0.5 2 -3 0.1 0.2 \(end)", to: "groundtruth.txt")
            let capture = try sequence.open(TUMCapture.self)
            #expect(capture.frames.map { $0.drop?.isBad } == [nil, nil, nil, nil, nil, isCut ? true : nil], "\(end)")
            #expect(capture.frames[5].drop?.reason == (isCut ? "groundtruth.txt was cut off before its pose" : nil))
            #expect(capture.warnings.count == 1 && capture.warnings[0].contains("cut off"), "\(capture.warnings)")
        }
        let warning = try sequence.open(TUMCapture.self).warnings.first
        #expect(warning?.hasPrefix("1 line of groundtruth.txt cannot be used") == true)
        #expect(warning?.hasSuffix("the file was cut off (groundtruth.txt:6)") == true)
        try sequence.write("\(poses)1305031105.175 0.5 2 -3 0.1 0.2 0.3 0.927362\n", to: "groundtruth.txt")
        #expect(try sequence.open(TUMCapture.self).warnings == [])
        try sequence.write("# ours\n9.5 9 3.75 2.25", to: "calibration.txt")
        #expect(try sequence.open(TUMCapture.self).warnings.first?.contains("calibration.txt, line 2") == true)
    }

    /// What the lines that are gone listed is no part of it any more, and would not be missed.
    @Test(arguments: [
        "1305031", "1305031104.175304 ", "1305031104.175304 rgb/13050", "1305031104.175304 rgb/1305031104.17",
    ])
    func aListThatWasCutOff(_ end: String) throws {
        let sequence = try sequence(6)
        let list = (0..<4).map { "130503110\($0).175304 rgb/130503110\($0).175304.png\n" }.joined()
        try sequence.write(list + end, to: "rgb.txt")
        let problem = try sequence.problem(TUMCapture.self)
        #expect(problem?.oneLine == "the list was cut off in its last line (rgb.txt)")
        #expect(problem?.notes == ["2 pictures are not listed in rgb/"])
        #expect(
            problem?.fix == "copy the file again, or keep the whole frames with  --set read.truncated=keep-whole")
        var rules = ReadRules()
        rules.truncated = .keepWhole
        let capture = try sequence.open(TUMCapture.self, rules: rules)
        let reason = "the list was cut off in its last line (rgb.txt)"
        #expect(capture.dropReasons == [nil, nil, nil, nil, reason, reason])
        #expect(capture.frames.allSatisfy { $0.drop?.isBad != true } && capture.forgiven.count == 1)
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth?.first } == [1, 1.1, 1.2, 1.3, nil, nil])
        rules.minWhole = 0.7
        #expect(
            try sequence.problem(TUMCapture.self, rules: rules)?.notes.last
                == "4 of 6 frames are whole; the minimum is 70 %")
    }

    /// A last line that only lacks its line feed is whole.
    @Test func aListWithoutALineFeedAtItsEnd() throws {
        let sequence = try sequence(3)
        for file in ["rgb.txt", "depth.txt"] {
            let text = String(decoding: try sequence.folder.bytes("\(sequence.name)/\(file)"), as: UTF8.self)
            try sequence.write(String(text.dropLast()), to: file)
        }
        let capture = try sequence.open(TUMCapture.self)
        #expect(capture.keptFrames.count == 3 && capture.gaps.isEmpty)
        #expect(capture.warnings.count == 2 && capture.warnings.allSatisfy { $0.contains("has no end") })
    }

    @Test func aListOfDepthThatWasCutOff() throws {
        let sequence = try sequence(6)
        let list = (0..<4).map { "130503110\($0).186304 depth/\($0).png\n" }.joined()
        try sequence.write(list + "1305031104.186304 dep", to: "depth.txt")
        let problem = try sequence.problem(TUMCapture.self)
        #expect(problem?.oneLine == "the list was cut off in its last line (depth.txt)")
        var rules = ReadRules()
        rules.truncated = .keepWhole
        let capture = try sequence.open(TUMCapture.self, rules: rules)
        #expect(capture.keptFrames.map(\.index) == [0, 1, 2, 3] && capture.forgiven.count == 1)
    }

    /// One that was cut off where a line ends looks like a whole one.
    @Test func posesThatEndLongBeforeThePictures() throws {
        let sequence = try sequence(5)
        let poses = (0..<2).map { "130503110\($0).175 0.5 2 -3 0 0 0 1\n" }.joined()
        try sequence.write(poses, to: "groundtruth.txt")
        let capture = try sequence.open(TUMCapture.self)
        let reason = "the poses of groundtruth.txt end before it"
        #expect(capture.dropReasons == [nil, nil, reason, reason, reason])
        let warning =
            "the poses of groundtruth.txt end 3.0 s before the pictures: copy the file again if it should be longer"
        #expect(capture.warnings == [warning])
        var rules = ReadRules()
        rules.badFrameLimit = 0.9
        let allowed = try sequence.open(TUMCapture.self, rules: rules).warnings
        #expect(allowed.allSatisfy { !$0.contains("before the pictures") }, "\(allowed)")
        // A list that goes on without poses is whole.
        try sequence.write("\(poses)1305031104.175 nan nan nan nan nan nan nan\n", to: "groundtruth.txt")
        #expect(try sequence.open(TUMCapture.self).warnings.allSatisfy { !$0.contains("before the pictures") })
    }

    /// As other programs order it, and say so.
    @Test func aCommentNamesTheOrderOfTheQuaternion() throws {
        let sequence = try sequence(1)
        let text = "# timestamp tx ty tz qw qx qy qz\n1305031100.175304 1 2 3 1 0 0 0\n"
        try sequence.write(text, to: "groundtruth.txt")
        let capture = try sequence.open(TUMCapture.self)
        #expect(capture.frames[0].pose?.apply(Vector3(0, 0, -1)) == Vector3(1, 2, 4))
        #expect(
            capture.warnings == ["groundtruth.txt calls its columns qw qx qy qz, and they were read in this order"])
    }

    /// Sixteen lines for each picture that is allowed, of which those that cannot be used count too.
    @Test func listsThatAreTooLong() throws {
        let sequence = try sequence(1)
        var rules = ReadRules()
        rules.maxFrames = 1
        let poses = (0..<16).map { "\(1_305_031_100 + $0).175 1 2 3 0 0 0 1\n" }.joined()
        try sequence.write(poses, to: "groundtruth.txt")
        #expect(try sequence.problem(TUMCapture.self, rules: rules) == nil)
        try sequence.write("no pose\n" + poses, to: "groundtruth.txt")
        let problem = try sequence.problem(TUMCapture.self, rules: rules)
        #expect(problem?.summary == "there are more than 16 lines")
        #expect(problem?.fault == .input && problem?.place.file == "groundtruth.txt")
        #expect(problem?.fix == "if that is right, allow more with  --set read.max-frames=2")
    }

    /// As the benchmark's associate.py, which sorts what it has paired.
    @Test func picturesAreInTheOrderOfTheirTimes() throws {
        let sequence = try sequence()
        let times = (0..<3).map { "130503110\($0).175304" }
        try sequence.write(times.reversed().map { "\($0) rgb/\($0).png\n" }.joined(), to: "rgb.txt")
        let capture = try sequence.open(TUMCapture.self)
        #expect(capture.frames.map(\.pictureFile) == times.map { "rgb/\($0).png" })
        #expect(capture.frames.map { $0.pose?.position.x } == [0, 1, 2])
        #expect(capture.warnings.count == 1 && capture.warnings[0].contains("order of their times"))
    }
}
