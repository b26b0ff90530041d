import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// The pictures of `write-staging`, with ffmpeg's own programs as witnesses.
@Suite struct WriteStagingVideoTests {
    /// When each frame of a video is shown, seconds, ascending; they are stored in the order of decoding.
    private static func times(_ path: String) throws -> [Double] {
        let result = try runCommand(
            [
                "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time", "-of",
                "csv=p=0", path,
            ])
        try #require(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n").compactMap { Double($0.split(separator: ",")[0]) }.sorted()
    }

    /// The mean luma of each frame, as ffmpeg decodes it.
    private static func luma(
        _ path: String, _ picture: PixelSize = PixelSize(MiniCapture.colorSize.width, MiniCapture.colorSize.height)
    ) throws -> [Double] {
        let result = try runCommand(
            [
                "ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-vf", "extractplanes=y", "-f",
                "rawvideo", "-",
            ])
        try #require(result.status == 0, "\(result.errors)")
        let size = picture.width * picture.height
        return stride(from: 0, to: result.outputBytes.count, by: size).map { start in
            Double(result.outputBytes[start..<start + size].reduce(0) { $0 + Int($1) }) / Double(size)
        }
    }

    private static func expect(_ times: [Double], fit timestamps: [Int64]) {
        #expect(times.count == timestamps.count)
        let wrong = zip(times, timestamps).map { abs($0 - Double($1 - timestamps[0]) / 1e9) }.filter { $0 > 0.001 }
        #expect(wrong.isEmpty)
    }

    // MARK: - From a video

    @Test func anUntouchedVideoIsCopiedByteForByte() throws {
        let source = try MiniSource { $0.pictures = .mp4 }
        for rgb in ["auto", "mp4"] {
            let run = try PipelineRun("- read\n- write-staging: {depth: source, rgb: \(rgb)}", on: source.path)
            #expect(try run.bytes("mini.mp4") == source.bytes("recorded.mp4"))
            #expect(!run.files.contains { $0.hasPrefix("color/") })
            #expect(run.warnings.isEmpty)
            #expect(try run.json("mini.json")["streams"]?.array?.first?["encoding"]?.string == "h264")
        }
    }

    /// Frames that were decoded to choose among them are encoded as they come. Below another look at all frames, and where a
    /// stage has made colours of them, the video is decoded once more: nobody can tell by the result.
    @Test(arguments: [1, 2, 8]) func aThinnedVideoIsTheSameInOnePassAndInTwo(_ workers: Int) throws {
        let source = try MiniSource { $0.pictures = .mp4 }
        func run(_ between: String) throws -> PipelineRun {
            let stages = "- read\n- filter-blur: {window: 3}\n\(between)- decompress\n- write-staging"
            return try PipelineRun(stages, on: source.path, workers: workers)
        }
        let onTheWay = try run("")
        #expect(try Self.times("\(onTheWay.path)/mini.mp4").count == 3)
        #expect(onTheWay.digests == (try run("- select-every: {step: 1}\n")).digests)
        let colors = try run("- write-frames: {color: jpeg, depth: none}\n").digests
        #expect(onTheWay.digests == colors.filter { !$0.key.hasPrefix("outputs/") })
    }

