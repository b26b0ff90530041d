import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PictureFolderCaptureTests {
    @Test func aPlainFolderHasPicturesAndNothingElse() throws {
        let folder = try TemporaryFolder()
        let files = try MultiScanSample().files().filter { $0.key.hasPrefix("color/") }
        let tree = CaptureFolder(path: try folder.write(files, under: "shots"))
        #expect(
            PictureFolderCapture.recognise(tree) == Recognition(format: "frames", reason: "color/ holds 4 pictures"))
        let capture = try PictureFolderCapture.open(tree, rules: ReadRules())
        #expect(capture.id == "shots")
        #expect(capture.format == "frames")
        #expect(capture.channels == [.color])
        #expect(capture.frames.map(\.index) == [0, 1, 2, 3])
        #expect(!capture.isMetric && capture.worldUp == nil)
        for channel in [Channel.pose, .recordedDepth, .box] {
            #expect(capture.absences[channel]?.reason == "a plain folder of pictures has none")
        }
        var frame = Frame(capture.frames[2])
        try capture.source.prepare(&frame, for: [.color])
        #expect(frame.picture == .file("color/000002.png"))
        #expect(try capture.source.bytes(of: "color/000002.png", limit: 10_000) == files["color/000002.png"])
    }

    /// Whatever the order in which a reader finds them, as in every format.
    @Test func filesAreListedInOrder() throws {
        let shots = try WrittenCapture("shots")
        for name in ["9", "10"] { try shots.picture("color/\(name).png") }
        let capture = try shots.open(PictureFolderCapture.self)
        #expect(capture.frames.map(\.pictureFile) == ["color/9.png", "color/10.png"])
        #expect(capture.files.map(\.path) == ["color/10.png", "color/9.png"])
        #expect(capture.formatRevision == PictureFolderCapture.card.revision)
    }

    @Test func depthThatNothingDescribesIsNotCalledMissing() throws {
        let folder = try TemporaryFolder()
        for name in ["color/0.png", "depth/0.png"] { try folder.write("x", to: "shots/\(name)") }
        let tree = CaptureFolder(path: folder.url("shots").path)
        #expect(PictureFolderCapture.recognise(tree)?.reason == "color/ holds 1 picture")
        let capture = try PictureFolderCapture.open(tree, rules: ReadRules())
        #expect(
            capture.absences[.recordedDepth]?.reason
                == "depth/ is not read: beside plain pictures its unit is unknown")
        #expect(capture.absences[.pose]?.reason == "a plain folder of pictures has none" && capture.remedies.isEmpty)
    }

    @Test func posesAreToBeReconstructed() throws {
        let shots = try WrittenCapture("shots")
        try shots.picture("images/0.png")
        let capture = try shots.open(PictureFolderCapture.self)
        let fix = capture.absences[.pose]?.advice ?? ""
        #expect(fix.hasPrefix("reconstruct poses from the pictures, for example with COLMAP"))
        #expect(fix.hasSuffix("`write-frames: {depth: none}`") && capture.remedies.isEmpty)
        #expect(capture.absences[.intrinsics]?.advice == fix && capture.absences[.recordedDepth]?.advice == fix)
        #expect(capture.warnings == [])
        // A part of a dataset has poses.
        try shots.write("{}", to: "transforms_test.json")
        let part = try shots.open(PictureFolderCapture.self)
        #expect(part.remedies[.pose]?.hasPrefix("copy transforms_train.json too") == true)
        #expect(part.absences.values.allSatisfy { $0.advice == nil })
    }

    /// Poses in the files of other datasets are not to be reconstructed either.
    @Test func posesInOtherFilesAreNamed() throws {
        let shots = try WrittenCapture("shots")
        try shots.picture("rgb/0.png")
        for file in ["associations.txt", "room.gt.freiburg"] { try shots.write("1 0 0 0 0 0 0 1", to: file) }
        let capture = try shots.open(PictureFolderCapture.self)
        let way = "write them as a sequence of TUM has them: rgb.txt, groundtruth.txt and, for depth, depth.txt"
        #expect(
            capture.warnings == [
                "only the pictures are read, not room.gt.freiburg beside them; if poses are there, \(way)"
            ])
        #expect(
            capture.absences[.pose]?.reason == "room.gt.freiburg is not read" && capture.absences[.pose]?.advice == way)
    }

    /// A model in a folder of another name is not read, but nobody is to reconstruct it again.
    @Test(arguments: ["model", "model/sparse/0"]) func aModelThatIsNotReadIsNamed(_ place: String) throws {
        let shots = try WrittenCapture("shots")
        try shots.picture("images/0.png")
        for file in ["cameras", "images"] { try shots.write("", to: "\(place)/\(file).bin") }
        let capture = try shots.open(PictureFolderCapture.self)
        let fix = "move the files of \(place)/ to sparse/0/"
        #expect(
            capture.warnings == ["only the pictures are read, not the COLMAP model in \(place)/: \(fix), and it is"])
        #expect(capture.absences[.pose]?.reason == "the COLMAP model in \(place)/ is not read there")
        #expect(capture.absences[.pose]?.advice == fix && capture.remedies.isEmpty)
        // With pictures of its own it is another capture, whose cameras may be others.
        try shots.picture("model/images/0.png")
        #expect(try shots.open(PictureFolderCapture.self).warnings == [])
    }

    /// Captures that lost what makes them captures are not done as pictures.
    @Test(arguments: [
        ("transforms.json", "{\"frames\": [", "transforms.json"), ("odometry.csv", "", "odometry.csv"),
        ("cameras/1.json", "{", "cameras"),
    ]) func remainsOfAnotherFormatAreNamed(_ file: String, _ text: String, _ named: String) throws {
        let shots = try WrittenCapture("shots")
        try shots.picture("images/0.png")
        try shots.write(text, to: file)
        #expect(shots.recognition?.format == "frames")
        let problem = try shots.problem(PictureFolderCapture.self)
        #expect(problem?.summary == "\(named) stands beside the pictures and cannot be read")
        #expect(problem?.fault == .input && problem?.place.file == named)
        try shots.remove(named)
        #expect(try shots.open(PictureFolderCapture.self).frames.count == 1)
    }

    @Test func camerasWithoutPosesAreNotPassedOverInSilence() throws {
        let shots = try WrittenCapture("shots")
        try shots.picture("color/0.png")
        try shots.write("1", to: "intrinsic/intrinsic_color.txt")
        let capture = try shots.open(PictureFolderCapture.self)
        #expect(capture.remedies == [.pose: "copy pose/ too"])
        #expect(capture.absences[.intrinsics]?.advice == "copy pose/ too")
        // Depth waits for them as well.
        try shots.depth("depth/0.png", first: 1000)
        let half = try shots.open(PictureFolderCapture.self)
        #expect(half.remedies[.recordedDepth] == "copy pose/ too")
        #expect(half.absences[.recordedDepth]?.reason == "depth/ is not read: pose/ is missing")
        // Where ScanNet's sample of 25,000 frames has its matrices.
        try shots.remove("intrinsic")
        try shots.write("1", to: "intrinsics_color.txt")
        #expect(
            try shots.open(PictureFolderCapture.self).absences[.pose]?.reason
                == "intrinsics_color.txt is not read: pose/, which makes it a ScanNet scan, is missing")
    }

    /// Known from their headers: before a night's run, and to `inspect`.
    @Test func picturesForPrintersAreBadFrames() throws {
        let folder = try TemporaryFolder()
        // The frame header of a CMYK picture, and a scan that is never reached.
        let frame: [UInt8] = [0xff, 0xc0, 0, 20, 8, 0, 6, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]
        let scan: [UInt8] = [0xff, 0xda, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0]
        try folder.write([0xff, 0xd8] + frame + scan + [0xff, 0xd9], to: "color/1.jpg")
        let picture = RGBImage(width: 8, height: 6, pixels: Array(repeating: 9, count: 144))
        try folder.write(try JPEG.encode(picture), to: "color/2.jpg")
        let capture = try PictureFolderCapture.open(CaptureFolder(path: folder.path), rules: ReadRules())
        #expect(
            capture.frames.map { $0.drop?.reason } == [
                "a CMYK picture, which is not read; convert it to RGB (color/1.jpg)", nil,
            ])
        #expect(capture.frames[0].drop?.isBad == true && capture.colorSize == PixelSize(8, 6))
    }

    @Test func withoutPicturesItIsNone() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "color/notes.txt")
        let tree = CaptureFolder(path: folder.path)
        #expect(PictureFolderCapture.recognise(tree) == nil)
        let problem = #expect(throws: Problem.self) { try PictureFolderCapture.open(tree, rules: ReadRules()) }
        #expect(problem?.summary == "there are no pictures in color/, rgb/ or images/" && problem?.fix == nil)
        try folder.write("x", to: "a.png")
        let other = CaptureFolder(path: folder.path)
        let elsewhere = #expect(throws: Problem.self) { try PictureFolderCapture.open(other, rules: ReadRules()) }
        #expect(elsewhere?.fix?.hasPrefix("pictures without poses are read where they lie in a folder") == true)
    }

    @Test(.enabled(if: SharedData.isThere))
    func theFox() throws {
        let tree = CaptureFolder(path: SharedData.path("fox"))
        #expect(PictureFolderCapture.recognise(tree)?.reason == "images/ holds 13 pictures")
        let capture = try PictureFolderCapture.open(tree, rules: ReadRules())
        #expect(capture.frames.map(\.pictureFile) == stride(from: 0, through: 48, by: 4).map { "images/\($0).jpg" })
        // Read as a dataset, it has poses.
        #expect(capture.keptFrames.count == 13 && capture.remedies.isEmpty)
        #expect(
            capture.warnings == [
                "the numbers in images/ have gaps; the pictures were given to the frames in their order"
            ])
        #expect(capture.colorSize == PixelSize(1080, 1920))
    }

    /// As MuSHRoom calls its descriptions.
    @Test func datasetsUnderOtherNamesAreNamed() throws {
        let shots = try WrittenCapture("shots")
        try shots.picture("images/0.png")
        let text = #"{"fl_x": 9, "frames": [{"file_path": "images/0.png", "transform_matrix": []}]}"#
        try shots.write(text, to: "my transforms.json")
        try shots.write("{}", to: "other.json")
        let capture = try shots.open(PictureFolderCapture.self)
        let reason =
            "my transforms.json lists frames with poses, as transforms.json does, and is not read under that name"
        let fix = "call it transforms.json:  ln -s 'my transforms.json' transforms.json"
        #expect(capture.absences[.pose]?.reason == reason && capture.remedies == [.pose: fix, .intrinsics: fix])
        #expect(
            capture.warnings == [
                "only the pictures are read: other.json beside them is no file of an app's capture"
            ])
        try shots.write(text, to: "a.json")
        let both = try shots.open(PictureFolderCapture.self).absences[.pose]
        #expect(
            both?.reason
                == "a.json, my transforms.json list frames with poses, as transforms.json does, and are not read under these names"
        )
        #expect(
            both?.remedy == "call the one that is meant transforms.json, such as with  ln -s a.json transforms.json")
    }

    @Test func filesThatAreNotReadAreSaid() throws {
        let capture = try WrittenCapture("up")
        try capture.picture("color/0.png")
        #expect(try capture.open(PictureFolderCapture.self).warnings == [])
        try capture.write("{}", to: "UP.JSON")
        let warnings = try capture.open(PictureFolderCapture.self).warnings
        #expect(warnings.count == 1 && warnings[0].contains("UP.JSON"), "\(warnings)")
    }

    @Test func aDescriptionWithoutFramesIsNamed() throws {
        let shots = try WrittenCapture("shots")
        try shots.picture("images/0.png")
        try shots.write("{\"frames\": []}", to: "transforms.json")
        let problem = try shots.problem(PictureFolderCapture.self)
        #expect(problem?.notes.last == "it lists no frames" && problem?.place.file == "transforms.json")
    }

    /// The other frames of such a dataset can be read.
    @Test(arguments: [
        (#"{"file_path": "images/0.png"}"#, "frames[0] has no transform_matrix"),
        (#"{"transform_matrix": []}"#, "frames[0] has no file_path"),
    ]) func aFirstFrameThatLacksSomethingIsNamed(_ frame: String, _ defect: String) throws {
        let shots = try WrittenCapture("shots")
        try shots.picture("images/0.png")
        try shots.write("{\"frames\": [\(frame), {}]}", to: "transforms.json")
        let problem = try shots.problem(PictureFolderCapture.self)
        #expect(problem?.notes.last == defect && problem?.fix?.contains("  --set read.format=transforms;") == true)
    }

    @Test(arguments: [
        ("WebP", "RIFF\u{10}\0\0\0WEBPVP8 "), ("HEIC", "\0\0\0\u{18}ftypheic\0\0"), ("AVIF", "\0\0\0\u{18}ftypavif"),
        ("GIF", "GIF89a"), ("TIFF", "II*\0\u{8}"), ("TIFF", "MM\0*\0"), ("BMP", "BM6\0"), ("OpenEXR", "v/1\u{1}\u{2}"),
    ]) func picturesInFormatsThatAreNotRead(_ format: String, _ start: String) throws {
        let shots = try WrittenCapture("shots")
        try shots.write(start + String(repeating: "x", count: 100), to: "images/0.jpg")
        let capture = try shots.open(PictureFolderCapture.self)
        let what = "\(format) pictures are not read; convert them to JPEG or PNG"
        #expect(capture.dropReasons == ["\(what) (images/0.jpg)"])
        #expect(capture.excessOfBadFrames()?.fix == "convert the pictures to JPEG or PNG")
        let bytes = try shots.folder.bytes("shots/images/0.jpg")
        let decoding = problem { () throws(Problem) in _ = try JPEG.decodeLuma(bytes) }
        #expect(decoding?.summary == what)
        let depth = problem { () throws(Problem) in _ = try DepthPicture.size(bytes) }
        let readable = "PNG of 16 bits, for most formats in millimetres"
        #expect(depth?.summary == "\(format) pictures are not read; convert them to \(readable)")
    }
}
