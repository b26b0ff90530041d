import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct TreeSourceTests {
    private let folder: TemporaryFolder
    private let capture: Capture

    init() throws {
        folder = try TemporaryFolder()
        let path = try folder.write(MultiScanSample().files(), under: "scan")
        capture = try MultiScanCapture.open(CaptureFolder(path: path), rules: ReadRules())
    }

    private func tracks(_ channels: Set<Channel>) throws -> [String] {
        try capture.source.tracks(for: channels, of: capture).map(\.name)
    }

    @Test func onlyTheStreamsThatAreNeededAreOpened() throws {
        #expect(try tracks([]).isEmpty)
        #expect(try tracks([.color, .pose]).isEmpty)
        #expect(try tracks([.recordedDepth]) == ["scan.depth.zlib"])
        #expect(try tracks([.recordedConfidence]) == ["scan.confidence.zlib"])
        #expect(try tracks([.recordedDepth, .recordedConfidence]) == ["scan.depth.zlib", "scan.confidence.zlib"])
        #expect(try tracks([.previousDepth]) == ["scan.depth.zlib"])
    }

    @Test func picturesAreAttachedAsFilesWhereTheyAreNeeded() throws {
        var frame = Frame(capture.frames[3])
        try capture.source.prepare(&frame, for: [.pose])
        #expect(frame.picture == nil)
        try capture.source.prepare(&frame, for: [.color])
        #expect(frame.picture == .file("color/000003.png"))
    }

    @Test func aPassCanBeWalkedAgain() throws {
        for _ in 0..<2 {
            let track = try #require(try capture.source.tracks(for: [.recordedDepth], of: capture).first)
            for facts in capture.frames {
                var frame = Frame(facts)
                try track.advance(&frame, isWanted: true)
                #expect(frame.recordedDepth?.bytes == Array(MultiScanSample().rawDepth(facts.index + 1).suffix(96)))
            }
            #expect(try track.finish().extraFrames == 0)
        }
    }

    @Test func filesThatVanishOnceTheCaptureIsOpenAreNamed() throws {
        let picture = MultiScanSample.pictureName(1)
        for file in ["scan.depth.zlib", picture] { try FileManager.default.removeItem(at: folder.url("scan/\(file)")) }
        let depth = #expect(throws: Problem.self) { try capture.source.tracks(for: [.recordedDepth], of: capture) }
        #expect(depth?.message() == "error: there is no such file\n  --> scan.depth.zlib")
        let pixels = #expect(throws: Problem.self) { try capture.source.bytes(of: picture, limit: 1000) }
        #expect(pixels?.message() == "error: there is no such file\n  --> \(picture)")
    }
}
