import ScanModel
import Testing

@Suite struct ColorPicturesTests {
    private let colors = DepthColors(near: 1, far: 3)

    @Test func nearIsRedFarIsBlueAndNothingIsBlack() {
        let map = DepthMap(width: 6, height: 1, metres: [0, 0.5, 1, 2, 3, 60])
        let picture = colors.picture(of: map)
        #expect(picture[0, 0] == .black)
        #expect(picture[1, 0] == picture[2, 0] && picture[4, 0] == picture[5, 0])
        let (near, middle, far) = (picture[2, 0], picture[3, 0], picture[4, 0])
        #expect(near.red > 100 && near.green < 30 && near.blue < 30)
        #expect(middle.green > 200)
        #expect(far.blue > 120 && far.blue > far.red && far.blue > far.green)
    }

    @Test func everyDistanceHasAColourOfItsOwnThatIsNotBlack() {
        let found = (0...100).map { colors.color(of: 1 + Double($0) / 50) }
        #expect(Set(found).count == 101)
        #expect(found.allSatisfy { max($0.red, $0.green, $0.blue) > 100 })
    }

    @Test func confidenceGoesOverTheRecordersRange() {
        let iOS = ConfidenceMap(width: 3, height: 1, values: [0, 1, 2], range: 0...2).coloredPicture
        #expect(iOS[0, 0] == ColorMap.viridis.color(at: 0))
        #expect(iOS[1, 0] == ColorMap.viridis.color(at: 0.5))
        #expect(iOS[2, 0] == ColorMap.viridis.color(at: 1))
        let android = ConfidenceMap(width: 2, height: 1, values: [0, 255], range: 0...255).coloredPicture
        #expect(android[0, 0] == iOS[0, 0] && android[1, 0] == iOS[2, 0])
        let odd = ConfidenceMap(width: 1, height: 1, values: [9], range: 5...5).coloredPicture
        #expect(odd[0, 0] == ColorMap.viridis.color(at: 1))
    }

    @Test func whatIsPastedIsCutOffAtTheEdges() {
        let red = RGBColor(255, 0, 0)
        for (x, y) in [(-1, -1), (2, 1), (3, 3), (-2, 0), (0, -9), (9, 0), (-9, 9)] {
            var picture = RGBImage(width: 4, height: 3, color: .white)
            picture.paste(RGBImage(width: 2, height: 2, color: red), atX: x, y: y)
            var filled = RGBImage(width: 4, height: 3, color: .white)
            filled.fill(x: x, y: y, width: 2, height: 2, red)
            #expect(picture == filled)
            for v in 0..<3 {
                for u in 0..<4 {
                    let isInside = (x..<(x + 2)).contains(u) && (y..<(y + 2)).contains(v)
                    #expect(picture[u, v] == (isInside ? red : .white))
                }
            }
        }
    }

    @Test func onePictureStandsOnTheOther() {
        let both = RGBImage(width: 3, height: 1, color: .white).stacked(
            on: RGBImage(width: 2, height: 2, color: .black))
        #expect((both.width, both.height) == (3, 3))
        #expect(both[2, 0] == .white && both[1, 2] == .black)
    }
}
