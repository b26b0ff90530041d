import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct VideoFramesTests {
    let folder: TemporaryFolder
    let ffmpeg: FFmpeg

    init() throws {
        folder = try TemporaryFolder()
        ffmpeg = try FFmpeg.find()
    }

    private func open(
        _ path: String, _ layout: VideoLayout, threads: Int = 0, with other: FFmpeg? = nil, frames: Int? = nil
    ) throws -> VideoDecoder {
        let input = VideoInput(path: path, name: "color.mp4")
        var facts = try VideoProbe.probe(input, with: ffmpeg)
        facts.frameCount = frames ?? facts.frameCount
        return try VideoDecoder(input, facts: facts, layout: layout, threads: threads, with: other ?? ffmpeg)
    }

    @Test(arguments: [VideoLayout.rgb24, .luma, .yuv420p]) func decodesWhatWasRecorded(layout: VideoLayout) throws {
        let recorded = try TestVideo.gray("gap.mp4", in: folder, frames: 40, dropping: [7, 20, 21])
        let turned = try TestVideo.turned(recorded, by: 90, in: folder)
        let decoder = try open(turned, layout)
        #expect((decoder.facts.width, decoder.facts.height) == (64, 48))
        #expect(decoder.frameByteCount == [.rgb24: 64 * 48 * 3, .luma: 64 * 48, .yuv420p: 64 * 72][layout])
        var pixels: [UInt8] = []
        for n in 0..<40 where ![7, 20, 21].contains(n) {
            try #require(try decoder.nextFrame(into: &pixels))
            let lumas = (0..<48).flatMap { _ in (0..<64).map { TestVideo.luma(n, column: $0) } }
            let expanded = lumas.map { min(max(Double(Int($0) - 16) * 255 / 219, 0), 255) }
            switch layout {
            case .yuv420p:
                #expect(pixels == lumas + [UInt8](repeating: 128, count: 2 * 32 * 24))
            case .luma: #expect(pixels == expanded.map { UInt8($0.rounded()) })
            case .rgb24:
                #expect(pixels.indices.allSatisfy { abs(Double(pixels[$0]) - expanded[$0 / 3]) < 1.01 })
            }
        }
        #expect(try !decoder.nextFrame(into: &pixels))
        #expect(try !decoder.nextFrame(into: &pixels))
        #expect(decoder.complaints == [])
    }

    /// Frames are stored in the order in which they are decoded: those before the cut need not be the first ones.
    @Test(arguments: ["+faststart", "frag_keyframe+empty_moov"], [0.3, 0.62, 0.97])
    func theWholeFramesOfAFileThatWasCutOff(_ flags: String, _ share: Double) throws {
        let path = try TestVideo.detailed(
            "whole.mp4", in: folder, frames: 90, encoder: ["-bf", "3", "-g", "30", "-movflags", flags])
        let bytes = try folder.bytes("whole.mp4")
        let cut = try folder.write(Array(bytes.prefix(Int(share * Double(bytes.count)))), to: "cut.mp4")
        #expect(throws: Problem.self) { try VideoProbe.probe(VideoInput(path: cut, name: "v"), with: ffmpeg) }
        let input = VideoInput(path: cut, name: "v", keepsWhole: true)
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        #expect(facts.cut?.summary == "the video is cut off" && facts.times?.count == facts.frameCount)
        #expect(facts.frameCount > 5 && facts.frameCount < 90)
        let whole = try open(path, .luma)
        let part = try VideoDecoder(input, facts: facts, layout: .luma, with: ffmpeg)
        var (a, b): ([UInt8], [UInt8]) = ([], [])
        for frame in 0..<facts.frameCount {
            #expect(try whole.nextFrame(into: &a) && part.nextFrame(into: &b))
            #expect(a == b, "frame \(frame) of \(facts.frameCount)")
        }
        #expect(try !part.nextFrame(into: &b))
        // A file that is whole is not asked.
        let sound = try VideoProbe.probe(VideoInput(path: path, name: "v", keepsWhole: true), with: ffmpeg)
        #expect(sound.cut == nil && sound.frameCount == 90)
    }

    @Test func lumaOfFullRangeStaysAsItIs() throws {
        let path = try TestVideo.gray("full.mp4", in: folder, frames: 5, encoder: ["-pix_fmt", "yuvj420p", "-qp", "0"])
        let luma = try open(path, .luma)
        let planes = try open(path, .yuv420p)
        var (grays, pixels): ([UInt8], [UInt8]) = ([], [])
        var seen: Set<UInt8> = []
        while try luma.nextFrame(into: &grays), try planes.nextFrame(into: &pixels) {
            #expect(grays == Array(pixels.prefix(grays.count)))
            seen.formUnion(grays)
        }
        #expect(seen.min() == 0)
    }

    /// Of 10 bits, as newer phones film it: what is a quarter of each number, and no less contrast.
    @Test func tenBitsOfFullRangeKeepIt() throws {
        let path = folder.url("ten.mp4").path
        try TestVideo.ffmpeg(
            [
                "-f", "lavfi", "-i", "color=black:s=64x48:r=30,format=yuv420p10le", "-frames:v", "3", "-vf",
                "geq=lum='4*mod(N*37+X,256)':cb=512:cr=512,setparams=range=pc", "-c:v", "libx264", "-qp", "0",
                "-color_range", "pc", path,
            ])
        let (luma, planes) = (try open(path, .luma), try open(path, .yuv420p))
        #expect(luma.facts.isFullRange && luma.facts.pixelFormat.hasPrefix("yuv420p10"))
        var (greys, pixels): ([UInt8], [UInt8]) = ([], [])
        for n in 0..<3 {
            try #require(try luma.nextFrame(into: &greys))
            try #require(try planes.nextFrame(into: &pixels))
            for i in greys.indices {
                let recorded = (n * 37 + i % 64) % 256
                #expect(abs(Int(greys[i]) - recorded) <= 1 && abs(Int(pixels[i]) - recorded) <= 1)
            }
        }
    }

    /// Noise between 184 and 185 would make a blurred picture of a value in between as sharp as a good one.
    @Test(arguments: ["tv", "pc"]) func whatIsEvenInTenBitsIsEvenInEight(_ range: String) throws {
        let path = folder.url("ten.mp4").path
        try TestVideo.ffmpeg(
            [
                "-f", "lavfi", "-i", "color=black:s=64x48:r=30,format=yuv420p10le", "-frames:v", "4", "-vf",
                "geq=lum='737+N':cb=512:cr=512,setparams=range=\(range)", "-c:v", "libx264", "-qp", "0", "-color_range",
                range, path,
            ])
        let luma = try open(path, .luma)
        #expect(luma.facts.isFullRange == (range == "pc") && luma.facts.pixelFormat == "yuv420p10le")
        var greys: [UInt8] = []
        for _ in 0..<4 {
            try #require(try luma.nextFrame(into: &greys))
            #expect(Set(greys).count == 1)
        }
    }

    /// To the nearest of 8 bits: cut off, every colour would be one to three levels too dark.
    @Test func colorsOfTenBitsAreRounded() throws {
        let path = folder.url("ten.mp4").path
        try TestVideo.ffmpeg(
            [
                "-f", "lavfi", "-i", "color=black:s=64x48:r=30,format=yuv420p10le", "-frames:v", "3", "-vf",
                "geq=lum='64+mod(N*37+X*13,877)':cb=512:cr=512,setparams=range=tv", "-c:v", "libx264", "-qp", "0", path,
            ])
        let colors = try open(path, .rgb24)
        #expect(colors.facts.pixelFormat.hasPrefix("yuv420p10"))
        var pixels: [UInt8] = []
        for n in 0..<3 {
            try #require(try colors.nextFrame(into: &pixels))
            let farthest = pixels.enumerated().map { i, value -> Double in
                let recorded = (n * 37 + i / 3 % 64 * 13) % 877
                return abs(Double(value) - Double(recorded) * 255 / 876)
            }.max()
            #expect(farthest ?? 9 < 0.6)
        }
    }

    /// Two frames nearer to each other than the usual step, as phones film in changing light.
    @Test func framesOfChangingRateAreNoComplaint() throws {
        let path = folder.url("rate.mp4").path
        try TestVideo.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=s=64x48:r=30", "-frames:v", "12", "-vf",
                "settb=1/90000,setpts='(0.1*N-0.095*eq(N,5))/TB'", "-fps_mode", "vfr", "-enc_time_base", "1/90000",
                "-video_track_timescale", "90000", "-use_editlist", "0", "-c:v", "libx264", "-pix_fmt", "yuv420p", path,
            ])
        let decoder = try open(path, .rgb24)
        #expect(decoder.facts.frameCount == 12)
        try decoder.finish()
        #expect(decoder.complaints == [])
    }

    @Test func oddSizes() throws {
        let path = folder.url("odd.mp4").path
        try TestVideo.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc=s=65x49:r=10", "-frames:v", "4", "-pix_fmt", "yuv420p", "-c:v", "mpeg4",
                "-q:v", "1", path,
            ])
        for layout in [VideoLayout.rgb24, .luma, .yuv420p] {
            let decoder = try open(path, layout)
            let counts: [VideoLayout: Int] = [.rgb24: 65 * 49 * 3, .luma: 65 * 49, .yuv420p: 65 * 49 + 2 * 33 * 25]
            #expect(decoder.frameByteCount == counts[layout])
            try decoder.finish()
        }
    }

    @Test func skippedFramesAreCounted() throws {
        let decoder = try open(try TestVideo.gray("a.mp4", in: folder, frames: 20), .yuv420p, threads: 1)
        var pixels: [UInt8] = []
        for n in 0..<20 {
            if n % 3 == 1 {
                #expect(try decoder.nextFrame(into: &pixels))
                #expect(pixels[0] == TestVideo.luma(n))
            } else {
                #expect(try decoder.skipFrame())
            }
        }
        #expect(try !decoder.skipFrame())
    }

    /// The variance of the 4-neighbour Laplacian of OpenCV's grey, against OpenCV's own figures.
    @Test(.enabled(if: SharedData.isThere)) func colorsAreTheSameAsOpenCVs() throws {
        let published = try #require(
            (SharedData.expected("office-video.expected.json")["blur"] as? [String: Any])?["per_frame"] as? [Double])
        let decoder = try open(SharedData.path("office-video/office-video.mp4"), .rgb24)
        var pixels: [UInt8] = []
        for score in published {
            try #require(try decoder.nextFrame(into: &pixels))
            #expect(abs(Self.sharpness(pixels, 640, 480) / score - 1) < 1e-9)
        }
        #expect(try !decoder.nextFrame(into: &pixels))
    }

    @Test(.enabled(if: SharedData.isThere)) func lumaGivesNearlyTheSameScores() throws {
        let published = try #require(
            (SharedData.expected("office-video.expected.json")["blur"] as? [String: Any])?["per_frame"] as? [Double])
        let decoder = try open(SharedData.path("office-video/office-video.mp4"), .luma)
        var luma: [UInt8] = []
        for (number, score) in published.enumerated() {
            try #require(try decoder.nextFrame(into: &luma))
            // The sum over all pixels takes a third of a second.
            guard number.isMultiple(of: 5) else { continue }
            #expect((0.99...1.001).contains(Self.sharpness(luma.flatMap { [$0, $0, $0] }, 640, 480) / score))
        }
    }

    private static func sharpness(_ rgb: [UInt8], _ width: Int, _ height: Int) -> Double {
        var gray = [Int](repeating: 0, count: width * height)
        for i in gray.indices {
            let (red, green, blue) = (Int(rgb[3 * i]), Int(rgb[3 * i + 1]), Int(rgb[3 * i + 2]))
            gray[i] = (9798 * red + 19235 * green + 3735 * blue + 16384) >> 15
        }
        func reflect(_ i: Int, _ n: Int) -> Int { i < 0 ? -i : i >= n ? 2 * n - 2 - i : i }
        var sum = 0
        var squares = 0
        for v in 0..<height {
            let above = reflect(v - 1, height) * width
            let below = reflect(v + 1, height) * width
            for u in 0..<width {
                var laplacian = gray[above + u] + gray[below + u] - 4 * gray[v * width + u]
                laplacian += gray[v * width + reflect(u - 1, width)]
                laplacian += gray[v * width + reflect(u + 1, width)]
                sum += laplacian
                squares += laplacian * laplacian
            }
        }
        let mean = Double(sum) / Double(gray.count)
        return Double(squares) / Double(gray.count) - mean * mean
    }
}

