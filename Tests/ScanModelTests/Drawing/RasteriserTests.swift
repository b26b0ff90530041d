import ScanModel
import TestSupport
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

    // MARK: - Triangles

    private func corner(_ x: Double, _ y: Double, depth: Double = 1, _ color: Vector3 = Vector3(255, 0, 0))
        -> Rasteriser.Corner
    { Rasteriser.Corner(.init(x, y, depth: depth), color: color) }

    /// By the definition, on corners that lie in any part of a pixel, and outside of the picture.
    @Test(arguments: [
        [(1.0, 8.0), (11.0, 7.0), (4.0, 1.0)], [(-7.3, 12.6), (15.1, 4.2), (2.77, -3.2)],
        [(3.1, 3.95), (3.85, 3.2), (3.2, 3.1)],
    ]) func aTrianglePaintsThePixelsWhoseCentresItHolds(_ corners: [(Double, Double)]) {
        var canvas = blank()
        canvas.triangle(
            corner(corners[0].0, corners[0].1), corner(corners[1].0, corners[1].1), corner(corners[2].0, corners[2].1))
        func isInside(_ x: Double, _ y: Double) -> Bool {
            (0..<3).allSatisfy { side in
                let (a, b) = (corners[side], corners[(side + 1) % 3])
                return (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0) <= 0
            }
        }
        let expected = (0..<9).flatMap { y in
            (0..<12).filter { isInside(Double($0) + 0.5, Double(y) + 0.5) }.map { [$0, y] }
        }
        #expect(painted(canvas.image, red) == expected)
    }

    @Test func aTriangleIsNotSeenFromBehind() {
        var canvas = blank()
        canvas.triangle(corner(1, 8), corner(4, 1), corner(11, 7))
        canvas.triangle(corner(1, 8), corner(5, 4), corner(9, 0))
        #expect(painted(canvas.image, .white).count == 12 * 9)
    }

    /// A fan around a point anywhere, whose edges run through pixels' centres and beside them.
    @Test func trianglesThatShareEdgesLeaveNoGap() {
        var random = SplitMix(seed: 5)
        for _ in 0..<200 {
            var canvas = blank()
            func any(_ size: Double) -> Double { (Double(random.next() % 64) / 64 * size * 4).rounded() / 4 }
            let middle = corner(any(12), any(9))
            let ring = [
                (-1.0, -1.0), (any(12), -1), (13, -1), (13, any(9)), (13, 10), (any(12), 10), (-1, 10), (-1, any(9)),
            ]
            .map { corner($0.0, $0.1) }
            for (a, b) in zip(ring, ring.dropFirst() + [ring[0]]) { canvas.triangle(middle, b, a) }
            #expect(painted(canvas.image, red).count == 12 * 9)
        }
    }

    /// At a quarter, a quarter and a half of three corners.
    @Test func depthAndColourChangeEvenlyOverATriangle() {
        var canvas = blank()
        let (a, b, c) = (
            corner(0.5, 8.5, depth: 2, Vector3(200, 0, 0)), corner(8.5, 8.5, depth: 4, Vector3(0, 100, 0)),
            corner(4.5, 0.5, depth: 6, Vector3(0, 0, 80))
        )
        canvas.triangle(a, b, c)
        #expect(canvas.image[4, 4] == RGBColor(50, 25, 40) && canvas.depth[4 * 12 + 4] == 4.5)
        // What is nearer stays, whichever comes first.
        canvas.disc(at: .init(4.5, 4.5, depth: 4.6), diameter: 1, color: .black)
        #expect(canvas.image[4, 4] == RGBColor(50, 25, 40))
        canvas.disc(at: .init(4.5, 4.5, depth: 4.4), diameter: 1, color: .black)
        canvas.triangle(a, b, c)
        #expect(canvas.image[4, 4] == .black)
    }

    @Test func whatIsSealedStays() {
        var canvas = blank()
        canvas.triangle(corner(1, 8, depth: 2), corner(11, 7, depth: 2), corner(4, 1, depth: 2))
        let before = painted(canvas.image, red)
        canvas.seal()
        let blue = Vector3(0, 0, 255)
        canvas.triangle(corner(0, 9, blue), corner(12, 9, blue), corner(0, 0, blue))
        #expect(painted(canvas.image, red) == before)
        #expect(painted(canvas.image, self.blue).count > 20)
    }

    @Test func aTriangleWithACornerNowhereIsNotDrawn() {
        for value in [Double.nan, .infinity, 1e300] {
            var canvas = blank()
            canvas.triangle(corner(1, 8), corner(value, 7), corner(4, 1))
            canvas.triangle(corner(1, 8), corner(11, 7, depth: value > 1e99 ? .infinity : value), corner(4, 1))
            #expect(painted(canvas.image, .white).count == 12 * 9)
        }
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
