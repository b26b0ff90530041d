import ScanModel
import TestSupport
import Testing

@Suite struct DistributionTests {
    @Test func quantilesLieBetweenNeighbours() throws {
        let four = try #require(Distribution([4.0, 1, 3, 2]))
        #expect(four.lowest == 1 && four.highest == 4 && four.count == 4)
        #expect(four.median == 2.5)
        #expect(four.quantile(0) == 1 && four.quantile(1) == 4)
        // numpy.quantile([1, 2, 3, 4], 0.9)
        #expect(abs(four.quantile(0.9) - 3.7) < 1e-12)
        let one = try #require(Distribution([7.0]))
        #expect(one.median == 7 && one.quantile(0.9) == 7)
    }

    @Test func whatIsNotFiniteIsLeftOut() throws {
        #expect(Distribution([Double]()) == nil)
        #expect(Distribution([.nan, .infinity]) == nil)
        #expect(try #require(Distribution([.nan, 5, -.infinity, 3])).median == 4)
    }

    @Test func aShareIsLeftOutAtEitherEnd() throws {
        let hundred = try #require(Distribution((1...100).map(Double.init)))
        #expect(hundred.range(without: 0.05) == 6...95)
        #expect(hundred.range(without: 0.009) == 1...100)
        #expect(hundred.range(without: 1) == 50...51)
        #expect(try #require(Distribution([7.0])).range(without: 0.5) == 7...7)
    }

    @Test func ranksThatAgreeAndOnesThatDoNot() throws {
        #expect(try #require(Distribution.rankCorrelation([1, 2, 3, 4], [10, 100, 1000, 1e9])) == 1)
        #expect(try #require(Distribution.rankCorrelation([1, 2, 3, 4], [9, 7, 5, 3])) == -1)
        #expect(Distribution.rankCorrelation([1, 2], [1, 2]) == nil)
        #expect(Distribution.rankCorrelation([1, 1, 1], [1, 2, 3]) == nil)
        // Spearman's own formula, without ties: 1 − 6·Σd²/(n·(n² − 1)), with d = 1, −1, 1, −1, 0.
        let found = try #require(Distribution.rankCorrelation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]))
        #expect(abs(found - (1 - 6.0 * 4 / (5 * 24))) < 1e-12)
    }

    /// Pearson's correlation of mean ranks, in Python.
    @Test func tiesShareTheirRanks() throws {
        var dice = SplitMix(seed: 71)
        let a = (0..<60).map { _ in Double(Int.random(in: 0...9, using: &dice)) }
        let b = a.map { $0 + Double(Int.random(in: 0...9, using: &dice)) }
        let result = try runPython(
            """
            import json, sys
            def ranks(v): return [sum(x < y for x in v) + (sum(x == y for x in v) + 1) / 2 for y in v]
            def pearson(a, b):
                ma, mb = sum(a) / len(a), sum(b) / len(b)
                c = sum((x - ma) * (y - mb) for x, y in zip(a, b))
                return c / (sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b)) ** 0.5
            a, b = json.loads(sys.argv[1]), json.loads(sys.argv[2])
            print(pearson(ranks(a), ranks(b)))
            """, ["\(a)", "\(b)"])
        let expected = try #require(Double(result.output.split(separator: "\n").first ?? ""))
        let found = try #require(Distribution.rankCorrelation(a, b))
        #expect(abs(found - expected) < 1e-12)
        #expect(found > 0.3 && found < 0.95)
    }
}
