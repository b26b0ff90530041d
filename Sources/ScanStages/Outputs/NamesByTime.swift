import ScanModel

/// File names made from the frames' times, which no two frames can share.
struct NamesByTime: Sendable {
    /// For each frame whose name is taken: that name, and the first frame with it.
    private var taken: [Int: (name: String, owner: Int)] = [:]

    /// - Parameters:
    ///   - frames: those that remain when the first is named.
    ///   - name: makes a name from a time in nanoseconds; nil if it makes none.
    init(_ frames: [FrameFacts], name: (Int64) -> String?) {
        var firsts: [String: Int] = [:]
        for frame in frames where !frame.isDropped {
            guard let name = frame.timestamp.flatMap(name) else { continue }
            if let first = firsts[name] { taken[frame.index] = (name, first) } else { firsts[name] = frame.index }
        }
    }

    /// - Throws: if an earlier frame already has the frame's name.
    func requireFree(_ frame: FrameFacts) throws(Problem) {
        guard let (name, owner) = taken[frame.index] else { return }
        throw Problem(
            .input, "its time makes the name \(name), which frame \(owner) has already",
            fix: "leave one of the two out with select-frames")
    }
}
