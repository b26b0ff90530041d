/// Evenly spread ones of a capture's frames, at or after which one is due: stages of the same pass may leave out any of
/// them.
struct DueFrames: Sendable {
    private var numbers: ArraySlice<Int>

    /// - Parameters:
    ///   - count: how many; all of them where there are no more.
    ///   - frames: the numbers of those that are left, ascending.
    init(_ count: Int, of frames: some Collection<Int>) {
        let frames = Array(frames)
        let count = min(count, frames.count)
        numbers = (0..<count).map { frames[$0 * frames.count / count] }[...]
    }

    /// Whether the frame is the next one that was due. Frames come in order.
    mutating func takes(_ index: Int) -> Bool {
        guard let next = numbers.first, index >= next else { return false }
        while let next = numbers.first, next <= index { numbers.removeFirst() }
        return true
    }
}
