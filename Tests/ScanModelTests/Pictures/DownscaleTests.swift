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

    /// Several factors at once give what each gives alone: the mean over its block, rounded once, also of the brightest
    /// picture and where only some of the factors divide the size.
    @Test(arguments: [(48, 32), (40, 24), (36, 20), (34, 18), (33, 17), (2, 2), (16, 16), (32, 1)])
    func severalFactorsGiveWhatEachGives(width: Int, height: Int) {
        var dice = SplitMix(seed: 11)
        let factors = [8, 2, 16, 3, 4, 2]
        let noise = (0..<(width * height * 3)).map { _ in UInt8.random(in: 0...255, using: &dice) }
        for pixels in [noise, [UInt8](repeating: 255, count: noise.count)] {
            let image = RGBImage(width: width, height: height, pixels: pixels)
            let pictures = image.downscaled(by: factors)
            for (factor, small) in zip(factors, pictures) {
                #expect(small.size == image.size.downscaled(by: factor))
                guard width.isMultiple(of: factor), height.isMultiple(of: factor) else {
                    #expect(small == image.downscaled(to: small.size))
                    continue
                }
                #expect(small.pixels == Self.means(of: image, over: factor), "by \(factor)")
            }
        }
    }

    /// By the definition, in whole numbers.
    private static func means(of image: RGBImage, over side: Int) -> [UInt8] {
        var means: [UInt8] = []
        for y in 0..<(image.height / side) {
            for x in 0..<(image.width / side) {
                for channel in 0..<3 {
                    var sum = side * side / 2
                    for v in 0..<side {
                        for u in 0..<side {
                            let place = (y * side + v) * image.width + x * side + u
                            sum += Int(image.pixels[3 * place + channel])
                        }
                    }
                    means.append(UInt8(sum / (side * side)))
                }
            }
        }
        return means
    }

    @Test func shapesStayAndNothingGrows() {
        #expect(PixelSize(1920, 1440).fitting(into: PixelSize(320, 1440)) == PixelSize(320, 240))
        #expect(PixelSize(1080, 1920).fitting(into: PixelSize(320, 1920)) == PixelSize(320, 569))
        #expect(PixelSize(200, 100).fitting(into: PixelSize(320, 100)) == PixelSize(200, 100))
        #expect(PixelSize(5000, 2).fitting(into: PixelSize(16, 2)) == PixelSize(16, 1))
    }
}
