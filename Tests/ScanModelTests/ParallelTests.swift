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

    @Test func noMoreThreadsThanWorkers() {
        let working = Mutex((now: 0, most: 0))
        Parallel.share(64, workers: 1) { next in
            working.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            while next() != nil {}
            working.withLock { $0.now -= 1 }
        }
        #expect(working.withLock(\.most) == 1)
    }
}
