import ScanModel
import Synchronization
import Testing

@Suite struct ParallelTests {
    @Test(arguments: [0, 1, 2, 7, 1000], [0, 1, 2, 16, .max])
    func everyNumberOnceAndInOrder(count: Int, workers: Int) {
        let calls = Mutex([Int]())
        let values = Parallel.map(count, workers: workers) { number in
            calls.withLock { $0.append(number) }
            return "\(number)"
        }
        #expect(values == (0..<count).map { "\($0)" })
        #expect(calls.withLock(\.self).sorted() == Array(0..<count))
    }

    @Test func oneWorkerTakesThemInTurn() {
        let calls = Mutex([Int]())
        Parallel.share(100, workers: 1) { next in
            while let number = next() { calls.withLock { $0.append(number) } }
        }
        #expect(calls.withLock(\.self) == Array(0..<100))
    }

    /// Each worker takes part once, whether or not others leave it anything to do.
    @Test(arguments: [(64, 1), (64, 2), (64, 3), (2, 3)]) func asManySharesAsWorkers(_ count: Int, _ workers: Int) {
        let shares = Mutex(0)
        Parallel.share(count, workers: workers) { next in
            shares.withLock { $0 += 1 }
            while next() != nil {}
        }
        #expect(shares.withLock(\.self) == min(count, workers))
    }
}
