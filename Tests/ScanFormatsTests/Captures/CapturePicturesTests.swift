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

    @Test func everySampleShowsItsPictures() throws {
        for name in ["tum", "nerfcapture", "scannet", "sens", "scannetpp", "colmap", "stray-scanner", "polycam"] {
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
