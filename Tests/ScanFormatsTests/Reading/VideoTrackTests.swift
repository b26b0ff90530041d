import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Captures whose pictures are a video.
@Suite struct VideoTrackTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A sample of 64 × 48 whose camera lines are for a video of 30 frames a second.
    private var filmed: MultiScanSample {
        var sample = MultiScanSample()
        sample.frameCount = 8
        sample.pictures = .none
        sample.colorSize = PixelSize(64, 48)
        for frame in 0..<8 { sample.timestamps[frame] = 5_000_000_000 + Int64(frame) * 1_000_000_000 / 30 }
        return sample
    }

    private func openFilmed(
        _ sample: MultiScanSample, rules: ReadRules = ReadRules(), film: (TemporaryFolder) throws -> Void
    ) throws -> Capture {
        let path = try folder.write(sample.files(), under: "film")
        let scratch = try TemporaryFolder()
        try film(scratch)
        try Data(scratch.bytes("v.mp4")).write(to: folder.url("film/scan.mp4"))
        return try MultiScanCapture.open(CaptureFolder(path: path), rules: rules)
    }

    /// The grey of a frame's first pixel. Limited range to full: (y − 16) · 255/219.
    private static func shown(_ frame: Int) -> Double { (Double(TestVideo.luma(frame)) - 16) * 255 / 219 }

    @Test func videoFramesAreThePicturesInOrder() throws {
        let capture = try openFilmed(filmed) { try TestVideo.gray("v.mp4", in: $0, frames: 8) }
        #expect(capture.channels.isSuperset(of: [.color, .luma]))
        #expect(capture.video?.file == "scan.mp4")
        #expect(capture.colorSize == PixelSize(64, 48))
        #expect(capture.warnings.isEmpty)
        #expect(capture.keptFrames.count == 8)
        #expect(capture.files.first { $0.path == "scan.mp4" }?.channels == [.color, .luma, .video])
        let track = try #require(try capture.source.tracks(for: [.color], of: capture).first)
        var greys: [Int: Int] = [:]
        for facts in capture.frames {
            var frame = Frame(facts)
            try track.advance(&frame, isWanted: facts.index % 3 == 0)
            if case .planes(let image)? = frame.picture { greys[facts.index] = Int(RGBImage(image).pixels[0]) }
        }
        #expect(try track.finish().warnings.isEmpty)
        #expect(greys.keys.sorted() == [0, 3, 6])
        for (frame, grey) in greys { #expect(abs(Double(grey) - Self.shown(frame)) < 2) }
    }

    /// One decoder for both, but where ffmpeg has to make the colours; luma is what it is alone.
    @Test(arguments: [("yuv420p", 1), ("yuvj420p", 1), ("yuv422p", 2), ("yuv444p", 2)])
    func colorsAndLumaTogether(_ kind: String, _ count: Int) throws {
        let capture = try openFilmed(filmed) {
            try TestVideo.gray("v.mp4", in: $0, frames: 8, encoder: ["-pix_fmt", kind, "-qp", "0"])
        }
        let both = try capture.source.tracks(for: [.color, .luma], of: capture)
        #expect(both.count == count)
        let alone = try #require(try capture.source.tracks(for: [.luma], of: capture).first)
        for facts in capture.frames {
            var (frame, other) = (Frame(facts), Frame(facts))
            for track in both { try track.advance(&frame, isWanted: true) }
            try alone.advance(&other, isWanted: true)
            #expect(frame.picture != nil && frame.luma == other.luma && frame.luma != nil)
        }
        for track in both + [alone] { _ = try track.finish() }
    }

    /// ffmpeg makes the colours where no rule of ours is known to give the same.
    @Test func planesOfAnotherKindArriveAsColors() throws {
        let capture = try openFilmed(filmed) {
            try TestVideo.gray("v.mp4", in: $0, frames: 8, encoder: ["-pix_fmt", "yuv444p", "-qp", "0"])
        }
        let track = try #require(try capture.source.tracks(for: [.color], of: capture).first)
        #expect(track.name == "scan.mp4")
        for facts in capture.frames {
            var frame = Frame(facts)
            try track.advance(&frame, isWanted: true)
            guard case .pixels(let image)? = frame.picture else { throw Problem(.input, "no colours") }
            #expect(abs(Double(image.pixels[0]) - Self.shown(facts.index)) < 2)
        }
        #expect(try track.finish().warnings.isEmpty)
    }

    @Test func aRotationFlagIsSaidAndNotFollowed() throws {
        let capture = try openFilmed(filmed) { scratch in
            let plain = try TestVideo.gray("plain.mp4", in: scratch, frames: 8)
            let turned = try TestVideo.turned(plain, by: 270, in: scratch)
            try FileManager.default.moveItem(atPath: turned, toPath: scratch.url("v.mp4").path)
        }
        #expect(capture.warnings.count == 1)
        #expect(
            capture.warnings.first?.hasPrefix(
                "scan.mp4 carries a rotation flag of 270°; its frames are used as recorded") == true)
        #expect(capture.colorSize == PixelSize(64, 48))
    }

    /// An encoder that was not ready left a picture out: every later one belongs to the next line.
    @Test(arguments: [[3], [0, 5], [1, 2, 6]]) func picturesBelongToTheLinesOfTheirTimes(_ lost: [Int]) throws {
        var sample = filmed
        // No clock of a phone is even, and only that tells which of the first frames are missing.
        for frame in 0..<8 { sample.timestamps[frame, default: 0] += Int64(frame * frame % 5) * 1_000_000 }
        let times = (0..<8).map { sample.timestamps[$0] ?? 0 }
        let capture = try openFilmed(sample) { try TestVideo.gray("v.mp4", in: $0, at: times, dropping: lost) }
        #expect(capture.frames.map(\.isDropped) == (0..<8).map(lost.contains))
        #expect(lost.allSatisfy { capture.frames[$0].drop?.reason == "the video has no frame of its time" })
        let names = lost.map(String.init).joined(separator: ", ")
        let pictures = lost.count == 1 ? "the picture of one" : "the pictures of \(lost.count)"
        #expect(
            capture.warnings == [
                "scan.mp4 lacks \(pictures) of the 8 camera lines: \(names); the others were paired by their times"
            ])
        for wanted in [Array(0..<8), [2, 4, 7]] {
            let track = try #require(try capture.source.tracks(for: [.luma], of: capture).first)
            for facts in capture.frames {
                var frame = Frame(facts)
                try track.advance(&frame, isWanted: wanted.contains(facts.index) && !facts.isDropped)
                let isThere = wanted.contains(facts.index) && !lost.contains(facts.index)
                #expect((frame.luma != nil) == isThere)
                guard let luma = frame.luma?.pixels.first else { continue }
                #expect(abs(Double(luma) - Self.shown(facts.index)) < 2, "\(facts.index)")
            }
            #expect(try track.finish().warnings.isEmpty)
        }
    }

    /// A line that cannot be read has no time: its own picture, which is there or not, must not go to its neighbour.
    @Test(arguments: [(2, 5), (5, 2), (3, 3), (0, 4), (7, 1), (4, 6)])
    func aDamagedLineDoesNotShiftThePictures(_ damaged: Int, _ lost: Int) throws {
        var sample = filmed
        for frame in 0..<8 { sample.timestamps[frame, default: 0] += Int64(frame * frame % 5) * 1_000_000 }
        let times = (0..<8).map { sample.timestamps[$0] ?? 0 }
        sample.lines[damaged] = "{\"timestamp\": 12"
        let capture = try openFilmed(sample) { try TestVideo.gray("v.mp4", in: $0, at: times, dropping: [lost]) }
        #expect(capture.frames.indices.filter { capture.frames[$0].isDropped } == Set([damaged, lost]).sorted())
        #expect(
            capture.warnings.contains {
                $0.hasPrefix("scan.mp4 lacks the picture of one of the 8 camera lines: \(lost);")
            })
        let track = try #require(try capture.source.tracks(for: [.luma], of: capture).first)
        for facts in capture.frames {
            var frame = Frame(facts)
            try track.advance(&frame, isWanted: !facts.isDropped)
            guard !facts.isDropped else { continue }
            let luma = try #require(frame.luma?.pixels.first)
            #expect(abs(Double(luma) - Self.shown(facts.index)) < 2, "\(facts.index)")
        }
    }

    @Test func framesShownAtAnotherTimeThanTheirLineSaysAreNamed() throws {
        // As many as there are lines, one of them later than the last line.
        let capture = try openFilmed(filmed) { try TestVideo.gray("v.mp4", in: $0, frames: 9, dropping: [3]) }
        #expect(capture.frames.count == 8 && capture.keptFrames.count == 8)
        #expect(capture.warnings.count == 1)
        #expect(
            capture.warnings.first?.hasPrefix(
                "5 frames of scan.mp4 are shown at another time than their camera line says, from frame 3 on: 3 (33.3 ms), 4 (33.3 ms)"
            ) == true)
        #expect(capture.findings["frames-off-time"]?.array?.map { $0["frame"]?.integer } == [3, 4, 5, 6, 7])
        let last = try openFilmed(filmed) { try TestVideo.gray("v.mp4", in: $0, frames: 9, dropping: [7]) }
        #expect(
            last.warnings == [
                "1 frame of scan.mp4 is shown at another time than its camera line says: 7 (33.3 ms); its pose may belong to another picture"
            ])
    }

    /// At a constant rate nothing tells which end is missing.
    @Test func aShorterVideoIsSaid() throws {
        let capture = try openFilmed(filmed) { try TestVideo.gray("v.mp4", in: $0, frames: 6) }
        #expect(capture.frames.count { $0.isDropped } == 2)
        #expect(capture.warnings.count == 1)
        #expect(capture.warnings.first?.hasPrefix("scan.mp4 has 6 frames, and there are 8 camera lines") == true)
    }

    /// A file need not list its frames, but the camera lines tell how many there should be: the fix works at once.
    @Test func aVideoThatIsCutOffNamesBothSettings() throws {
        let cut = { (scratch: TemporaryFolder) throws in
            let path = try TestVideo.detailed(
                "whole.mp4", in: scratch, frames: 8,
                encoder: ["-g", "3", "-movflags", "frag_keyframe+empty_moov"])
            try #require(try TestVideo.ffprobe(path, "stream=nb_frames") == "N/A")
            let bytes = try scratch.bytes("whole.mp4")
            try scratch.write(Array(bytes.prefix(bytes.count / 2)), to: "v.mp4")
        }
        let refused = #expect(throws: Problem.self) { _ = try openFilmed(filmed, film: cut) }
        let fix = try #require(refused?.fix)
        let setting = "keep the whole frames with  --set read.truncated=keep-whole --set read.min-whole="
        #expect(refused?.summary == "the video is cut off" && fix.contains(setting), "\(fix)")
        #expect(refused?.cut?.count == 8)
        var rules = ReadRules()
        rules.truncated = .keepWhole
        rules.minWhole = try #require(fix.components(separatedBy: "min-whole=").last.flatMap(Double.init))
        #expect(try openFilmed(filmed, rules: rules, film: cut).keptFrames.count < 4)
    }

    /// The file's own clock tells it, also where frames are decoded in another order than they are shown.
    @Test(arguments: ["0", "1"]) func theFirstPicturesAreMissing(_ framesBetween: String) throws {
        let encoder = ["-pix_fmt", "yuv420p", "-crf", "5", "-bf", framesBetween, "-b_strategy", "0"]
        let capture = try openFilmed(filmed) {
            try TestVideo.gray("v.mp4", in: $0, frames: 8, dropping: [0, 1], encoder: encoder)
        }
        #expect(capture.frames.map(\.isDropped) == (0..<8).map { $0 < 2 })
        #expect(
            capture.warnings.first?.hasPrefix("scan.mp4 lacks the pictures of 2 of the 8 camera lines: 0, 1;") == true)
        let delayed = try openFilmed(filmed) {
            try TestVideo.gray("v.mp4", in: $0, frames: 6, encoder: encoder + ["-use_editlist", "0"])
        }
        #expect(delayed.frames.map(\.isDropped) == (0..<8).map { $0 > 5 })
    }

    /// Players are shown 6 of the 8 frames, the pictures of which would have the poses of the two before.
    @Test func framesThatAnEditListHidesAreUsed() throws {
        let capture = try openFilmed(filmed) { scratch in
            let plain = try TestVideo.gray("plain.mp4", in: scratch, frames: 8)
            try TestVideo.ffmpeg(["-ss", "0.07", "-i", plain, "-c", "copy", scratch.url("v.mp4").path])
        }
        #expect(capture.frames.count == 8 && capture.frames.allSatisfy { !$0.isDropped })
        #expect(capture.warnings.count == 1)
        #expect(capture.warnings.first?.contains("of its frames from players") == true, "\(capture.warnings)")
        #expect(capture.video?.ignoresEditList == true)
    }

    /// The clocks are set by the first frame that has both times.
    @Test func aBadFirstLineDoesNotKeepTimesFromBeingCompared() throws {
        var sample = filmed
        sample.lines[0] = "{}"
        var rules = ReadRules()
        rules.badFrameLimit = 0.5
        let sound = try openFilmed(sample, rules: rules) { try TestVideo.gray("v.mp4", in: $0, frames: 8) }
        #expect(sound.frames[0].isDropped && sound.findings["frames-off-time"] == nil && sound.warnings.isEmpty)
        let gap = try openFilmed(sample, rules: rules) {
            try TestVideo.gray("v.mp4", in: $0, frames: 9, dropping: [3])
        }
        #expect(gap.findings["frames-off-time"]?.array?.map { $0["frame"]?.integer } == [3, 4, 5, 6, 7])
    }

    @Test func timestampsAtTheEndOfTheirRangeDoNotTrap() throws {
        var sample = filmed
        sample.timestamps[0] = 4_000_000_000_000_000_000
        let capture = try openFilmed(sample) { try TestVideo.gray("v.mp4", in: $0, frames: 8) }
        // Of the clock, every format's captures are warned of later.
        #expect(capture.warnings.count == 1)
        sample.timestamps[0] = 0
        sample.timestamps[5] = 4_000_000_000_000_000_000
        #expect(try openFilmed(sample) { try TestVideo.gray("v.mp4", in: $0, frames: 8) }.warnings.count == 1)
    }

    @Test func aVideoOfAnotherLength() throws {
        let more = try openFilmed(filmed) { try TestVideo.gray("v.mp4", in: $0, frames: 10) }
        #expect(more.frames.count == 10)
        #expect(more.frames[9].drop?.reason == "there are only 8 camera lines")
        let problem = #expect(throws: Problem.self) {
            try openFilmed(filmed) { try TestVideo.gray("v.mp4", in: $0, frames: 14) }
        }
        #expect(problem?.notes.first == "camera lines: 8, video: 14")
    }
}
