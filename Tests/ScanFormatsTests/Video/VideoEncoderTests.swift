import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct VideoEncoderTests {
    let folder: TemporaryFolder
    let ffmpeg: FFmpeg

    init() throws {
        folder = try TemporaryFolder()
        ffmpeg = try FFmpeg.find()
    }

    private func path(_ name: String) -> String { folder.url(name).path }

    /// Frames of one grey each, at the given times.
    @discardableResult
    private func encode(_ name: String, _ settings: VideoSettings, times: [Int64]) throws -> VideoFacts {
        let encoder = try VideoEncoder(path: path(name), name: name, settings: settings, with: ffmpeg)
        let count = settings.layout.byteCount(width: settings.width, height: settings.height)
        for (n, time) in times.enumerated() {
            try encoder.append([UInt8](repeating: TestVideo.luma(n), count: count), at: time)
        }
        return try encoder.finish()
    }

    /// Irregular and with gaps, on a clock that started long ago.
    private func irregularTimes(_ count: Int) -> [Int64] {
        var time: Int64 = 123_456_789_012_345
        return (0..<count).map { n in
            defer { time += Int64.random(in: 15_900_000...17_400_000) + (n % 50 == 7 ? 16_666_667 : 0) }
            return time
        }
    }

    @Test(arguments: [VideoLayout.rgb24, .yuv420p]) func timesAreExactToTheMicrosecond(layout: VideoLayout) throws {
        let times = irregularTimes(5000)
        let settings = VideoSettings(width: 16, height: 16, layout: layout, nominalRate: 60)
        let facts = try encode("a.mp4", settings, times: times)
        #expect(facts.frameCount == 5000)
        // ffprobe's own words, read without our code.
        let stored = try TestVideo.ffprobe(path("a.mp4"), "packet=pts_time").split(separator: "\n").compactMap {
            Double($0.trimmingCharacters(in: ["," as Unicode.Scalar]))
        }
        #expect(stored.count == 5000)
        for (time, seconds) in zip(times, stored) {
            #expect(abs(Double(time - times[0]) / 1e9 - seconds) < 0.6e-6)
        }
    }

    /// The index of an mp4 file, before or behind its frames; either way a rerun gives the same bytes.
    @Test func theIndexStandsFirstWhereThatIsAskedFor() throws {
        var files: [[UInt8]] = []
        for (name, startsAtOnce) in [("a.mp4", false), ("b.mp4", true), ("c.mp4", true)] {
            var settings = VideoSettings(width: 32, height: 16, layout: .rgb24, nominalRate: 25)
            settings.startsAtOnce = startsAtOnce
            try encode(name, settings, times: (0..<9).map { $0 * 40_000_000 })
            files.append(try folder.bytes(name))
        }
        let isFirst = files.map { file -> Bool? in
            let text = String(decoding: file, as: Unicode.ASCII.self)
            guard let index = text.firstRange(of: "moov"), let frames = text.firstRange(of: "mdat") else { return nil }
            return index.lowerBound < frames.lowerBound
        }
        #expect(isFirst == [false, true, true] && files[1] == files[2])
    }

    @Test func twentyThousandFrames() throws {
        let times = irregularTimes(20_000)
        let settings = VideoSettings(width: 16, height: 16, layout: .yuv420p, nominalRate: 60)
        let facts = try encode("a.mp4", settings, times: times)
        #expect(facts.times?.count == 20_000)
        #expect(abs((facts.times?.last ?? 0) - (times[19_999] - times[0])) <= 500)
    }

    @Test(arguments: [VideoLayout.rgb24, .yuv420p]) func rerunGivesTheSameBytes(layout: VideoLayout) throws {
        let settings = VideoSettings(width: 128, height: 96, layout: layout, nominalRate: 30)
        let times = irregularTimes(60)
        try encode("a.mp4", settings, times: times)
        try encode("b.mp4", settings, times: times)
        #expect(try folder.bytes("a.mp4") == folder.bytes("b.mp4"))
        // On a machine with another number of processors, too: x264 writes down what it was told.
        let text = String(decoding: try folder.bytes("a.mp4"), as: UTF8.self)
        #expect(text.contains(" threads=1 lookahead_threads=1 "))
        try encode("c.mp4", settings, times: irregularTimes(60))
        #expect(try folder.bytes("a.mp4") != folder.bytes("c.mp4"))
    }

    @Test func planesArePassedOnUnchanged() throws {
        var settings = VideoSettings(width: 64, height: 48, layout: .yuv420p, nominalRate: 30)
        settings.rateFactor = 0
        settings.rotation = 270
        settings.color.range = "pc"
        settings.color.matrix = "bt709"
        settings.color.primaries = "bt709"
        settings.color.transfer = "bt709"
        let facts = try encode("a.mp4", settings, times: (0..<10).map { $0 * 33_333_333 })
        #expect(facts.rotation == 270)
        #expect(facts.color == settings.color)
        let decoder = try VideoDecoder(
            VideoInput(path: path("a.mp4"), name: "a.mp4"), facts: facts, layout: .yuv420p, with: ffmpeg)
        var pixels: [UInt8] = []
        for n in 0..<10 {
            #expect(try decoder.nextFrame(into: &pixels))
            #expect(pixels.allSatisfy { $0 == TestVideo.luma(n) })
        }
    }

    /// A copy without them would be shown in other colours.
    @Test(arguments: [("fcc", "bt470m", "iec61966-2-4"), ("ycgco", "film", "bt2020-12")])
    func rareColorsAreDeclared(_ matrix: String, _ primaries: String, _ transfer: String) throws {
        var settings = VideoSettings(width: 64, height: 48, layout: .yuv420p, nominalRate: 30)
        settings.color.range = "tv"
        settings.color.matrix = matrix
        settings.color.primaries = primaries
        settings.color.transfer = transfer
        #expect(try encode("a.mp4", settings, times: [0, 33_000_000]).color == settings.color)
        // Of frames that were red, green and blue before they became 4:2:0, and of a number without a meaning.
        settings.color.matrix = "gbr"
        settings.color.primaries = "reserved"
        let color = try encode("b.mp4", settings, times: [0, 33_000_000]).color
        #expect(color.matrix == "unknown" && color.primaries == "unknown" && color.transfer == transfer)
    }

    @Test(arguments: [0, 90, 180, 270]) func rotationIsWritten(degrees: Int) throws {
        var settings = VideoSettings(width: 64, height: 48, layout: .rgb24, nominalRate: 30)
        settings.rotation = degrees
        #expect(try encode("a.mp4", settings, times: [0, 33_000_000]).rotation == degrees)
        // A player's size: ffmpeg turns the picture when nothing keeps it from that.
        try TestVideo.ffmpeg(["-i", path("a.mp4"), "-frames:v", "1", path("shown.png")])
        let shown = try TestVideo.ffprobe(path("shown.png"), "stream=width,height")
        #expect(shown == (degrees % 180 == 0 ? "64,48" : "48,64"))
    }

    @Test(arguments: [[200, 30, 20], [20, 190, 40], [30, 40, 210]] as [[UInt8]]) func colorsSurvive(rgb: [UInt8]) throws
    {
        let settings = VideoSettings(width: 32, height: 32, layout: .rgb24, nominalRate: 30)
        let encoder = try VideoEncoder(path: path("a.mp4"), name: "a.mp4", settings: settings, with: ffmpeg)
        let picture = (0..<(32 * 32)).flatMap { _ in rgb }
        for n in 0..<3 { try encoder.append(picture, at: Int64(n) * 33_333_333) }
        let facts = try encoder.finish()
        #expect(facts.color.matrix == "smpte170m")
        let decoder = try VideoDecoder(
            VideoInput(path: path("a.mp4"), name: "a.mp4"), facts: facts, layout: .rgb24, with: ffmpeg)
        var pixels: [UInt8] = []
        #expect(try decoder.nextFrame(into: &pixels))
        #expect(zip(pixels, picture).allSatisfy { abs(Int($0) - Int($1)) <= 4 })
    }

    @Test func reencodeKeepsTheChosenFrames() throws {
        let source = try TestVideo.detailed(
            "source.mp4", in: folder, frames: 50, encoder: ["-color_primaries", "bt709"])
        let turned = try TestVideo.turned(source, by: 270, in: folder)
        let input = VideoInput(path: turned, name: "turned.mp4")
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        #expect(facts.rotation == 270)
        let kept = (0..<50).filter { ![0, 1, 7, 20, 21, 22, 49].contains($0) }
        var settings = VideoSettings(like: facts)
        settings.rateFactor = 0
        let written = try VideoEncoder.reencode(
            input, facts: facts, keeping: kept, path: path("kept.mp4"), name: "kept.mp4", settings: settings,
            with: ffmpeg)
        #expect(written.frameCount == kept.count)
        #expect(written.rotation == 270)
        #expect(written.color == facts.color)
        #expect(written.complaints == [])
        let recorded = try #require(facts.times)
        let wanted = kept.map { recorded[$0] - recorded[kept[0]] }
        for (time, other) in zip(try #require(written.times), wanted) { #expect(abs(time - other) <= 1000) }

        let old = try VideoDecoder(input, facts: facts, layout: .yuv420p, with: ffmpeg)
        let new = try VideoDecoder(
            VideoInput(path: path("kept.mp4"), name: "kept.mp4"), facts: written, layout: .yuv420p, with: ffmpeg)
        var (oldPixels, newPixels): ([UInt8], [UInt8]) = ([], [])
        for n in 0..<50 {
            #expect(try old.nextFrame(into: &oldPixels))
            guard kept.contains(n) else { continue }
            #expect(try new.nextFrame(into: &newPixels))
            #expect(oldPixels == newPixels)
        }
    }

    /// Whoever follows edit lists sees all frames afterwards, at their times, and none is encoded again.
    @Test func rewrappingShowsWhatAnEditListHid() throws {
        let whole = try TestVideo.gray("whole.mp4", in: folder, frames: 12, dropping: [5])
        let hiding = try TestVideo.hidingFirst(
            TestVideo.turned(whole, by: 90, in: folder), rate: 30, as: "hiding.mp4", in: folder)
        let input = VideoInput(path: hiding, name: "hiding.mp4", ignoresEditList: true)
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        #expect(facts.rotation == 90)
        for name in ["a.mp4", "b.mp4"] {
            try VideoEncoder.rewrap(input, facts: facts, to: path(name), name: name, with: ffmpeg)
        }
        #expect(try folder.bytes("a.mp4") == folder.bytes("b.mp4"))
        let written = try VideoProbe.probe(VideoInput(path: path("a.mp4"), name: "a.mp4"), with: ffmpeg)
        #expect(written.frameCount == 11 && written.times == facts.times && written.rotation == 90)
        func packets(_ path: String) throws -> [UInt8] {
            try TestVideo.ffmpeg(["-i", path, "-map", "0:v", "-c", "copy", "-f", "data", folder.url("packets").path])
            return try folder.bytes("packets")
        }
        #expect(try packets(path("a.mp4")) == packets(whole))
        var wrong = facts
        wrong.frameCount = 12
        let problem = #expect(throws: Problem.self) {
            try VideoEncoder.rewrap(input, facts: wrong, to: path("c.mp4"), name: "c.mp4", with: ffmpeg)
        }
        #expect(problem?.summary == "the written video differs from hiding.mp4")
    }

    @Test func reencodeWithOtherTimes() throws {
        let source = try TestVideo.gray("source.mp4", in: folder, frames: 10)
        let bare = path("source.h264")
        try TestVideo.ffmpeg(["-i", source, "-c", "copy", "-bsf:v", "h264_mp4toannexb", bare])
        let input = VideoInput(path: bare, name: "source.h264")
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        let settings = VideoSettings(like: facts)
        let untimed = #expect(throws: Problem.self) {
            try VideoEncoder.reencode(
                input, facts: facts, keeping: [3], path: path("x.mp4"), name: "x.mp4", settings: settings, with: ffmpeg)
        }
        #expect(untimed?.summary == "the video says nothing about the times of its frames")
        let written = try VideoEncoder.reencode(
            input, facts: facts, keeping: [3, 4, 9], times: [5_000, 70_000, 2_000_000], path: path("x.mp4"),
            name: "x.mp4", settings: settings, with: ffmpeg)
        #expect(written.times == [0, 65_000, 1_995_000])
    }

    @Test func reencodeTellsOfFramesThatWereGuessed() throws {
        try TestVideo.detailed("whole.mp4", in: folder, frames: 60)
        var bytes = try folder.bytes("whole.mp4")
        for index in stride(from: bytes.count / 4, to: bytes.count / 2, by: 1999) { bytes[index] ^= 0x55 }
        let input = VideoInput(path: try folder.write(bytes, to: "damaged.mp4"), name: "damaged.mp4")
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        let written = try VideoEncoder.reencode(
            input, facts: facts, keeping: [0, 1], path: path("x.mp4"), name: "x.mp4",
            settings: VideoSettings(like: facts), with: ffmpeg)
        #expect(written.complaints.first?.hasPrefix("parts of ") == true)
    }

    @Test func reencodeOfABrokenVideoLeavesNoFile() throws {
        let source = try TestVideo.gray("source.mp4", in: folder, frames: 10)
        let input = VideoInput(path: source, name: "source.mp4")
        var facts = try VideoProbe.probe(input, with: ffmpeg)
        facts.frameCount = 12
        let problem = #expect(throws: Problem.self) {
            try VideoEncoder.reencode(
                input, facts: facts, keeping: [0, 1], path: path("x.mp4"), name: "x.mp4",
                settings: VideoSettings(like: facts), with: ffmpeg)
        }
        #expect(problem?.summary == "the video ends early")
        #expect(!FileManager.default.fileExists(atPath: path("x.mp4")))
    }
}

