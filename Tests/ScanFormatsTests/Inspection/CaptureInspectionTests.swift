import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct CaptureInspectionTests {
    private let sample: InspectSample

    init() throws { sample = try InspectSample() }

    @Test func aSoundCaptureHasNoFindings() throws {
        let inspection = try CaptureInspection.inspect(sample.path)
        #expect(inspection.findings == [])
        #expect(inspection.missing == [])
        #expect(inspection.id == "mini")
        #expect(inspection.recognition.format == "multiscan")
        #expect(inspection.variant == "iOS")
        #expect(inspection.device == "iPad8,10, bench")
        #expect(inspection.frames?.sourceCount == 40)
        #expect(inspection.frames?.wholeCount == 40)
        #expect(inspection.unlistedCount == 0)
    }

    @Test func streamsHaveSizesCountsAndRates() throws {
        try sample.write("x", to: "notes.txt")
        try FileManager.default.createDirectory(at: sample.file("old"), withIntermediateDirectories: false)
        let inspection = try CaptureInspection.inspect(sample.path)
        let frames = Dictionary(uniqueKeysWithValues: inspection.streams.map { ($0.file, $0.frameCount) })
        #expect(
            frames == [
                "boundingbox.json": nil, "mini.json": nil, "mini.jsonl": 40, "mini.depth.zlib": 40,
                "mini.confidence.zlib": 40, "mini.rot": 80, "color/": 40, "notes.txt": nil, "old/": nil,
            ])
        for stream in inspection.streams where !stream.file.hasSuffix("/") {
            #expect(stream.byteCount == Int64(try sample.folder.bytes("mini/\(stream.file)").count))
        }
        let depth = try #require(inspection.streams.first { $0.content == "depth" })
        #expect(depth.size == PixelSize(4, 3))
        let lines = try #require(inspection.streams.first { $0.content == "camera lines" })
        #expect(abs((lines.rate ?? 0) - 30) < 1e-3)
        #expect(inspection.streams.suffix(2).map(\.content) == ["not read", "not read"])
        #expect(inspection.pictures?.sizes.map(\.size) == [PixelSize(8, 6)])
        #expect(inspection.pictures?.sizes.map(\.count) == [40])
    }

    @Test func masksAreListedAsSuch() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copySample("transforms")
        let mask = LumaImage(width: 128, height: 96, pixels: Array(repeating: 255, count: 128 * 96))
        try folder.write(try PNG.encodeGray8(mask), to: "transforms/masks/a.png")
        let picture = "\"file_path\": \"images/000003.jpg\""
        let text = String(decoding: try folder.bytes("transforms/transforms.json"), as: UTF8.self)
        let masked = text.replacingOccurrences(of: picture, with: "\(picture), \"mask_path\": \"masks/a.png\"")
        try folder.write(masked, to: "transforms/transforms.json")
        let streams = try CaptureInspection.inspect(path).streams
        #expect(streams.first { $0.file == "masks/a.png" }?.content == "mask")
    }

    /// Pictures at the top are called by their own names if these are alike.
    @Test(arguments: [("000011.jpg", "*.jpg"), ("a.jpg", "./")])
    func eachFolderOfPicturesIsListed(_ moved: String, _ name: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.copySample("transforms")
        var text = String(decoding: try folder.bytes("transforms/transforms.json"), as: UTF8.self)
        for (old, new) in [("000009", "more/b.jpg"), ("000010", "1.jpg"), ("000011", moved)] {
            text = text.replacingOccurrences(of: "images/\(old).jpg", with: new)
            try folder.write(try folder.bytes("transforms/images/\(old).jpg"), to: "transforms/\(new)")
            try FileManager.default.removeItem(atPath: "\(path)/images/\(old).jpg")
        }
        try folder.write(text, to: "transforms/transforms.json")
        let inspection = try CaptureInspection.inspect(path)
        #expect(inspection.findings == [])
        let rows = inspection.streams.filter { $0.content == "pictures" }
        #expect(rows.map(\.file) == [name, "images/", "more/"])
        #expect(rows.map(\.frameCount) == [2, 9, 1])
        #expect(rows[2].byteCount == Int64(try folder.bytes("transforms/more/b.jpg").count))
        let pictures = try #require(inspection.pictures)
        #expect(pictures.folders.map(\.name) == ["./", "images/", "more/"])
        #expect(pictures.count == 12)
        let bytes = rows.compactMap(\.byteCount).reduce(0, +)
        #expect(pictures.byteCount == bytes)
    }

    /// Worked out by hand from what the sample says of its pixels.
    @Test func depthIsMeasuredExactly() throws {
        let depth = try #require(try CaptureInspection.inspect(sample.path).depth)
        #expect(depth.frameCount == 40)
        #expect(depth.size == PixelSize(4, 3))
        #expect(depth.pixelCount == 480)
        // Eleven of twelve pixels have a depth, and frame 0 loses three more.
        #expect(depth.validCount == 40 * 11 - 3)
        #expect(depth.repaired == .init(nan: 1, infinite: 1, negative: 1))
        let pixels = (0..<480).filter { $0 % 12 > 0 && $0 > 3 }
        let values = pixels.map { pixel in 1 + Double(pixel) / 1024 }
        #expect(depth.range == values[0]...values[values.count - 1])
        #expect(depth.median == values[values.count / 2])
    }

    @Test func theMedianOfAnEvenNumberIsBetweenTheMiddleTwo() throws {
        // Without the last pixel there are 436, and the middle two are the first of frame 20.
        try sample.edit("mini.depth.zlib") {
            try CaptureInspectionDamageTests.repacked($0) { $0[..<958] + [0, 0] }
        }
        let depth = try #require(try CaptureInspection.inspect(sample.path).depth)
        #expect(depth.validCount == 436)
        #expect(depth.median == 1 + 241.5 / 1024)
    }

    @Test func confidenceIsCountedByValue() throws {
        let confidence = try #require(try CaptureInspection.inspect(sample.path).confidence)
        #expect(confidence.frameCount == 40)
        #expect(Array(confidence.counts.prefix(4)) == [160, 160, 160, 0])
        #expect(confidence.levelCounts == [160, 160, 160])
        #expect(confidence.strayCount == 0)
    }

    @Test func cameraFactsComeFromTheLines() throws {
        let inspection = try CaptureInspection.inspect(sample.path)
        let path = try #require(inspection.path)
        #expect(path.poseCount == 40)
        #expect(abs(path.length - 0.39) < 1e-12)
        #expect(path.low == .zero)
        #expect(path.high == Vector3(0.39, 0, 0))
        #expect(abs((path.speeds?.median ?? 0) - 0.3) < 1e-6)
        #expect(path.attitude?.axis == "+y")
        #expect(path.attitude?.upAngle == 0)
        let intrinsics = try #require(inspection.intrinsics)
        #expect(intrinsics.fx == 100...139)
        #expect(intrinsics.cx == 4...4)
        #expect(!intrinsics.isConstant)
        #expect(intrinsics.size == PixelSize(8, 6))
        #expect(inspection.clock?.gapCount == 0)
        #expect(inspection.box?.coverage.faces == [.back: 40])
        #expect(inspection.motion.map(\.facts.sampleCount) == [80])
        #expect(inspection.motion.first?.startOffset == 0)
    }

    /// A box of another recording, or poses that are not what they seem.
    @Test func aBoxThatNoPictureShowsIsDoubted() throws {
        let file = "boundingbox.json"
        let box = try BoundingBoxJSON([UInt8](Data(contentsOf: sample.file(file))), file: file).box
        func summaries(_ center: Vector3) throws -> [String] {
            var moved = box
            moved.center = center
            try sample.write(String(decoding: BoundingBoxJSON.text(moved), as: UTF8.self), to: file)
            return try CaptureInspection.inspect(sample.path).findings.map(\.problem.summary)
        }
        #expect(try summaries(box.center) == [])
        // Behind the cameras.
        #expect(try summaries(Vector3(0, 0, 9)) == ["no picture shows the middle of the box"])
    }

    /// Of what most of the cameras are, as a run says it.
    @Test func whatMostCamerasAreIsDoubted() throws {
        for frame in 1..<40 {
            try sample.replace(
                "[\(100 + frame), 0, 0, 0, \(100 + frame), 0, 4, 3, 1]", by: "[150, 0, 0, 0, 100, 0, 4, 3, 1]",
                in: "mini.jsonl")
        }
        let inspection = try CaptureInspection.inspect(sample.path)
        #expect(inspection.intrinsics?.fx == 100...150 && inspection.intrinsics?.fy == 100...100)
        let summaries = inspection.findings.map(\.problem.summary)
        #expect(
            summaries.contains(
                "the pixels are far from square: fx / fy is 1.5: the intrinsics may be wrong, or for pictures of another size"
            ))
    }

    @Test func aDroppedFrameIsAGapInTheClock() throws {
        let lines = String(decoding: try sample.folder.bytes("mini/mini.jsonl"), as: UTF8.self)
        // Everything from frame 10 on comes one step later, and frame 20 a further two.
        let moved = lines.split(separator: "\n").enumerated().map { (i: Int, line: Substring) -> String in
            let late = i >= 20 ? 3 : i >= 10 ? 1 : 0
            let stamp = 5_000_000_000 + 33_333_333 * i
            return line.replacing("\(stamp)", with: "\(stamp + 33_333_333 * late)", maxReplacements: 1).description
        }
        try sample.write(moved.joined(separator: "\n") + "\n", to: "mini.jsonl")
        // Frame 9 has no time, but is not missing.
        try sample.replaceLine(10, of: "mini.jsonl", by: "nonsense")
        let clock = try #require(try CaptureInspection.inspect(sample.path).clock)
        #expect(clock.gapCount == 2)
        #expect(clock.gaps.map(\.frame) == [10, 20])
        #expect(clock.gaps.map(\.missingFrames) == [1, 2])
        #expect(abs(clock.duration - 42 * 0.033_333_333) < 1e-9)
    }
}

