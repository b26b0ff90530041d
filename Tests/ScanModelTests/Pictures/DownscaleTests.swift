import ScanModel
import TestSupport
import Testing

@Suite struct DownscaleTests {
    /// The mean over the area of each new pixel, by the definition and in double precision.
    @Test(arguments: [PixelSize(7, 5), PixelSize(16, 4), PixelSize(1, 1), PixelSize(17, 11), PixelSize(5, 11)])
    func everyPixelIsTheMeanOverItsArea(new: PixelSize) {
        var dice = SplitMix(seed: 4)
        let (w, h) = (17, 11)
        let image = RGBImage(
            width: w, height: h, pixels: (0..<(w * h * 3)).map { _ in UInt8.random(in: 0...255, using: &dice) })
        let small = image.downscaled(to: new)
        #expect((small.width, small.height) == (new.width, new.height))
        func share(_ old: Int, _ n: Int, _ from: Int, _ to: Int) -> Double {
            let (low, high) = (Double(n * from) / Double(to), Double((n + 1) * from) / Double(to))
            return max(0, min(high, Double(old + 1)) - max(low, Double(old))) / (high - low)
        }
        for y in 0..<new.height {
            for x in 0..<new.width {
                for channel in 0..<3 {
                    var sum = 0.0
                    for v in 0..<h {
                        for u in 0..<w {
                            let weight = share(u, x, w, new.width) * share(v, y, h, new.height)
                            sum += weight * Double(image.pixels[3 * (v * w + u) + channel])
                        }
                    }
                    #expect(abs(Double(small.pixels[3 * (y * new.width + x) + channel]) - sum) <= 0.5 + 1e-9)
                }
            }
        }
    }

    @Test func shapesStayAndNothingGrows() {
        #expect(RGBImage.downscaledSize(PixelSize(1920, 1440), toWidth: 320) == PixelSize(320, 240))
        #expect(RGBImage.downscaledSize(PixelSize(1080, 1920), toWidth: 320) == PixelSize(320, 569))
        #expect(RGBImage.downscaledSize(PixelSize(200, 100), toWidth: 320) == PixelSize(200, 100))
        #expect(RGBImage.downscaledSize(PixelSize(5000, 2), toWidth: 16) == PixelSize(16, 1))
    }
}
