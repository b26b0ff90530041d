import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Videos without an app's capture around them.
@Suite struct VideoFileCaptureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ path: String, rules: ReadRules = ReadRules()) throws -> Capture {
        try VideoFileCapture.open(try CaptureFormats.tree(at: path), rules: rules)
    }

    /// A small file can list millions of frames: what ffprobe says of them is read no further than it takes.
    @Test func tooManyFramesAreNotCounted() throws {
        let path = try TestVideo.gray("long.mp4", in: folder, frames: 4000, size: "16x16")
        var rules = ReadRules()
        rules.maxFrames = 10
        let problem = problem { _ = try open(path, rules: rules) }
        #expect(problem?.summary == "there are more than 10 frames in the video")
        let counted = problem?.fix?.split(separator: "=").last.flatMap { Int($0) }
        #expect(counted.map { (11..<4000).contains($0) } == true, "\(problem?.fix ?? "")")
    }

    @Test func theFramesOfAVideo() throws {
        let kept = [0, 1, 2, 4, 5, 6, 7]
        let path = try TestVideo.gray("walk.v2.MOV", in: folder, frames: 8, dropping: [3])
        let recognition = CaptureFormats.recognise(try CaptureFormats.tree(at: path))
        #expect(recognition == Recognition(format: "video", reason: "walk.v2.MOV is named as videos are"))
        let capture = try open(path)
        #expect(capture.id == "walk.v2" && capture.format == "video")
        #expect(capture.channels == [.color, .luma, .video, .timestamp])
        #expect(capture.frames.count == 7 && capture.keptFrames.count == 7)
        // Times are the video's own, with the gap.
        for (facts, number) in zip(capture.frames, kept) {
            let expected = Int64(number) * 1_000_000_000 / 30
            #expect(abs((facts.timestamp ?? -1) - expected) <= 1000, "frame \(facts.index)")
        }
        #expect(abs((capture.frameRate ?? 0) - 30) < 0.01)
        #expect(capture.colorSize == PixelSize(64, 48) && !capture.isMetric && capture.worldUp == nil)
        #expect(capture.absences[.pose]?.reason == "a video by itself has none")
        #expect(capture.absences[.pose]?.advice?.contains("video-frames.yaml") == true)
        #expect(capture.warnings == [] && capture.forgiven == [])
        // Whatever a pipeline uses, its frames depend on the file.
        #expect(capture.files.map(\.path) == ["walk.v2.MOV"] && capture.files.first?.channels == [])
        for (frame, number) in zip(try capture.loaded([.luma]), kept) {
            let grey = ((Int(TestVideo.luma(number)) - 16) * 255 + 109) / 219
            #expect(abs(Int(frame.luma?.pixels.first ?? 0) - grey) <= 1, "frame \(number)")
        }
    }

    /// Phones record sideways, and say how the picture is to be shown.
    @Test(arguments: [90, 180, 270]) func picturesAreAsAPlayerShowsThem(_ degrees: Int) throws {
        let recorded = try TestVideo.gray("recorded.mp4", in: folder, frames: 3)
        let path = try TestVideo.turned(recorded, by: degrees, in: folder)
        let capture = try open(path)
        let size = degrees == 180 ? PixelSize(64, 48) : PixelSize(48, 64)
        #expect(capture.colorSize == size && capture.warnings == [])
        #expect(capture.findings["turned-degrees"]?.integer == Int64(degrees))
        // A copy of the file would lie on its side.
        #expect(capture.channels == [.color, .luma, .timestamp])
        let shown = folder.url("shown.yuv").path
        try TestVideo.ffmpeg(["-i", path, "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-f", "rawvideo", shown])
        let bytes = try folder.bytes("shown.yuv")
        let frameBytes = 64 * 48 * 3 / 2
        try #require(bytes.count == 3 * frameBytes)
        for frame in try capture.loaded([.luma]) {
            let luma = try #require(frame.luma)
            #expect(PixelSize(luma.width, luma.height) == size)
            let plane = bytes[(frame.index * frameBytes)...].prefix(64 * 48)
            let agree = zip(luma.pixels, plane).allSatisfy { ours, theirs in
                abs(Int(ours) - ((Int(theirs) - 16) * 255 + 109) / 219) <= 1
            }
            #expect(agree, "frame \(frame.index)")
        }
        let still = try CapturePictures(at: path).picture(of: 2, within: PixelSize(64, 64))
        #expect(still.size == size)
        // What is encoded of such frames is not turned again.
        let facts = try VideoProbe.probe(VideoInput(path: path, name: "v"), with: try FFmpeg.find())
        #expect(facts.rotation == degrees && VideoSettings(like: facts).rotation == degrees)
        let settings = VideoSettings(like: facts.upright)
        #expect(PixelSize(settings.width, settings.height) == size && settings.rotation == 0)
        #expect(facts.upright.upright == facts.upright)
    }

    /// Selfies, and what editors turned over. As a player shows it but left for right, and so with its own sky above.
    @Test(arguments: [[-1, 0, 0, 1], [1, 0, 0, -1], [0, 1, 1, 0], [0, -1, -1, 0]] as [[Int32]])
    func aMirroredVideoIsUprightAndNotMirrored(_ m: [Int32]) throws {
        let recorded = try TestVideo.detailed("recorded.mp4", in: folder, frames: 2)
        let path = try TestVideo.shown(recorded, by: (m[0], m[1], m[2], m[3]), in: folder)
        let capture = try open(path)
        #expect(capture.warnings.count == 1 && capture.warnings[0].contains("mirrored"), "\(capture.warnings)")
        #expect(capture.channels == [.color, .luma, .timestamp])
        let player = folder.url("player.yuv").path
        try TestVideo.ffmpeg(["-i", path, "-vf", "hflip,format=yuv420p", "-f", "rawvideo", player])
        let bytes = try folder.bytes("player.yuv")
        try #require(bytes.count == 2 * 320 * 240 * 3 / 2)
        for frame in try capture.loaded([.luma]) {
            let luma = try #require(frame.luma)
            let plane = bytes[(frame.index * 320 * 240 * 3 / 2)...].prefix(320 * 240)
            let isSame = zip(luma.pixels, plane).allSatisfy { ours, theirs in
                abs(Double(ours) - min(max((Double(theirs) - 16) * 255 / 219, 0), 255)) <= 1
            }
            #expect(isSame, "frame \(frame.index)")
        }
    }

    /// As camcorders film, and DVDs were.
    @Test func pixelsThatAreNotSquareAreTold() throws {
        let recorded = try TestVideo.gray("a.mp4", in: folder, frames: 2)
        let wide = folder.url("wide.mp4").path
        try TestVideo.ffmpeg(["-i", recorded, "-vf", "setsar=4/3", "-c:v", "libx264", wide])
        let capture = try open(wide)
        #expect(capture.colorSize == PixelSize(64, 48))
        #expect(capture.warnings.contains { $0.contains("1.333 times as wide as high") }, "\(capture.warnings)")
        // As scaling to whole pixels leaves them.
        let nearly = folder.url("nearly.mp4").path
        try TestVideo.ffmpeg(["-i", recorded, "-vf", "setsar=359/360", "-c:v", "libx264", nearly])
        #expect(try open(nearly).warnings == [])
    }

    /// As Log is recorded. Phones mark ordinary videos as Display P3, which differs little.
    @Test func wideColorsAreTold() throws {
        let wide = try TestVideo.gray(
            "wide.mp4", in: folder, frames: 2,
            encoder: ["-pix_fmt", "yuv420p", "-x264-params", "colorprim=bt2020:transfer=bt2020-10"])
        let warnings = try open(wide).warnings
        #expect(warnings.count == 1 && warnings[0].hasPrefix("wide.mp4 has the wide gamut of BT.2020"), "\(warnings)")
        let phone = try TestVideo.gray(
            "phone.mp4", in: folder, frames: 2,
            encoder: ["-pix_fmt", "yuv420p", "-x264-params", "colorprim=smpte432:transfer=bt709"])
        #expect(try open(phone).warnings == [])
    }

    @Test func aVideoOfHalfPicturesIsTold() throws {
        let path = try TestVideo.gray(
            "lace.mp4", in: folder, frames: 2, encoder: ["-pix_fmt", "yuv420p", "-x264-params", "tff=1"])
        let warnings = try open(path).warnings
        #expect(warnings.count == 1 && warnings[0].hasPrefix("lace.mp4 is interlaced"), "\(warnings)")
    }

    @Test func severalTracksAreTold() throws {
        let capture = try open(try TestVideo.twoTracks("two.mov", in: folder))
        #expect(capture.warnings == ["two.mov holds 2 tracks of pictures; the one of 64×48 is used"])
        #expect(capture.frames.count == 5 && capture.colorSize == PixelSize(64, 48))
    }

    @Test func framesThatCannotBeShownAreTold() throws {
        let groups = "keyint=15:min-keyint=15:open-gop=1:bframes=3:scenecut=0:b-adapt=0"
        let whole = try TestVideo.detailed("open.mp4", in: folder, frames: 120, encoder: ["-x264-params", groups])
        let cut = folder.url("cut.mkv").path
        try TestVideo.ffmpeg(["-ss", "1.02", "-i", whole, "-c", "copy", cut])
        let capture = try open(cut)
        #expect(capture.warnings.count == 1, "\(capture.warnings)")
        #expect(capture.warnings.first?.hasPrefix("cut.mkv begins with ") == true)
        #expect(capture.warnings.first?.hasSuffix(" left out") == true)
        #expect(try capture.loaded([.luma]).allSatisfy { $0.luma != nil })
    }

    /// Nothing but the places of the values changes, whoever makes the colours.
    @Test(arguments: ["yuv420p", "yuv444p"], [90, 180, 270])
    func turnedPicturesHaveTheRecordedColors(_ kind: String, _ degrees: Int) throws {
        let encoder = ["-pix_fmt", kind, "-bf", "2"]
        let recorded = try TestVideo.detailed("recorded.mp4", in: folder, frames: 4, encoder: encoder)
        let turned = try open(try TestVideo.turned(recorded, by: degrees, in: folder)).loaded([.color, .luma])
        for (frame, other) in zip(try open(recorded).loaded([.color, .luma]), turned) {
            let (picture, shown) = (try Self.colors(of: frame), try Self.colors(of: other))
            #expect(shown == picture.turned(quarterTurns: degrees / 90), "frame \(frame.index)")
            #expect(other.luma == frame.luma?.turned(quarterTurns: degrees / 90), "frame \(frame.index)")
        }
    }

    private static func colors(of frame: Frame) throws -> RGBImage {
        if case .planes(let planes)? = frame.picture { return RGBImage(planes) }
        guard case .pixels(let pixels)? = frame.picture else { return try #require(nil) }
        return pixels
    }

    @Test func aVideoThatWasCutOff() throws {
        let flags = ["-bf", "2", "-g", "30", "-movflags", "+faststart"]
        try TestVideo.detailed("whole.mp4", in: folder, frames: 90, encoder: flags)
        let bytes = try folder.bytes("whole.mp4")
        let cut = try folder.write(Array(bytes.prefix(bytes.count * 62 / 100)), to: "cut.mp4")
        let refused = problem { _ = try open(cut) }
        #expect(refused?.summary == "the video is cut off" && refused?.place.file == "cut.mp4")
        #expect(refused?.fix?.contains("--set read.truncated=keep-whole") == true)
        var rules = ReadRules()
        rules.truncated = .keepWhole
        rules.minWhole = 0.1
        let capture = try open(cut, rules: rules)
        let kept = capture.keptFrames.count
        #expect(capture.frames.count == 90 && kept > 5 && kept < 90)
        #expect(capture.dropReasons.last??.hasPrefix("the video is cut off before it") == true)
        #expect(capture.keptFrames.allSatisfy { $0.timestamp != nil } && capture.forgiven.count == 1)
        #expect(!capture.channels.contains(.video))
        #expect(try capture.loaded([.luma]).count { $0.luma != nil } == kept)
        // What its index announces counts, although the file holds less.
        rules.maxFrames = 89
        let long = problem { _ = try open(cut, rules: rules) }
        #expect(long?.summary == "there are more than 89 frames in the video" && long?.place.file == "cut.mp4")
    }

    /// What is named as a video fails under its name.
    @Test func whatIsNoVideo() throws {
        try TestVideo.gray("whole.mp4", in: folder, frames: 8)
        let bytes = try folder.bytes("whole.mp4")
        // Without its index, which phones write last.
        let unfinished = Array(bytes.prefix(bytes.count / 2))
        let cases: [([UInt8], String)] = [
            (unfinished, "the video cannot be read"), (Array("no video".utf8), "the video cannot be read"),
            ([], "the video is empty"),
        ]
        for (content, summary) in cases {
            let path = try folder.write(content, to: "clip.mov")
            let found = problem { _ = try open(path) }
            #expect(found?.summary == summary && found?.fault == .input)
            #expect(found?.place.file == "clip.mov")
            let inspection = try CaptureInspection.inspect(path)
            #expect(inspection.frames == nil && inspection.errors.map(\.problem.summary) == [summary])
        }
    }

    @Test func inspectionOfAVideo() throws {
        let recorded = try TestVideo.gray("recorded.mp4", in: folder, frames: 10)
        let inspection = try CaptureInspection.inspect(try TestVideo.turned(recorded, by: 90, in: folder))
        #expect(inspection.id == "turned" && inspection.recognition.format == "video")
        #expect(inspection.frames?.sourceCount == 10 && inspection.frames?.wholeCount == 10)
        #expect(inspection.video?.facts.size == PixelSize(48, 64) && inspection.video?.facts.codec == "h264")
        #expect(inspection.clock?.timestampCount == 10 && inspection.findings == [])
        #expect(inspection.missing.map(\.what).contains("poses"))
        #expect(inspection.streams.map(\.content) == ["video"])
    }

    /// Folders of videos are no captures, and say how a video in them is one.
    @Test func aFolderOfVideos() throws {
        try folder.write("x", to: "films/walk.mp4")
        let found = #expect(throws: Problem.self) { try CaptureInspection.inspect(folder.url("films").path) }
        #expect(found?.fix == "name a video itself, such as walk.mp4, which is a capture alone")
        let tree = try CaptureFormats.tree(at: folder.url("films").path)
        #expect(CaptureFormats.recognise(tree) == nil)
        let asked = #expect(throws: Problem.self) { try VideoFileCapture.open(tree, rules: ReadRules()) }
        #expect(asked?.summary == "this is not a video file")
    }
}
