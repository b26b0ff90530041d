import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// What is said of captures that are broken in one way each, and what is still known of them.
@Suite struct CaptureInspectionDamageTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var errors: [String] = []
        var warnings: [String] = []
        /// Where the first finding is.
        var file: String?
        var line: Int?
        /// Of 40; nil where it depends on how the stream was packed.
        var whole: Int? = 40
        var apply: @Sendable (InspectSample) throws -> Void
    }

    /// Twenty lines of one cause would leave no room for another.
    @Test func framesOfOneCauseAreFolded() throws {
        let sample = try InspectSample()
        for line in [3, 7, 8, 9, 20] { try sample.replaceLine(line, of: "mini.jsonl", by: "nonsense") }
        try sample.replaceLine(5, of: "mini.jsonl", by: "[")
        let inspection = try CaptureInspection.inspect(sample.path)
        let notes = try #require(inspection.errors.first?.problem.notes)
        let frames = notes.filter { $0.hasPrefix("frame") }
        #expect(frames.count == 2, "\(notes)")
        #expect(frames.first?.hasPrefix("frames 2, 6 to 8, 19: ") == true, "\(notes)")
        #expect(frames.first?.hasSuffix(", and the like") == true, "\(notes)")
        #expect(frames.last?.hasPrefix("frame 4: ") == true, "\(notes)")
    }

    static let damages: [Damage] = [
        Damage(
            testDescription: "truncated depth", errors: ["depth stream truncated"], file: "mini.depth.zlib", whole: nil,
            apply: { try $0.edit("mini.depth.zlib") { $0.dropLast(40) } }),
        Damage(
            testDescription: "damaged depth", errors: ["depth stream damaged"], file: "mini.depth.zlib", whole: 0,
            apply: { try $0.edit("mini.depth.zlib") { [0xFF, 0xFF] + $0 } }),
        Damage(
            testDescription: "empty confidence", errors: ["confidence stream is empty"], file: "mini.confidence.zlib",
            whole: 0,
            apply: { try $0.edit("mini.confidence.zlib") { _ in [UInt8]() } }),
        Damage(
            testDescription: "bytes behind the confidence",
            errors: ["4 bytes stand after the end of the confidence stream"],
            file: "mini.confidence.zlib", apply: { try $0.edit("mini.confidence.zlib") { $0 + [1, 2, 3, 4] } }),
        Damage(
            testDescription: "one bad camera line", warnings: ["a bad frame would be dropped"], whole: 39,
            apply: { try $0.replaceLine(5, of: "mini.jsonl", by: "{\"timestamp\": 1") }),
        Damage(
            testDescription: "too many bad camera lines", errors: ["3 of 40 frames are bad (7.5 %)"], whole: 37,
            apply: { sample in
                for line in [5, 6, 30] { try sample.replaceLine(line, of: "mini.jsonl", by: "nonsense") }
            }),
        Damage(
            testDescription: "a picture cut off", warnings: ["a bad frame would be dropped"], whole: 39,
            apply: { try $0.edit("color/000007.png") { $0.dropLast(15) } }),
        Damage(
            testDescription: "a picture of another size", warnings: ["a bad frame would be dropped"], whole: 39,
            apply: { try $0.edit("color/000007.png") { $0[..<19] + [9] + $0[20...] } }),
        Damage(
            testDescription: "two pictures too few",
            warnings: ["2 frames would be dropped: there are only 38 pictures"],
            whole: 38,
            apply: { sample in for i in [38, 39] { try sample.remove("color/0000\(i).png") } }),
        Damage(
            testDescription: "pictures for half of the lines", errors: ["the streams differ in length by 20 frames"],
            whole: 20,
            apply: { sample in for i in 20..<40 { try sample.remove("color/0000\(i).png") } }),
        Damage(
            testDescription: "a frame of depth too many",
            warnings: ["a frame would be dropped: only the depth stream has this frame"],
            apply: { try $0.edit("mini.depth.zlib") { try repacked($0) { $0 + $0.prefix(24) } } }),
        Damage(
            testDescription: "a frame of depth too few",
            warnings: ["a frame would be dropped: the depth stream has 39 frames"],
            whole: 39, apply: { try $0.edit("mini.depth.zlib") { try repacked($0) { $0.dropLast(24) } } }),
        Damage(
            testDescription: "half of the depth", errors: ["the streams differ in length by 20 frames"],
            warnings: ["mini.depth.zlib is exactly as long as 40 frames of 12 bytes, and one of 4×3 takes 24"],
            whole: 20,
            apply: { try $0.edit("mini.depth.zlib") { try repacked($0) { $0.prefix(20 * 24) } } }),
        Damage(
            testDescription: "a negative pixel in each frame of depth",
            // With the two of frame 0; its NaN is a hole.
            warnings: ["8.75 % of the depth pixels are no depths"],
            apply: { sample in
                try sample.edit("mini.depth.zlib") { packed in
                    try repacked(packed) { raw in
                        raw.indices.map { $0 % 24 == 3 ? 0xBC : raw[$0] }
                    }
                }
            }),
        Damage(
            testDescription: "a frame and a half of depth too few", errors: ["the depth stream ends inside frame 38"],
            file: "mini.depth.zlib", whole: 38,
            apply: { try $0.edit("mini.depth.zlib") { try repacked($0) { $0.dropLast(36) } } }),
        Damage(
            testDescription: "no camera lines", errors: ["the camera lines are missing"],
            apply: { try $0.remove("mini.jsonl") }),
        Damage(
            testDescription: "empty camera lines", errors: ["there are no camera lines in the file"],
            file: "mini.jsonl",
            apply: { try $0.write("", to: "mini.jsonl") }),
        Damage(
            testDescription: "zeros for depth",
            errors: ["the file begins with nothing but zero bytes: its copy was never finished"],
            file: "mini.depth.zlib", whole: 0,
            apply: { try $0.edit("mini.depth.zlib") { _ in [UInt8](repeating: 0, count: 500) } }),
        Damage(
            testDescription: "a pointer for confidence", errors: ["this is a Git LFS pointer, not the file"],
            file: "mini.confidence.zlib", whole: 0,
            apply: { try $0.write("version https://git-lfs.github.com/spec/v1\n", to: "mini.confidence.zlib") }),
        Damage(
            testDescription: "a damaged box",
            warnings: ["the box cannot be read: “center.x” is “wide”; expected a number (boundingbox.json)"],
            apply: { try $0.replace("\"x\": 0.25, \"y\": 0", by: "\"x\": \"wide\"", in: "boundingbox.json") }),
        Damage(
            testDescription: "a box that is a folder", warnings: ["boundingbox.json is a folder"],
            apply: { sample in
                try sample.remove("boundingbox.json")
                try FileManager.default.createDirectory(
                    at: sample.file("boundingbox.json"), withIntermediateDirectories: false)
            }),
        Damage(
            testDescription: "two pictures of one number", errors: ["two pictures have the same number"], file: "color",
            apply: { try $0.write("x", to: "color/7.jpg") }),
        Damage(
            testDescription: "pictures turned by 90°",
            errors: ["the pictures are 8×6, and the metadata says 6×8"],
            warnings: ["the principal point (4.0, 3.0) is far from the middle of a picture of 6×8\(otherSize)"],
            file: "color",
            apply: { try $0.replace("[\n    6,\n    8\n   ]", by: "[8, 6]", in: "mini.json") }),
        Damage(
            testDescription: "a damaged motion file", errors: ["the file is called “.rot”, but its header says “acce”"],
            file: "mini.rot", apply: { try $0.edit("mini.rot", renamed) }),
        Damage(
            testDescription: "a motion file of another recording",
            warnings: ["no motion sample falls into the time of the camera lines"],
            file: "mini.rot", apply: { try shiftClock(of: $0, seconds: 3600) }),
        Damage(
            testDescription: "a motion file of a later recording",
            warnings: ["no motion sample falls into the time of the camera lines"],
            file: "mini.rot", apply: { try shiftClock(of: $0, seconds: -4) }),
        Damage(
            testDescription: "a motion file whose last time is damaged",
            warnings: ["1 sample is not later than the one before it"],
            file: "mini.rot",
            apply: { sample in
                // Its header stays: it is the last of its records.
                try sample.edit("mini.rot") { $0.dropLast(32) + [UInt8](repeating: 0, count: 32) }
            }),
        Damage(
            testDescription: "a clock that stands still",
            warnings: ["1 frame has the time of the frame before, first frame 1: one may be a copy of the other"],
            apply: { try $0.replace("5033333333", by: "5000000000", in: "mini.jsonl") }),
        Damage(
            testDescription: "confidence out of range", warnings: ["160 confidence values are outside 0 to 1"],
            apply: {
                try $0.replace(
                    "\"depth_unit\": \"m\",", by: "\"depth_unit\": \"m\", \"depth_confidence_value_range\": [0, 1],",
                    in: "mini.json")
            }),
        Damage(
            testDescription: "confidence below its range", warnings: ["160 confidence values are outside 1 to 2"],
            apply: {
                try $0.replace(
                    "\"depth_unit\": \"m\",", by: "\"depth_unit\": \"m\", \"depth_confidence_value_range\": [1, 2],",
                    in: "mini.json")
            }),
        Damage(
            testDescription: "a principal point for other pictures",
            warnings: ["the principal point (7.0, 3.0) is far from the middle of a picture of 8×6\(otherSize)"],
            apply: { try $0.replace("0, 4, 3, 1]", by: "0, 7, 3, 1]", in: "mini.jsonl") }),
        Damage(
            testDescription: "a camera that jumps",
            warnings: [
                "the camera's path jumps once by 5.01 m and 0.0° to frame 10 and back: only the pose of such a frame "
                    + "is wrong; `filter-motion: {after-jump: 0}` leaves it out"
            ],
            apply: { try $0.replace("0.1, 0, 0, 1]", by: "5.1, 0, 0, 1]", in: "mini.jsonl") }),
    ]

    private static let otherSize = ": the intrinsics may be for pictures of another size, or turned by 90°"

    @Test(arguments: damages) func isFoundAndTheRestIsInspected(_ damage: Damage) throws {
        let sample = try InspectSample()
        try damage.apply(sample)
        let inspection = try CaptureInspection.inspect(sample.path)
        #expect(inspection.errors.map(\.problem.summary) == damage.errors)
        #expect(inspection.findings.filter { $0.weight == .warning }.map(\.problem.summary) == damage.warnings)
        if let file = damage.file { #expect(inspection.findings.first?.problem.place.file == file) }
        for error in inspection.errors { #expect(error.problem.fix != nil, "\(error.problem.summary)") }

        let frames = try #require(inspection.frames)
        if let whole = damage.whole { #expect(frames.wholeCount == whole) }
        // Whatever is broken, the other parts are known.
        #expect(inspection.streams.count >= 6)
        #expect(inspection.depth != nil)
        #expect(inspection.confidence != nil)
        let lacksLines = ["no camera lines", "empty camera lines"].contains(damage.testDescription)
        #expect((inspection.path == nil) == lacksLines)
    }

    @Test func aDamagedTimeOfMotionMovesNoEnd() throws {
        let sample = try InspectSample()
        try sample.edit("mini.rot") { $0.dropLast(32) + [UInt8](repeating: 0, count: 32) }
        let motion = try #require(try CaptureInspection.inspect(sample.path).motion.first)
        let rate = try #require(motion.facts.rate)
        #expect(abs(rate - 60) < 0.01)
        let end = try #require(motion.endOffset)
        #expect(motion.startOffset == 0 && abs(end) < 0.02)
    }

    /// The message is the one that a run under the default rules fails with.
    @Test func saysWhatARunWouldSay() throws {
        let sample = try InspectSample()
        try sample.edit("mini.depth.zlib") { $0.dropLast(40) }
        let finding = try #require(try CaptureInspection.inspect(sample.path).errors.first)
        let capture = try MultiScanCapture.open(CaptureFolder(path: sample.path), rules: ReadRules())
        let track = try #require(try capture.source.tracks(for: [.recordedDepth], of: capture).first)
        let problem = #expect(throws: Problem.self) {
            for facts in capture.frames {
                var frame = Frame(facts)
                try track.advance(&frame, isWanted: true)
            }
        }
        #expect(finding.problem == problem)
        #expect(finding.problem.notes.count == 2)
    }

    @Test func framesBeforeADamageAreMeasured() throws {
        let sample = try InspectSample()
        try sample.edit("mini.depth.zlib") { $0.dropLast(40) }
        let inspection = try CaptureInspection.inspect(sample.path)
        let frames = try #require(inspection.depth?.frameCount)
        #expect(frames > 0 && frames < 40)
        #expect(inspection.frames?.wholeCount == frames)
        #expect(inspection.confidence?.frameCount == 40)
        #expect(inspection.depth?.pixelCount == 12 * frames)
    }

    /// Nothing can be read without metadata, but the files are there to be seen.
    @Test func damagedMetadataLeavesTheListOfFiles() throws {
        let sample = try InspectSample()
        try sample.edit("mini.json") { $0.dropLast(30) }
        let inspection = try CaptureInspection.inspect(sample.path)
        #expect(inspection.errors.count == 1)
        #expect(inspection.errors.first?.problem.place.file == "mini.json")
        #expect(inspection.errors.first?.problem.place.line != nil)
        #expect(inspection.frames == nil)
        #expect(inspection.streams.map(\.file).contains("mini.depth.zlib"))
        #expect(inspection.streams.map(\.file).contains("color/"))
    }

    /// The reader reads the file again though it was set aside.
    @Test func anErrorIsListedOnce() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copySample("scannet-raw")
        let text = String(decoding: try folder.bytes("scannet-raw/scannet-raw.txt"), as: UTF8.self)
        try folder.write(text.replacingOccurrences(of: "mx_depth", with: "m"), to: "scannet-raw/scannet-raw.txt")
        let inspection = try CaptureInspection.inspect(path)
        #expect(inspection.errors.map(\.problem.summary) == ["`mx_depth` is missing"])
    }

    /// What is missing because of it is not told to be copied.
    @Test func whatADamagedFileCostsIsNotAWarning() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copySample("stray-scanner")
        try folder.write("garbage", to: "stray-scanner/camera_matrix.csv")
        let inspection = try CaptureInspection.inspect(path)
        #expect(inspection.findings.map(\.weight) == [.error])
        #expect(inspection.errors.first?.problem.place.file == "camera_matrix.csv")
        let lost = inspection.missing.first { $0.what == "intrinsics" }
        #expect(lost?.reason == "camera_matrix.csv is unreadable (see the problems)")
    }

    /// Where tracking was lost and found again, `inspect` says what a run says.
    @Test func aPathThatGoesOnElsewhere() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copySample("stray-scanner")
        let text = String(decoding: try folder.bytes("stray-scanner/odometry.csv"), as: UTF8.self)
        let lines = text.split(separator: "\n").enumerated().map { number, line -> String in
            var fields = line.components(separatedBy: ", ")
            // Behind the heading and frames 0 to 5.
            if number > 6, let x = Double(fields[2]) { fields[2] = "\(x + 2)" }
            return fields.joined(separator: ", ")
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "stray-scanner/odometry.csv")
        let findings = try CaptureInspection.inspect(path).findings
        #expect(findings.map(\.weight) == [.warning])
        let summary = try #require(findings.first?.problem.summary)
        #expect(summary.hasPrefix("the camera's path jumps once by "), "\(summary)")
        #expect(summary.contains(" between frames 5 and 6: tracking was lost and found again elsewhere"), "\(summary)")
        let tree = try CaptureFormats.tree(at: path)
        var capture = try CaptureFormats.format(of: tree).format.open(tree, rules: ReadRules())
        capture.noteDoubts(in: tree)
        #expect(capture.warnings == [summary])
    }

    @Test func aDamagedVideoLeavesTheRest() throws {
        let sample = try InspectSample()
        try FileManager.default.removeItem(at: sample.file("color"))
        try sample.write("this is no video", to: "mini.mp4")
        let inspection = try CaptureInspection.inspect(sample.path)
        #expect(inspection.errors.map(\.problem.place.file) == ["mini.mp4"])
        #expect(inspection.missing.map(\.what) == ["pictures"])
        #expect(inspection.missing.first?.reason.hasPrefix("mini.mp4 is unreadable (see the problems)") == true)
        #expect(inspection.frames?.wholeCount == 40)
    }

    @Test func whatFfprobeComplainsOfIsPassedOn() throws {
        let sample = try InspectSample()
        try FileManager.default.removeItem(at: sample.file("color"))
        let video = try TestVideo.detailed("video.mp4", in: sample.folder, frames: 40)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: video)))
        // The decoder's own header, without which a player makes of the frames what it can.
        let header = try #require(bytes.indices.first { bytes[$0...].starts(with: "avcC".utf8) })
        for i in header + 4..<header + 12 { bytes[i] = 0xFF }
        try Data(bytes).write(to: sample.file("mini.mp4"))
        let inspection = try CaptureInspection.inspect(sample.path)
        let finding = try #require(
            inspection.findings.first { $0.problem.summary == "ffprobe complains about the video" })
        #expect(finding.weight == .warning)
        #expect(finding.problem.place.file == "mini.mp4")
        #expect(!finding.problem.notes.isEmpty)
        #expect(inspection.video?.facts.frameCount == 40)
    }

    @Test func depthInAnotherUnitIsNoticed() throws {
        let sample = try InspectSample()
        // Half floats of 1000 and more: millimetres in an app that says metres.
        let thousand: [UInt8] = [0xD0, 0x63]
        try sample.edit("mini.depth.zlib") { try Self.repacked($0) { _ in (0..<480).flatMap { _ in thousand } } }
        let finding = try #require(try CaptureInspection.inspect(sample.path).findings.first)
        #expect(finding.weight == .warning)
        #expect(finding.problem.summary == "half of the depth is beyond 1000 m, which is not a room")
        #expect(finding.problem.notes == ["it looks like millimetres that were read as metres"])
    }

    // MARK: - No capture at all

    @Test func whatIsNoCaptureIsRefused() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "notes.txt")
        let other = #expect(throws: Problem.self) { try CaptureInspection.inspect(folder.path) }
        #expect(other?.summary == "this is not a capture in a format that ScanMill reads")
        #expect(other?.notes == ["it holds notes.txt"])
        #expect(other?.place.file == folder.path)
        let nothing = #expect(throws: Problem.self) { try CaptureInspection.inspect(folder.path + "/none") }
        #expect(nothing?.summary == "there is nothing at this path")
        let file = #expect(throws: Problem.self) { try CaptureInspection.inspect(folder.path + "/notes.txt") }
        #expect(file?.summary == "this file is not a capture in a format that ScanMill reads")
    }

    @Test func aFolderOfCapturesNamesThem() throws {
        let sample = try InspectSample(named: "first", frames: 1)
        let problem = #expect(throws: Problem.self) { try CaptureInspection.inspect(sample.folder.path) }
        #expect(problem?.summary == "this folder is not a capture, it holds a capture")
        #expect(problem?.notes == ["one is \(sample.path)"])
        #expect(problem?.fix == "name one of them:  scanmill inspect \(sample.path)")
    }

    @Test func aPartOfARecordingNamesTheWhole() throws {
        let sample = try InspectSample(named: "scan", frames: 1)
        try FileManager.default.createDirectory(atPath: "\(sample.path)/color/more", withIntermediateDirectories: true)
        for part in ["color", "color/more"] {
            let problem = #expect(throws: Problem.self) { try CaptureInspection.inspect("\(sample.path)/\(part)") }
            let fix = try #require(problem?.fix)
            #expect(fix.hasPrefix("name the capture that it is a part of: /") && fix.hasSuffix("/scan"))
        }
    }

    /// As mail and file services pack what apps have packed.
    @Test func anArchiveOfArchivesIsToBeUnpacked() throws {
        let folder = try TemporaryFolder()
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1] + '/all.zip', 'w') as z: z.writestr('scans/a.r3d', 'PK')
            """
        #expect(try runPython(script, [folder.path]).status == 0)
        let archive = #expect(throws: Problem.self) { try CaptureInspection.inspect("\(folder.path)/all.zip") }
        #expect(archive?.fix == "unpack it: archives within an archive, such as a.r3d, are not read")
        let around = #expect(throws: Problem.self) { try CaptureInspection.inspect(folder.path) }
        #expect(around?.fix == "no capture is in all.zip: name that file itself to see what it holds")
    }

    // MARK: - Ways to break things

    /// Inflates, changes and deflates a stream with Python's zlib.
    static func repacked(_ bytes: [UInt8], _ change: ([UInt8]) -> some Sequence<UInt8>) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "stream")
        let inflate =
            "import sys, zlib; d = open(sys.argv[1], 'rb').read(); open(sys.argv[1], 'wb').write(zlib.decompress(d, -15))"
        let deflate = """
            import sys, zlib
            data, packer = open(sys.argv[1], "rb").read(), zlib.compressobj(9, zlib.DEFLATED, -15)
            open(sys.argv[1], "wb").write(packer.compress(data) + packer.flush())
            """
        try #require(try runPython(inflate, [path]).status == 0)
        try folder.write(Array(change(try folder.bytes("stream"))), to: "stream")
        try #require(try runPython(deflate, [path]).status == 0)
        return try folder.bytes("stream")
    }

    private static func renamed(_ bytes: [UInt8]) -> [UInt8] {
        guard let place = (0..<bytes.count - 4).first(where: { Array(bytes[$0..<$0 + 4]) == Array(" rot".utf8) }) else {
            return bytes
        }
        return bytes[..<place] + Array(" acce".utf8) + bytes[(place + 4)...]
    }

    /// Moves every camera line on.
    private static func shiftClock(of sample: InspectSample, seconds: Int64) throws {
        for i in 0..<40 {
            let stamp = 5_000_000_000 + 33_333_333 * Int64(i)
            try sample.replace(
                "\"timestamp\": \(stamp),", by: "\"timestamp\": \(stamp + seconds * 1_000_000_000),",
                in: "mini.jsonl")
        }
    }
}
