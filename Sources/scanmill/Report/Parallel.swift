import Dispatch

/// Work that is spread over the cores.
enum Parallel {
    /// Calls `body` for every number below `count`, many at once.
    /// - Returns: what it returned, in order.
    static func map<Value: Sendable>(_ count: Int, _ body: @Sendable (Int) -> Value) -> [Value] {
        if count == 0 { return [] }
        return [Value](unsafeUninitializedCapacity: count) { buffer, initialized in
            nonisolated(unsafe) let base = buffer
            // Each call writes to its own place.
            DispatchQueue.concurrentPerform(iterations: count) { index in
                base.initializeElement(at: index, to: body(index))
            }
            initialized = count
        }
    }
}