// MARK: - What a bad frame changes

extension CaptureInspectionTests {
    /// A line that cannot be read leaves no timestamp, but no time is missing.
    @Test func aBadLineIsNoGap() throws {
        try sample.replaceLine(5, of: "mini.jsonl", by: "nonsense")
        let clock = try #require(try CaptureInspection.inspect(sample.path).clock)
        #expect(clock.timestampCount == 39)
        #expect(clock.gapCount == 0)
        #expect(abs((clock.rate ?? 0) - 30) < 1e-3)
    }

    /// Every third frame has the time of the one before. Nothing goes back, and the step is the usual one.
    @Test func framesOfEqualTimesCount() throws {
        for frame in stride(from: 1, to: 40, by: 3) {
            let stamp = 5_000_000_000 + 33_333_333 * frame
            try sample.replace(
                "\"timestamp\": \(stamp),", by: "\"timestamp\": \(stamp - 33_333_333),", in: "mini.jsonl")
        }
        let clock = try #require(try CaptureInspection.inspect(sample.path).clock)
        #expect(clock.backwardCount == 13)
        #expect(abs((clock.medianStep ?? 0) - 0.033_333_333) < 1e-12)
    }

    @Test func aBadPoseIsNoPartOfThePath() throws {
        try sample.replace("0.39, 0, 0, 1]", by: "1e300, 0, 0, 1]", in: "mini.jsonl")
        let path = try #require(try CaptureInspection.inspect(sample.path).path)
        #expect(path.poseCount == 39)
        #expect(abs(path.length - 0.38) < 1e-12)
    }

