import ScanModel
import Testing

@Suite struct RasteriserTests {
    private let red = RGBColor(255, 0, 0)
    private let blue = RGBColor(0, 0, 255)

    private func blank(_ width: Int = 12, _ height: Int = 9) -> Rasteriser {
        Rasteriser(width: width, height: height, background: .white)
    }

    private func painted(_ image: RGBImage, _ color: RGBColor) -> [[Int]] {
        (0..<image.height).flatMap { y in (0..<image.width).filter { image[$0, y] == color }.map { [$0, y] } }
    }

    // MARK: - Discs

    /// By the definition: a pixel is painted when its centre lies in the disc.
    @Test(arguments: [(6.0, 4.0, 5.0), (6.3, 4.9, 6.1), (0, 0, 7), (11.9, 8.5, 4), (-1, 4, 5), (5.5, 4.5, 3)])
    func aDiscPaintsThePixelsWhoseCentresItHolds(x: Double, y: Double, diameter: Double) {
        var canvas = blank()
        canvas.disc(at: .init(x, y, depth: 1), diameter: diameter, color: red)
        var expected: [[Int]] = []
        for v in 0..<9 {
            for u in 0..<12 {
                let (dx, dy) = (Double(u) + 0.5 - x, Double(v) + 0.5 - y)
                if dx * dx + dy * dy <= diameter * diameter / 4 { expected.append([u, v]) }
            }
        }
        #expect(!expected.isEmpty && painted(canvas.image, red) == expected)
    }

    /// The larger two reach into other columns, but to no pixel's centre.
    @Test(arguments: [0.1, 1, 1.1]) func theSmallestDiscIsThePixelItLiesIn(_ diameter: Double) {
        for (x, y) in [(3.02, 4.98), (3.98, 4.2), (3.02, 4.2)] {
            var canvas = blank()
            canvas.disc(at: .init(x, y, depth: 1), diameter: diameter, color: red)
            #expect(painted(canvas.image, red) == [[3, 4]])
        }
    }

    @Test func theNearerOneHidesTheOtherWhicheverComesFirst() {
        let near = (Rasteriser.Point(5, 4, depth: 1), red)
        let far = (Rasteriser.Point(6, 4, depth: 2), blue)
        let images = [[near, far], [far, near]].map { order in
            var canvas = blank()
            for (point, color) in order { canvas.disc(at: point, diameter: 4, color: color) }
            return canvas.image
        }
        #expect(images[0] == images[1])
        #expect(images[0][5, 4] == red && images[0][7, 4] == blue)
        var canvas = blank()
        canvas.disc(at: .init(5, 4, depth: 1), diameter: 4, color: red)
        canvas.disc(at: .init(5, 4, depth: 1), diameter: 4, color: blue)
        #expect(painted(canvas.image, blue) == [])
    }

    @Test func whatIsNowhereIsNotDrawn() {
        for value in [Double.nan, .infinity, -.infinity, 1e300] {
            var canvas = blank()
            canvas.disc(at: .init(value, 4, depth: 1), diameter: 4, color: red)
            canvas.disc(at: .init(4, value, depth: 1), diameter: 4, color: red)
            canvas.line(from: .init(1, 1, depth: 1), to: .init(5, value, depth: 1), width: 2, color: red)
            #expect(painted(canvas.image, .white).count == 12 * 9)
        }
        var canvas = blank()
        canvas.disc(at: .init(4, 4, depth: .nan), diameter: 4, color: red)
        canvas.disc(at: .init(400, -400, depth: 1), diameter: 4, color: red)
        canvas.line(from: .init(-50, -9, depth: 1), to: .init(90, -7, depth: 1), width: 3, color: red)
        #expect(painted(canvas.image, .white).count == 12 * 9)
    }

    // MARK: - Lines

