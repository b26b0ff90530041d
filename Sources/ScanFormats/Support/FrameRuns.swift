extension [Int] {
    /// These frames, for a message: "frames 3, 7 to 12, 20". The first ten runs of many.
    var frameRuns: String {
        var runs: [ClosedRange<Int>] = []
        for frame in sorted() {
            if let last = runs.last, frame == last.upperBound + 1 {
                runs[runs.count - 1] = last.lowerBound...frame
            } else {
                runs.append(frame...frame)
            }
        }
        let more = runs.count > 10 ? ", …" : ""
        let texts = runs.prefix(10).map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
        return (count == 1 ? "frame " : "frames ") + texts.joined(separator: ", ") + more
    }
}