/// Mistakes, and machines that do not do what they should.
extension VideoEncoderTests {
    private static let black = [UInt8](repeating: 0, count: 64 * 48 * 3)

    private var small: VideoSettings { VideoSettings(width: 64, height: 48, layout: .rgb24, nominalRate: 30) }

    @Test func oddSizesAreRefused() throws {
        let settings = VideoSettings(width: 65, height: 48, layout: .rgb24, nominalRate: 30)
        let problem = #expect(throws: Problem.self) { try encode("a.mp4", settings, times: [0]) }
        #expect(problem?.fault == .usage)
        #expect(problem?.summary == "a video of 65 × 48 pixels cannot be written")
        #expect(problem?.notes == ["H.264 with 4:2:0 chroma, which every player reads, has an even width and height"])
        // Not every format that holds a video has a place for pictures.
        #expect(
            problem?.fix
                == "make both even above it with  resize: {width: 64, height: 48}  or write pictures where the format has them"
        )
    }

    @Test(arguments: [
        (1, 48, "let `resize` above it leave them larger"), (64, 16_386, "make them smaller above it, with `resize`"),
        (16_384, 16_384, "make them smaller above it, with `resize`"),
    ]) func sizesThatNoVideoHas(_ width: Int, _ height: Int, _ way: String) throws {
        let settings = VideoSettings(width: width, height: height, layout: .rgb24, nominalRate: 30)
        let problem = #expect(throws: Problem.self) { try encode("a.mp4", settings, times: []) }
        #expect(problem?.summary == "a video of \(width) × \(height) pixels cannot be written")
        #expect(
            problem?.notes == ["each side is 2 to 16384 pixels, and their product is at most 67108864"])
        #expect(problem?.fix == "\(way), or write pictures where the format has them")
    }

    @Test func timesMustAscend() throws {
        let problem = #expect(throws: Problem.self) {
            try encode("a.mp4", small, times: [1_000_000, 2_000_000, 2_000_400])
        }
        #expect(problem?.fault == .input)
        #expect(problem?.summary == "the times of the frames do not ascend")
        #expect(problem?.place.frame == 2)
        #expect(!FileManager.default.fileExists(atPath: path("a.mp4")))
        #expect(throws: Problem.self) { try encode("b.mp4", small, times: [.min, .max]) }
    }

    /// An mp4 counts in 31 bits of microseconds how long a frame is shown; the first line of a repaired file may say 0.
    @Test func stepsForWhichAnMP4HasNoPlace() throws {
        let longest: Int64 = 2_147_483_646_000
        try encode("longest.mp4", small, times: [0, longest])
        let problem = #expect(throws: Problem.self) {
            try encode("a.mp4", small, times: [0, 1_000_000, 3_600_000_000_000])
        }
        #expect(problem?.fault == .input)
        #expect(problem?.summary == "more than 35 minutes lie between two frames, which an mp4 cannot hold")
        #expect(problem?.notes == ["the frame comes 3599 s after the one before it"])
        #expect(problem?.place.frame == 2)
        #expect(!FileManager.default.fileExists(atPath: path("a.mp4")))
        var scratch = small
        scratch.container = .matroska
        try encode("any.mkv", scratch, times: [0, 3_600_000_000_000])
    }

    @Test func noFrames() throws {
        let problem = #expect(throws: Problem.self) { try encode("a.mp4", small, times: []) }
        #expect(problem?.summary == "a video without frames cannot be written")
        #expect(!FileManager.default.fileExists(atPath: path("a.mp4")))
    }

    @Test func folderThatIsNotThere() throws {
        let encoder = try VideoEncoder(path: path("no/a.mp4"), name: "a.mp4", settings: small, with: ffmpeg)
        let problem = #expect(throws: Problem.self) {
            for n in 0..<1000 { try encoder.append(Self.black, at: Int64(n) * 1_000_000) }
        }
        #expect(problem?.fault == .environment)
        #expect(problem?.summary == "ffmpeg could not write the video")
        #expect(problem?.notes.first?.hasSuffix("a.mp4: No such file or directory") == true)
    }

    @Test func fullDisk() throws {
        // Through a link, which the encoder may remove.
        try FileManager.default.createSymbolicLink(atPath: path("full.mp4"), withDestinationPath: "/dev/full")
        let problem = #expect(throws: Problem.self) { try encode("full.mp4", small, times: [0, 33_000_000]) }
        #expect(problem?.fault == .environment)
        #expect(problem?.summary == "ffmpeg could not write the video")
        #expect(problem?.notes.contains { $0.contains("No space left on device") } == true)
    }

    /// The pipe to a program that has gone would end this process with SIGPIPE.
    @Test(arguments: ["exit 0", "exit 4", "kill -9 $$"]) func encoderThatGoesAway(script: String) throws {
        let fake = try TestVideo.fake("head -c 100 > \(path("scrap")); \(script)", in: folder)
        let encoder = try VideoEncoder(path: path("a.mp4"), name: "a.mp4", settings: small, with: fake)
        let problem = #expect(throws: Problem.self) {
            for n in 0..<1000 { try encoder.append(Self.black, at: Int64(n) * 1_000_000) }
        }
        #expect(problem?.fault == .environment)
        #expect(problem?.place.file == "a.mp4")
    }

    /// A wrapper or a library may say something.
    @Test(arguments: ["hello", "[swscaler @ 0x1] [warning] deprecated pixel format"]) func wordsAreNoFailure(
        word: String
    ) throws {
        let real = try FFmpeg.find().ffmpeg
        let fake = try TestVideo.fake("echo '\(word)' >&2; exec \(real) \"$@\"", in: folder)
        let encoder = try VideoEncoder(path: path("a.mp4"), name: "a.mp4", settings: small, with: fake)
        for n in 0..<3 { try encoder.append(Self.black, at: Int64(n) * 33_000_000) }
        #expect(try encoder.finish().frameCount == 3)
    }

    @Test func anErrorIsAFailureWhateverTheExitCode() throws {
        let real = try FFmpeg.find().ffmpeg
        let fake = try TestVideo.fake("\(real) \"$@\"; echo '[out#0 @ 0x1] [error] Error closing file' >&2", in: folder)
        let encoder = try VideoEncoder(path: path("a.mp4"), name: "a.mp4", settings: small, with: fake)
        try encoder.append(Self.black, at: 0)
        let problem = #expect(throws: Problem.self) { try encoder.finish() }
        #expect(problem?.notes == ["ffmpeg says: [out#0] Error closing file"])
    }

    @Test func fileThatDiffersIsNotKept() throws {
        let other = try TestVideo.gray("other.mp4", in: folder, frames: 7)
        let fake = try TestVideo.fake("cat > \(path("scrap")); cp \(other) \(path("a.mp4"))", in: folder)
        do {
            let encoder = try VideoEncoder(path: path("a.mp4"), name: "a.mp4", settings: small, with: fake)
            for n in 0..<9 { try encoder.append(Self.black, at: Int64(n) * 33_333_333) }
            let problem = #expect(throws: Problem.self) { try encoder.finish() }
            #expect(problem?.fault == .tool)
            #expect(problem?.notes[1] == "written 7 frames of 64 × 48, rotation 0")
        }
        #expect(!FileManager.default.fileExists(atPath: path("a.mp4")))
    }
}
