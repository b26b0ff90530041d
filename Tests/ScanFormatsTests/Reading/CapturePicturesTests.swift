import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct CapturePicturesTests {
    private static let desk = SharedData.checkout.appendingPathComponent("samples/desk").path

    /// A small picture is the whole one made smaller, up to what libjpeg's own scaling and JPEG's rounding do.
    @Test func aSmallPictureIsTheWholeOneMadeSmaller() throws {
        let pictures = try CapturePictures(at: Self.desk)
        #expect(pictures.frames == Array(0..<60))
        let whole = try pictures.picture(of: 7, within: PixelSize(10_000, 10_000))
        let small = try pictures.picture(of: 7, within: PixelSize(48, 48))
        #expect(max(small.width, small.height) == 48)
        let expected = whole.downscaled(to: PixelSize(small.width, small.height))
        let differences = zip(small.pixels, expected.pixels).map { abs(Int($0) - Int($1)) }
        #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 4)
        // And it is frame 7's.
        let other = try pictures.picture(of: 40, within: PixelSize(48, 48))
        let apart = zip(other.pixels, expected.pixels).map { abs(Int($0) - Int($1)) }
        #expect(apart.reduce(0, +) > 3 * differences.reduce(0, +))
    }

    /// Frames are the capture's, and the video has fewer.
    @Test func theVideoLacksAFrame() throws {
        let folder = try TemporaryFolder()
        var sample = MultiScanSample()
        sample.frameCount = 8
        sample.pictures = .none
        sample.colorSize = PixelSize(64, 48)
        // No clock of a phone is even.
        let times = [0, 34, 71, 104, 134, 167, 201, 238].map { (ms: Int64) -> Int64 in 5_000_000_000 + ms * 1_000_000 }
        for (frame, time) in times.enumerated() { sample.timestamps[frame] = time }
        let path = try folder.write(sample.files(), under: "film")
        try TestVideo.gray("film/scan.mp4", in: folder, at: times, dropping: [3])
        let pictures = try CapturePictures(at: path)
        #expect(pictures.frames == [0, 1, 2, 4, 5, 6, 7])
        for frame in pictures.frames {
            let image = try pictures.picture(of: frame, within: PixelSize(64, 64))
            let expected = (Double(TestVideo.luma(frame)) - 16) * 255 / 219
            #expect(abs(Double(image.pixels[0]) - expected) <= 3, "frame \(frame)")
        }
        #expect(throws: Problem.self) { try pictures.picture(of: 3, within: PixelSize(64, 64)) }
    }

    /// A phone that was held upright records its pictures lying on their side.
    @Test func picturesStandUpright() throws {
        let whole = try CapturePictures(at: Self.desk).picture(of: 7, within: PixelSize(64, 64))
        #expect(whole.width > whole.height)
        let folder = try TemporaryFolder()
        try folder.copySample("desk")
        let lines = String(decoding: try folder.bytes("desk/desk.jsonl"), as: UTF8.self)
        let turned = try lines.split(separator: "\n").map { line -> String in
            var json = try #require(try JSONValue.parse(Array(line.utf8), file: "line").object)
            let m = try #require(json["transform"]?.doubles)
            // The camera turned clockwise by a quarter: x' = −y, y' = x, in columns of four.
            json["transform"] = .of(m[4..<8].map { -$0 } + Array(m[0..<4]) + Array(m[8...]))
            return String(decoding: JSONWriter.text(.object(json)), as: UTF8.self).split(whereSeparator: \.isNewline)
                .map { $0.trimmingCharacters(in: .whitespaces) }.joined()
        }
        try folder.write(turned.joined(separator: "\n") + "\n", to: "desk/desk.jsonl")
        let upright = try CapturePictures(at: "\(folder.path)/desk").picture(of: 7, within: PixelSize(64, 64))
        #expect(upright.width < upright.height)
        #expect([whole.turned(quarterTurns: 1), whole.turned(quarterTurns: 3)].contains(upright))
    }

    @Test func everySampleShowsItsPictures() throws {
        let samples = SharedData.checkout.appendingPathComponent("samples").path
        let names = try FileManager.default.contentsOfDirectory(atPath: samples).filter { !$0.contains(".") }
        #expect(names.count > 10)
        for name in names {
            var found: [String] = []
            let root = SharedData.checkout.appendingPathComponent("samples/\(name)").path
            for capture in try CaptureSearch.captures(at: root) {
                let pictures = try CapturePictures(at: capture.path)
                let frame = try #require(pictures.frames.last)
                let image = try pictures.picture(of: frame, within: PixelSize(64, 64))
                #expect(max(image.width, image.height) == 64, "\(name)")
                #expect(Set(image.pixels).count > 20, "\(name): one colour")
                found.append(capture.id)
            }
            #expect(!found.isEmpty, "\(name)")
        }
    }

    @Test func whatIsNoCaptureSaysSo() throws {
        let folder = try TemporaryFolder()
        #expect(throws: Problem.self) { try CapturePictures(at: folder.path) }
        #expect(throws: Problem.self) { try CapturePictures(at: folder.path + "/nothing") }
    }
}
