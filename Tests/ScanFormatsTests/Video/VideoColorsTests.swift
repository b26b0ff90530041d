import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct VideoColorsTests {
    let folder: TemporaryFolder
    let ffmpeg: FFmpeg

    init() throws {
        folder = try TemporaryFolder()
        ffmpeg = try FFmpeg.find()
    }

    static let encodings = YUVEncoding.Matrix.allCases.flatMap { matrix in
        [false, true].map { YUVEncoding(matrix: matrix, isFullRange: $0) }
    }

    private func noise(_ width: Int, _ height: Int, _ encoding: YUVEncoding, seed: Int = 1) -> YUVImage {
        var random = SplitMix(seed: UInt64(seed))
        let planes = (0..<width * height * 3 / 2).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return YUVImage(width: width, height: height, planes: planes, encoding: encoding)
    }

    /// What the numbers of a standard make of luma and chroma, by its own rules: its red and blue parts of luma.
    private func exactColor(_ y: UInt8, _ u: UInt8, _ v: UInt8, _ encoding: YUVEncoding) -> [Double] {
        let (red, blue): (Double, Double) =
            switch encoding.matrix {
            case .bt601: (0.299, 0.114)
            case .bt709: (0.2126, 0.0722)
            case .bt2020: (0.2627, 0.0593)
            case .fcc: (0.30, 0.11)
            case .smpte240m: (0.212, 0.087)
            }
        let luma = encoding.isFullRange ? Double(y) : (Double(y) - 16) * 255 / 219
        let scale = encoding.isFullRange ? 1 : 255.0 / 224
        let (u, v) = ((Double(u) - 128) * scale, (Double(v) - 128) * scale)
        let (r, b) = (luma + 2 * (1 - red) * v, luma + 2 * (1 - blue) * u)
        return [r, (luma - red * r - blue * b) / (1 - red - blue), b].map { min(max($0, 0), 255) }
    }

    @Test(arguments: encodings) func colorsAreThoseOfTheStandard(_ encoding: YUVEncoding) {
        let picture = noise(70, 40, encoding)
        let colors = RGBImage(picture).pixels
        let (half, luma) = (35, 70 * 40)
        for y in 0..<40 {
            for x in 0..<70 {
                let chroma = luma + y / 2 * half + x / 2
                let (u, v) = (picture.planes[chroma], picture.planes[chroma + luma / 4])
                let exact = exactColor(picture.planes[y * 70 + x], u, v, encoding)
                let pixel = 3 * (y * 70 + x)
                // The recorded numbers are rounded down three times.
                for channel in 0..<3 { #expect(abs(Double(colors[pixel + channel]) - exact[channel]) < 3) }
            }
        }
    }

    /// The formula in VideoColors.swift, said slowly, with the factors that libswscale computes for its instructions.
    private func slowColors(_ picture: YUVImage) -> [UInt8] {
        let parts: [YUVEncoding.Matrix: [Double]] = [
            .bt601: [104_597, 132_201, -25_675, -53_279], .bt709: [117_489, 138_438, -13_975, -34_925],
            .bt2020: [110_013, 140_363, -12_277, -42_626], .fcc: [104_448, 132_798, -24_759, -53_109],
            .smpte240m: [117_579, 136_230, -16_907, -35_559],
        ]
        let isFull = picture.encoding.isFullRange
        let factors = (parts[picture.encoding.matrix] ?? []).map {
            ((isFull ? ($0 * 224 / 255).rounded(.towardZero) : $0) / 8 + 0.5).rounded(.down)
        }
        let (black, gain): (Double, Double) = isFull ? (0, 8192) : (128, 9539)
        func product(_ value: Double, _ factor: Double) -> Double { (value * factor / 65536).rounded(.down) }
        let (width, count) = (picture.width, picture.width * picture.height)
        return (0..<count).flatMap { i in
            let chroma = count + i / width / 2 * (width / 2) + i % width / 2
            let u = 8 * Double(picture.planes[chroma]) - 1024
            let v = 8 * Double(picture.planes[chroma + count / 4]) - 1024
            let luma = product(8 * Double(picture.planes[i]) - black, gain)
            let (red, blue) = (luma + product(v, factors[0]), luma + product(u, factors[1]))
            let green = luma + product(u, factors[2]) + product(v, factors[3])
            return [red, green, blue].map { UInt8(min(max($0, 0), 255)) }
        }
    }

    /// Narrow pictures, and the ends of rows, are done without the instructions that do 32 pixels at once.
    @Test(arguments: encodings) func everyWidthGivesWhatTheFormulaSays(_ encoding: YUVEncoding) {
        for width in stride(from: 2, through: 70, by: 2) {
            let picture = noise(width, 2 + width % 8, encoding, seed: width)
            let colors = RGBImage(picture)
            #expect(colors.pixels == slowColors(picture), "\(width)")
            #expect(Sharpness.score(picture) == Sharpness.score(colors), "\(width)")
            // Column by column, which takes the way of machines without those instructions.
            for x in stride(from: 0, to: width, by: 2) {
                let column = RGBImage(picture.columns(x))
                for y in 0..<picture.height {
                    let from = 3 * (y * width + x)
                    #expect(column.pixels[6 * y..<6 * y + 6].elementsEqual(colors.pixels[from..<from + 6]))
                }
            }
        }
    }

    @Test func aPictureOfNothing() {
        let nothing = YUVImage(
            width: 0, height: 0, planes: [], encoding: YUVEncoding(matrix: .bt709, isFullRange: false))
        #expect(RGBImage(nothing).pixels.isEmpty && Sharpness.score(nothing) == 0)
    }

    // MARK: - Of videos

    /// As ffmpeg declares them.
    private static let declared: [(name: String, matrix: YUVEncoding.Matrix)] = [
        ("unknown", .bt601), ("bt470bg", .bt601), ("smpte170m", .bt601), ("bt709", .bt709), ("bt2020nc", .bt2020),
        ("bt2020c", .bt2020), ("fcc", .fcc), ("smpte240m", .smpte240m),
    ]

    /// Three frames of 70 × 34, encoded without loss: those of ``noise(_:_:_:seed:)`` with other seeds, where the format
    /// has as many bytes.
    private func record(
        _ name: String, _ format: String, matrix: String = "bt709"
    ) throws -> (input: VideoInput, facts: VideoFacts) {
        let path = folder.url(name).path
        let range = format.hasPrefix("yuvj") ? "pc" : "tv"
        let any = YUVEncoding(matrix: .bt601, isFullRange: false)
        try folder.write((0..<12).flatMap { noise(70, 34, any, seed: $0).planes }, to: "noise.yuv")
        try TestVideo.ffmpeg(
            [
                "-f", "rawvideo", "-pix_fmt", format, "-color_range", range, "-s", "70x34", "-i",
                folder.url("noise.yuv").path, "-frames:v", "3", "-vf",
                "setparams=colorspace=\(matrix):range=\(range)", "-c:v", "libx264", "-qp", "0", "-colorspace", matrix,
                "-color_range", range, path,
            ])
        let input = VideoInput(path: path, name: name)
        return (input, try VideoProbe.probe(input, with: ffmpeg))
    }

    @Test(arguments: declared, ["yuv420p", "yuvj420p"])
    func colorsAreThoseOfFFmpeg(_ declared: (name: String, matrix: YUVEncoding.Matrix), _ format: String) throws {
        #if arch(x86_64)
            let (input, facts) = try record("noise.mp4", format, matrix: declared.name)
            let encoding = try #require(YUVEncoding(of: facts))
            #expect(encoding == YUVEncoding(matrix: declared.matrix, isFullRange: format == "yuvj420p"))
            // ffmpeg makes no colours of this one from version 7 on.
            if declared.name == "bt2020c" { return }
            let colors = try VideoDecoder(input, facts: facts, layout: .rgb24, with: ffmpeg)
            let recorded = try VideoDecoder(input, facts: facts, layout: .yuv420p, with: ffmpeg)
            var (pixels, planes): ([UInt8], [UInt8]) = ([], [])
            for frame in 0..<3 {
                #expect(try colors.nextFrame(into: &pixels))
                #expect(try recorded.nextFrame(into: &planes))
                let picture = noise(70, 34, encoding, seed: frame)
                #expect(planes == picture.planes)
                #expect(RGBImage(picture).pixels == pixels)
            }
        #else
            print("SKIPPED: ffmpeg's own colours, which it computes in another way on this processor")
        #endif
    }

    /// Formats that no rule here is for are left to ffmpeg.
    @Test func otherFormatsHaveNoEncodingHere() throws {
        for format in ["yuv422p", "yuv444p", "yuv420p10le"] {
            #expect(YUVEncoding(of: try record("\(format).mp4", format).facts) == nil)
        }
        var facts = try record("a.mp4", "yuv420p").facts
        #expect(YUVEncoding(of: facts) != nil)
        for matrix in ["ycgco", "gbr", "reserved", "ictcp"] {
            facts.color.matrix = matrix
            #expect(YUVEncoding(of: facts) == nil)
        }
        facts.color.matrix = "bt709"
        // The one of the first frame, the other of a later one.
        facts.color.range = "pc"
        #expect(YUVEncoding(of: facts) == nil)
        facts.color.range = "tv"
        (facts.width, facts.height) = (69, 34)
        #expect(YUVEncoding(of: facts) == nil)
        (facts.width, facts.height) = (70, 33)
        #expect(YUVEncoding(of: facts) == nil)
    }

    @Test(.enabled(if: SharedData.isThere)) func scoresAreTheSameAsOpenCVs() throws {
        let published = try #require(
            (SharedData.expected("office-video.expected.json")["blur"] as? [String: Any])?["per_frame"] as? [Double])
        let input = VideoInput(path: SharedData.path("office-video/office-video.mp4"), name: "office-video.mp4")
        let facts = try VideoProbe.probe(input, with: ffmpeg)
        let encoding = try #require(YUVEncoding(of: facts))
        let decoder = try VideoDecoder(input, facts: facts, layout: .yuv420p, with: ffmpeg)
        var planes: [UInt8] = []
        for score in published {
            try #require(try decoder.nextFrame(into: &planes))
            let picture = YUVImage(width: 640, height: 480, planes: planes, encoding: encoding)
            #expect(abs(Sharpness.score(picture) / score - 1) < 1e-9)
        }
    }
}

extension YUVImage {
    /// Two columns of it, from an even one on.
    fileprivate func columns(_ x: Int) -> YUVImage {
        let luma = (0..<height).flatMap { planes[$0 * width + x..<$0 * width + x + 2] }
        let chroma = (0..<height).map { planes[width * height + $0 * width / 2 + x / 2] }
        return YUVImage(width: 2, height: height, planes: luma + chroma, encoding: encoding)
    }
}
