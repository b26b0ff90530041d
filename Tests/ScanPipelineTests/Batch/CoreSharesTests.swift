import ScanPipeline
import Testing

@Suite struct CoreSharesTests {
    @Test func coresAreSharedOutOverCapturesFirst() {
        /// The threads of each capture of the first round.
        func shares(
            _ cores: Int, _ captures: Int, memory: Int64? = nil, perCapture: Int64 = 1, most: Int = .max
        ) -> [Int] {
            let shares = CoreShares(
                cores: cores, captures: captures, memory: memory, perCapture: perCapture, most: most)
            var taken: [Int] = []
            for begun in 0..<shares.sideBySide { taken.append(shares.next(taken: taken, waiting: captures - begun)) }
            return taken
        }
        func ones(_ count: Int) -> [Int] { Array(repeating: 1, count: count) }
        #expect(shares(8, 100) == ones(8))
        #expect(shares(8, 8) == ones(8))
        #expect(shares(8, 5) == [2, 2, 2, 1, 1])
        #expect(shares(8, 3) == [3, 3, 2])
        #expect(shares(8, 1) == [8])
        #expect(shares(1, 9) == [1])
        #expect(shares(0, 0) == [1])
        #expect(shares(8, 100, memory: 1000, perCapture: 300) == [3, 3, 2])
        #expect(shares(8, 2, memory: 1000, perCapture: 300) == [4, 4])
        #expect(shares(8, 100, memory: 1000, perCapture: 5000) == [8])
        #expect(shares(8, 100, memory: 0, perCapture: 0) == [8])
        #expect(shares(8, 100, memory: .max, perCapture: 1) == ones(8))
        #expect(shares(192, 260, most: 96) == Array(repeating: 2, count: 96))
        #expect(shares(8, 100, memory: 1000, perCapture: 300, most: 2) == [4, 4])
        #expect(shares(8, 100, most: 0) == [8])
    }

    @Test func freedCoresGoToTheCapturesThatBegin() {
        let shares = CoreShares(cores: 8, captures: 11)
        #expect(shares.next(taken: [1, 1, 1, 1, 1, 1, 1], waiting: 4) == 1)
        // The last ones have what the others leave.
        #expect(shares.next(taken: [1, 1], waiting: 2) == 3)
        #expect(shares.next(taken: [1, 1, 3], waiting: 1) == 3)
        #expect(shares.next(taken: [Int](), waiting: 1) == 8)
    }
}
