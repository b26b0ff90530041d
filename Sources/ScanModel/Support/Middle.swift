extension Collection where Element: Comparable {
    /// The one in the middle once they are in order, of an even number the upper of the two: a value that really occurs, where
    /// ``Distribution/median`` may lie between two. Nil of none.
    // Inlinable, so that other modules sort numbers and not boxes: a frame's depth is asked for it.
    @inlinable package var middle: Element? { isEmpty ? nil : sorted()[count / 2] }
}
