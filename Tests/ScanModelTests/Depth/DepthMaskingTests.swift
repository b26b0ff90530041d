import ScanModel
import Testing

@Suite struct DepthMaskingTests {
    /// Widths that are no multiple of what a vector instruction takes.
    private static let counts = [0, 1, 3, 4, 7, 8, 31, 1000]

    private func map(_ count: Int, _ shift: Int = 0) -> DepthMap {
        DepthMap(
            width: count, height: 1,
            metres: (0..<count).map { ($0 + shift) % 5 == 0 ? 0 : Float(($0 * 37 + shift) % 700) / 100 })
    }

    private func expect(
        _ before: DepthMap, _ change: (inout DepthMap) -> DepthMap.MaskCount, keeps: (Int) -> Bool
    ) {
        var after = before
        let count = change(&after)
        let expected = before.metres.indices.map { keeps($0) ? before.metres[$0] : 0 }
        #expect(after.metres == expected)
        #expect(count.before == before.metres.count { $0 > 0 })
        #expect(count.after == expected.count { $0 > 0 })
    }

    @Test(arguments: counts)
    func rangeKeepsBothBounds(count: Int) {
        let map = map(count)
        expect(map, { $0.mask(near: 0.37, far: 5.55) }, keeps: { map.metres[$0] >= 0.37 && map.metres[$0] <= 5.55 })
    }

    @Test(arguments: counts)
    func confidenceKeepsWhatIsAtLeastTheThreshold(count: Int) {
        let values = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 11) }
        let confidence = ConfidenceMap(width: count, height: 1, values: values, range: 0...255)
        for threshold in [0, 1, 170, 255, 256] {
            expect(
                map(count), { $0.mask(confidence: confidence, atLeast: threshold) },
                keeps: { Int(values[$0]) >= threshold })
        }
    }

    @Test(arguments: counts)
    func jumpsGoAndSoDoesWhatWasNotThere(count: Int) {
        let (map, earlier) = (map(count), map(count, 4))
        expect(
            map, { $0.mask(jumpsFrom: earlier, over: 0.5) },
            keeps: { earlier.metres[$0] > 0 && abs(map.metres[$0] - earlier.metres[$0]) <= 0.5 })
    }

    @Test func minusZeroIsNoDepth() {
        var map = DepthMap(width: 5, height: 1, metres: [0, 1, -0.0, .leastNonzeroMagnitude, 65504])
        #expect(map.validCount == 3)
        #expect(map.mask(near: 0, far: 100_000) == DepthMap.MaskCount(before: 3, after: 3))
    }
}