    /// What the metadata list and nobody copied; without it the rest is measured all the same.
    @Test func whatIsListedAndMissingIsAWarning() throws {
        try FileManager.default.removeItem(at: sample.file("color"))
        for kind in ["depth", "confidence"] { try sample.remove("mini.\(kind).zlib") }
        let inspection = try CaptureInspection.inspect(sample.path)
        #expect(
            inspection.findings.map { "\($0.weight): \($0.problem.summary); \($0.problem.fix ?? "")" } == [
                "warning: mini.mp4 is missing, though the metadata lists a colour stream, and there is no folder color/,"
                    + " rgb/ or images/ with pictures; copy mini.mp4 too",
                "warning: mini.confidence.zlib is missing, though the metadata lists a confidence stream; copy "
                    + "mini.confidence.zlib too",
                "warning: mini.depth.zlib is missing, though the metadata lists a depth stream; copy mini.depth.zlib too",
            ])
        #expect(inspection.frames?.sourceCount == 40)
        #expect(inspection.frames?.wholeCount == 0)
        #expect(inspection.path?.poseCount == 40)
    }

    @Test func filesWithoutEndAreCounted() throws {
        for i in 0..<25 { try sample.write("x", to: "note\(i).txt") }
        let inspection = try CaptureInspection.inspect(sample.path)
        #expect(inspection.streams.count { $0.content == "not read" } == 20)
        #expect(inspection.unlistedCount == 5)
    }
}