    @Test func straightLinesPaintTheirRowsAndColumns() {
        var canvas = blank()
        canvas.line(from: .init(2, 3.5, depth: 1), to: .init(7, 3.5, depth: 1), width: 1, color: red)
        #expect(painted(canvas.image, red) == (2..<7).map { [$0, 3] })
        canvas.line(from: .init(9, 8, depth: 1), to: .init(9, 1, depth: 1), width: 2, color: blue)
        #expect(painted(canvas.image, blue) == (1..<8).flatMap { [[8, $0], [9, $0]] })
    }

    @Test func aDiagonalHasNoGaps() {
        var canvas = blank()
        canvas.line(from: .init(1, 1, depth: 1), to: .init(7, 7, depth: 1), width: 0.5, color: red)
        #expect(painted(canvas.image, red) == (1..<7).map { [$0, $0] })
    }

    @Test func aLineIsAsWideAcrossWhateverItsDirection() {
        // By the definition, away from the ends: centres within half the width of the line.
        for (dx, dy) in [(30.0, 7.0), (7, 30), (25, -24), (-30, 10)] {
            var canvas = blank(60, 60)
            let (from, to) = ((30 - dx / 2, 30 - dy / 2), (30 + dx / 2, 30 + dy / 2))
            canvas.line(from: .init(from.0, from.1, depth: 1), to: .init(to.0, to.1, depth: 1), width: 5, color: red)
            let length = (dx * dx + dy * dy).squareRoot()
            for y in 0..<60 {
                for x in 0..<60 {
                    let (px, py) = (Double(x) + 0.5 - 30, Double(y) + 0.5 - 30)
                    let along = (px * dx + py * dy) / length
                    let across = abs(px * dy - py * dx) / length
                    if abs(along) < length / 2 - 3 && abs(across - 2.5) > 1e-9 {
                        #expect((canvas.image[x, y] == red) == (across < 2.5))
                    }
                }
            }
        }
    }

    @Test func whatLiesBehindShowsThroughAsFarAsIsSaid() {
        var canvas = blank()
        canvas.disc(at: .init(3, 4.5, depth: 2), diameter: 5, color: .black)
        let (a, b) = (Rasteriser.Point(0, 4.5, depth: 3), Rasteriser.Point(12, 4.5, depth: 3))
        canvas.line(from: a, to: b, width: 1, color: red, hidden: 0.2)
        #expect(canvas.image[3, 4] == RGBColor(51, 0, 0))
        #expect(canvas.image[9, 4] == red)
        // On a surface, or a little behind it, a line is seen whole.
        canvas.line(from: a, to: b, width: 1, color: blue, bias: 1.01)
        #expect(canvas.image[3, 4] == blue)
    }

    @Test func depthRunsAlongALine() {
        var canvas = blank()
        for x in 0..<12 { canvas.disc(at: .init(Double(x) + 0.5, 4.5, depth: 6), diameter: 1, color: .black) }
        canvas.line(from: .init(0, 4.5, depth: 0), to: .init(12, 4.5, depth: 12), width: 1, color: red)
        #expect(painted(canvas.image, red) == (0..<6).map { [$0, 4] })
    }

    // MARK: - Shading

    @Test func whatLiesBehindItsNeighboursGetsDarker() {
        var canvas = blank(20, 20)
        for y in 0..<20 {
            for x in 0..<20 {
                let depth = x < 10 ? 1.0 : 2.0
                canvas.disc(
                    at: .init(Double(x) + 0.5, Double(y) + 0.5, depth: depth), diameter: 1,
                    color: RGBColor(200, 100, 50))
            }
        }
        canvas.shade(reach: 2, strength: 0.25, pixelSize: (at0: 0.125, perDepth: 0))
        // A step of 8 pixels over 2: the slope counts as 4, and 1 / (1 + 0.25 · 4) is a half.
        #expect(canvas.image[11, 9] == RGBColor(100, 50, 25))
        #expect(canvas.image[9, 9] == RGBColor(200, 100, 50))
        #expect(canvas.image[14, 9] == RGBColor(200, 100, 50))
    }
}
