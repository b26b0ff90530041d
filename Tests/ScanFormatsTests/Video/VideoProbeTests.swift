import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct VideoProbeTests {
    let folder: TemporaryFolder
    let ffmpeg: FFmpeg

    init() throws {
        folder = try TemporaryFolder()
        ffmpeg = try FFmpeg.find()
    }

    private func probe(_ path: String) throws(Problem) -> VideoFacts {
        try VideoProbe.probe(VideoInput(path: path, name: "scan/color.mp4"), with: ffmpeg)
    }

    private func problem(_ path: String) -> Problem? {
        #expect(throws: Problem.self) { try probe(path) }
    }

    /// Where both programs lie together nobody has to ask ffmpeg, too.
    @Test func theVersionIsThatOfFFmpeg() throws {
        let facts = try probe(TestVideo.gray("a.mp4", in: folder, frames: 2))
        #expect(try ffmpeg.version() == "ffmpeg version \(facts.probeVersion ?? "")")
        #expect(try FFmpeg.toolVersions(probed: facts) == FFmpeg.toolVersions())
    }

    @Test func timesShowTheGapOfADroppedFrame() throws {
        let facts = try probe(TestVideo.gray("a.mp4", in: folder, frames: 30, dropping: [10]))
        let wanted = (0..<30).filter { $0 != 10 }.map { Int64((Double($0) * 1e9 / 30).rounded()) }
        #expect(facts.frameCount == 29)
        #expect(facts.times == wanted)
        #expect((facts.width, facts.height) == (64, 48))
        #expect((facts.codec, facts.pixelFormat, facts.rotation) == ("h264", "yuv420p", 0))
        #expect(!facts.isFullRange)
        #expect(facts.complaints == [])
    }

    @Test func timesAreInOrderWhereFramesReferToLaterOnes() throws {
        let path = try TestVideo.detailed("b.mp4", in: folder, frames: 40, encoder: ["-bf", "3", "-r", "60"])
        let stored = try TestVideo.ffprobe(path, "packet=pts").split(separator: "\n").compactMap { Int64($0) }
        #expect(stored != stored.sorted())
        let facts = try probe(path)
        #expect(facts.times == (0..<40).map { Int64((Double($0) * 1e9 / 60).rounded()) })
        #expect(facts.averageRate == 60)
    }

    @Test(.enabled(if: SharedData.isThere)) func realVideo() throws {
        let facts = try probe(SharedData.path("office-video/office-video.mp4"))
        #expect((facts.width, facts.height, facts.frameCount, facts.averageRate) == (640, 480, 200, 30))
        #expect(facts.times?.last == 6_633_333_333)
    }

    @Test(arguments: [90, 180, 270]) func rotationIsReadAndSizesAreAsRecorded(degrees: Int) throws {
        let upright = try TestVideo.gray("upright.mp4", in: folder, frames: 3)
        let turned = try TestVideo.turned(upright, by: degrees, in: folder)
        let facts = try probe(turned)
        #expect(facts.rotation == degrees)
        #expect((facts.width, facts.height) == (64, 48))
    }

    @Test func colorIsReported() throws {
        let declared = ["-x264-params", "colorprim=bt709:transfer=bt709:colormatrix=bt709:fullrange=on"]
        let path = try TestVideo.gray(
            "c.mp4", in: folder, frames: 3, encoder: ["-pix_fmt", "yuvj420p"] + declared)
        let facts = try probe(path)
        #expect(facts.isFullRange)
        #expect((facts.color.matrix, facts.color.primaries, facts.color.transfer) == ("bt709", "bt709", "bt709"))
        let plain = try probe(TestVideo.gray("d.mp4", in: folder, frames: 3))
        #expect(plain.color == VideoColor())
    }

    @Test func framesThatAnEditListLeavesOutDoNotCount() throws {
        let whole = try TestVideo.detailed("e.mp4", in: folder, frames: 60, encoder: ["-g", "30"])
        let cut = folder.url("cut.mp4").path
        try TestVideo.ffmpeg(["-ss", "0.5", "-i", whole, "-c", "copy", cut])
        let facts = try probe(cut)
        #expect(facts.frameCount == 45)
        let decoder = try VideoDecoder(
            VideoInput(path: cut, name: "cut.mp4"), facts: facts, layout: .luma, with: ffmpeg)
        try decoder.finish()
    }

    /// Cut at a key frame whose neighbours build on what was before it: players show nothing of them.
    @Test(arguments: ["cut.mkv", "cut.mov"]) func framesThatBuildOnWhatWasCutAwayDoNotCount(name: String) throws {
        let groups = "keyint=15:min-keyint=15:open-gop=1:bframes=3:scenecut=0:b-adapt=0"
        let whole = try TestVideo.detailed("open.mp4", in: folder, frames: 120, encoder: ["-x264-params", groups])
        let cut = folder.url(name).path
        let list = name.hasSuffix("mov") ? ["-use_editlist", "0"] : []
        try TestVideo.ffmpeg(["-ss", "1.02", "-i", whole, "-c", "copy"] + list + [cut])
        let packets = try TestVideo.ffprobe(cut, "packet=flags").split(separator: "\n").count
        let facts = try probe(cut)
        #expect(facts.orphanCount > 0 && facts.frameCount + facts.orphanCount == packets)
        #expect(facts.times?.count == facts.frameCount && facts.times?.first == 0)
        #expect(facts.listedCount == nil || facts.listedCount == facts.frameCount)
        let input = VideoInput(path: cut, name: name)
        let decoder = try VideoDecoder(input, facts: facts, layout: .rgb24, with: ffmpeg)
        var pixels: [UInt8] = []
        #expect(try decoder.nextFrame(into: &pixels))
        try decoder.finish()
        let still = try VideoStill.decode(input, facts: facts, frame: 0, size: facts.size, with: ffmpeg)
        #expect(still.pixels == pixels)
        // Before it was cut, nothing was missing.
        #expect(try probe(whole).orphanCount == 0)
    }

    /// Depth may come first, and is marked as not to be shown.
    @Test func theTrackThatIsToBeShownIsRead() throws {
        let two = try TestVideo.twoTracks("two.mov", in: folder)
        let facts = try probe(two)
        #expect((facts.stream, facts.trackCount, facts.frameCount) == (1, 2, 5))
        #expect((facts.width, facts.height) == (64, 48))
        let input = VideoInput(path: two, name: "two.mov")
        let decoder = try VideoDecoder(input, facts: facts, layout: .yuv420p, with: ffmpeg)
        var pixels: [UInt8] = []
        for n in 0..<5 {
            #expect(try decoder.nextFrame(into: &pixels))
            #expect(pixels[0] == TestVideo.luma(n))
        }
        #expect(try !decoder.nextFrame(into: &pixels))
        // Where none is marked, or all are, it is the first.
        let equal = try TestVideo.twoTracks("equal.mkv", in: folder, first: "default")
        #expect(try probe(equal).width == 32)
        let one = try TestVideo.gray("one.mp4", in: folder, frames: 5)
        #expect(try probe(one).trackCount == 1)
    }

    /// A trimmed recording that lost its chapters, which ffprobe complains of, is whole all the same.
    @Test func framesThatAnEditListLeavesOutAreNotMissing() throws {
        let whole = try TestVideo.gray("e.mp4", in: folder, frames: 10)
        _ = try TestVideo.hidingFirst(whole, rate: 30, as: "hiding.mp4", in: folder)
        let video = try Self.namingLostChapters(try folder.bytes("hiding.mp4"))
        let facts = try probe(try folder.write(video, to: "chapters.mp4"))
        #expect((facts.frameCount, facts.listedCount) == (9, 9))
        #expect(facts.complaints.contains { $0.hasSuffix("Referenced QT chapter track not found") })
    }

    /// The same recording, trimmed at its end: frames after the end are not listed at all.
    @Test func framesBehindTheEndOfAnEditListAreNotMissing() throws {
        let coding = ["-pix_fmt", "yuv420p", "-qp", "0", "-bf", "0", "-g", "4"]
        let whole = try TestVideo.gray("e.mp4", in: folder, frames: 20, encoder: coding)
        _ = try TestVideo.hidingFirst(whole, rate: 30, as: "hiding.mp4", in: folder)
        let video = try Self.namingLostChapters(try Self.trimmed(try folder.bytes("hiding.mp4"), to: 1, of: 3))
        let facts = try probe(try folder.write(video, to: "trimmed.mp4"))
        #expect(facts.frameCount < 10 && facts.listedCount == facts.frameCount)
        #expect(facts.complaints.contains { $0.hasSuffix("Referenced QT chapter track not found") })
    }

    /// An mp4 whose only edit lasts a part of the time that it did.
    private static func trimmed(_ video: [UInt8], to part: UInt32, of parts: UInt32) throws -> [UInt8] {
        // The size, the name, version and flags, and the number of edits stand before the duration.
        let place = try place(of: "elst", in: video) + 16
        let duration = video[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var bytes = video
        bytes.replaceSubrange(
            place..<place + 4, with: withUnsafeBytes(of: (duration * part / parts).bigEndian) { Array($0) })
        return bytes
    }

    /// Where a box of an mp4 begins.
    private static func place(of box: String, in video: [UInt8]) throws -> Int {
        let name = Array(box.utf8)
        return try #require(video.indices.dropLast(3).first { video[$0..<$0 + 4].elementsEqual(name) }) - 4
    }

    /// An mp4 whose video refers to a chapter track that is not there. Its index comes after its frames, so that no offset
    /// into them changes.
    private static func namingLostChapters(_ video: [UInt8]) throws -> [UInt8] {
        let chapters: [UInt8] = [0, 0, 0, 12] + Array("chap".utf8) + [0, 0, 0, 77]
        let reference: [UInt8] = [0, 0, 0, 20] + Array("tref".utf8) + chapters
        var bytes = video
        func size(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        for place in [try place(of: "moov", in: bytes), try place(of: "trak", in: bytes)] {
            let grown = UInt32(size(at: place) + reference.count)
            bytes.replaceSubrange(place..<place + 4, with: withUnsafeBytes(of: grown.bigEndian) { Array($0) })
        }
        let header = try place(of: "tkhd", in: bytes)
        bytes.insert(contentsOf: reference, at: header + size(at: header))
        return bytes
    }

    @Test func framesThatAnEditListHidesCountWhereThatIsAsked() throws {
        let whole = try TestVideo.gray("e.mp4", in: folder, frames: 10, dropping: [4])
        let hiding = try TestVideo.hidingFirst(whole, rate: 30, as: "hiding.mp4", in: folder)
        #expect(try probe(hiding).frameCount == 8)
        let bytes = try folder.bytes("hiding.mp4")
        let archive = try folder.write([9, 9, 9] + bytes + [9], to: "archive.zip")
        for (path, range) in [(hiding, nil), (archive, 3..<Int64(bytes.count + 3))] {
            let input = VideoInput(path: path, range: range, name: "hiding.mp4", ignoresEditList: true)
            let facts = try VideoProbe.probe(input, with: ffmpeg)
            #expect(facts.frameCount == 9)
            #expect(facts.complaints == [])
            let wanted = [0, 1, 2, 3, 5, 6, 7, 8, 9].map { Int64((Double($0) * 1e9 / 30).rounded()) }
            #expect(facts.times?.count == 9)
            for (time, other) in zip(facts.times ?? [], wanted) { #expect(abs(time - other) < 100_000) }
            let decoder = try VideoDecoder(input, facts: facts, layout: .yuv420p, with: ffmpeg)
            var pixels: [UInt8] = []
            for n in [0, 1, 2, 3, 5, 6, 7, 8, 9] {
                #expect(try decoder.nextFrame(into: &pixels))
                #expect(pixels[0] == TestVideo.luma(n))
            }
            #expect(try !decoder.nextFrame(into: &pixels))
        }
    }

    /// Other readers than that of mp4 do not know edit lists, and would refuse to be told about them.
    @Test func filesWithoutAnEditListAreReadAllTheSame() throws {
        let path = try TestVideo.gray("f.mp4", in: folder, frames: 7)
        let (bare, matroska) = (folder.url("f.h264").path, folder.url("f.mkv").path)
        try TestVideo.ffmpeg(["-i", path, "-c", "copy", "-bsf:v", "h264_mp4toannexb", bare])
        try TestVideo.ffmpeg(["-i", path, "-c", "copy", matroska])
        for path in [path, bare, matroska] {
            let input = VideoInput(path: path, name: "rgb.mp4", ignoresEditList: true)
            let facts = try VideoProbe.probe(input, with: ffmpeg)
            #expect(facts.frameCount == 7)
            try VideoDecoder(input, facts: facts, layout: .luma, with: ffmpeg).finish()
        }
        for text in ["no video", "no", "    ftypisom"] {
            let path = try folder.write(text, to: "text.mp4")
            let found = #expect(throws: Problem.self) {
                try VideoProbe.probe(VideoInput(path: path, name: "rgb.mp4", ignoresEditList: true), with: ffmpeg)
            }
            #expect(found?.summary == "the video cannot be read")
            #expect(found?.notes.contains { $0.contains("ignore_editlist") } == false, "\(text)")
        }
    }

    @Test func bareStreamHasNoTimes() throws {
        let path = try TestVideo.detailed("f.mp4", in: folder, frames: 20)
        let bare = folder.url("f.h264").path
        try TestVideo.ffmpeg(["-i", path, "-c", "copy", "-bsf:v", "h264_mp4toannexb", bare])
        let facts = try probe(bare)
        #expect(facts.times == nil)
        #expect(facts.frameCount == 20)
    }

    @Test func entryOfAnArchive() throws {
        try TestVideo.gray("g.mp4", in: folder, frames: 12)
        let video = try folder.bytes("g.mp4")
        let path = try folder.write([UInt8](repeating: 7, count: 1001) + video + [1, 2, 3], to: "archive.zip")
        let end = Int64(1001 + video.count)
        let input = VideoInput(path: path, range: 1001..<end, name: "g.mp4")
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        #expect(facts.frameCount == 12)
        let decoder = try VideoDecoder(input, facts: facts, layout: .yuv420p, with: ffmpeg)
        var pixels: [UInt8] = []
        for n in 0..<12 {
            #expect(try decoder.nextFrame(into: &pixels))
            #expect(pixels[0] == TestVideo.luma(n))
        }
        let empty = #expect(throws: Problem.self) {
            try VideoProbe.probe(VideoInput(path: path, range: 5..<5, name: "g.mp4"), with: ffmpeg)
        }
        #expect(empty?.summary == "the video is empty")
    }

    @Test(arguments: ["a b.mp4", "-x.mp4", "50%d.mp4", "a:b.mp4", "a,b'c\"d.mp4", "line\nbreak.mp4", "café|x.mp4"])
    func namesOfAnyKind(name: String) throws {
        let plain = try TestVideo.gray("plain.mp4", in: folder, frames: 4)
        let odd = folder.url("odd").path + "/" + name
        try FileManager.default.createDirectory(atPath: folder.url("odd").path, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: plain, toPath: odd)
        #expect(try probe(odd).frameCount == 4)
        let ranged = VideoInput(path: odd, range: 0..<(1 << 40), name: name)
        #expect(try VideoProbe.probe(ranged, with: ffmpeg).frameCount == 4)
    }
}

/// Files that are not what they should be.
extension VideoProbeTests {
    @Test func missingFile() throws {
        #expect(
            problem(folder.url("gone.mp4").path)?.message() == """
                error: the video is missing
                  --> scan/color.mp4
                   = fix: copy it into the capture's folder
                """)
    }

    @Test func recordingWithoutItsIndex() throws {
        try TestVideo.detailed("h.mp4", in: folder, frames: 30)
        let video = try folder.bytes("h.mp4")
        let cut = try folder.write(Array(video.prefix(video.count / 2)), to: "cut.mp4")
        let found = problem(cut)
        #expect(found?.fault == .input)
        #expect(
            found?.message() == """
                error: the video cannot be read
                  --> scan/color.mp4
                   = ffprobe says: [mov,mp4,m4a,3gp,3g2,mj2] moov atom not found
                   = ffprobe says: scan/color.mp4: Invalid data found when processing input
                   = fix: copy the file again; if it is complete, it is no video, or its recording was never finished
                """)
    }

    @Test func streamThatIsCalledMP4() throws {
        let path = try TestVideo.gray("whole.mp4", in: folder, frames: 5)
        let stream = folder.url("stream.mp4").path
        try TestVideo.ffmpeg(["-i", path, "-c", "copy", "-f", "mpegts", stream])
        let found = problem(stream)
        #expect(found?.summary == "the video cannot be read")
        let command = "ffmpeg -i scan/color.mp4 -c copy scan/color-new.mp4"
        #expect(found?.fix == "make an MP4 of it with  \(command)  and put that in its place")
    }

    @Test func copyThatBrokeOffBehindTheIndex() throws {
        try TestVideo.detailed("i.mp4", in: folder, frames: 90, encoder: ["-movflags", "+faststart"])
        let video = try folder.bytes("i.mp4")
        let found = problem(try folder.write(Array(video.prefix(video.count / 2)), to: "cut.mp4"))
        #expect(found?.fault == .input)
        #expect(found?.summary == "the video is cut off")
        #expect(found?.notes.first?.hasSuffix(" of the 90 frames that it lists begin in the file") == true)
        #expect(
            found?.fix?.hasPrefix("copy the file again, or keep the whole frames with  --set read.truncated=keep-whole")
                == true)
    }

    /// Matroska lists no frames: only its reader's words tell. Frames that refer to later ones are in it after those.
    @Test(arguments: [0.3, 0.5, 0.61, 0.8]) func aMatroskaFileThatBrokeOff(share: Double) throws {
        let path = try TestVideo.detailed("m.mkv", in: folder, frames: 90, encoder: ["-bf", "3"])
        let whole = try probe(path)
        #expect(whole.cut == nil && whole.frameCount == 90)
        let video = try folder.bytes("m.mkv")
        let cut = try folder.write(Array(video.prefix(Int(Double(video.count) * share))), to: "cut.mkv")
        #expect(problem(cut)?.summary == "the video is cut off")
        let facts = try VideoProbe.probe(VideoInput(path: cut, name: "cut.mkv", keepsWhole: true), with: ffmpeg)
        #expect(facts.cut != nil && facts.frameCount > 10)
        let times = whole.times.map { Array($0.prefix(facts.frameCount)) }
        #expect(facts.times == times, "none is missing before the last")
    }

    @Test func otherFiles() throws {
        #expect(problem(try folder.write("no video", to: "text.mp4"))?.summary == "the video cannot be read")
        #expect(problem(try folder.write("", to: "empty.mp4"))?.summary == "the video is empty")
        #expect(problem(folder.path)?.summary == "the video is not a regular file")
        let huge = folder.url("huge.mov").path
        try TestVideo.ffmpeg(["-f", "lavfi", "-i", "color=s=10000x8000", "-frames:v", "1", "-c:v", "png", huge])
        #expect(problem(huge)?.summary.hasPrefix("the video has an impossible picture size") == true)
        let sound = folder.url("sound.mp4").path
        try TestVideo.ffmpeg(["-f", "lavfi", "-i", "sine=d=0.2", sound])
        #expect(problem(sound)?.summary == "the file holds no video")
    }

    @Test(.timeLimit(.minutes(20))) func aFIFOIsNotWaitedFor() throws {
        let path = folder.url("fifo.mp4").path
        #expect(mkfifo(path, 0o600) == 0)
        #expect(problem(path)?.summary == "the video is not a regular file")
    }

    /// A play list would make ffmpeg open what it names.
    @Test func listThatNamesAnotherFileIsRefused() throws {
        let secret = try TestVideo.gray("secret.mp4", in: folder, frames: 3)
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(secret)\n#EXT-X-ENDLIST\n"
        let concat = "ffconcat version 1.0\nfile secret.mp4\n"
        for (text, name) in [(list, "list.mp4"), (concat, "concat.mp4")] {
            let found = problem(try folder.write(text, to: name))
            #expect(found?.summary == "the video cannot be read")
            // Nor is anybody told to make a video of it.
            #expect(found?.fix?.contains("ffmpeg") == false)
        }
    }
}