    /// A recorder that fills up its lines: the pictures that are left stay as they were encoded.
    @Test func aVideoWithoutItsEnd() throws {
        let source = try MiniSource { $0.pictures = .mp4 }
        var lines = try String(decoding: source.bytes("recorded.jsonl"), as: UTF8.self).split(separator: "\n")
        lines[6] = lines[5]
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: "\(source.path)/recorded.jsonl", atomically: true, encoding: .utf8)
        let run = try PipelineRun("- read\n- write-staging: {depth: source}", on: source.path)
        #expect(run.receipt["frames"]?["kept"]?.integer == 6)
        #expect(
            run.warnings == [
                "read: 1 of 7 frames is left out: the recorder padded its lines with copies of the last "
                    + "one"
            ])
        #expect(try Self.luma("\(run.path)/mini.mp4") == Array(Self.luma("\(source.path)/recorded.mp4").prefix(6)))
        let (written, recorded) = (
            try Self.times("\(run.path)/mini.mp4"), try Self.times("\(source.path)/recorded.mp4")
        )
        #expect(written == Array(recorded.prefix(6)))
    }

    /// Stray Scanner's edit list hides the first frame from players, and would hide it from those who read the staging
    /// capture: every frame is shown in the new video, and none is encoded again.
    @Test(arguments: ["", "- select-frames: {include: [0, 3]}\n"]) func framesThatPlayersDoNotShow(_ thinning: String)
        throws
    {
        let folder = try TemporaryFolder()
        let sample = SharedData.checkout.appendingPathComponent("samples/stray-scanner").path
        let source = try folder.copySample("stray-scanner", to: "stray")
        let whole = "\(sample)/rgb.mp4"
        // The sample has three frames a second.
        let hiding = try runCommand([
            "ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", "0.3333", "-i", whole, "-c", "copy", "\(source)/rgb.mp4",
        ])
        try #require(hiding.status == 0, "\(hiding.errors)")
        #expect(try Self.luma("\(source)/rgb.mp4", PixelSize(128, 96)).count == 11)
        let run = try PipelineRun("- read\n\(thinning)- write-staging: {depth: source}", on: source)
        let written = try Self.luma("\(run.path)/stray.mp4", PixelSize(128, 96))
        let all = try Self.luma(whole, PixelSize(128, 96))
        if thinning.isEmpty {
            #expect(written == all && all.count == 12)
        } else {
            #expect(written.count == 2)
            for (one, other) in zip(written, [all[0], all[3]]) { #expect(abs(one - other) < 0.5) }
        }
        #expect(run.warnings == [])
        #expect(try ReadCapture(run.path).capture.keptFrames.count == written.count)
    }

    /// The app's videos count their frames at a rate of their own.
    @Test func aVideoWithTimesOfItsOwnIsCopiedWithAWord() throws {
        let folder = try TemporaryFolder()
        let sample = SharedData.checkout.appendingPathComponent("samples/stray-scanner").path
        let source = try folder.copySample("stray-scanner", to: "stray")
        // Three times as slow, so that the first frame alone keeps its time.
        let slowing = try runCommand([
            "ffmpeg", "-nostdin", "-v", "error", "-y", "-itsscale", "3", "-i", "\(sample)/rgb.mp4", "-c", "copy",
            "\(source)/rgb.mp4",
        ])
        try #require(slowing.status == 0, "\(slowing.errors)")
        let run = try PipelineRun("- read\n- write-staging: {depth: source}", on: source)
        #expect(run.warnings.count == 1)
        #expect(run.warnings.first?.contains("shows 11 of its frames at other times") == true, "\(run.warnings)")
    }

    @Test func aThinnedVideoShowsItsFramesAtTheTimesOfTheirLines() throws {
        let source = try MiniSource { ($0.pictures, $0.frameCount) = (.mp4, 12) }
        let kept = [1, 2, 5, 6, 7, 11]
        let run = try PipelineRun(
            "- read\n- select-frames: {include: [1, 2, 5-7, 11]}\n- write-staging: {depth: source}", on: source.path)
        let video = "\(run.path)/mini.mp4"
        Self.expect(try Self.times(video), fit: kept.map(source.mini.timestamp))
        for (luma, frame) in zip(try Self.luma(video), kept) {
            #expect(abs(luma - Double(MiniCapture.grey(frame))) < 2)
        }
        #expect(try run.inflated("mini.depth.zlib") == kept.flatMap(source.mini.depthBytes))
        // The reader compares the times of video and lines, and finds nothing to say.
        #expect(try ReadCapture(run.path).capture.warnings.isEmpty)
    }

    /// A frame in half an hour, for which no encoder has a rate.
    @Test func aSlowTimeLapseIsEncoded() throws {
        var capture = MemoryCapture.shown(3)
        for n in 0..<3 {
            capture.items[n].timestamp = Int64(n) * 1_800_000_000_000
            capture.items[n].intrinsics?.width = 64
            capture.items[n].intrinsics?.height = 48
        }
        capture.frameRate = 1.0 / 1800
        let run = try StageRun("- write-staging: {rgb: mp4}", on: capture)
        #expect(try Self.times("\(run.path)/memory.mp4") == [0, 1800, 3600])
    }

    @Test func aVideoThatIsLongerThanItsLinesIsCutToThem() throws {
        let source = try MiniSource { ($0.pictures, $0.frameCount) = (.mp4, 6) }
        let lines = try source.bytes("recorded.jsonl").split(separator: UInt8(ascii: "\n")).dropLast(2)
        try source.write(Array(lines.joined(separator: [UInt8(ascii: "\n")])), to: "recorded.jsonl")
        let run = try PipelineRun("- read\n- write-staging: {depth: source}", on: source.path)
        #expect(try Self.times("\(run.path)/mini.mp4").count == 4)
        #expect(try run.inflated("mini.depth.zlib") == (0..<4).flatMap(source.mini.depthBytes))
        #expect(try ReadCapture(run.path).capture.frames.count == 4)
    }

    @Test func aVideoThatIsShorterThanItsLinesIsCopied() throws {
        let source = try MiniSource { ($0.pictures, $0.frameCount) = (.mp4, 6) }
        let shorter = try MiniSource { ($0.pictures, $0.frameCount) = (.mp4, 5) }
        try source.write(try shorter.bytes("recorded.mp4"), to: "recorded.mp4")
        let run = try PipelineRun("- read\n- write-staging: {depth: source}", on: source.path)
        #expect(try run.bytes("mini.mp4") == shorter.bytes("recorded.mp4"))
        #expect(try ReadCapture(run.path).capture.frames.count == 5)
    }

    /// What a file says of how long a frame is shown has 31 bits of microseconds.
    @Test func aPauseThatNoVideoCanHoldLeavesTheVideoItsOwnTimes() throws {
        let source = try MiniSource { ($0.pictures, $0.frameCount) = (.mp4, 6) }
        let text = String(decoding: try source.bytes("recorded.jsonl"), as: UTF8.self)
        let stamp = String(source.mini.timestamp(5))
        #expect(text.contains(stamp))
        let later = text.replacingOccurrences(of: stamp, with: String(source.mini.timestamp(5) + 3_600_000_000_000))
        try source.write(Array(later.utf8), to: "recorded.jsonl")
        let run = try PipelineRun(
            "- read\n- select-frames: {exclude: [0]}\n- write-staging: {depth: source}", on: source.path)
        let words = "more than 35 minutes lie between the timestamps of two frames (after the first 4 frames), which"
        #expect(run.warnings.contains { $0.contains(words) }, "\(run.warnings)")
        #expect(try Self.times("\(run.path)/mini.mp4").count == 5)
        #expect(
            try ReadCapture(run.path).capture.frames.last?.timestamp == source.mini.timestamp(5) + 3_600_000_000_000)
    }

    @Test func timestampsThatRepeatLeaveTheVideoItsOwnTimes() throws {
        let source = try MiniSource { ($0.pictures, $0.repeatedTimestamps) = (.mp4, [6]) }
        let run = try PipelineRun(
            "- read\n- select-frames: {exclude: [0]}\n- write-staging: {depth: source}", on: source.path)
        #expect(try Self.times("\(run.path)/mini.mp4").count == 6)
        #expect(
            run.warnings.contains(
                "write-staging: timestamps do not ascend, so the video keeps the times that it was recorded with"))
        let stamps = try ReadCapture(run.path).capture.frames.map(\.timestamp)
        #expect(stamps == (1...6).map(source.mini.timestamp))
    }

    /// The camera lines keep the timestamps as they are.
    @Test func picturesWhoseTimestampsRepeatBecomeAVideo() throws {
        let source = try MiniSource { ($0.pictures, $0.repeatedTimestamps) = (.png, [3]) }
        let run = try PipelineRun("- read\n- write-staging: {depth: source, rgb: mp4}", on: source.path)
        let times = try Self.times("\(run.path)/mini.mp4")
        #expect(times.count == 7 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
        #expect(
            run.warnings.contains {
                $0.hasPrefix(
                    "write-staging: mini.mp4 shows frame 3 of the result one usual step after the frame before, "
                        + "because by its timestamp it would be shown no later"
                )
            }, "\(run.warnings)")
        #expect(try ReadCapture(run.path).capture.frames.map(\.timestamp) == (0..<7).map(source.mini.timestamp))
    }

    @Test func aVideoBecomesPictures() throws {
        let source = try MiniSource { $0.pictures = .mp4 }
        let run = try PipelineRun(
            "- read\n- select-every: {step: 3}\n- write-staging: {depth: source, rgb: frames}", on: source.path)
        #expect(
            run.files.filter { $0.hasPrefix("color/") } == ["color/000000.jpg", "color/000001.jpg", "color/000002.jpg"])
        #expect(!run.files.contains("mini.mp4"))
        for (number, frame) in [0, 3, 6].enumerated() {
            let image = try JPEG.decodeRGB(try run.bytes("color/00000\(number).jpg"))
            let grey = (Int(MiniCapture.grey(frame)) - 16) * 255 / 219
            #expect(image.pixels.allSatisfy { abs(Int($0) - grey) <= 2 })
        }
        let stream = try run.json("mini.json")["streams"]?.array?.first
        #expect(stream?["encoding"]?.string == "jpeg")
        #expect(stream?["file_extension"]?.string == "jpg")
        #expect(run.notes.contains { $0.hasSuffix("takes pictures from an mp4 only; `rgb: mp4` writes it") })
    }

    /// Nothing but a copy: no program runs that the machine might not have.
    @Test func whatIsOnlyCopiedIsNotDecoded() throws {
        let source = try MiniSource { $0.pictures = .mp4 }
        let run = try PipelineRun("- read\n- write-staging: {depth: source}", on: source.path)
        let decoded = try PipelineRun("- read\n- write-staging: {depth: source, rgb: frames}", on: source.path)
        // Depth, confidence and the video's bytes are inputs of both.
        let inputs = { (run: PipelineRun) in (run.receipt["inputs"]?.array ?? []).compactMap { $0["path"]?.string } }
        #expect(inputs(run) == inputs(decoded))
        #expect(inputs(run).contains("recorded.mp4"))
    }

    // MARK: - From pictures

    @Test func picturesBecomeAVideo() throws {
        let source = try MiniSource { $0.frameCount = 9 }
        let run = try PipelineRun(
            "- read\n- select-frames: {exclude: [3, 4]}\n- write-staging: {depth: source, rgb: mp4}", on: source.path)
        let kept = [0, 1, 2, 5, 6, 7, 8]
        let video = "\(run.path)/mini.mp4"
        Self.expect(try Self.times(video), fit: kept.map(source.mini.timestamp))
        for (luma, frame) in zip(try Self.luma(video), kept) {
            #expect(abs(luma - (16 + Double(MiniCapture.grey(frame)) * 219 / 255)) < 2)
        }
        #expect(!run.files.contains { $0.hasPrefix("color/") })
        let stream = try run.json("mini.json")["streams"]?.array?.first
        #expect(stream?["encoding"]?.string == "h264")
        #expect(stream?["file_extension"]?.string == "mp4")
        #expect(try ReadCapture(run.path).capture.warnings.isEmpty)
        #expect(!run.warnings.contains { $0.contains("rgb: mp4") })
    }

    // MARK: - Real captures

    @Test(.enabled(if: SharedData.isThere), arguments: ["office", "office-video"], [1, 3])
    func realCapturesReadBack(name: String, step: Int) throws {
        let source = try ReadCapture(SharedData.path(name))
        let kept = Array(stride(from: 0, to: source.capture.frames.count, by: step))
        let run = try PipelineRun(
            "- read\n- select-every: {step: \(step)}\n- decompress\n- write-staging", on: SharedData.path(name))
        let back = try ReadCapture(run.path)
        #expect(back.capture.frames.count == kept.count)
        #expect(back.capture.warnings == source.capture.warnings)
        let wrong = kept.indices.filter { number in
            let (a, b) = (back.capture.frames[number], source.capture.frames[kept[number]])
            return (a.timestamp, a.pose, a.intrinsics) != (b.timestamp, b.pose, b.intrinsics)
                || back.depth[number] != source.depth[kept[number]]
                || back.confidence[number] != source.confidence[kept[number]]
        }
        #expect(wrong.isEmpty)
        #expect(back.capture.box == source.capture.box)
        // By Python's zlib: frames × bytes of a frame, and the source's own bytes.
        let recorded = try PipelineRun.inflated(SharedData.path("\(name)/\(name).depth.zlib"))
        let size = 256 * 192 * 2
        let frames = kept.flatMap { recorded[$0 * size..<($0 + 1) * size] }
        let isRecorded = try run.inflated("\(name).depth.zlib") == frames
        #expect(isRecorded)
        #expect(try run.inflated("\(name).confidence.zlib").count == kept.count * 256 * 192)
        if name == "office-video" {
            Self.expect(
                try Self.times("\(run.path)/\(name).mp4"), fit: kept.compactMap { source.capture.frames[$0].timestamp })
            let isSame = try run.bytes("\(name).mp4") == SharedData.bytes("\(name)/\(name).mp4")
            #expect(isSame == (step == 1))
        }
    }

    @Test(.enabled(if: SharedData.isThere)) func aCaptureWithNeitherPicturesNorDepth() throws {
        let run = try PipelineRun("- read\n- write-staging: {depth: source}", on: SharedData.path("ipad"))
        #expect(run.files == ["ipad.json", "ipad.jsonl", "processed.txt"])
        let source = try ReadCapture(SharedData.path("ipad")).capture
        let back = try ReadCapture(run.path).capture
        #expect(back.frames.count == 354)
        #expect(back.frames.map(\.pose) == source.frames.map(\.pose))
        #expect(back.frames.map(\.intrinsics) == source.frames.map(\.intrinsics))
        #expect(
            run.warnings == [
                "ipad.mp4 is missing, though the metadata lists a colour stream, and there is no folder color/, rgb/ or "
                    + "images/ with pictures: copy ipad.mp4 too",
                "ipad.confidence.zlib is missing, though the metadata lists a confidence stream: copy "
                    + "ipad.confidence.zlib too",
                "ipad.depth.zlib is missing, though the metadata lists a depth stream: copy ipad.depth.zlib too",
                "write-staging: MultiScan's server wants ipad.mp4, and the capture has no pictures",
            ])
    }
}
