extension Sequence where Element: Equatable {
    /// Each of the elements once, in the order in which they come first. For short lists: all are compared.
    package var unique: [Element] {
        reduce(into: []) { list, element in if !list.contains(element) { list.append(element) } }
    }
}
