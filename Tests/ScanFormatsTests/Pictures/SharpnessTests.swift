import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct SharpnessTests {
    private func relative(_ value: Double, to expected: Double) -> Double { abs(value - expected) / abs(expected) }

    /// The same thing said slowly.
    private func slowScore(_ picture: LumaImage) -> Double {
        func mirrored(_ i: Int, _ count: Int) -> Int { i < 0 ? -i : i >= count ? 2 * count - 2 - i : i }
        func at(_ x: Int, _ y: Int) -> Int {
            Int(picture.pixels[mirrored(y, picture.height) * picture.width + mirrored(x, picture.width)])
        }
        var values: [Double] = []
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                values.append(Double(at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4 * at(x, y)))
            }
        }
        let mean = values.reduce(0, +) / Double(values.count)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
    }

    @Test func agreesWithThePlainDefinition() {
        for (width, height) in [(2, 2), (2, 7), (3, 2), (17, 5), (64, 33), (5000, 3), (31, 40)] {
            let picture = testPicture(width, height)
            let gray = LumaImage(grayOf: picture)
            let expected = slowScore(gray)
            #expect(abs(Sharpness.score(gray) - expected) <= 1e-12 * max(1, expected))
            #expect(Sharpness.score(picture) == Sharpness.score(gray))
        }
    }

    /// Row by row while it is decoded, a JPEG has the score of its decoded picture.
    @Test func aJPEGNeedsNoPicture() throws {
        for (width, height) in [(1, 1), (2, 2), (1, 8), (17, 2), (18, 3), (64, 33), (333, 47)] {
            for subsampling in [JPEG.Subsampling.s420, .s444] {
                let file = try JPEG.encode(testPicture(width, height), quality: 80, subsampling: subsampling)
                let size = PixelSize(width, height)
                #expect(try JPEG.sharpness(file) == (Sharpness.score(try JPEG.decodeRGB(file)), size))
                let luma = try JPEG.sharpness(file, ownLuma: true)
                #expect(luma == (Sharpness.score(try JPEG.decodeLuma(file)), size))
            }
        }
    }

    @Test func aDamagedJPEGHasNoScore() throws {
        let file = try JPEG.encode(testPicture(64, 48))
        for bad in [[], Array(file.prefix(20)), Array(file.prefix(file.count / 2)), Array(file.dropFirst())] {
            let decoding = problem { () throws(Problem) in _ = try JPEG.decodeRGB(bad) }
            #expect(decoding != nil)
            #expect(problem { () throws(Problem) in _ = try JPEG.sharpness(bad) } == decoding)
        }
        let small = PictureLimits(pixels: 100)
        #expect(problem { () throws(Problem) in _ = try JPEG.sharpness(file, limits: small) }?.fault == .input)
    }

    @Test func greyIsRoundedAsOpenCVDoes() {
        var pixels: [UInt8] = []
        var expected: [UInt8] = []
        for r in stride(from: 0, through: 255, by: 15) {
            for g in stride(from: 0, through: 255, by: 17) {
                for b in stride(from: 0, through: 255, by: 5) {
                    pixels += [UInt8(r), UInt8(g), UInt8(b)]
                    expected.append(UInt8((9798 * r + 19235 * g + 3735 * b + 16384) >> 15))
                }
            }
        }
        let picture = RGBImage(width: expected.count, height: 1, pixels: pixels)
        #expect(LumaImage(grayOf: picture).pixels == expected)
    }

    /// The largest sums that a picture can have: 32 bits must not overflow on the way.
    @Test func theHarshestPictureDoesNotOverflow() {
        let (width, height) = (9000, 4)
        let pixels = (0..<width * height).map { UInt8(($0 % width + $0 / width) % 2 == 0 ? 255 : 0) }
        // Every Laplacian is +1020 or −1020.
        #expect(Sharpness.score(LumaImage(width: width, height: height, pixels: pixels)) == 1020 * 1020)
    }

    @Test func picturesWithoutALaplacianScoreZero() {
        for (width, height) in [(0, 0), (1, 1), (1, 9), (9, 1)] {
            #expect(Sharpness.score(LumaImage(width: width, height: height, pixels: slopes(width * height))) == 0)
            #expect(Sharpness.score(RGBImage(width: width, height: height, pixels: slopes(width * height * 3))) == 0)
        }
        #expect(Sharpness.score(LumaImage(width: 5, height: 5, pixels: [UInt8](repeating: 9, count: 25))) == 0)
    }

    @Test(.enabled(if: SharedData.isThere)) func equalsWhatInstantNGPPublishes() throws {
        let bytes = try Data(SharedData.bytes("fox.expected-sharpness.json"))
        let entries = try #require(try JSONSerialization.jsonObject(with: bytes) as? [[String: Any]])
        #expect(entries.count == 13)
        for entry in entries {
            let index = try #require(entry["index"] as? Int)
            let published = try #require(entry["published_sharpness"] as? Double)
            let picture = try JPEG.decodeRGB(SharedData.bytes("fox/images/\(index).jpg"))
            #expect(relative(Sharpness.score(picture), to: published) < 1e-9)
        }
    }

    @Test(.enabled(if: SharedData.isThere)) func equalsOpenCVOnTheOffice() throws {
        let expected = try SharedData.expected("office.expected.json")
        let fromColor = try #require((expected["blur"] as? [String: Any])?["per_frame"] as? [Double])
        let fromLuma = try #require(expected["blur_libjpeg_grayscale"] as? [Double])
        #expect(fromColor.count == 40 && fromLuma.count == 40)
        for frame in 0..<40 {
            let file = try SharedData.bytes("office/color/" + String(format: "%06d.jpg", frame))
            #expect(relative(Sharpness.score(try JPEG.decodeRGB(file)), to: fromColor[frame]) < 1e-9)
            #expect(relative(Sharpness.score(try JPEG.decodeLuma(file)), to: fromLuma[frame]) < 1e-9)
        }
    }
}
