import ScanModel

/// Names of files that are made of the frames' times, of which no two frames can have the same.
struct NamesByTime: Sendable {
    /// By frame: the first one with its name, of those that come later.
    private var owners: [Int: Int] = [:]

    /// - Parameters:
    ///   - frames: that are left when the first is named.
    ///   - name: made of a time in nanoseconds; nil where it makes none.
    init(_ frames: [FrameFacts], name: (Int64) -> String?) {
        var firsts: [String: Int] = [:]
        for frame in frames where !frame.isDropped {
            guard let name = frame.timestamp.flatMap(name) else { continue }
            if let first = firsts[name] { owners[frame.index] = first } else { firsts[name] = frame.index }
        }
    }

    /// - Parameter name: the frame's, as it was made for it.
    /// - Throws: when an earlier frame has the name already.
    func require(_ name: String, for frame: FrameFacts) throws(Problem) {
        guard let owner = owners[frame.index] else { return }
        throw Problem(
            .input, "its time makes the name \(name), which frame \(owner) has already",
            fix: "leave one of the two out with select-frames")
    }
}
