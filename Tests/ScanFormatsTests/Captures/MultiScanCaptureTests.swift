import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct MultiScanCaptureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a sample, changed as a test wants it, and opens it.
    private func open(
        _ sample: MultiScanSample = MultiScanSample(), rules: ReadRules = ReadRules(), as name: String = "scan",
        _ change: (inout [String: [UInt8]]) throws -> Void = { _ in }
    ) throws -> Capture {
        var files = try sample.files()
        try change(&files)
        try? FileManager.default.removeItem(at: folder.url(name))
        return try MultiScanCapture.open(CaptureFolder(path: try folder.write(files, under: name)), rules: rules)
    }

    /// Metadata may say anything: each frame would take a gigabyte.
    @Test func confidenceMapsAreAsSmallAsDepth() throws {
        var metadata = try JSONValue.parse(try #require(try MultiScanSample().files()["scan.json"]), file: "").object
        var streams = metadata?["streams"]?.array ?? []
        for index in streams.indices where streams[index]["type"]?.string == "confidence_map" {
            var stream = streams[index].object
            stream?["resolution"] = .of([32_768, 32_768])
            streams[index] = .object(try #require(stream))
        }
        metadata?["streams"] = .array(streams)
        let text = JSONWriter.text(.object(try #require(metadata)))
        let problem = problem { _ = try open { $0["scan.json"] = text } }
        #expect(
            problem?.summary == "the confidence map is 32768×32768, more than 250000000 pixels")
        #expect(problem?.place.file == "scan.json")
    }

    /// iOS pads the rows of its buffers to multiples of 64 bytes, and the app writes these as they are.
    @Test func confidenceInRowsThatArePadded() throws {
        let raw = MultiScanSample().rawConfidence(4)
        /// The frames' values, where eight of them take a row of so many bytes.
        func values(rowBytes: Int) throws -> [UInt8] {
            let rows = stride(from: 0, to: raw.count, by: 8).flatMap { start in
                raw[start..<start + 8] + [UInt8](repeating: 9, count: rowBytes - 8)
            }
            let packed = try MultiScanSample.deflate(rows)
            let capture = try open { $0["scan.confidence.zlib"] = packed }
            let track = try #require(try capture.source.tracks(for: [.recordedConfidence], of: capture).first)
            let values = try capture.frames.flatMap { facts in
                var frame = Frame(facts)
                try track.advance(&frame, isWanted: true)
                return frame.recordedConfidence?.values ?? []
            }
            #expect(try track.finish().warnings.isEmpty)
            let warning =
                "scan.confidence.zlib is exactly as long as 4 frames whose rows take \(rowBytes) bytes: the last "
                + "\(rowBytes - 8) of each are taken for padding"
            #expect(capture.warnings == (rowBytes == 8 ? [] : [warning]))
            return values
        }
        #expect(try values(rowBytes: 8) == raw)
        #expect(try values(rowBytes: 64) == raw)
        // Rows of any other length are those of another size.
        let odd = problem { _ = try values(rowBytes: 32) }
        #expect(odd?.summary.hasPrefix("the streams differ in length") == true, "\(String(describing: odd))")
    }

    // MARK: - A sound capture

    @Test func everythingThatIsThere() throws {
        var sample = MultiScanSample()
        sample.box = OrientedBox(center: Vector3(1, 2, 3), worldFromBox: .identity, halfSize: Vector3(1, 1, 1))
        let capture = try open(sample) { files in
            files["scan.rot"] = [1]
            files["scan.grav"] = [2, 3]
            files["unknown.bin"] = [4]
        }
        #expect(capture.id == "scan" && capture.format == "multiscan" && capture.variant == "iOS")
        #expect(capture.device == "Test1,1, bench")
        #expect(
            capture.channels == [
                .pose, .intrinsics, .timestamp, .color, .recordedDepth, .recordedConfidence, .box, .motion,
            ])
        #expect(capture.frames.count == 4 && capture.keptFrames.count == 4)
        for frame in capture.frames {
            #expect(frame.timestamp == MultiScanSample.timestamp(frame.index))
            #expect(frame.intrinsics == sample.camera(frame.index))
            let pose = MultiScanSample.pose(frame.index)
            #expect(frame.pose == pose)
            #expect(frame.pictureFile == MultiScanSample.pictureName(frame.index))
        }
        #expect(capture.colorSize == PixelSize(32, 24) && capture.depthSize == PixelSize(8, 6))
        #expect(capture.frameRate == 10)
        #expect(capture.worldUp == Vector3(0, 1, 0) && capture.isMetric)
        #expect(capture.box == sample.box)
        #expect(
            capture.motionFiles == [
                MotionFile(kind: .rotationRate, path: "scan.rot"), MotionFile(kind: .gravity, path: "scan.grav"),
            ])
        #expect(capture.warnings.isEmpty)
        // All files that belong to it, sorted; what a file is needed for.
        #expect(
            capture.files.map(\.path) == ["boundingbox.json"] + (0..<4).map(MultiScanSample.pictureName)
                + ["scan.confidence.zlib", "scan.depth.zlib", "scan.grav", "scan.json", "scan.jsonl", "scan.rot"])
        #expect(capture.files.first { $0.path == "scan.jsonl" }?.channels == [])
        #expect(capture.files.first { $0.path == "scan.depth.zlib" }?.channels == [.recordedDepth])
        #expect(capture.files.first { $0.path == "scan.grav" }?.byteCount == 2)
        #expect(capture.metadata?["depth_unit"]?.string == "m")
    }

    @Test func exposureIsKeptWhereItIsRecorded() throws {
        let key = "\"exposure_duration\":"
        let capture = try open { files in
            var lines = String(decoding: files["scan.jsonl"] ?? [], as: UTF8.self).split(separator: "\n")
            // Known, 0 for what is not known, and no number at all.
            for (number, value) in ["16666666", "0", "null"].enumerated() {
                lines[number] = "{\(key)\(value)," + lines[number].dropFirst()
            }
            files["scan.jsonl"] = Array(lines.joined(separator: "\n").utf8)
        }
        #expect(capture.frames.map(\.exposure) == [16_666_666, nil, nil, nil])
        #expect(capture.channels.contains(.exposure))
        #expect(try !open().channels.contains(.exposure))
    }

    @Test func eachLinesPlaceIsKnown() throws {
        let capture = try open()
        let lines = try folder.bytes("scan/scan.jsonl")
        for frame in capture.frames {
            let span = try #require(frame.line)
            let line = lines[Int(span.offset)..<Int(span.offset) + span.count]
            #expect(line.first == UInt8(ascii: "{") && line.last == UInt8(ascii: "}"))
            #expect(String(decoding: line, as: UTF8.self).contains("\(MultiScanSample.timestamp(frame.index))"))
        }
    }

    @Test func android() throws {
        var sample = MultiScanSample()
        sample.isAndroid = true
        let capture = try open(sample)
        #expect(capture.variant == "Android")
        let track = try #require(try capture.source.tracks(for: [.recordedDepth], of: capture).first)
        var frame = Frame(capture.frames[0])
        try track.advance(&frame, isWanted: true)
        #expect(frame.recordedDepth?.encoding == .uint16(unitsPerMetre: 1000, mask: 0x1FFF))
    }

    // MARK: - Names

    @Test func theFoldersNameNeedNotBeTheFiles() throws {
        let capture = try open(as: "renamed last week")
        #expect(capture.id == "renamed last week")
        #expect(capture.files.contains { $0.path == "scan.jsonl" })
    }

    @Test func ofSeveralNamesTheFoldersWins() throws {
        var other = MultiScanSample()
        other.stem = "aaa"
        other.frameCount = 2
        for (name, frames) in [("scan", 4), ("aaa", 2), ("neither", 2)] {
            let capture = try open(as: name) { files in files.merge(try other.files()) { mine, _ in mine } }
            #expect(capture.timestampedFrames == frames, "\(name)")
        }
    }

    @Test func otherJSONFilesAreNoMetadata() throws {
        let capture = try open { files in
            files["aaa.json"] = Array(#"{"streams": 7}"#.utf8)
            files["aaa.jsonl"] = [1]
            files["bbb.json"] = Array(#"{"streams": []}"#.utf8)
        }
        #expect(capture.frames.count == 4)
        let tree = CaptureFolder(path: folder.url("scan").path)
        #expect(MultiScanCapture.recognise(tree)?.reason == "scan.json lists streams, and camera lines stand beside it")
        let lonely = try TemporaryFolder()
        try lonely.write(#"{"streams": []}"#, to: "a.json")
        #expect(MultiScanCapture.recognise(CaptureFolder(path: lonely.path)) == nil)
        #expect(
            problem { _ = try MultiScanCapture.open(CaptureFolder(path: lonely.path), rules: ReadRules()) }?.summary
                == "there is no metadata with a list of streams")
    }

    @Test func damagedMetadataIsStillThisCapturesAndNamed() throws {
        let problem = problem {
            _ = try open { files in files["scan.json"] = Array((files["scan.json"] ?? []).dropLast(30)) }
        }
        #expect(problem?.place.file == "scan.json")
        #expect(problem?.place.line != nil)
        #expect(MultiScanCapture.recognise(CaptureFolder(path: folder.url("scan").path)) != nil)
    }

    // MARK: - What is missing

    /// Lines of something else are no sign of a capture.
    @Test func cameraLinesWithoutMetadataAreRecognised() throws {
        let files = try MultiScanSample().files().filter { $0.key != "scan.json" }
        let lost = CaptureFolder(path: try folder.write(files, under: "lost"))
        #expect(
            MultiScanCapture.recognise(lost)?.reason
                == "scan.jsonl is there, and scan.json is missing beside it")
        let problem = problem { _ = try MultiScanCapture.open(lost, rules: ReadRules()) }
        #expect(problem?.summary == "the capture's metadata is missing" && problem?.place.file == "scan.json")
        #expect(problem?.notes.first == "scan.json is missing beside scan.jsonl")
        var other = files
        other["scan.jsonl"] = Array(#"{"timestamp": 1, "transform": []}"#.utf8)
        other["scan.depth.zlib"] = nil
        #expect(MultiScanCapture.recognise(CaptureFolder(path: try folder.write(other, under: "other"))) == nil)
        other = files
        other["scan.jsonl"] = nil
        let depth = CaptureFolder(path: try folder.write(other, under: "depth"))
        #expect(
            MultiScanCapture.recognise(depth)?.reason
                == "scan.depth.zlib is there, and scan.json is missing beside it")
    }

    /// As a copy leaves it that was broken off.
    @Test(arguments: ["", "{}", "{\"x\":"]) func metadataThatIsNoneAnyMore(_ text: String) throws {
        var files = try MultiScanSample().files()
        files["scan.json"] = Array(text.utf8)
        let tree = CaptureFolder(path: try folder.write(files, under: "scan"))
        #expect(CaptureFormats.recognise(tree)?.format == "multiscan")
        let problem = problem { _ = try MultiScanCapture.open(tree, rules: ReadRules()) }
        #expect(problem?.place.file == "scan.json" && problem?.fault == .input)
    }

    @Test func withoutCameraLinesThereIsNoCapture() throws {
        let missing = problem { _ = try open { $0["scan.jsonl"] = nil } }
        #expect(missing?.summary == "the camera lines are missing")
        #expect(missing?.notes == ["scan.jsonl is missing"])
        let empty = problem { _ = try open { $0["scan.jsonl"] = [] } }
        #expect(empty?.summary == "there are no camera lines in the file")
        #expect(empty?.place.file == "scan.jsonl")
        let pipe = problem {
            _ = try open { $0["scan.jsonl"] = nil }
        }
        #expect(pipe != nil)
        #expect(mkfifo(folder.path + "/scan/scan.jsonl", 0o644) == 0)
        let found = problem {
            _ = try MultiScanCapture.open(CaptureFolder(path: folder.url("scan").path), rules: ReadRules())
        }
        #expect(found?.notes == ["scan.jsonl is a pipe, not a file"])
    }

    /// What to copy follows from how the metadata say that the pictures are stored.
    @Test func picturesThatAreMissing() throws {
        var sample = MultiScanSample()
        sample.pictures = .none
        let recorded = sample.metadata()
        func capture(with key: String, _ value: JSONValue) throws -> Capture {
            var metadata = recorded
            let streams = (metadata["streams"]?.array ?? []).map { stream -> JSONValue in
                guard stream["type"] == .string("color_camera"), var object = stream.object else { return stream }
                object[key] = value
                return .object(object)
            }
            metadata["streams"] = .array(streams)
            let text = JSONWriter.text(.object(metadata))
            return try open(sample) { $0["scan.json"] = text }
        }
        let lack = "there is no folder color/, rgb/ or images/ with pictures"
        let inFiles = try capture(with: "file_extension", .string("jpg"))
        #expect(inFiles.absences[.color]?.reason == "\(lack), though the metadata lists colour as .jpg files")
        #expect(inFiles.remedies[.color] == "copy the folder with the .jpg files too")
        // A stream without frames was never recorded.
        let none = try capture(with: "number_of_frames", .integer(0))
        #expect(none.absences[.color]?.reason == "scan.mp4 is missing, and \(lack)")
        #expect(none.remedies[.color] == nil)
    }

    /// The proposed command is one for the shell.
    @Test func aVideoWithAnotherEnding() throws {
        var sample = MultiScanSample()
        sample.stem = "my scan"
        sample.pictures = .none
        let capture = try open(sample, as: "my scan") { $0["my scan.MOV"] = [1] }
        let way = "make it the video that the app writes:  ffmpeg -i 'my scan.MOV' -c copy 'my scan.mp4'"
        #expect(capture.remedies[.color] == way)
    }

    @Test func whatElseIsMissingIsKnownWithItsReason() throws {
        var sample = MultiScanSample()
        sample.pictures = .none
        let capture = try open(sample) { files in
            files["scan.depth.zlib"] = nil
            files["scan.confidence.zlib"] = nil
        }
        #expect(capture.channels == [.pose, .intrinsics, .timestamp])
        #expect(
            capture.absences[.recordedDepth]?.reason
                == "scan.depth.zlib is missing, though the metadata lists a depth stream")
        #expect(
            capture.absences[.recordedConfidence]?.reason
                == "scan.confidence.zlib is missing, though the metadata lists a confidence stream")
        #expect(capture.remedies[.recordedConfidence] == "copy scan.confidence.zlib too")
        let alone = try open(sample) { files in files["scan.depth.zlib"] = nil }
        #expect(alone.absences[.recordedConfidence]?.reason == "there is no depth")
        #expect(
            capture.absences[.color]?.reason
                == "scan.mp4 is missing, though the metadata lists a colour stream, and there is no folder color/, rgb/ or images/ with pictures"
        )
        #expect(capture.remedies[.color] == "copy scan.mp4 too")
        #expect(capture.remedies[.recordedDepth] == "copy scan.depth.zlib too")
        #expect(capture.remedies.count == 3)
        #expect(capture.absences[.box]?.reason == "boundingbox.json is missing")
        #expect(capture.absences[.motion]?.reason == "there are no files scan.rot, .acce, .mag, .atti, .grav")
        #expect(capture.colorSize == PixelSize(32, 24))
        // Something else in its place.
        let folder = try open(sample) { files in
            files["scan.depth.zlib"] = nil
            files["scan.depth.zlib/notes.txt"] = [1]
        }
        #expect(folder.remedies[.recordedDepth] == "put the file scan.depth.zlib in its place")
        let unsure = try open { $0["scan.confidence.zlib"] = nil }
        #expect(
            unsure.absences[.recordedConfidence]?.reason
                == "scan.confidence.zlib is missing, though the metadata lists a confidence stream")
        #expect(unsure.remedies == [.recordedConfidence: "copy scan.confidence.zlib too"])
        #expect(unsure.channels.contains(.recordedDepth))
        let unlisted = try open { files in
            files["scan.depth.zlib"] = nil
            files["scan.json"] = Array(#"{"streams": []}"#.utf8)
        }
        #expect(
            unlisted.absences[.recordedDepth]?.reason
                == "scan.depth.zlib is missing, the metadata lists no depth stream either"
        )
        #expect(unlisted.remedies.isEmpty)
        let still = try open { files in
            files["scan.depth.zlib"] = nil
            files["scan.json"] = Array(
                #"{"streams": [{"type": "rot", "number_of_frames": 9}, {"type": "acce", "number_of_frames": 0}]}"#.utf8)
        }
        #expect(still.absences[.motion]?.reason == "the metadata lists motion that is missing: scan.rot")
        #expect(still.remedies[.motion] == "copy scan.rot too")
    }

    @Test func depthOfUnknownSizeIsRefused() throws {
        let problem = problem {
            _ = try open { $0["scan.json"] = Array(#"{"streams": [{"type": "lidar_sensor"}]}"#.utf8) }
        }
        #expect(problem?.summary == "the depth stream's size is not known")
        #expect(problem?.place.file == "scan.json")
    }

    // MARK: - Sizes

    @Test func withoutAColourResolutionThePicturesSayIt() throws {
        var sample = MultiScanSample()
        sample.hasColorResolution = false
        let capture = try open(sample)
        #expect(capture.frames.map(\.intrinsics) == (0..<4).map(sample.camera))
        #expect(capture.warnings.isEmpty)
    }

    @Test func withoutAnySizeThereAreNoIntrinsics() throws {
        // Numbers for a picture of unknown size would put every point somewhere else.
        var sample = MultiScanSample()
        sample.hasColorResolution = false
        sample.pictures = .none
        let capture = try open(sample)
        #expect(capture.frames.allSatisfy { $0.intrinsics == nil })
        #expect(!capture.channels.contains(.intrinsics) && capture.channels.contains(.pose))
        #expect(
            capture.absences[.intrinsics]?.reason.contains("scan.json has no resolution for the colour stream") == true)
        #expect(capture.keptFrames.count == 4)
    }

    @Test func resizedPicturesScaleTheIntrinsicsWithAWarning() throws {
        var sample = MultiScanSample()
        sample.pictureSize = PixelSize(16, 12)
        let capture = try open(sample)
        #expect(capture.warnings == ["the pictures are 16×12, and the metadata says 32×24; the intrinsics were scaled"])
        let k = try #require(capture.frames[1].intrinsics)
        #expect([k.fx, k.fy, k.cx, k.cy] == [15.125, 15.625, 7.5, 5.875])
        #expect(k.width == 16 && k.height == 12)
        // Hardly another shape: 32 × 24 and 31 × 23.
        sample.pictureSize = PixelSize(31, 23)
        #expect(problem { _ = try open(sample) }?.summary == "the pictures are 31×23, and the metadata says 32×24")
    }

    @Test func turnedPicturesAreRefused() throws {
        var sample = MultiScanSample()
        sample.pictureSize = PixelSize(24, 32)
        let problem = problem { _ = try open(sample) }
        #expect(
            problem?.message() == """
                error: the pictures are 24×32, and the metadata says 32×24
                  --> color
                   = they look turned by 90° against their intrinsics
                   = fix: correct `resolution` ([height, width]) in scan.json, or export the pictures as they were recorded
                """)
    }

    // MARK: - Bad frames

    @Test func badFramesAreDroppedByName() throws {
        var sample = MultiScanSample()
        sample.frameCount = 12
        sample.lines[2] = "{\"timestamp\": 1,"
        sample.lines[3] = "not json"
        sample.lines[4] = ""
        sample.lines[5] = #"{"timestamp": 1400000000, "intrinsics": [30,0,0,0,31,0,15,12,1]}"#
        sample.poses[6] = Pose(rotation: Matrix3(columns: .zero, Vector3(0, 1, 0), Vector3(0, 0, 1)), position: .zero)
        sample.poses[7] = Pose(
            rotation: Matrix3(columns: Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)), position: .zero)
        sample.poses[8] = Pose(rotation: .identity, position: Vector3(0, 2e7, 0))
        sample.lines[9] =
            #"{"timestamp": 1900000000, "intrinsics": [0,0,0,0,31,0,15,12,1], "transform": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}"#
        sample.lines[10] =
            #"{"timestamp": 2000000000, "intrinsics": [30,0,0,0,31,0,15,12,1], "transform": [1e999,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}"#
        let capture = try open(sample)
        #expect(capture.keptFrames.map(\.index) == [0, 1, 11])
        #expect(capture.frames.filter(\.isDropped).allSatisfy { $0.drop?.isBad == true && $0.drop?.stage == "read" })
        let reasons = capture.frames.map { $0.drop?.reason ?? "" }
        // What cannot be read is named by its line, which counts from 1.
        for frame in [2, 3, 5] { #expect(reasons[frame].contains("scan.jsonl:\(frame + 1)"), "\(reasons[frame])") }
        #expect(reasons[4] == "the camera line is blank (scan.jsonl:5)")
        #expect(reasons[5].hasPrefix("the camera line has no “transform” ("))
        #expect(reasons[6] == "the pose is singular (determinant 0.0)")
        #expect(reasons[7] == "the pose is mirrored: its axes are left-handed")
        #expect(reasons[8] == "the camera is more than 10,000 km from the origin")
        #expect(reasons[9] == "the focal length is 0.0 × 31.0")
        #expect(!reasons[10].isEmpty)
        // The last frame still has its own line.
        #expect(capture.frames[11].timestamp == MultiScanSample.timestamp(11))
    }

    @Test func nothingThatIsNoNumberPasses() throws {
        // As writers put it that do not care for JSON.
        for text in ["NaN", "nan", "Infinity", "-Infinity", "null", "1e400"] {
            var sample = MultiScanSample()
            sample.lines[1] =
                "{\"timestamp\": 1100000000, \"intrinsics\": [30,0,0,0,31,0,15,12,1], \"transform\": [1,0,0,0,0,1,0,0,0,0,1,0,\(text),0,0,1]}"
            let capture = try open(sample)
            #expect(capture.keptFrames.map(\.index) == [0, 2, 3], "\(text)")
            #expect(capture.frames[1].drop?.isBad == true)
        }
    }

    /// Lines 4 and 5 of 12 as one, as NUL bytes over the break between them leave them; one broken into two; both with as
    /// many pictures as there were frames.
    @Test(arguments: [true, false]) func aLineBreakThatDamageTookOrMade(isMerged: Bool) throws {
        var sample = MultiScanSample()
        sample.frameCount = 12
        let capture = try open(sample) { files in
            var lines = String(decoding: files["scan.jsonl"] ?? [], as: UTF8.self).split(separator: "\n").map(
                String.init)
            // A clock is not even.
            let time = MultiScanSample.timestamp(6)
            lines[6] = lines[6].replacing("\(time)", with: "\(time - 20_000_000)")
            if isMerged {
                lines[4...5] = ["\(lines[4].dropLast(9))\0\0\0\(lines[5].dropFirst(9))"]
            } else {
                lines[4...4] = [String(lines[4].prefix(20)), String(lines[4].dropFirst(20))]
            }
            files["scan.jsonl"] = Array((lines.joined(separator: "\n") + "\n").utf8)
        }
        #expect(capture.frames.count == 12 && capture.frames.map(\.index) == Array(0..<12))
        #expect(capture.frames.filter(\.isDropped).map(\.index) == (isMerged ? [4, 5] : [4]))
        for frame in capture.keptFrames {
            let early: Int64 = frame.index == 6 ? 20_000_000 : 0
            #expect(frame.timestamp == MultiScanSample.timestamp(frame.index) - early)
            #expect(frame.pose == MultiScanSample.pose(frame.index))
            #expect(frame.pictureFile?.contains("0000\(frame.index < 10 ? "0" : "")\(frame.index).") == true)
        }
        #expect(
            capture.warnings == [
                "the damaged camera lines in scan.jsonl are 1 too \(isMerged ? "few" : "many"): by the times around "
                    + "them there were 12, and the other lines were put where these times belong"
            ])
        #expect(capture.frames[4].drop?.isBad == true)
    }

    /// A description that claims more frames than a capture may have is no witness, even where the times bear it out.
    @Test func claimsBeyondAllMeasureAreNotBelieved() throws {
        var sample = MultiScanSample()
        sample.lines[1] = "{"
        let late = MultiScanSample.timestamp(0) + 399_999_998 * 100_000_000
        sample.timestamps = [2: late, 3: late + 100_000_000]
        let capture = try open(sample) { files in
            let text = String(decoding: files["scan.json"] ?? [], as: UTF8.self)
            files["scan.json"] = Array(
                text.replacing("\"number_of_frames\": 4", with: "\"number_of_frames\": 400000000").utf8)
        }
        #expect(
            capture.metadata.map { String(decoding: JSONWriter.text($0), as: UTF8.self) }?.contains("400000000") == true
        )
        #expect(capture.frames.count == 4 && capture.keptFrames.map(\.index) == [0, 2, 3])
    }

    @Test func timestampsInAnotherUnitAreSaid() throws {
        var sample = MultiScanSample()
        for (unit, factor) in [("microseconds", 1000), ("milliseconds", 1_000_000)] as [(String, Int64)] {
            for frame in 0..<4 { sample.timestamps[frame] = MultiScanSample.timestamp(frame) / factor }
            let step = 100_000_000 / factor
            #expect(
                try open(sample).warnings == [
                    "the camera lines' timestamps are \(step) apart, and frames come 10 times a second: they look like "
                        + "\(unit), and are read as nanoseconds"
                ])
        }
    }

    @Test func timestampsThatGoBackAreWarnedAbout() throws {
        var sample = MultiScanSample()
        sample.frameCount = 6
        sample.timestamps = [2: MultiScanSample.timestamp(1), 4: 5]
        var capture = try open(sample)
        #expect(capture.keptFrames.count == 6)
        capture.noteDoubts(in: MemoryTree([:]))
        let back = "the time goes back at 1 of 6 frames, first at frame 4: "
        for words in [back, "1 frame has the time of the frame before"] {
            #expect(capture.warnings.contains { $0.hasPrefix(words) }, "\(capture.warnings)")
        }
    }

    // MARK: - Lines and pictures in different numbers

    @Test func whatOnlySomeStreamsHaveIsDropped() throws {
        var sample = MultiScanSample()
        sample.frameCount = 10
        sample.pictureFrames = 12
        let more = try open(sample)
        #expect(more.frames.count == 12)
        #expect(more.frames[10].drop == Drop(stage: "read", reason: "there are only 10 camera lines"))
        sample.pictureFrames = 9
        let fewer = try open(sample)
        #expect(fewer.frames.count == 10)
        #expect(fewer.frames[9].drop == Drop(stage: "read", reason: "there are only 9 pictures"))
        sample.pictureFrames = 5
        #expect(problem { _ = try open(sample) }?.notes == ["camera lines: 10, pictures: 5", "allowed: at most 3"])
        var rules = ReadRules()
        rules.mismatch = .shortest
        #expect(try open(sample, rules: rules).keptFrames.count == 5)
    }

    // MARK: - Real captures

    @Test(.enabled(if: SharedData.isThere))
    func theOffice() throws {
        let capture = try MultiScanCapture.open(CaptureFolder(path: SharedData.path("office")), rules: ReadRules())
        #expect(capture.keptFrames.count == 40)
        #expect(capture.colorSize == PixelSize(640, 480) && capture.depthSize == PixelSize(256, 192))
        #expect(capture.motionFiles.count == 5)
        #expect(capture.warnings.isEmpty)
        #expect(capture.box?.floor == nil)
        let expected = try SharedData.expected("office.expected.json")
        let length = zip(capture.frames, capture.frames.dropFirst()).reduce(0.0) { sum, pair in
            sum + ((pair.1.pose?.position ?? .zero) - (pair.0.pose?.position ?? .zero)).length
        }
        #expect(abs(length - (expected["path_length_m"] as? Double ?? 0)) < 1e-9)
    }

    @Test(.enabled(if: SharedData.isThere))
    func theIPadsLinesAlone() throws {
        let capture = try MultiScanCapture.open(CaptureFolder(path: SharedData.path("ipad")), rules: ReadRules())
        #expect(capture.frames.count == 354)
        #expect(capture.keptFrames.count == 354)
        #expect(capture.channels == [.pose, .intrinsics, .timestamp, .exposure])
        #expect(Set(capture.frames.compactMap(\.intrinsics?.fx)).count > 10)
    }
}

extension Capture {
    /// Frames that have a camera line.
    fileprivate var timestampedFrames: Int { frames.count { $0.timestamp != nil } }
}
