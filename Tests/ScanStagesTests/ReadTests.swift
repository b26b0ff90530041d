import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct ReadTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(
        _ sample: MultiScanSample = MultiScanSample(), _ change: (inout [String: [UInt8]]) -> Void = { _ in }
    ) throws -> String {
        var files = try sample.files()
        change(&files)
        return try folder.write(files, under: "capture")
    }

    @Test func theFormatIsRecognisedByContent() throws {
        // The folder's name is not the files'.
        let run = try StageRun("- read", reading: try write())
        #expect(run.receipt["capture"]?["id"]?.string == "capture")
        #expect(run.receipt["capture"]?["format"]?.string == "multiscan")
        #expect(run.receipt["capture"]?["variant"]?.string == "iOS")
        #expect(run.receipt["capture"]?["device"]?.string == "Test1,1, bench")
        #expect(
            run.receipt["capture"]?["recognised-by"]?.string
                == "scan.json lists streams, and camera lines stand beside it")
        #expect(run.kept == [0, 1, 2, 3])
        #expect(
            run.capture.channels.isSuperset(of: [
                .frames, .pose, .intrinsics, .timestamp, .color, .recordedDepth, .recordedConfidence,
            ]))
    }

    /// In the order in which they are asked.
    private static let formats = CaptureFormats.all.map { $0.name }.joined(separator: ", ")

    @Test func theFormatCanBeNamed() throws {
        let path = try write()
        let run = try StageRun("- read: {format: frames}", reading: path)
        #expect(run.capture.format == "frames")
        #expect(run.capture.channels == [.frames, .color])
        try folder.write(MultiScanSample().files().filter { $0.key.hasPrefix("color/") }, under: "pictures")
        let problem = problem { _ = try StageRun("- read: {format: multiscan}", reading: folder.url("pictures").path) }
        #expect(problem?.summary == "there is no metadata with a list of streams")
        // Not the capture is wrong, but what it was read as.
        #expect(problem?.notes.contains("it was read as multiscan, as `format` says, but it looks like frames") == true)
        #expect(problem?.fix == "take `format` out of `read`, or set  --set read.format=frames")
        #expect(
            StageRun.mistakes(in: "- read: {format: multiscam}").last
                == "`format` is `multiscam`, which is not one of auto, \(Self.formats)")
    }

    /// What is doubted goes by the numbers as they are used.
    @Test func correctionsComeBeforeDoubts() throws {
        let path = try folder.copySample("scannet")
        let pose = folder.url("scannet/pose/6.txt")
        var numbers = try String(contentsOf: pose, encoding: .utf8)
        numbers = numbers.replacingOccurrences(of: " -1.1337475304094666", with: " 2.8662524695905334")
        try numbers.write(to: pose, atomically: true, encoding: .utf8)
        let timed = try StageRun("- read: {rate: 10}", reading: path)
        let jump = timed.warnings.first { $0.hasPrefix("the camera's path jumps once by ") }
        #expect(jump?.contains(" to frame 6 and back") == true, "\(timed.warnings)")
        // Without times it is told by where the frames around it are.
        let untimed = try StageRun("- read", reading: path)
        #expect(
            untimed.warnings.contains { $0.hasPrefix("1 of 12 cameras stands far from the frames before and after") },
            "\(untimed.warnings)")
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        func tellsSpeed(_ scale: Int) throws -> Bool {
            try StageRun("- read: {scale: \(scale)}", reading: desk).warnings.contains {
                $0.hasPrefix("the camera moves at ")
            }
        }
        #expect(try tellsSpeed(1000) && !tellsSpeed(1))
    }

    /// The others remain, so that the channel is there.
    @Test func aMotionFileThatTheMetadataListsIsLost() throws {
        let path = try folder.copySample("desk")
        try FileManager.default.removeItem(at: folder.url("desk/desk.rot"))
        let run = try StageRun("- read\n- measure-motion", reading: path)
        let text = "the metadata lists motion that is missing: desk.rot"
        #expect(run.receipt["lost"]?.array?.map { $0["what"]?.string } == [text])
        #expect(run.receipt["lost"]?.array?.map { $0["fix"]?.string } == ["copy desk.rot too"])
        #expect(run.warnings.contains { $0.hasPrefix(text) })
        // Nobody asks for it.
        #expect(try StageRun("- read", reading: path).receipt["lost"] == nil)
    }

    /// PLY files alone have points already.
    @Test func pointsThatNothingMakes() {
        let mistakes = PipelineRun.mistakes("  - read\n  - voxel-downsample: {size: 0.02}\n  - write-ply")
        #expect(
            mistakes == [
                "`voxel-downsample` needs points, which no stage before it makes; put `unproject` above it, or begin with "
                    + "`read: {format: ply}` where INPUT is a PLY cloud"
            ])
        let named = "  - read: {format: ply}\n  - voxel-downsample: {size: 0.02}\n  - write-ply"
        #expect(PipelineRun.mistakes(named) == [])
    }

    @Test func aCaptureWithALinkToNothing() throws {
        let path = try write()
        #expect(symlink("/nowhere", "\(path)/more.txt") == 0)
        let problem = problem { _ = try StageRun("- read", reading: path) }
        #expect(problem?.summary == "this is a link to nothing" && problem?.fault == .environment)
        #expect(problem?.place.file == "more.txt")
        #expect(rename("\(path)/more.txt", "\(path)/.more.txt") == 0)
        // An editor's lock is such a link.
        _ = try StageRun("- read", reading: path)
    }

    /// One picture of many, or all depth: without it the result would be a poorer one, and replace the older.
    @Test(arguments: ["keyframes/images/*.jpg", "keyframes/depth"])
    func aLinkToNothingBelowTheTop(_ part: String) throws {
        let copy = try folder.copySample("polycam")
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(copy)/keyframes/images").sorted()
        let part = part.hasSuffix(".jpg") ? "keyframes/images/\(names[1])" : part
        try FileManager.default.removeItem(atPath: "\(copy)/\(part)")
        #expect(symlink("/nowhere", "\(copy)/\(part)") == 0)
        let problem = problem { _ = try StageRun("- read", reading: copy) }
        #expect(problem?.summary == "this is a link to nothing" && problem?.fault == .environment)
        #expect(problem?.place.file == part)
    }

    /// Poses of the first second alone, as in a copy that is not whole yet.
    @Test func framesThatAreLeftOutInNumbersAreSaid() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/tum").path
        #expect(try StageRun("- read", reading: sample).warnings.filter { $0.contains("left out") } == [])
        let copy = try folder.copySample("tum")
        let lines = String(decoding: try folder.bytes("tum/groundtruth.txt"), as: UTF8.self).split(separator: "\n")
        try folder.write(lines.prefix(3 + 5).map { $0 + "\n" }.joined(), to: "tum/groundtruth.txt")
        let run = try StageRun("- read", reading: copy)
        #expect(run.kept.count == 5)
        #expect(
            run.warnings.filter { $0.contains("left out") } == [
                "read: 7 of 12 frames are left out: the poses of groundtruth.txt end before it"
            ])
        let warning =
            "the poses of groundtruth.txt end 2.3 s before the pictures: copy the file again if it should be longer"
        #expect(run.warnings.contains(warning), "\(run.warnings)")
    }

    /// The commonest reason first: a few frames without tracking are not what half a copy lacks.
    @Test func theCommonestReasonForLeavingFramesOutIsNamed() throws {
        let copy = try folder.copySample("scannet")
        try folder.write(String(repeating: "-inf ", count: 16), to: "scannet/pose/0.txt")
        for number in 1...3 { try FileManager.default.removeItem(atPath: "\(copy)/pose/\(number).txt") }
        let warnings = try StageRun("- read: {mismatch: shortest}", reading: copy).warnings
        #expect(
            warnings.contains(
                "read: 4 of 12 frames are left out: it has no pose (3 of them), or for other reasons (1)"),
            "\(warnings)")
    }

    /// They differ by the names of the frames' files.
    @Test func reasonsOfOneKindForLeavingFramesOutAreOne() throws {
        let sample = SharedData.checkout.appendingPathComponent("samples/nerfcapture/nerfcapture.zip").path
        try runCommand(["unzip", "-q", sample, "-d", folder.path]).require(0)
        let copy = "\(folder.path)/nerfcapture"
        let picture = try folder.bytes("nerfcapture/images/0.png")
        for number in 100..<104 { try folder.write(picture, to: "nerfcapture/images/\(number).png") }
        let warning = "images/100.png has no entry in transforms.json, and the like"
        let warnings = try StageRun("- read", reading: copy).warnings.filter { $0.contains("left out") }
        #expect(warnings == ["read: 4 of 16 frames are left out: \(warning)"])
        let inspection = try CaptureInspection.inspect(copy)
        #expect(inspection.findings.contains { $0.problem.summary == "4 frames would be dropped: \(warning)" })
    }

    /// Depth of another size costs its own frame, be it the first.
    @Test(arguments: [0, 5]) func oneOddDepthPictureIsTheOddOne(_ odd: Int) throws {
        let copy = try folder.copySample("scannet")
        let image = try PNG.decodeGray16(try folder.bytes("scannet/depth/\(odd).png"))
        let small = image.nearest(to: PixelSize(image.width / 2, image.height / 2))
        try folder.write(try PNG.encodeGray16(small), to: "scannet/depth/\(odd).png")
        let run = try StageRun("- read: {bad-frame-limit: 0.1}\n- decompress", reading: copy)
        #expect(run.drops.count == 1 && run.drops.first?.hasPrefix("\(odd) ") == true, "\(run.drops)")
        #expect(run.capture.depthSize == PixelSize(image.width, image.height))
    }

    /// As a copy leaves it that broke off; the pictures that are left are those of the whole video.
    @Test func aVideoThatWasCutOff() throws {
        let whole = try StageRun("- read", reading: try folder.copySample("stray-scanner"), probing: [.color])
        let path = try folder.copySample("stray-scanner", to: "cut")
        let video = "\(path)/rgb.mp4"
        try runCommand([
            "ffmpeg", "-nostdin", "-loglevel", "error", "-i", video, "-c", "copy", "-movflags", "+faststart",
            "\(folder.path)/moved.mp4",
        ]).require(0)
        let bytes = try folder.bytes("moved.mp4")
        try folder.write(Array(bytes.prefix(bytes.count * 7 / 10)), to: "cut/rgb.mp4")
        let refused = problem { _ = try StageRun("- read", reading: path) }
        #expect(refused?.summary == "the video is cut off")
        let few = problem { _ = try StageRun("- read: {truncated: keep-whole, min-whole: 1}", reading: path) }
        #expect(few?.summary == "the video is cut off" && few?.notes.last?.contains("the minimum is 100 %") == true)

        let read = "- read: {truncated: keep-whole, min-whole: 0.2}"
        let run = try StageRun(read, reading: path, probing: [.color])
        #expect(run.kept.count > 2 && run.kept.count < whole.kept.count)
        let size = bytes.count * 7 / 10
        let reason = "read: the video is cut off before it (rgb.mp4 at byte \(size) of \(size))"
        #expect(run.drops == (run.kept.count..<12).map { "\($0) \(reason)" })
        for (a, b) in zip(run.frames, whole.frames) { #expect(a.picture == b.picture) }
        #expect(run.warnings.contains { $0.hasPrefix("the video is cut off") })
        for (options, ending) in [("", ".jpg"), (": {rgb: mp4}", ".mp4")] {
            let staged = try StageRun("\(read)\n- decompress\n- write-staging\(options)", reading: path)
            #expect(staged.files.contains { $0.hasSuffix(ending) }, "\(staged.files)")
            #expect(staged.count("write-staging", "frames") == run.kept.count)
            // No stage is to blame for it.
            let notes = (staged.receipt["notes"]?.array ?? []).compactMap(\.string)
            let about = notes.filter { $0.contains("takes pictures from an mp4 only") }
            let isSaid = about.count == 1 && about[0].hasSuffix("cut off is not copied: `rgb: mp4` writes a new one")
            #expect(ending == ".mp4" ? about.isEmpty : isSaid, "\(about)")
        }
    }

    @Test func aClockThatGoesBackIsSaid() throws {
        var sample = MultiScanSample()
        #expect(!(try StageRun("- read", reading: try write(sample)).warnings.contains { $0.contains("goes back") }))
        sample.timestamps = [2: 1]
        let run = try StageRun("- read", reading: try write(sample))
        #expect(run.kept == [0, 1, 2, 3])
        #expect(
            run.warnings.contains(
                "the time goes back at 1 of 4 frames, first at frame 2: matching by time pairs the wrong frames"
            ))
    }

    /// Poses written column by column, as ARKit's code prints them, where the format has rows; and one pose for all frames.
    @Test(arguments: [
        ("1 0 0 0 0 1 0 0 0 0 1 0 1 2 3 1", nil),
        (
            "1 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1",
            "all 12 poses are identical: the camera did not move, or was not tracked"
        ),
    ]) func posesThatCannotBeTrue(_ numbers: String, _ warning: String?) throws {
        let copy = try folder.copySample("scannet")
        let matrix = numbers.split(separator: " ")
        let text = stride(from: 0, to: 16, by: 4).map { matrix[$0..<$0 + 4].joined(separator: " ") + "\n" }.joined()
        for pose in try FileManager.default.contentsOfDirectory(atPath: "\(copy)/pose") {
            try folder.write(text, to: "scannet/pose/\(pose)")
        }
        if let warning {
            #expect(try StageRun("- read", reading: copy).warnings.contains(warning))
        } else {
            let refused = problem { _ = try StageRun("- read", reading: copy) }
            #expect(
                refused?.message().contains("the last row of the matrix is not 0 0 0 1") == true,
                "\(refused?.message() ?? "")")
        }
    }

    @Test func nothingIsDecodedHere() throws {
        // A picture that is none, and a depth stream that is none, only matter to stages that use them.
        let path = try write { files in files["scan.depth.zlib"] = Array("no stream".utf8) }
        #expect(try StageRun("- read", reading: path, probing: []).kept == [0, 1, 2, 3])
        #expect(problem { _ = try StageRun("- read\n- decompress", reading: path) }?.summary == "depth stream damaged")
    }

    @Test func whatIsNoCaptureIsSaid() throws {
        try folder.write("x", to: "odd/notes.txt")
        let odd = problem { _ = try StageRun("- read", reading: folder.url("odd").path) }
        #expect(odd?.summary == "this is not a capture in a format that ScanMill reads")
        #expect(odd?.notes == ["it holds notes.txt"])
        #expect(odd?.fix == "`scanmill formats` lists what is read")
        for (file, word) in [
            ("loose/IMG_7.JPG", "pictures without poses"), ("photos/IMG_7.HEIC", "convert the pictures"),
        ] {
            try folder.write("x", to: file)
            let place = String(file.prefix { $0 != "/" })
            let fix = problem { _ = try StageRun("- read", reading: folder.url(place).path) }?.fix
            #expect(fix?.hasPrefix(word) == true && fix?.contains("in a folder called images") == true)
        }
        try FileManager.default.createDirectory(at: folder.url("empty"), withIntermediateDirectories: true)
        #expect(
            problem { _ = try StageRun("- read", reading: folder.url("empty").path) }?.notes == ["the folder is empty"])
        let missing = problem { _ = try StageRun("- read", reading: folder.url("missing").path) }
        #expect(missing?.summary == "there is nothing at this path")
        let file = problem { _ = try StageRun("- read", reading: folder.url("odd/notes.txt").path) }
        #expect(file?.summary == "this file is not a capture in a format that ScanMill reads")
    }

    // MARK: - Streams of different lengths

    @Test func aFewFramesMoreOrLessAreDroppedByRead() throws {
        var sample = MultiScanSample()
        sample.frameCount = 20
        sample.depthFrames = 18
        sample.confidenceFrames = 22
        sample.pictureFrames = 21
        let run = try StageRun("- read\n- decompress", reading: try write(sample))
        #expect(run.kept == Array(0..<18))
        #expect(run.receipt["frames"]?["source"]?.integer == 22)
        #expect(
            run.drops == [
                "18 read: the depth stream has 18 frames", "19 read: the depth stream has 18 frames",
                "20 read: there are only 20 camera lines", "21 read: only the confidence stream has this frame",
            ])
    }

    @Test func beyondThatTheRuleDecides() throws {
        var sample = MultiScanSample()
        sample.frameCount = 20
        sample.depthFrames = 16
        let path = try write(sample)
        let refused = problem { _ = try StageRun("- read\n- decompress", reading: path) }
        #expect(refused?.summary == "the streams differ in length by 4 frames")
        #expect(refused?.notes == ["camera lines and pictures: 20, depth stream: 16", "allowed: at most 3"])
        #expect(refused?.fault == .input)
        let shortest = try StageRun("- read: {mismatch: shortest}\n- decompress", reading: path)
        #expect(shortest.kept == Array(0..<16))
        #expect(shortest.receipt["frames"]?["dropped-by"]?["read"]?.integer == 4)
        sample.depthFrames = 19
        let strict = try write(sample)
        #expect(try StageRun("- read\n- decompress", reading: strict).kept.count == 19)
        let none = problem { _ = try StageRun("- read: {mismatch: fail}\n- decompress", reading: strict) }
        #expect(none?.notes.last == "allowed: none")
    }

    /// Every stream against 20 camera lines, or the lines against 20 frames of everything else.
    @Test(arguments: ["depth stream", "confidence stream", "pictures", "camera lines"], [19, 21, 10, 30, 0])
    func anyStreamMayBeOfAnotherLength(_ stream: String, _ count: Int) throws {
        var sample = MultiScanSample()
        sample.frameCount = stream == "camera lines" ? count : 20
        sample.depthFrames = stream == "depth stream" ? count : 20
        sample.confidenceFrames = stream == "confidence stream" ? count : 20
        sample.pictureFrames = stream == "pictures" ? count : 20
        // Without any picture there is no stream of them, and without any line there are no poses.
        let path = try write(sample)
        if count == 0 && stream == "camera lines" {
            let problem = problem { _ = try StageRun("- read\n- decompress", reading: path) }
            #expect(problem?.summary == "there are no camera lines in the file")
            return
        }
        let isNone = count == 0 && stream == "pictures"
        let (shortest, longest) = isNone ? (20, 20) : (min(20, count), max(20, count))
        for rule in [ReadRules.Mismatch.auto, .shortest] {
            let stages = "- read: {mismatch: \(rule.rawValue)}\n- decompress"
            if shortest == 0 && rule == .shortest {
                let problem = problem { _ = try StageRun(stages, reading: path) }
                #expect(problem?.summary == "no frame is left of 20")
                #expect(problem?.notes.first == "20 × read: the \(stream) has 0 frames")
            } else if longest - shortest <= 3 || rule == .shortest {
                let run = try StageRun(stages, reading: path)
                #expect(run.kept == Array(0..<shortest))
                #expect(run.receipt["frames"]?["source"]?.integer == Int64(longest))
                #expect(run.drops.count == longest - shortest)
                #expect(run.drops.allSatisfy { $0.contains(" read: ") })
            } else {
                let problem = problem { _ = try StageRun(stages, reading: path) }
                #expect(problem?.summary.hasPrefix("the streams differ in length by ") == true)
                // A longer stream is not read to its end, only as far as it takes to know.
                let counts = problem?.notes.first ?? ""
                #expect(counts.contains("20") && counts.contains(count < 20 ? "\(count)" : stream), "\(counts)")
            }
        }
    }

    // MARK: - Streams that end early

    @Test func aTruncatedStreamFailsOrKeepsItsWholeFrames() throws {
        var sample = MultiScanSample()
        sample.frameCount = 12
        let path = try write(sample) { files in
            files["scan.depth.zlib"] = Array(files["scan.depth.zlib"]?.dropLast(40) ?? [])
        }
        let size = try folder.bytes("capture/scan.depth.zlib").count
        let problem = try #require(problem { _ = try StageRun("- read\n- decompress", reading: path) })
        #expect(problem.summary == "depth stream truncated")
        #expect(problem.place.file == "scan.depth.zlib")
        #expect(problem.place.byte == Int64(size) && problem.place.byteCount == Int64(size))
        #expect(
            problem.fix
                == "copy the file again from the device, or keep the whole frames with  --set read.truncated=keep-whole --set read.min-whole=0.33"
        )

        let run = try StageRun("- read: {truncated: keep-whole, min-whole: 0.3}\n- decompress", reading: path)
        let whole = run.kept.count
        #expect(whole > 0 && whole < 12)
        #expect(run.frames.map(\.depth) == (0..<whole).map(sample.depthMap))
        // The frame that is named is the first that is dropped.
        #expect(problem.notes.last?.hasPrefix("it ended inside frame \(whole) (") == true)
        #expect(run.drops.count == 12 - whole)
        #expect(
            run.drops.allSatisfy {
                $0.contains(" read: depth stream truncated (scan.depth.zlib at byte \(size) of \(size)")
            })
    }

    // MARK: - Bad frames

    @Test func aBadFrameIsDroppedByNameOrFailsTheCapture() throws {
        var sample = MultiScanSample()
        sample.frameCount = 25
        sample.lines[3] = "{oops"
        let path = try write(sample)
        let run = try StageRun("- read", reading: path)
        #expect(run.kept.count == 24)
        #expect(run.drops.count == 1)
        #expect(run.drops.first?.hasPrefix("3 read: ") == true)
        #expect(run.drops.first?.contains("scan.jsonl:4") == true)
        let problem = problem { _ = try StageRun("- read: {on-bad-frame: fail}", reading: path) }
        #expect(problem?.place.frame == 3)
        #expect(problem?.fix == "drop bad frames with  --set read.on-bad-frame=drop")
    }

    @Test func moreThanTheLimitFailsTheCapture() throws {
        var sample = MultiScanSample()
        sample.frameCount = 20
        sample.poses[5] = Pose(rotation: .identity, position: Vector3(1e9, 0, 0))
        #expect(try StageRun("- read", reading: try write(sample)).kept.count == 19)
        sample.poses[6] = sample.poses[5]
        let path = try write(sample)
        let problem = problem { _ = try StageRun("- read", reading: path) }
        #expect(problem?.summary == "2 of 20 frames are bad (10 %)")
        #expect(problem?.notes.contains("frame 5: the camera is more than 10,000 km from the origin") == true)
        #expect(try StageRun("- read: {bad-frame-limit: 0.1}", reading: path).kept.count == 18)
    }

    // MARK: - Limits

    @Test func moreFramesThanAllowedFailTheCapture() throws {
        let path = try write()
        #expect(try StageRun("- read: {max-frames: 4}", reading: path).kept.count == 4)
        let lines = problem { _ = try StageRun("- read: {max-frames: 3}", reading: path) }
        #expect(
            lines?.message() == """
                error: there are more than 3 camera lines
                  --> scan.jsonl, stage read
                   = fix: if that is right, allow more with  --set read.max-frames=6
                """)
        let pictures = problem { _ = try StageRun("- read: {max-frames: 3, format: frames}", reading: path) }
        #expect(pictures?.summary == "there are more than 3 pictures")
    }

    @Test func aLongLineCostsItsFrame() throws {
        var sample = MultiScanSample()
        sample.frameCount = 25
        sample.lines[3] = String(repeating: "x", count: 1001)
        let path = try write(sample)
        let run = try StageRun("- read: {max-line: 1000}", reading: path)
        #expect(run.drops.count == 1)
        let reason = "3 read: the camera line has 1001 bytes; the limit is 1000 (scan.jsonl:4 "
        #expect(run.drops.first?.hasPrefix(reason) == true, "\(run.drops)")
    }

    @Test func aLargePictureCostsItsFrame() throws {
        var sample = MultiScanSample()
        sample.frameCount = 25
        let path = try write(sample)
        sample.pictureSize = PixelSize(33, 24)
        try folder.write(try sample.png(7), to: "capture/\(MultiScanSample.pictureName(7))")
        // Of these sizes one is allowed and the other is not.
        let run = try StageRun("- read: {max-picture-pixels: 768}", reading: path)
        #expect(run.drops.count == 1)
        let reason = "a picture of 33 × 24 pixels, where `max-picture-pixels` of read allows 768 (color/000007.png"
        #expect(run.drops.first?.hasPrefix("7 read: \(reason)") == true, "\(run.drops)")
    }

    @Test func aLargeDepthMapFailsTheCapture() throws {
        let problem = problem { _ = try StageRun("- read: {max-picture-pixels: 47}", reading: try write()) }
        #expect(problem?.summary == "the depth map is 8×6, more than 47 pixels")
        #expect(problem?.place.file == "scan.json")
    }

    // MARK: - Frames that lack a file

    /// Stray Scanner's sample, 12 frames, without these files.
    private func recording(without files: [String]) throws -> String {
        let copy = try folder.copySample("stray-scanner", to: "gaps")
        for file in files { try FileManager.default.removeItem(atPath: "\(copy)/\(file)") }
        return copy
    }

    @Test(arguments: ["masked", "source"]) func framesWithoutDepthOrConfidenceStay(_ depth: String) throws {
        let path = try recording(
            without: ["depth/000003.png", "confidence/000003.png", "confidence/000005.png", "depth/000011.png"])
        let run = try StageRun(
            "- read\n- decompress\n- mask-confidence: {at-least: 1}\n- unproject\n- write-staging: {depth: \(depth)}",
            reading: path)
        #expect(run.frames.count == 12 && run.drops == [])
        #expect(run.frames.indices.filter { run.frames[$0].depth?.validCount == 0 } == [3, 5, 11])
        #expect(
            run.warnings == [
                "2 of 12 frames have no depth: frames 3, 11", "2 of 12 frames have no confidence: frames 3, 5",
            ])
        let back = try StageRun("- read\n- decompress", reading: run.path)
        #expect(back.frames.count == 12 && back.drops == [])
        let empty = depth == "masked" ? [3, 5, 11] : [3, 11]
        #expect(back.frames.indices.filter { back.frames[$0].depth?.validCount == 0 } == empty)
        #expect(back.frames.indices.filter { back.frames[$0].confidence?.values.max() == 0 } == [3, 5])
    }

    @Test func aHalfCopiedRecordingFailsWhereDepthIsUsed() throws {
        let path = try recording(without: (4..<12).map { "depth/0000\($0 < 10 ? "0" : "")\($0).png" })
        let problem = #expect(throws: Problem.self) { try StageRun("- read\n- decompress", reading: path) }
        #expect(problem?.summary == "8 of 12 frames are bad (66.667 %)")
        #expect(problem?.notes.dropFirst().first == "frame 4: it has no depth")
        let allowed = try StageRun("- read: {bad-frame-limit: 0.7}\n- decompress", reading: path)
        #expect(allowed.frames.count == 12)
        let pictures = try StageRun("- read\n- measure-blur", reading: path, probing: [.color])
        #expect(pictures.frames.count == 12)
        #expect(pictures.warnings == ["8 of 12 frames have no depth: frames 4 to 11"])
    }
}
