import ScanStages
import Testing

@Suite struct SplitMix64Tests {
    @Test func givesThePublishedNumbers() {
        // https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64
        var random = SplitMix64(seed: 1_234_567)
        let numbers = (0..<5).map { _ in random.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }

    @Test func unitsFillTheUnitInterval() {
        var random = SplitMix64(seed: 3)
        let units = (0..<10_000).map { _ in random.unit() }
        #expect(units.allSatisfy { (0..<1).contains($0) })
        #expect(abs(units.reduce(0, +) / 10_000 - 0.5) < 0.01)
    }
}
