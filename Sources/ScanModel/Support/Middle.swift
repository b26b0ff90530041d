extension Collection where Element: Comparable {
    /// The one in the middle once they are in order, of an even number the upper of the two: a value that really occurs, where
    /// ``Distribution/median`` may lie between two. Nil of none.
    // Inlinable, so that other modules look through numbers and not boxes: a frame's depth is asked for it.
    @inlinable package var middle: Element? {
        if isEmpty { return nil }
        var elements = ContiguousArray(self)
        return elements.withUnsafeMutableBufferPointer { $0.find(count / 2) }
    }
}

extension UnsafeMutableBufferPointer where Element: Comparable {
    /// The element that would stand at `place` if all were in order, found without putting them all in order: a range that
    /// holds it is split until it is alone (C. A. R. Hoare, "Algorithm 65: Find", 1961).
    @inlinable package func find(_ place: Int) -> Element {
        var (low, high) = (0, count - 1)
        // A split about halves the range. Where one does not again and again, sorting what is left bounds the time.
        var splits = 2 * (Int.bitWidth - count.leadingZeroBitCount)
        while low < high {
            if splits == 0 {
                var rest = UnsafeMutableBufferPointer(rebasing: self[low...high])
                rest.sort()
                break
            }
            splits -= 1
            let (first, between, last) = (self[low], self[low + (high - low) / 2], self[high])
            let pivot = Swift.max(Swift.min(first, between), Swift.min(Swift.max(first, between), last))
            var (left, right) = (low, high)
            while left <= right {
                while self[left] < pivot { left += 1 }
                while pivot < self[right] { right -= 1 }
                if left <= right {
                    swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            // What lies between the two is the pivot.
            if place <= right { high = right } else if place >= left { low = left } else { break }
        }
        return self[place]
    }
}
