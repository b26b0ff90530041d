extension Array {
    /// At most `count` elements, evenly from the first to the last; all of them for a count below 2.
    package func thinned(to count: Int) -> [Element] {
        guard self.count > count, count > 1 else { return self }
        return (0..<count).map { self[$0 * (self.count - 1) / (count - 1)] }
    }
}
