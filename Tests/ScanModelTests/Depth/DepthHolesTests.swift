import ScanModel
import TestSupport
import Testing

@Suite struct DepthHolesTests {
    @Test(arguments: [0.02, 0.3, 0.9])
    func holesGetTheDepthOfANearestPixel(share: Double) {
        var random = SplitMix(seed: 48)
        let (width, height) = (13, 9)
        let metres = (0..<width * height).map { n in
            Double.random(in: 0..<1, using: &random) < share || n == 40 ? Float(n + 1) : 0
        }
        let map = DepthMap(width: width, height: height, metres: metres)
        let known = metres.indices.filter { metres[$0] > 0 }
        func steps(_ a: Int, _ b: Int) -> Int { abs(a % width - b % width) + abs(a / width - b / width) }
        for (pixel, filled) in map.fillingHoles().metres.enumerated() {
            // Each known pixel's depth is its number and one.
            let source = Int(filled) - 1
            let least = known.map { steps($0, pixel) }.min()
            #expect(known.contains(source) && steps(source, pixel) == least, "\(pixel) got \(filled)")
        }
    }

    @Test(arguments: [[Float](repeating: 0, count: 6), [1, 2, 3, 4, 5, 6]])
    func thereMayBeNothingToFillOrNothingToFillFrom(metres: [Float]) {
        let map = DepthMap(width: 2, height: 3, metres: metres)
        #expect(map.fillingHoles() == map)
    }

    @Test func aMapMayHaveNoPixels() {
        #expect(DepthMap(width: 0, height: 3, metres: []).fillingHoles().metres == [])
    }
}
