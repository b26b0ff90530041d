import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Recordings as the app's author and others' readers describe them, written by hand.
@Suite struct Record3DCaptureTests {
    /// Held upright: pictures of 6 × 8, depth of 3 × 4. The first camera looks along −z from the origin, the others are turned
    /// to the left by a quarter and stand at (number, 2, −3).
    private func metadata(
        _ count: Int = 3, depthSize: String = #""dw": 3, "dh": 4,"#, cameras: Bool = true, _ more: String = ""
    ) -> String {
        let half = 0.5.squareRoot()
        let poses = (0..<count).map { $0 == 0 ? "[0, 0, 0, 1, 0, 0, 0]" : "[0, \(half), 0, \(half), \($0), 2, -3]" }
        let coefficients = (0..<count).map { "[\(9 + $0), 9, 3.25, 3.75]" }
        return """
            {"w": 6, "h": 8, \(depthSize) "fps": 60, "K": [9, 0, 0, 0, 8, 0, 3, 4, 1], "initPose": [0, 0, 0, 1, 0, 0, 0],
             \(cameras ? #""perFrameIntrinsicCoeffs": [\#(coefficients.joined(separator: ", "))],"# : "")
             "frameTimestamps": [\((0..<count).map { "\(Double($0) / 8)" }.joined(separator: ", "))]\(more),
             "poses": [\(poses.joined(separator: ", "))]}
            """
    }

    private func depth(first: Float, count: Int = 12) -> [UInt8] {
        var pixels = ByteText()
        pixels.add((0..<count).map { first + Float($0) / 4 })
        return LZFSESamples.stored(pixels.bytes)
    }

    private func recording(_ count: Int = 3, _ metadata: String? = nil) throws -> WrittenCapture {
        let capture = try WrittenCapture()
        try capture.write(metadata ?? self.metadata(count), to: "metadata")
        for index in 0..<count {
            try capture.picture("rgbd/\(index).jpg", 6, 8, isJPEG: true)
            try capture.write(depth(first: Float(index + 1)), to: "rgbd/\(index).depth")
            let levels = (0..<12).map { UInt8($0 % 3) }
            try capture.write(LZFSESamples.stored(levels), to: "rgbd/\(index).conf")
        }
        return capture
    }

