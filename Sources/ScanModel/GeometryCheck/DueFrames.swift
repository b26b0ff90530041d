/// Numbers of source frames, evenly spread, at or after which one is due: stages above may have left out any of them.
struct DueFrames: Sendable {
    private var numbers: ArraySlice<Int>

    /// - Parameters:
    ///   - count: how many; all of them where there are no more.
    ///   - frameCount: of the source.
    init(_ count: Int, of frameCount: Int) {
        let count = min(count, frameCount)
        numbers = (0..<count).map { $0 * frameCount / count }[...]
    }

    /// Whether the frame is the next one that was due. Frames come in order.
    mutating func takes(_ index: Int) -> Bool {
        guard let next = numbers.first, index >= next else { return false }
        while let next = numbers.first, next <= index { numbers.removeFirst() }
        return true
    }
}