/// Videos and programs that do not do what they should.
extension VideoFramesTests {
    private func problem(_ decoder: VideoDecoder) -> Problem? {
        let first = #expect(throws: Problem.self) { try decoder.finish() }
        var pixels: [UInt8] = []
        let again = #expect(throws: Problem.self) { try decoder.nextFrame(into: &pixels) }
        #expect(first == again)
        return first
    }

    @Test func fewerFramesThanListed() throws {
        let path = try TestVideo.gray("a.mp4", in: folder, frames: 20)
        let found = problem(try open(path, .luma, frames: 23))
        #expect(found?.fault == .input)
        #expect(
            found?.message() == """
                error: the video ends early
                  --> color.mp4, frame 20
                   = 20 of 23 frames were decoded
                   = fix: copy the file again; if it is complete, some of its frames are damaged beyond decoding, \
                or depend on what was cut off; encode the others again with: ffmpeg -i OLD -crf 16 NEW.mp4
                """)
    }

    @Test func moreFramesThanListed() throws {
        let path = try TestVideo.gray("a.mp4", in: folder, frames: 20)
        let found = problem(try open(path, .luma, frames: 17))
        #expect(found?.fault == .input)
        #expect(found?.summary == "the video holds more frames than its index lists")
        #expect(found?.notes == ["the index lists 17, and more can be decoded"])
        #expect(found?.place.frame == 17)
    }

    @Test func endInsideAFrame() throws {
        let path = try TestVideo.gray("a.mp4", in: folder, frames: 20)
        let fake = try TestVideo.fake("head -c \(64 * 48 * 5 + 100) /dev/zero", in: folder)
        let found = problem(try open(path, .luma, with: fake))
        #expect(found?.summary == "the video ends inside a frame")
        #expect(found?.notes == ["100 of 3072 bytes came", "5 of 20 frames were decoded"])
    }

    @Test func decoderThatGivesUp() throws {
        let path = try TestVideo.gray("a.mp4", in: folder, frames: 20)
        let fake = try TestVideo.fake(
            "head -c 6144 /dev/zero; echo '[h264 @ 0x55d0c8a0] [error] bad luck' >&2; exit 3", in: folder)
        let found = problem(try open(path, .luma, with: fake))
        #expect(found?.fault == .input)
        #expect(found?.summary == "ffmpeg gave up on the video, with exit status 3")
        #expect(found?.notes == ["2 of 20 frames were decoded", "ffmpeg says: [h264] bad luck"])
    }

    @Test func killedDecoder() throws {
        let path = try TestVideo.gray("a.mp4", in: folder, frames: 20)
        let fake = try TestVideo.fake("head -c 6144 /dev/zero; kill -9 $$", in: folder)
        let found = problem(try open(path, .luma, with: fake))
        #expect(found?.fault == .environment)
        #expect(found?.summary == "ffmpeg was killed by signal 9 (Killed)")
        #expect(found?.notes == ["2 of 20 frames were decoded"])
    }

    /// More words than a pipe holds, before and after the pixels.
    @Test(.timeLimit(.minutes(20))) func talkativeDecoder() throws {
        let path = try TestVideo.gray("a.mp4", in: folder, frames: 20)
        let words = String(repeating: "many words ", count: 20)
        let fake = try TestVideo.fake(
            "yes '[error] \(words)' | head -n 8000 >&2; head -c \(64 * 48 * 20) /dev/zero; "
                + "yes '[warning] \(words)' | head -n 8000 >&2; echo '[error] last words' >&2", in: folder)
        let decoder = try open(path, .luma, with: fake)
        try decoder.finish()
        // Each once, in the order of the alphabet.
        #expect(decoder.complaints == ["last words", words])
    }

    /// ffmpeg says the same of each, and would else say it once for those in a row.
    @Test func damagedFramesAreCountedEach() throws {
        try TestVideo.detailed("whole.mp4", in: folder, frames: 60)
        var bytes = try folder.bytes("whole.mp4")
        for index in stride(from: bytes.count / 4, to: bytes.count / 2, by: 1999) { bytes[index] ^= 0x55 }
        let path = try folder.write(bytes, to: "damaged.mp4")
        let seen = try runCommand(
            ["ffmpeg", "-nostdin", "-loglevel", "repeat+warning", "-threads", "1", "-i", path, "-f", "null", "-"])
        let count = seen.errors.matches(of: /corrupt decoded frame/).count
        #expect(count > 2)
        var pixels: [[[UInt8]]] = []
        for _ in 0..<2 {
            let input = VideoInput(path: path, name: "damaged.mp4")
            let ffmpeg = try FFmpeg.find()
            let decoder = try VideoDecoder(
                input, facts: try VideoProbe.probe(input, with: ffmpeg), layout: .luma, threads: 1, with: ffmpeg)
            var (frames, frame): ([[UInt8]], [UInt8]) = ([], [])
            while try decoder.nextFrame(into: &frame) { frames.append(frame) }
            #expect(decoder.guessedFrames == count)
            let guessed =
                "parts of \(count) of 60 frames were missing or damaged, and were guessed; frames up to the next key "
                + "frame "
            #expect(decoder.complaints.first == guessed + "depend on them")
            #expect(decoder.complaints.count <= 5)
            pixels.append(frames)
        }
        #expect(pixels[0] == pixels[1])
    }

    /// Every damaged byte may be decoded into something; but not without a word.
    @Test func damageIsComplainedOf() throws {
        try TestVideo.detailed("whole.mp4", in: folder, frames: 60)
        var bytes = try folder.bytes("whole.mp4")
        for index in stride(from: bytes.count / 4, to: bytes.count / 2, by: 97) { bytes[index] ^= 0x55 }
        let decoder = try open(try folder.write(bytes, to: "damaged.mp4"), .luma)
        // Whether frames are lost depends on where the damage is; here it may.
        do throws(Problem) { try decoder.finish() } catch { #expect(error.fault == .input) }
        #expect(decoder.complaints.count > 1)
        #expect(decoder.complaints.first?.hasPrefix("parts of ") == true)
        #expect(!decoder.complaints.joined().contains(folder.path))
        #expect(!decoder.complaints.joined().contains("0x"))
    }
}
