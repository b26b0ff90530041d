/// Which frame of a Stray Scanner video each line of its odometry belongs to.
///
/// The app numbers the lines from 0, one by one, as it adds frames to the video. Where lines are missing, the numbers
/// tell which, and every other line keeps its frame. Lines that another program has sorted otherwise, or written twice,
/// are first put into order: ``order(of:saysTheSame:)``.
struct StrayPlaces: Hashable {
    struct Line: Hashable {
        /// As written in the line; nil where it cannot be read.
        var number: Int?
        /// Whether the line can be used.
        var isSound = true
    }

    /// Each line's frame; nil for a line that cannot be used and has no room between its neighbours.
    var frames: [Int?]
    /// Why the numbers do not tell, for a message: the lines are then taken in their order. Nil where they do.
    var obstacle: String?

    /// - Parameters:
    ///   - videoFrames: nil where the video cannot be probed, or there is none.
    ///   - limit: the largest number of frames that is ever made.
    init(_ lines: [Line], videoFrames: Int?, limit: Int) {
        let inOrder = Array(lines.indices)
        frames = inOrder
        // A line that cannot be used may have any number: only the others' are believed.
        let sound = lines.indices.compactMap { line in
            lines[line].isSound ? lines[line].number.map { (line: line, number: $0) } : nil
        }
        guard let first = sound.first, let last = sound.last else { return }
        if sound.allSatisfy({ $0.line == $0.number }) { return }
        if let (before, after) = zip(sound, sound.dropFirst()).first(where: { $0.number >= $1.number }) {
            obstacle = "\(after.number) comes after \(before.number)"
            return
        }
        if let videoFrames {
            if last.number >= videoFrames {
                obstacle = "they go up to \(last.number), and the video has \(videoFrames.counted("frame"))"
                return
            }
        } else if first.number > first.line || last.number >= limit {
            // Nothing shows that there was a frame before the first line, and without pictures nothing is shifted.
            return
        }
        // After the last sound line, nothing shows whether a number is right.
        let end = last.number + lines.count - last.line
        frames = Self.frames(lines, end: min(end, videoFrames ?? limit))
    }

    /// The lines by their numbers, each number once. A line that cannot be used, or has no number, stays behind the one
    /// before it.
    /// - Parameter saysTheSame: whether two lines with the same number agree in everything else.
    /// - Returns: the lines' places in the file; nil where lines with the same number differ, so that their numbers are
    ///   not those of one recording.
    static func order(of lines: [Line], saysTheSame: (Int, Int) -> Bool) -> [Int]? {
        var lineOfNumber: [Int: Int] = [:]
        var kept: [(number: Int, line: Int)] = []
        for (line, facts) in lines.enumerated() {
            guard facts.isSound, let number = facts.number else {
                kept.append((kept.last?.number ?? -1, line))
                continue
            }
            if let other = lineOfNumber[number] {
                guard saysTheSame(other, line) else { return nil }
                continue
            }
            lineOfNumber[number] = line
            kept.append((number, line))
        }
        return kept.sorted { $0 < $1 }.map(\.line)
    }

    /// A sound line's frame is its number. Any other line gets the number that it claims if that is free between its
    /// sound neighbours, else the first free one there; nil if none is free.
    private static func frames(_ lines: [Line], end: Int) -> [Int?] {
        var result: [Int?] = lines.map { $0.isSound ? $0.number : nil }
        var next = end
        var ends = Array(repeating: end, count: lines.count)
        for line in lines.indices.reversed() {
            ends[line] = next
            next = result[line] ?? next
        }
        var previous = -1
        for line in lines.indices {
            if result[line] == nil {
                let free = previous + 1..<max(previous + 1, ends[line])
                result[line] = lines[line].number.flatMap { free.contains($0) ? $0 : nil } ?? free.first
            }
            previous = result[line] ?? previous
        }
        return result
    }
}