    @Test func fewerPosesThanPicturesAreSaid() throws {
        let capture = try recording(5, metadata(3, cameras: false)).open(Record3DCapture.self)
        #expect(capture.keptFrames.map(\.index) == [0, 1, 2])
        let end = "the end was taken to be missing; if it is not,"
        #expect(
            capture.warnings == [
                "rgbd/ has 5 frames, and there are 3 poses: \(end) pictures and poses do not belong together",
                "rgbd/ has 5 frames, and there are 3 times: \(end) frames and times do not belong together",
            ])
        let more = metadata(3).replacing("0.25]", with: "0.25, 0.375]")
        #expect(
            try recording(3, more).open(Record3DCapture.self).warnings == [
                "rgbd/ has 3 frames, and there are 4 times: \(end) frames and times do not belong together"
            ])
    }

    @Test func aRecording() throws {
        // By number, not by name: 2 comes before 10.
        let capture = try recording(12).open(Record3DCapture.self)
        #expect(capture.format == "record3d" && capture.variant == "r3d")
        #expect(capture.frames.map(\.pictureFile) == (0..<12).map { "rgbd/\($0).jpg" })
        #expect(capture.frames.allSatisfy { !$0.isDropped })
        #expect(capture.frames.prefix(3).map(\.timestamp) == [0, 125_000_000, 250_000_000])
        #expect(capture.frameRate == 60)
        // Where it says none, the times tell it.
        let without = metadata(12).replacing("\"fps\": 60", with: "\"fps\": 0")
        #expect(try recording(12, without).open(Record3DCapture.self).frameRate == 8)
        let pose = try #require(capture.frames[10].pose)
        #expect(pose.position == Vector3(10, 2, -3))
        #expect((pose.apply(Vector3(0, 0, -1)) - Vector3(9, 2, -3)).length < 1e-12)
        #expect(capture.frames[0].pose == .identity)
        #expect(
            capture.frames[2].intrinsics
                == CameraIntrinsics(fx: 11, fy: 9, cx: 3.25, cy: 3.75, width: 6, height: 8, pixelOrigin: .corner))
        // The first frame's axes are the world's, however the device was held.
        #expect(capture.worldUp == nil && capture.isMetric)
        #expect(capture.colorSize == PixelSize(6, 8) && capture.depthSize == PixelSize(3, 4))
        let frames = try capture.loaded([.recordedDepth, .recordedConfidence, .color])
        #expect(frames.map { $0.recordedDepth?.first } == (1...12).map { Float($0) })
        #expect(frames[0].recordedConfidence?.values.prefix(4) == [0, 1, 2, 0])
        #expect(frames[0].recordedConfidence?.range == 0...2)
        #expect(frames[3].picture == .file("rgbd/3.jpg"))
    }

    @Test func theArchiveItself() throws {
        let recording = try recording()
        let script = """
            import os, sys, zipfile
            with zipfile.ZipFile(sys.argv[1] + '/scan.r3d', 'w') as z:
                for base, _, names in os.walk(sys.argv[2]):
                    for name in names:
                        z.write(base + '/' + name, os.path.relpath(base + '/' + name, sys.argv[2]))
            """
        let folder = try TemporaryFolder()
        #expect(try runPython(script, [folder.path, recording.path]).status == 0)
        let tree = try CaptureFormats.tree(at: "\(folder.path)/scan.r3d")
        #expect(CaptureFormats.recognise(tree)?.format == "record3d")
        let capture = try Record3DCapture.open(tree, rules: ReadRules())
        #expect(capture.id == "scan" && capture.frames.count == 3)
        #expect(try capture.loaded([.recordedDepth]).map { $0.recordedDepth?.first } == [1, 2, 3])
        #expect(try CaptureSearch.captures(at: folder.path).map(\.id) == ["scan"])
    }

    // MARK: - The export

    private func export(_ depth: [[UInt8]]) throws -> WrittenCapture {
        let export = try WrittenCapture()
        try export.write(metadata(depth.count), to: "metadata.json")
        for (index, file) in depth.enumerated() {
            try export.picture("rgb/\(index).jpg", 6, 8, isJPEG: true)
            try export.write(file, to: "depth/\(index).exr")
        }
        return export
    }

    @Test func anExport() throws {
        let capture = try export([EXRSamples.floats, EXRSamples.colors]).open(Record3DCapture.self)
        #expect(capture.variant == "EXR + JPG export" && capture.warnings == [])
        #expect(capture.frames.map(\.pictureFile) == ["rgb/0.jpg", "rgb/1.jpg"])
        #expect(capture.frames.allSatisfy { $0.pose != nil && $0.intrinsics != nil })
        #expect(capture.depthSize == PixelSize(3, 4))
        #expect(capture.files.map(\.path).filter { $0.hasSuffix(".exr") } == ["depth/0.exr", "depth/1.exr"])
        let depth = try capture.loaded([.recordedDepth]).compactMap(\.recordedDepth)
        #expect(depth.map(\.first) == [1, 2])
        let (map, repaired) = try DepthCodec.decode(depth[0])
        #expect(map.metres == EXRSamples.depth.map { $0.isNaN ? 0 : $0 } && repaired.nan == 1)
        #expect(
            capture.absences[.recordedConfidence]?.reason == "the export has none, unlike the recording as .r3d")
    }

    /// All exports are called the same.
    @Test func anExportIsCalledAfterTheFolderAroundIt() throws {
        let (first, second) = (try export([EXRSamples.floats]), try export([EXRSamples.floats]))
        let folder = try TemporaryFolder()
        for (name, export) in [("2026-04-22", first), ("2026-04-23", second)] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: export.path, toPath: "\(folder.path)/\(name)/EXR_RGBD")
        }
        #expect(try CaptureSearch(at: folder.path).captures.map(\.id) == ["2026-04-22", "2026-04-23"])
    }

    /// Its pictures alone would be a plain folder's.
    @Test func anExportWhoseMetadataAreDamaged() throws {
        let export = try export([EXRSamples.floats])
        try export.write(String(metadata(1).dropLast(20)), to: "metadata.json")
        #expect(CaptureFormats.recognise(CaptureFolder(path: export.path))?.format == "record3d")
        let problem = try export.problem(Record3DCapture.self)
        #expect(problem?.place.file == "metadata.json" && problem?.place.byte != nil)
    }

    /// What the other frames have is the size of all, also where the first one is odd.
    @Test func depthOfAnExportThatDiffersInSize() throws {
        let export = try export([EXRSamples.single, EXRSamples.floats, EXRSamples.halves, EXRSamples.floats])
        try export.remove("depth/3.exr")
        let capture = try export.open(Record3DCapture.self)
        #expect(capture.depthSize == PixelSize(3, 4))
        #expect(capture.findings["frames-without-depth"]?.integer == 1)
        let problem = #expect(throws: Problem.self) { _ = try capture.loaded([.recordedDepth]) }
        #expect(problem?.place.file == "depth/0.exr")
        #expect(problem?.summary.hasPrefix("this depth map is 1×1, the usual one 3×4") == true)
    }

    /// What an export holds that is no depth is said, and nothing else hangs on it.
    @Test func anExportWhoseDepthIsNotRead() throws {
        let capture = try export([EXRSamples.tiles, EXRSamples.tiles]).open(Record3DCapture.self)
        #expect(capture.keptFrames.count == 2)
        #expect(
            capture.absences[.recordedDepth]?.reason
                == "none of the depth pictures can be read: no depth that can be read: its pixels are in tiles, or deep "
                + "(depth/0.exr)")
    }

    /// The first is not damaged at its beginning, and shows only when it is unpacked.
    @Test func damagedDepthOfAnExport() throws {
        let cut = Array(EXRSamples.floats.dropLast(10))
        let capture = try export([cut, EXRSamples.floats]).open(Record3DCapture.self)
        let problem = #expect(throws: Problem.self) { _ = try capture.loaded([.recordedDepth]) }
        #expect(problem?.place.file == "depth/0.exr" && problem?.fault == .input)
    }

    @Test func anExportWithoutDepth() throws {
        let export = try export([EXRSamples.floats])
        try export.remove("depth/0.exr")
        try export.write("", to: "depth/notes.txt")
        let capture = try export.open(Record3DCapture.self)
        #expect(capture.absences[.recordedDepth]?.reason == "there are no files depth/<n>.exr")
        #expect(capture.remedies == [.recordedDepth: "copy the folder depth/ too"])
        #expect(capture.keptFrames.count == 1)
        try export.remove("depth")
        let bare = try export.open(Record3DCapture.self)
        #expect(bare.remedies == [.recordedDepth: "copy the folder depth/ too"] && bare.channels.contains(.pose))
    }

    /// Its pictures alone would be a plain folder's.
    @Test func anExportWithoutMetadata() throws {
        let export = try export([EXRSamples.floats])
        try export.remove("metadata.json")
        #expect(export.recognition?.reason == "depth/ holds the depth of rgb/, and metadata.json is missing")
        let problem = try export.problem(Record3DCapture.self)
        #expect(problem?.summary == "there is no Record3D metadata" && problem?.notes == ["metadata.json is missing"])
        #expect(problem?.fix == "the folder must hold metadata.json, rgb/ and depth/")
        // Other numbers are not theirs.
        try export.remove("rgb/0.jpg")
        try export.picture("rgb/7.jpg", 6, 8, isJPEG: true)
        #expect(export.recognition?.format == "frames")
    }

    @Test func depthOfAnExportThatLiesOnItsSide() throws {
        let export = try export([EXRSamples.floats])
        try export.picture("rgb/0.jpg", 8, 6, isJPEG: true)
        let problem = try export.problem(Record3DCapture.self)
        #expect(problem?.summary == "depth of 3×4 does not fit pictures of 8×6")
        #expect(problem?.fix == "share the recording as .r3d instead")
    }

    // MARK: - Cameras

    /// Older recordings know the first frame's camera alone; K is by columns.
    @Test func oneCameraForAll() throws {
        let capture = try recording(2, metadata(2, cameras: false)).open(Record3DCapture.self)
        let expected = CameraIntrinsics(fx: 9, fy: 8, cx: 3, cy: 4, width: 6, height: 8, pixelOrigin: .corner)
        #expect(capture.frames.map(\.intrinsics) == [expected, expected])
    }

    /// Some recordings have pictures twice as large as `w` and `h` say.
    @Test func framesBehindTheListOfCamerasAreWarnedOf() throws {
        let short = metadata(3).replacing(", [11, 9, 3.25, 3.75]", with: "")
        let capture = try recording(3, short).open(Record3DCapture.self)
        #expect(
            capture.warnings.contains(
                "“perFrameIntrinsicCoeffs” has 2 cameras for 3 frames: the others were given that of the first frame, “K”"
            ))
        #expect(capture.frames.map { $0.intrinsics?.fx } == [9, 10, 9])
        #expect(try recording(3).open(Record3DCapture.self).warnings.isEmpty)
    }

    /// One that stands there twice shifts all that follow.
    @Test func moreCamerasOrPosesThanFramesAreSaid() throws {
        let end = "the end was taken to be missing; if it is not,"
        let cameras = metadata(3).replacing("[10, 9, 3.25, 3.75]", with: "[10, 9, 3.25, 3.75], [10, 9, 3.25, 3.75]")
        #expect(
            try recording(3, cameras).open(Record3DCapture.self).warnings == [
                "rgbd/ has 3 frames, and there are 4 cameras: \(end) frames and cameras do not belong together"
            ])
        let poses = try recording(3, metadata(4)).open(Record3DCapture.self).warnings
        #expect(
            poses == ["rgbd/ has 3 frames, and there are 4 poses: \(end) pictures and poses do not belong together"])
    }

    @Test func camerasAreScaledToThePictures() throws {
        let recording = try recording(2)
        for index in 0..<2 { try recording.picture("rgbd/\(index).jpg", 12, 16, isJPEG: true) }
        let camera = try recording.open(Record3DCapture.self).frames[1].intrinsics
        #expect(
            camera
                == CameraIntrinsics(fx: 20, fy: 18, cx: 6.5, cy: 7.5, width: 12, height: 16, pixelOrigin: .corner))
    }

    /// What is said of the cameras is said of frames that are kept.
    @Test func picturesOfAnotherSizeAreNotSaidToBeScaled() throws {
        let recording = try recording(4)
        try recording.picture("rgbd/1.jpg", 3, 4, isJPEG: true)
        try recording.picture("rgbd/2.jpg", 12, 16, isJPEG: true)
        let capture = try recording.open(Record3DCapture.self)
        #expect(capture.frames.map(\.isDropped) == [false, true, true, false])
        #expect(capture.warnings == [])
    }

    @Test func anEmptyListOfTimesIsNone() throws {
        let text = metadata(3).replacing(#/"frameTimestamps": \[[^\]]*\]/#, with: #""frameTimestamps": []"#)
        let capture = try recording(3, text).open(Record3DCapture.self)
        #expect(!capture.channels.contains(.timestamp))
        #expect(capture.absences[.timestamp]?.reason == "metadata has no frameTimestamps that could be used")
    }

    @Test func aFrameWhoseNumbersAreBadIsDropped() throws {
        var text = metadata(4)
        text = text.replacing("[10, 9, 3.25, 3.75]", with: "[10, 9]")
        text = text.replacing("0.25, 0.375]", with: "\"later\", 0.375]")
        text = text.replacing(", 3, 2, -3]", with: ", 3, 2, 1e999]").replacing("1e999", with: "null")
        let capture = try recording(4, text).open(Record3DCapture.self)
        #expect(
            capture.dropReasons == [
                nil, "“perFrameIntrinsicCoeffs[1]” is [10, 9]; expected a list of 4 numbers (metadata)",
                "“frameTimestamps[2]” is “later”; expected a number (metadata)",
                "“poses[3]” is a list of 7 values; expected a list of 7 numbers (metadata)",
            ])
        #expect(capture.frames.dropFirst().allSatisfy { $0.drop?.isBad == true })
    }

    /// What the app's first versions wrote.
    @Test(arguments: [#", "poses": []"#, #", "poses": null"#, ""])
    func withoutPosesThereAreStillPictures(poses: String) throws {
        let text = metadata(2, cameras: false).replacing(#/,\s*"poses": .*\]\}/#, with: "\(poses)}")
        let capture = try recording(2, text).open(Record3DCapture.self)
        #expect(capture.frames.count == 2 && capture.frames.allSatisfy { !$0.isDropped && $0.pose == nil })
        #expect(capture.frames.allSatisfy { $0.intrinsics?.fx == 9 })
        #expect(
            capture.absences[.pose]?.reason == "the recording has no poses: older versions of the app wrote none")
    }

    /// One that was cut off behind its cameras is not an old one.
    @Test func metadataThatWereCutOff() throws {
        let whole = metadata(2)
        let end = try #require(whole.range(of: #","#, options: .backwards)?.lowerBound)
        for text in [String(whole.dropLast(9)), String(whole[..<end]), String(whole.prefix(40))] {
            let cut = try recording(2, text)
            #expect(cut.recognition?.reason == "metadata stands beside rgbd/, and is damaged")
            #expect(try cut.problem(Record3DCapture.self)?.summary.hasPrefix("invalid JSON") == true)
        }
    }

    /// It is every frame's.
    @Test func aCameraForAllThatCannotBeRead() throws {
        let text = metadata(2, cameras: false).replacing("[9, 0, 0, 0, 8, 0, 3, 4, 1]", with: "[9, 8, 3, 4]")
        let problem = try recording(2, text).problem(Record3DCapture.self)
        #expect(problem?.summary == "“K” is [9, 8, 3, 4]; expected a list of 9 numbers")
        #expect(problem?.place.file == "metadata")
    }

    /// Poses, cameras and depth are there all the same.
    @Test func picturesThatAreAllMissing() throws {
        let recording = try recording(3)
        for index in 0..<3 { try recording.remove("rgbd/\(index).jpg") }
        let capture = try recording.open(Record3DCapture.self)
        #expect(capture.keptFrames.count == 3 && !capture.channels.contains(.color))
        #expect(capture.channels.isSuperset(of: [.pose, .intrinsics, .timestamp, .recordedDepth]))
        #expect(capture.absences[.color]?.reason == "there are 3 poses, and no pictures in rgbd/")
        #expect(capture.remedies == [.color: "copy the folder rgbd/ too"])
        #expect(capture.colorSize == PixelSize(6, 8))
        let one = try self.recording(1)
        try one.remove("rgbd/0.jpg")
        let single = try one.open(Record3DCapture.self)
        #expect(single.absences[.color]?.reason == "there is 1 pose, and no pictures in rgbd/")
        let export = try export([EXRSamples.floats, EXRSamples.colors])
        for index in 0..<2 { try export.remove("rgb/\(index).jpg") }
        let bare = try export.open(Record3DCapture.self)
        #expect(bare.absences[.color]?.reason == "there are 2 poses, and no pictures in rgb/")
        #expect(bare.remedies[.color] == "copy the folder rgb/ too")
    }

    @Test func picturesAndPosesThatLackEachOther() throws {
        let recording = try recording(4, metadata(3))
        try recording.remove("rgbd/1.jpg")
        let capture = try recording.open(Record3DCapture.self)
        #expect(
            capture.dropReasons == [nil, "its picture is not there", nil, "metadata has no pose for it"])
        #expect(capture.frames.map { $0.drop?.isBad } == [nil, true, nil, false])
        try recording.write("x", to: "rgbd/1.jpg/x")
        let drop = try recording.open(Record3DCapture.self).frames[1].drop
        #expect(drop?.reason == "its picture rgbd/1.jpg is a folder")
        #expect(drop?.fix == "put the file rgbd/1.jpg in its place" && drop?.isBad == true)
    }

    /// The first reason stays.
    @Test func aBadPoseWithoutAPictureIsBad() throws {
        let half = 0.5.squareRoot()
        let damaged = metadata(4).replacing("[0, \(half), 0, \(half), 3, 2, -3]", with: "[0, 1]")
        let capture = try recording(3, damaged).open(Record3DCapture.self)
        #expect(capture.keptFrames.map(\.index) == [0, 1, 2])
        let drop = try #require(capture.frames[3].drop)
        #expect(drop.isBad && drop.reason.contains("poses"), "\(drop.reason)")
    }

    /// A copy that broke off has its poses, which stand in one file, and the first of the pictures.
    @Test func aCopyThatBrokeOffAmongThePictures() throws {
        let recording = try recording(9)
        for index in 4..<9 { try recording.remove("rgbd/\(index).jpg") }
        let problem = try recording.problem(Record3DCapture.self)
        #expect(problem?.summary == "the streams differ in length by 5 frames")
        #expect(problem?.notes.first == "poses: 9, pictures: 4")
        var rules = ReadRules()
        rules.mismatch = .shortest
        let capture = try recording.open(Record3DCapture.self, rules: rules)
        #expect(capture.keptFrames.map(\.index) == [0, 1, 2, 3] && capture.forgiven.count == 1)
        #expect(capture.frames.allSatisfy { $0.drop?.isBad != true })
    }

    // MARK: - Depth

    /// What readers guessed before the app wrote dw and dh.
    @Test func theSizeOfDepthIsKnown() throws {
        let recording = try recording(1, metadata(1, depthSize: ""))
        try recording.write(depth(first: 2, count: 192 * 256), to: "rgbd/0.depth")
        #expect(try recording.open(Record3DCapture.self).depthSize == PixelSize(192, 256))
        try recording.write(depth(first: 2, count: 480 * 640), to: "rgbd/0.depth")
        #expect(try recording.open(Record3DCapture.self).depthSize == PixelSize(480, 640))
        try recording.write(depth(first: 2, count: 12), to: "rgbd/0.depth")
        #expect(try recording.problem(Record3DCapture.self)?.summary == "the size of the depth maps is not known")
        let lying = metadata(1, depthSize: "").replacing(#""w": 6, "h": 8"#, with: #""w": 8, "h": 6"#)
        try recording.write(lying, to: "metadata")
        try recording.picture("rgbd/0.jpg", 8, 6, isJPEG: true)
        try recording.write(depth(first: 2, count: 192 * 256), to: "rgbd/0.depth")
        #expect(try recording.open(Record3DCapture.self).depthSize == PixelSize(256, 192))
    }

    /// As elsewhere, one damaged map costs no more than its frame.
    @Test func theSizeOfDepthIsKnownThoughTheFirstMapIsDamaged() throws {
        let recording = try recording(2, metadata(2, depthSize: ""))
        let map = depth(first: 2, count: 192 * 256)
        try recording.write(Array(map.dropLast(4)), to: "rgbd/0.depth")
        try recording.write(map, to: "rgbd/1.depth")
        #expect(try recording.open(Record3DCapture.self).depthSize == PixelSize(192, 256))
        try recording.write(Array(map.dropLast(4)), to: "rgbd/1.depth")
        let problem = try recording.problem(Record3DCapture.self)
        #expect(problem?.oneLine == "depth damaged: it ends early (rgbd/0.depth)")
    }

    @Test func depthThatLiesOnItsSideIsRefused() throws {
        let problem = try recording(2, metadata(2, depthSize: #""dw": 4, "dh": 3,"#)).problem(Record3DCapture.self)
        #expect(problem?.summary == "depth of 4×3 does not fit pictures of 6×8")
        #expect(problem?.fix == "correct dw and dh in metadata")
    }

    @Test func aDamagedFrameFailsByItsName() throws {
        let recording = try recording(3)
        try recording.write(Array(depth(first: 1).dropLast(4)), to: "rgbd/0.depth")
        try recording.write(depth(first: 1, count: 11), to: "rgbd/1.depth")
        try recording.remove("rgbd/2.depth")
        let capture = try recording.open(Record3DCapture.self)
        #expect(capture.findings["frames-without-depth"] == .of(1))
        func problem(_ index: Int) -> Problem? {
            var frame = Frame(capture.frames[index])
            do throws(Problem) { try capture.source.prepare(&frame, for: [.recordedDepth]) } catch { return error }
            return nil
        }
        #expect(problem(0)?.oneLine == "depth damaged: it ends early (rgbd/0.depth)")
        #expect(problem(1)?.oneLine == "depth of 44 bytes, and 3×4 pixels have 48 (rgbd/1.depth)")
        #expect(problem(2) == nil)
    }

    @Test func withoutConfidenceOrDepth() throws {
        let recording = try recording(1)
        try recording.remove("rgbd/0.conf")
        #expect(
            try recording.open(Record3DCapture.self).absences[.recordedConfidence]?.reason
                == "there are no files rgbd/<n>.conf: only the lidar's depth has them")
        try recording.remove("rgbd/0.depth")
        let capture = try recording.open(Record3DCapture.self)
        let lack = "there are no files rgbd/<n>.depth"
        #expect(capture.absences[.recordedDepth]?.reason == "\(lack), though metadata has the size of depth")
        #expect(capture.remedies == [.recordedDepth: "copy the folder rgbd/ too"])
        #expect(capture.channels.isDisjoint(with: [.recordedDepth, .recordedConfidence]))
        try recording.write(LZFSESamples.stored([0, 1, 2]), to: "rgbd/0.conf")
        let levels = try recording.open(Record3DCapture.self)
        #expect(levels.absences[.recordedDepth]?.reason == "\(lack), though rgbd/<n>.conf are there")
        // Older versions of the app wrote neither.
        try recording.remove("rgbd/0.conf")
        try recording.write(metadata(1, depthSize: ""), to: "metadata")
        let old = try recording.open(Record3DCapture.self)
        #expect(old.absences[.recordedDepth]?.reason == lack && old.remedies.isEmpty)
    }

    // MARK: - What is none, or too much

    /// With the app's folder beside them they are what is damaged.
    @Test(arguments: ["{}", "", "[1]", #"{"K": 1}"#]) func otherMetadataAreNot(text: String) throws {
        let other = try WrittenCapture()
        try other.write(text, to: "metadata")
        #expect(other.recognition == nil)
        try other.write("x", to: "rgbd/0.jpg")
        #expect(other.recognition?.reason == "metadata stands beside rgbd/, and is damaged")
        #expect(try other.problem(Record3DCapture.self)?.place.file == "metadata")
    }

    @Test func numbersThatAreTooLarge() throws {
        let recording = try recording(1)
        try recording.picture("rgbd/999999999999.jpg", 6, 8, isJPEG: true)
        #expect(try recording.problem(Record3DCapture.self)?.fault == .input)
        let wide = try self.recording(1, metadata(1, depthSize: #""dw": 65536, "dh": 65536,"#))
        #expect(try wide.problem(Record3DCapture.self)?.summary.contains("depth map") == true)
    }

    @Test func aRecordingOfNothing() throws {
        let empty = try WrittenCapture()
        try empty.write(metadata(0), to: "metadata")
        try empty.write("x", to: "rgbd/notes.txt")
        #expect(try empty.problem(Record3DCapture.self)?.summary == "the recording has no frames")
    }
}
