import ScanModel
import TestSupport
import Testing

@Suite struct DepthHistogramTests {
    private func histogram(_ metres: [Float]) -> DepthHistogram {
        var histogram = DepthHistogram()
        histogram.add(DepthMap(width: metres.count, height: 1, metres: metres))
        return histogram
    }

    @Test func pixelsWithoutDepthAreCountedApart() {
        let some = histogram([0, 1.5, 0, 0.25])
        #expect(some.pixelCount == 4 && some.validCount == 2 && some.shareWithDepth == 0.5)
        #expect(some.lowest == 0.25 && some.highest == 1.5)
        let none = histogram([0, 0])
        #expect(none.quantile(0.5) == nil && none.shareWithDepth == 0)
        #expect(none.coarse(atMost: 60).pixels.isEmpty)
        #expect(DepthHistogram().quantile(0.5) == nil)
    }

    @Test func quantilesAreRightToABin() throws {
        var dice = SplitMix(seed: 72)
        let metres = (0..<5000).map { _ in Float.random(in: 0.2...6, using: &dice) }
        let found = histogram(metres)
        let exact = try #require(Distribution(metres.map(Double.init)))
        for share in [0.001, 0.05, 0.5, 0.95, 0.999] {
            let value = try #require(found.quantile(share))
            #expect(abs(value - exact.quantile(share)) <= 0.005, "\(share)")
        }
        #expect(try #require(found.quantile(0)) >= exact.lowest)
        #expect(try #require(found.quantile(1)) <= exact.highest)
    }

    /// A single stray pixel changes nothing, however far it is.
    @Test func farQuantilesAreRightToAShareOfTheDistance() throws {
        var dice = SplitMix(seed: 74)
        let metres = (0..<5000).map { _ in Float.random(in: 15...40, using: &dice) } + [900]
        let found = histogram(metres)
        let exact = try #require(Distribution(metres.map(Double.init)))
        for share in [0.3, 0.5, 0.7, 0.95, 0.999] {
            let (value, expected) = (try #require(found.quantile(share)), exact.quantile(share))
            #expect(abs(value - expected) <= expected / 256, "\(share)")
        }
        #expect(found.highest == 900)
    }

    @Test func theLastNearPixelIsWhereItWas() {
        let last = Float(20).nextDown
        #expect(histogram([last, last]).quantile(0.5) == Double(last))
        #expect(histogram([20, 20]).quantile(0.5) == 20)
    }

    @Test func farDepthHasBinsOfItsOwn() {
        let (step, pixels) = histogram([3, 45.3, 60]).coarse(atMost: 60)
        #expect(step == 2 && pixels.count == 31)
        #expect(pixels.indices.filter { pixels[$0] > 0 } == [1, 22, 30])
    }

    @Test func whatNoSensorSeesIsCountedAllTheSame() throws {
        let far = histogram([1, 100, 65_000])
        #expect(far.highest == 65_000)
        let median = try #require(far.quantile(0.5))
        #expect(abs(median - 100) < 0.2)
        #expect(far.coarse(atMost: 60).pixels.reduce(0, +) == 3)
        #expect(far.coarse(atMost: 60).pixels.count <= 60)
        // No sensor sees so far, and still it can stand in a file.
        let absurd = histogram([1, 1e20, .greatestFiniteMagnitude]).coarse(atMost: 60)
        #expect(absurd.step == 2 && absurd.pixels.reduce(0, +) == 3)
    }

    @Test func manyMapsAreOne() {
        var dice = SplitMix(seed: 73)
        let metres = (0..<900).map { _ in Float.random(in: 0...8, using: &dice) }
        var parts = DepthHistogram()
        for start in stride(from: 0, to: 900, by: 300) { parts.add(histogram(Array(metres[start..<start + 300]))) }
        #expect(parts == histogram(metres))
    }

    /// Half floats and whole millimetres, as recorders write them.
    @Test func coarseBinsHoldWhatLiesInThem() {
        let metres = (1...6000).map { Float($0) / 1000 } + (1...3000).map { Float(Float16(Float($0) / 500)) }
        let (step, pixels) = histogram(metres).coarse(atMost: 60)
        #expect(step == 0.1 && pixels.count == 60)
        var expected = Array(repeating: 0, count: 60)
        // In whole millimetres, exactly; a half float's tenth of a metre is exact in hundredths of a millimetre.
        for z in metres { expected[min(59, Int((Double(z) * 1e5).rounded()) / 10_000)] += 1 }
        #expect(pixels == expected)
        #expect(histogram([0.1, 0.2]).coarse(atMost: 60).step == 0.05)
        #expect(histogram(Array(repeating: 9, count: 5)).coarse(atMost: 60).step == 0.25)
    }
}
