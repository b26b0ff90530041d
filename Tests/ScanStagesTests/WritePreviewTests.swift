import Foundation
import ScanFormats
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct WritePreviewTests {
    /// What ffprobe says about the preview.
    private static func probe(_ path: String, _ entries: String) throws -> [String] {
        let result = try runCommand(
            [
                "ffprobe", "-loglevel", "error", "-select_streams", "v:0", "-show_entries", entries, "-of", "csv=p=0",
                path,
            ])
        #expect(result.status == 0, "\(result.errors)")
        return result.output.split(whereSeparator: \.isWhitespace).map { line in
            line.hasSuffix(",") ? String(line.dropLast()) : String(line)
        }
    }

    /// The middle pixel of each frame, red, green and blue, as ffmpeg's own command line decodes it.
    private static func colors(_ path: String) throws -> [RGBColor] {
        let result = try runCommand(
            [
                "ffmpeg", "-nostdin", "-loglevel", "error", "-i", path, "-fps_mode", "passthrough", "-vf", "crop=2:2",
                "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1",
            ])
        return stride(from: 0, to: result.outputBytes.count, by: 12).map { i in
            RGBColor(result.outputBytes[i], result.outputBytes[i + 1], result.outputBytes[i + 2])
        }
    }

    @Test func everyFrameIsShownAtItsTime() throws {
        let run = try StageRun("- write-preview: {rate: 10}", on: .shown(12))
        #expect(run.files == ["memory_preview.mp4"])
        let path = "\(run.path)/memory_preview.mp4"
        #expect(try Self.probe(path, "stream=codec_name,width,height,pix_fmt") == ["h264,64,48,yuv420p"])
        let times = try Self.probe(path, "packet=pts_time").compactMap(Double.init)
        #expect(times.count == 12)
        for (n, time) in times.enumerated() { #expect(abs(time - Double(n) / 10) < 1e-6) }
        #expect(try Self.colors(path).map(MemoryCapture.frame) == Array(0..<12))
        #expect(run.count("write-preview", "frames") == 12)
        #expect(run.counts("write-preview")["seconds"]?.double == 1.2)
        // The receipt's key knows the encoder.
        #expect(run.receipt["uses"]?["ffmpeg"]?.string?.hasPrefix("ffmpeg version ") == true)
    }

    @Test func fasterIsShorter() throws {
        let run = try StageRun("- write-preview: {rate: 10, speed: 3}", on: .shown(12))
        let path = "\(run.path)/memory_preview.mp4"
        // Frames 0, 3, 6 and 9 fall on places; the others are nearest to one that is taken, but for 2, 5, 8 and 11.
        #expect(try Self.colors(path).map(MemoryCapture.frame) == [0, 2, 5, 8, 11])
        let times = try Self.probe(path, "packet=pts_time").compactMap(Double.init)
        #expect(times == [0, 0.1, 0.2, 0.3, 0.4])
    }

    /// Lower is better and larger, and the usual one is 23. Of noise, since there is nothing to spare in one colour.
    @Test func theRateFactorDecidesOnTheSize() throws {
        var noise = MemoryCapture.shown(6)
        var random = SplitMix(seed: 5)
        for number in noise.items.indices {
            let pixels: [UInt8] = (0..<64 * 48 * 3).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            noise.items[number].pixels = RGBImage(width: 64, height: 48, pixels: pixels)
        }
        let capture = noise
        func video(_ options: String) throws -> [UInt8] {
            try StageRun("- write-preview\(options)", on: capture).bytes("memory_preview.mp4")
        }
        let usual = try video("")
        #expect(try video(": {rate-factor: 23}") == usual)
        #expect(try video(": {rate-factor: 5}").count > usual.count * 3 / 2)
        #expect(try video(": {rate-factor: 45}").count < usual.count * 2 / 3)
    }

    @Test func sizesAreEvenAndUpIsUp() throws {
        let run = try StageRun(
            "- write-preview: {width: 51}", on: .shown(2, size: PixelSize(120, 90), turns: 1))
        let path = "\(run.path)/memory_preview.mp4"
        // 51 × 68 upright: one column less.
        #expect(try Self.probe(path, "stream=width,height") == ["50,68"])
        let small = try StageRun("- write-preview", on: .shown(2, size: PixelSize(33, 25)))
        #expect(try Self.probe("\(small.path)/memory_preview.mp4", "stream=width,height") == ["32,24"])
    }

    /// A video's sides are even, and a picture is never made larger.
    @Test(arguments: [PixelSize(1, 64), PixelSize(64, 1)]) func picturesOnePixelWideArePassedOver(_ size: PixelSize)
        throws
    {
        let run = try StageRun("- write-preview", on: .shown(3, size: size))
        #expect(run.files == [] && run.count("write-preview", "pictures-passed-over") == 3)
        #expect(
            run.warnings.first
                == "write-preview: a picture was passed over: a picture of \(size) is too small (frame 0)")
        #expect(run.warnings.last == "write-preview: there is no preview: no picture could be shown")
    }

    @Test func theIndexStandsFirst() throws {
        let bytes = try StageRun("- write-preview", on: .shown(3)).bytes("memory_preview.mp4")
        let text = String(decoding: bytes, as: Unicode.ASCII.self)
        let (index, frames) = (try #require(text.firstRange(of: "moov")), try #require(text.firstRange(of: "mdat")))
        #expect(index.lowerBound < frames.lowerBound)
    }

    @Test func theBytesDoNotDependOnTheNumberOfWorkers() throws {
        let source = try MiniSource { $0.frameCount = 20 }
        let stages = "- read\n- write-preview: {rate: 60, width: 16}\n- filter-blur: {keep: 0.5}"
        let runs = try [1, 4].map { try PipelineRun(stages, on: source.path, workers: $0) }
        #expect(runs[0].digests == runs[1].digests && runs[0].receipt == runs[1].receipt)
        #expect(runs[0].files == ["mini_preview.mp4"])
    }

    @Test func damagedPicturesAndThoseOfAnotherSizeAreLeftOut() throws {
        var capture = MemoryCapture.shown(5)
        capture.colorSize = nil
        capture.items[2].pixels = RGBImage(width: 32, height: 48, color: .white)
        let run = try StageRun("- write-preview: {rate: 10}", on: capture)
        #expect(run.count("write-preview", "pictures-of-another-size") == 1)
        #expect(try Self.colors("\(run.path)/memory_preview.mp4").map(MemoryCapture.frame) == [0, 1, 3, 4])

        let source = try MiniSource { $0.damagedPictures = [0, 3] }
        let damaged = try PipelineRun("- read: {bad-frame-limit: 1}\n- write-preview: {rate: 10}", on: source.path)
        #expect(damaged.counts("write-preview")["frames"]?.integer == 5)
        #expect(damaged.receipt["frames"]?["kept"]?.integer == 7)
        let none = try MiniSource { $0.damagedPictures = Set(0..<7) }
        let nothing = try PipelineRun("- read: {bad-frame-limit: 1}\n- write-preview", on: none.path)
        #expect(nothing.files == [] && nothing.warnings.contains { $0.contains("there is no preview") })
    }

    /// Together with the thumbnail it is what MultiScan's server makes, and need not make again.
    @Test func stagingSaysThatThePreviewIsDone() throws {
        let source = try MiniSource()
        let run = try PipelineRun(
            "- read\n- write-thumbnail\n- write-preview\n- write-staging: {depth: source}", on: source.path)
        #expect(try run.text("processed.txt").contains("thumbnail=true"))
    }

    @Test func videosArePreviewedAsWell() throws {
        let source = try MiniSource { $0.pictures = .mp4 }
        let run = try PipelineRun("- read\n- write-preview: {rate: 10}", on: source.path)
        // Ten a second, one lost after every third: places 3 and 7 stay empty.
        let times = try Self.probe("\(run.path)/mini_preview.mp4", "packet=pts_time").compactMap(Double.init)
        #expect(times == [0, 0.1, 0.2, 0.4, 0.5, 0.6, 0.8])
    }
}
