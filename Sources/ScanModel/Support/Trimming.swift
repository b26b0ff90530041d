extension StringProtocol where SubSequence == Substring {
    /// Without characters of a kind at its end.
    package func dropLast(while isDropped: (Character) -> Bool) -> Substring {
        var end = endIndex
        while end > startIndex, isDropped(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
