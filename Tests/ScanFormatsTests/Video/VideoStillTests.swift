import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct VideoStillTests {
    /// The frame that was asked for and no neighbour, also behind a gap and with frames that refer to later ones.
    @Test func theFrameThatWasAskedFor() throws {
        let folder = try TemporaryFolder()
        let path = try TestVideo.gray("a.mp4", in: folder, frames: 40, dropping: [11, 12, 13])
        let ffmpeg = try FFmpeg.find()
        let input = VideoInput(path: path, name: "a.mp4")
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        #expect(facts.frameCount == 37)
        for frame in [0, 1, 10, 11, 20, 36] {
            let image = try VideoStill.decode(
                input, facts: facts, frame: frame, size: PixelSize(facts.width, facts.height), with: ffmpeg)
            // Recorded as frame n of 40, of which three are missing; luma runs from 16 to 235.
            let recorded = frame < 11 ? frame : frame + 3
            let expected = (Double(TestVideo.luma(recorded)) - 16) * 255 / 219
            #expect(abs(Double(image.pixels[0]) - expected) <= 3, "frame \(frame)")
        }
    }

    /// Frames that are shown before a key frame and decoded after it: containers are sought in by the times of decoding.
    @Test(arguments: [
        ["a.mp4", "-x264-params", "open-gop=1"], ["a.mp4", "-use_editlist", "0"],
        ["a.mp4", "-movflags", "frag_keyframe+empty_moov"], ["a.mp4", "-output_ts_offset", "10"],
        ["a.mkv", "-x264-params", "open-gop=1"], ["a.mkv", "-output_ts_offset", "10"],
    ]) func theFramesBeforeAKeyFrame(_ video: [String]) throws {
        let folder = try TemporaryFolder()
        let name = video[0]
        let path = try TestVideo.gray(
            name, in: folder, frames: 72,
            encoder: ["-pix_fmt", "yuv420p", "-qp", "0", "-bf", "3", "-g", "24", "-sc_threshold", "0"]
                + video.dropFirst())
        let ffmpeg = try FFmpeg.find()
        for ignoresEditList in [false, true] {
            let input = VideoInput(path: path, name: name, ignoresEditList: ignoresEditList)
            let facts = try VideoProbe.probe(input, with: ffmpeg)
            #expect(facts.frameCount == 72)
            for frame in [0, 18, 22, 23, 24, 46, 47, 71] {
                let image = try VideoStill.decode(
                    input, facts: facts, frame: frame, size: PixelSize(facts.width, facts.height), with: ffmpeg)
                let expected = (Double(TestVideo.luma(frame)) - 16) * 255 / 219
                #expect(abs(Double(image.pixels[0]) - expected) <= 3, "frame \(frame)")
            }
        }
    }

    /// Frames are counted, and sought, from one that an edit list hides.
    @Test func theFrameBehindAHiddenOne() throws {
        let folder = try TemporaryFolder()
        let whole = try TestVideo.gray("a.mp4", in: folder, frames: 30)
        let path = try TestVideo.hidingFirst(whole, rate: 30, as: "hiding.mp4", in: folder)
        let ffmpeg = try FFmpeg.find()
        let input = VideoInput(path: path, name: "hiding.mp4", ignoresEditList: true)
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        for frame in [0, 1, 2, 17, 29] {
            let image = try VideoStill.decode(
                input, facts: facts, frame: frame, size: PixelSize(facts.width, facts.height), with: ffmpeg)
            let expected = (Double(TestVideo.luma(frame)) - 16) * 255 / 219
            #expect(abs(Double(image.pixels[0]) - expected) <= 3, "frame \(frame)")
        }
    }

    /// The file's clock begins with the sound.
    @Test func theFrameOfAVideoWhoseSoundBeginsBeforeIt() throws {
        let folder = try TemporaryFolder()
        let silent = try TestVideo.gray("a.mp4", in: folder, frames: 40)
        let path = folder.url("loud.mp4").path
        try TestVideo.ffmpeg(
            ["-f", "lavfi", "-i", "sine=duration=2", "-itsoffset", "0.4", "-i", silent, "-map", "1:v", "-map", "0:a"]
                + ["-c:v", "copy", "-c:a", "aac", path])
        let ffmpeg = try FFmpeg.find()
        let input = VideoInput(path: path, name: "loud.mp4")
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        #expect(abs(facts.start - 0.4) < 0.01 && facts.times?.first == 0)
        for frame in [0, 1, 10, 20, 39] {
            let image = try VideoStill.decode(
                input, facts: facts, frame: frame, size: PixelSize(facts.width, facts.height), with: ffmpeg)
            let expected = (Double(TestVideo.luma(frame)) - 16) * 255 / 219
            #expect(abs(Double(image.pixels[0]) - expected) <= 3, "frame \(frame)")
        }
    }

    /// As ScanNet's app records them: without times there is nothing to seek by.
    @Test func theFrameOfABareStream() throws {
        let folder = try TemporaryFolder()
        let whole = try TestVideo.gray("a.mp4", in: folder, frames: 30)
        let path = folder.url("bare.h264").path
        try TestVideo.ffmpeg(["-i", whole, "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264", path])
        let ffmpeg = try FFmpeg.find()
        let input = VideoInput(path: path, name: "bare.h264")
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        #expect(facts.times == nil && facts.frameCount == 30)
        for frame in [0, 1, 2, 17, 29] {
            let image = try VideoStill.decode(
                input, facts: facts, frame: frame, size: PixelSize(facts.width, facts.height), with: ffmpeg)
            let expected = (Double(TestVideo.luma(frame)) - 16) * 255 / 219
            #expect(abs(Double(image.pixels[0]) - expected) <= 3, "frame \(frame)")
        }
    }

    /// Whatever times a file claims, the worst is that there is no such frame.
    @Test func timesAtTheEndOfTheirRange() throws {
        let folder = try TemporaryFolder()
        let path = try TestVideo.gray("c.mp4", in: folder, frames: 3)
        let ffmpeg = try FFmpeg.find()
        let input = VideoInput(path: path, name: "c.mp4")
        var facts = try VideoProbe.probe(input, with: ffmpeg)
        facts.times = [0, .max - 1, .max]
        let size = PixelSize(facts.width, facts.height)
        #expect(throws: Problem.self) {
            try VideoStill.decode(input, facts: facts, frame: 2, size: size, with: ffmpeg)
        }
    }

    @Test func itIsMadeSmaller() throws {
        let folder = try TemporaryFolder()
        let path = try TestVideo.detailed("b.mp4", in: folder, frames: 10)
        let ffmpeg = try FFmpeg.find()
        let input = VideoInput(path: path, name: "b.mp4")
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        let image = try VideoStill.decode(input, facts: facts, frame: 6, size: PixelSize(80, 60), with: ffmpeg)
        #expect(image.width == 80 && image.height == 60)
        let decoder = try VideoDecoder(input, facts: facts, layout: .rgb24, with: ffmpeg)
        var pixels: [UInt8] = []
        for _ in 0...6 { _ = try decoder.nextFrame(into: &pixels) }
        let whole = RGBImage(width: facts.width, height: facts.height, pixels: pixels)
        let expected = whole.downscaled(to: PixelSize(80, 60))
        let differences = zip(image.pixels, expected.pixels).map { abs(Int($0) - Int($1)) }
        #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 8)
    }

    @Test func aFrameThatIsNotThereIsAProblem() throws {
        let folder = try TemporaryFolder()
        let path = try TestVideo.gray("a.mp4", in: folder, frames: 5)
        let ffmpeg = try FFmpeg.find()
        let input = VideoInput(path: path, name: "a.mp4")
        var facts = try VideoProbe.probe(input, with: ffmpeg)
        facts.times = nil
        do {
            _ = try VideoStill.decode(input, facts: facts, frame: 500, size: PixelSize(8, 6), with: ffmpeg)
            Issue.record("a frame behind the end was decoded")
        } catch {
            #expect(error.fault == .input)
            #expect(error.oneLine.hasPrefix("the frame cannot be decoded (a.mp4, frame 500"))
        }
    }
}
