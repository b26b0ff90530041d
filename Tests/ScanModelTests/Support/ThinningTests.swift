import ScanModel
import Testing

@Suite struct ThinningTests {
    @Test(arguments: [0, 1, 2, 9, 10, 11, 20, 21, 1000, 4096, 99_999], [2, 9, 10, 64])
    func anEvenSampleIsBoundedAndEven(count: Int, limit: Int) {
        var sample = EvenSample<Int>(limit: limit)
        for number in 0..<count { sample.append(number) }
        let held = sample.elements
        #expect(held.count <= limit)
        #expect(held.count >= min(count, limit / 2))
        let step = held.count > 1 ? held[1] : 1
        // From the first one on, evenly spaced, to less than a step before the end.
        #expect(held == held.indices.map { $0 * step })
        #expect((held.last ?? 0) + step >= count)
        if count <= limit { #expect(held == Array(0..<count)) }
    }
}
