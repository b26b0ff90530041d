import Dispatch
import Synchronization

/// Work that is spread over threads.
package enum Parallel {
    /// Calls `body` on up to `workers` threads at once, at least one, and waits for all of them. Each asks `next` for a
    /// number below `count` until none is left; every number is handed out once.
    package static func share(_ count: Int, workers: Int, _ body: @Sendable (_ next: () -> Int?) -> Void) {
        let given = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: min(max(1, workers), count)) { _ in
            body {
                let number = given.add(1, ordering: .relaxed).oldValue
                return number < count ? number : nil
            }
        }
    }

    /// Calls `body` for every number below `count`, on up to `workers` threads at once, but no more than there are
    /// cores.
    /// - Returns: the results of `body`, in order.
    package static func map<Value: Sendable>(
        _ count: Int, workers: Int = .max, _ body: @Sendable (Int) -> Value
    ) -> [Value] {
        if count == 0 { return [] }
        return [Value](unsafeUninitializedCapacity: count) { buffer, initialized in
            nonisolated(unsafe) let base = buffer
            share(count, workers: workers) { next in
                // Each number has a place of its own.
                while let index = next() { base.initializeElement(at: index, to: body(index)) }
            }
            initialized = count
        }
    }
}
