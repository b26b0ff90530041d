/// Evenly spread elements of a sequence of unknown length: all of them at first, then every second, every fourth, …, so
/// that never more than `limit` are held.
package struct EvenSample<Element> {
    package private(set) var elements: [Element] = []
    private let limit: Int
    private var step = 1
    private var passed = 0

    /// - Parameter limit: at least 2; once that many have come, at least half as many are held.
    package init(limit: Int) { self.limit = limit }

    package mutating func append(_ element: Element) {
        defer { passed += 1 }
        guard passed.isMultiple(of: step) else { return }
        if elements.count == limit {
            elements = stride(from: 0, to: limit, by: 2).map { elements[$0] }
            step *= 2
            if !passed.isMultiple(of: step) { return }
        }
        elements.append(element)
    }
}

extension Array {
    /// At most `count` elements, evenly from the first to the last; all of them for a count below 2.
    package func thinned(to count: Int) -> [Element] {
        guard self.count > count, count > 1 else { return self }
        return (0..<count).map { self[$0 * (self.count - 1) / (count - 1)] }
    }
}
