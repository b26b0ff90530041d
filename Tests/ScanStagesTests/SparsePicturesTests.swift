import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Captures of an app that keeps a picture of every third frame, and depth of each.
@Suite struct SparsePicturesTests {
    private static let count = 9

    /// - Returns: the made-up capture, and a copy of what was written of it, without two thirds of the pictures.
    private func export() throws -> (truth: StageRun, folder: TemporaryFolder, path: String) {
        let truth = try StageRun(
            "- synthesize: {frames: \(Self.count), rate: 10, picture-width: 64, picture-height: 48, depth-width: 64, "
                + "depth-height: 48}\n- decompress\n- write-capture: {format: 3d-scanner-app}",
            reading: "nowhere/made", probing: [.depth, .color])
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/scan"
        try FileManager.default.copyItem(atPath: "\(truth.path)/3d-scanner-app", toPath: path)
        for number in 0..<Self.count where !number.isMultiple(of: 3) {
            try FileManager.default.removeItem(atPath: "\(path)/frame_0000\(number).jpg")
        }
        return (truth, folder, path)
    }

    @Test func whoUsesDepthAloneHasAllFrames() throws {
        let (truth, folder, path) = try export()
        let run = try withExtendedLifetime(folder) {
            try StageRun(
                "- read\n- decompress\n- unproject: {color: false}\n- write-ply", reading: path, probing: [.depth])
        }
        #expect(run.frames.map(\.facts.index) == Array(0..<Self.count) && run.warnings == [])
        for (one, other) in zip(truth.frames, run.frames) {
            let (a, b) = (try #require(one.depth).metres, try #require(other.depth).metres)
            #expect(zip(a, b).allSatisfy { abs($0 - $1) <= 0.000501 })
        }
    }

    @Test func whoUsesPicturesHasTheFramesThatHaveOne() throws {
        let (truth, folder, path) = try export()
        let run = try withExtendedLifetime(folder) {
            try StageRun("- read\n- write-transforms", reading: path, probing: [.pose])
        }
        #expect(run.frames.map(\.facts.index) == [0, 3, 6])
        #expect(run.warnings == [])
        #expect(
            run.receipt["notes"]?.array?.map(\.string) == [
                "read: frames without color are left out, since the pipeline uses it: the app kept no picture of it; a "
                    + "pipeline without color takes them too"
            ])
        for (number, frame) in zip([0, 3, 6], run.frames) {
            let (there, here) = (try #require(truth.frames[number].pose), try #require(frame.pose))
            #expect((there.position - here.position).length < 1e-9)
        }
        // No damage of the capture: they do not count against its limit.
        #expect(run.capture.frames.allSatisfy { $0.drop?.isBad != true })
        #expect(run.capture.frames[1].drop?.reason == "the app kept no picture of it")
    }

    /// The limit is for the frames that there are for a pipeline: frames without a picture are neither bad nor sound.
    @Test func lostPicturesCountAmongThoseThatThereShouldBe() throws {
        let (_, folder, path) = try export()
        try FileManager.default.removeItem(atPath: "\(path)/frame_00004.json")
        let run = try withExtendedLifetime(folder) {
            try StageRun("- read: {bad-frame-limit: 0.1}\n- write-transforms", reading: path, probing: [.pose])
        }
        #expect(run.frames.map(\.facts.index) == [0, 3, 6])
        try Data("no picture".utf8).write(to: URL(fileURLWithPath: "\(path)/frame_00003.jpg"))
        let failure = problem {
            _ = try StageRun("- read: {bad-frame-limit: 0.3}\n- write-transforms", reading: path, probing: [.pose])
        }
        #expect(failure?.summary == "1 of 3 frames is bad (33.333 %)")
    }

    /// Frame n of the video is that of the n-th camera, whatever pictures lie beside.
    @Test func aVideoHasPicturesOfAllFrames() throws {
        let (_, folder, path) = try export()
        let filmed = try StageRun(
            "- synthesize: {frames: \(Self.count), rate: 10, picture-width: 64, picture-height: 48, depth: none}\n"
                + "- write-staging: {rgb: mp4}", reading: "nowhere/film", probing: [.color])
        try FileManager.default.copyItem(atPath: "\(filmed.path)/film.mp4", toPath: "\(path)/frames.mp4")
        try FileManager.default.removeItem(atPath: "\(path)/frame_00004.json")
        let run = try withExtendedLifetime(folder) {
            try StageRun("- read: {bad-frame-limit: 0.2}\n- decompress", reading: path, probing: [.depth, .color])
        }
        #expect(run.capture.variant == "video")
        #expect(run.frames.map(\.facts.index) == [0, 1, 2, 3, 5, 6, 7, 8])
        #expect(run.capture.frames[4].drop?.reason == "it has no frame_00004.json")
        for frame in run.frames {
            guard case .pixels(let a)? = filmed.frames[frame.facts.index].picture,
                case .planes(let planes)? = frame.picture
            else {
                Issue.record("frame \(frame.facts.index) has no picture")
                return
            }
            let b = RGBImage(planes)
            // Another frame's picture differs by some 20 on average.
            let sum = zip(a.pixels, b.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(sum / a.pixels.count < 8)
        }
    }
}
