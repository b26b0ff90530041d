import ScanModel
import Testing

@Suite struct ImagesTests {
    @Test func levelsOfConfidenceAreCountedWhateverTheRange() {
        let ios = ConfidenceMap(width: 5, height: 1, values: [0, 1, 1, 2, 2], range: 0...2)
        #expect(ios.levelCounts == [1, 2, 2])
        let android = ConfidenceMap(width: 6, height: 1, values: [0, 84, 85, 169, 170, 255], range: 0...255)
        #expect(android.levelCounts == [2, 2, 2])
    }

    @Test func aLevelsThresholdIsTheSmallestValueThatPasses() {
        // By the definition, for every range that a byte can have.
        for low in 0...254 {
            for high in (low + 1)...255 {
                for level in 0...2 {
                    let passing = (low...high).first { 3 * ($0 - low) >= level * (high - low) }
                    let threshold = ConfidenceMap.threshold(level: level, in: low...high)
                    if threshold != passing { Issue.record("level \(level) of \(low)…\(high) is \(threshold)") }
                }
            }
        }
        #expect(ConfidenceMap.threshold(level: 2, in: 0...2) == 2)
        #expect(ConfidenceMap.threshold(level: 2, in: 0...255) == 170)
    }

    @Test func validPixelsAreThoseAboveZero() {
        #expect(DepthMap(width: 5, height: 1, metres: [0, 1, -0.0, .leastNonzeroMagnitude, 65504]).validCount == 3)
        #expect(DepthMap(width: 0, height: 0, metres: []).validCount == 0)
        #expect(DepthMap(width: 300, height: 200, metres: Array(repeating: 2, count: 60_000)).validCount == 60_000)
    }
}
