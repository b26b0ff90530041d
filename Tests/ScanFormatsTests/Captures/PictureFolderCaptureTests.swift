import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PictureFolderCaptureTests {
    @Test func aPlainFolderHasPicturesAndNothingElse() throws {
        let folder = try TemporaryFolder()
        let files = try MultiScanSample().files().filter { $0.key.hasPrefix("color/") }
        let tree = CaptureFolder(path: try folder.write(files, under: "shots"))
        #expect(
            PictureFolderCapture.recognise(tree) == Recognition(format: "frames", reason: "color/ holds 4 pictures"))
        let capture = try PictureFolderCapture.open(tree, rules: ReadRules())
        #expect(capture.id == "shots")
        #expect(capture.format == "frames")
        #expect(capture.channels == [.color])
        #expect(capture.frames.map(\.index) == [0, 1, 2, 3])
        #expect(!capture.isMetric && capture.worldUp == nil)
        for channel in [Channel.pose, .recordedDepth, .box] {
            #expect(capture.absences[channel] == "a plain folder of pictures has none")
        }
        var frame = Frame(capture.frames[2])
        try capture.source.prepare(&frame, for: [.color])
        #expect(frame.picture == .file("color/000002.png"))
        #expect(try capture.source.bytes(of: "color/000002.png", limit: 10_000) == files["color/000002.png"])
    }

    @Test func depthThatNothingDescribesIsNotCalledMissing() throws {
        let folder = try TemporaryFolder()
        for name in ["color/0.png", "depth/0.png"] { try folder.write("x", to: "shots/\(name)") }
        let tree = CaptureFolder(path: folder.url("shots").path)
        let capture = try PictureFolderCapture.open(tree, rules: ReadRules())
        #expect(
            capture.absences[.recordedDepth] == "depth/ is not read: beside plain pictures nothing tells its unit")
        #expect(capture.absences[.pose] == "a plain folder of pictures has none" && capture.remedies.isEmpty)
    }

    @Test func withoutPicturesItIsNone() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "color/notes.txt")
        let tree = CaptureFolder(path: folder.path)
        #expect(PictureFolderCapture.recognise(tree) == nil)
        let problem = #expect(throws: Problem.self) { try PictureFolderCapture.open(tree, rules: ReadRules()) }
        #expect(problem?.summary == "there are no pictures in color/, rgb/ or images/")
    }

    @Test(.enabled(if: SharedData.isThere))
    func theFox() throws {
        let tree = CaptureFolder(path: SharedData.path("fox"))
        #expect(PictureFolderCapture.recognise(tree)?.reason == "images/ holds 13 pictures")
        let capture = try PictureFolderCapture.open(tree, rules: ReadRules())
        #expect(capture.frames.map(\.pictureFile) == stride(from: 0, through: 48, by: 4).map { "images/\($0).jpg" })
        #expect(capture.keptFrames.count == 13)
        #expect(
            capture.warnings == [
                "the numbers in images/ have gaps; the pictures were given to the frames in their order"
            ])
        #expect(capture.colorSize == PixelSize(1080, 1920))
    }
}