// MARK: - Real captures

@Suite(.enabled(if: SharedData.isThere)) struct RealCaptureInspectionTests {
    @Test(arguments: [("office", 40), ("office-video", 200)])
    func agreesWithTheIndependentFigures(name: String, count: Int) throws {
        let expected = try SharedData.expected("\(name).expected.json")
        let inspection = try CaptureInspection.inspect(SharedData.path(name))
        #expect(inspection.findings == [])
        #expect(inspection.missing == [])
        #expect(inspection.frames?.sourceCount == count)
        #expect(inspection.frames?.wholeCount == count)

        let path = try #require(inspection.path)
        #expect(abs(path.length - (try #require(expected["path_length_m"] as? Double))) < 1e-9)
        let speeds = try #require(expected["speed_mps"] as? [Double])
        #expect(abs((path.speeds?.median ?? 0) - speeds.sorted()[speeds.count / 2]) < 1e-7)
        let highest = try #require(speeds.max())
        #expect(abs((path.speeds?.highest ?? 0) - highest) < 1e-7)
        #expect(path.speeds?.highestFrame == (speeds.firstIndex(of: highest) ?? 0) + 1)

        let hits = try #require(expected["face_hits"] as? [String: Int])
        let box = try #require(inspection.box)
        for face in BoxFace.allCases { #expect(box.coverage.faces[face] ?? 0 == hits[face.rawValue]) }
        #expect(box.coverage.missCount == hits["miss"])

        let bytes = try #require(expected["inflated_bytes"] as? [String: Int])
        #expect(inspection.depth?.pixelCount == (bytes["depth"] ?? 0) / 2)
        #expect(inspection.confidence?.pixelCount == bytes["confidence"])
        let motion = try #require(expected["motion"] as? [String: [String: Any]])
        #expect(inspection.motion.count == motion.count)
        for entry in inspection.motion {
            #expect(entry.facts.sampleCount == motion[entry.kind.rawValue]?["samples"] as? Int)
        }
    }

    /// Against Python's own zlib, struct and statistics.
    @Test func depthAndConfidenceAgreeWithPython() throws {
        let script = """
            import json, statistics, struct, sys, zlib
            def inflate(name):
                return zlib.decompress(open(sys.argv[1] + "/office." + name + ".zlib", "rb").read(), -15)
            depth = inflate("depth")
            valid = [d for d in struct.unpack("<%de" % (len(depth) // 2), depth) if d > 0]
            confidence = inflate("confidence")
            print(len(valid), min(valid), max(valid), statistics.median(valid),
                *(confidence.count(bytes([v])) for v in (0, 1, 2)))
            """
        let result = try runPython(script, [SharedData.path("office")])
        let figures = result.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        try #require(figures.count == 7, "\(result.errors)")
        let inspection = try CaptureInspection.inspect(SharedData.path("office"))
        let depth = try #require(inspection.depth)
        #expect(Double(depth.validCount) == figures[0])
        #expect(depth.range == figures[1]...figures[2])
        #expect(depth.median == figures[3])
        #expect(inspection.confidence?.counts.prefix(3).map { Double($0) } == Array(figures[4...]))
    }

    @Test func theVideoIsDescribed() throws {
        let video = try #require(try CaptureInspection.inspect(SharedData.path("office-video")).video)
        let probe = try runCommand([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
            "stream=codec_name,width,height,nb_frames",
            "-of", "csv=p=0", SharedData.path("office-video/office-video.mp4"),
        ])
        let facts = video.facts
        #expect(probe.output.hasPrefix("\(facts.codec),\(facts.width),\(facts.height),\(facts.frameCount)"))
        #expect(video.offTimeCount == 0)
    }

    /// A project of which only the description and the box are there.
    @Test func aProjectWithoutItsPicturesIsAnIncompleteCopy() throws {
        let inspection = try CaptureInspection.inspect(SharedData.path("chair"))
        let finding = try #require(inspection.findings.first)
        #expect(finding.weight == .warning)
        #expect(finding.problem.summary == "transforms.json lists 52 pictures, and none is there")
        #expect(finding.problem.fix == "copy the folder images/ too")
        #expect(inspection.frames?.sourceCount == 52)
        #expect(inspection.frames?.wholeCount == 0)
    }

    /// A recording of which only the two text files are there.
    @Test func aRecordingWithoutStreamsIsInspected() throws {
        let inspection = try CaptureInspection.inspect(SharedData.path("ipad"))
        #expect(inspection.findings.map(\.weight) == [.warning, .warning, .warning])
        #expect(
            inspection.findings.map(\.problem.fix)
                == ["copy ipad.mp4 too", "copy ipad.confidence.zlib too", "copy ipad.depth.zlib too"])
        #expect(inspection.device == "iPad8,10, multiscan’s iPad Pro")
        #expect(inspection.missing.map(\.what) == ["pictures", "depth", "confidence", "box", "motion"])
        #expect(inspection.missing[1].reason == "ipad.depth.zlib is missing, though the metadata lists a depth stream")
        #expect(inspection.frames?.sourceCount == 354)
        #expect(inspection.frames?.wholeCount == 0)

        // By Python, from the lines themselves.
        let script = """
            import json, statistics, sys
            lines = [json.loads(line) for line in open(sys.argv[1])]
            fx = [line["intrinsics"][0] for line in lines]
            times = [line["timestamp"] for line in lines]
            steps = [b - a for a, b in zip(times, times[1:])]
            median = statistics.median(steps)
            gaps = [i + 1 for i, step in enumerate(steps) if step > 1.5 * median]
            print(min(fx), max(fx), median / 1e9, (times[-1] - times[0]) / 1e9, *gaps)
            """
        let result = try runPython(script, [SharedData.path("ipad/ipad.jsonl")])
        let figures = result.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        try #require(figures.count == 5, "\(result.errors)")
        #expect(inspection.intrinsics?.fx == figures[0]...figures[1])
        let clock = try #require(inspection.clock)
        #expect(abs((clock.medianStep ?? 0) - figures[2]) < 1e-12)
        #expect(abs(clock.duration - figures[3]) < 1e-12)
        #expect(clock.gaps.map { Double($0.frame) } == [figures[4]])
        #expect(clock.gaps.map(\.missingFrames) == [1])
        // The tablet was held upright and looked down: its camera's own up was 86° off.
        #expect(abs((inspection.path?.attitude?.upAngle ?? 0) - 86) < 0.5)
        #expect(inspection.path?.attitude?.axis == "+z")
    }
}
