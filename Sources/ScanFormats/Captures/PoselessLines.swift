/// The lines of a list of poses that hold none, by their times.
struct PoselessLines {
    /// Nanoseconds. Of lines that say that tracking was lost: all their numbers are there, and some are not finite.
    private(set) var lost: [Int64] = []
    /// Of lines that cannot be read.
    private(set) var spoilt: [Int64] = []

    mutating func add(_ row: TextTable.Row) {
        // A line without a time is no picture's.
        guard let time = try? row.time(0) else { return }
        let numbers = row.fields.dropFirst().map(Double.init)
        if !numbers.contains(nil), numbers.contains(where: { $0?.isFinite == false }) {
            lost.append(time)
        } else {
            spoilt.append(time)
        }
    }
}
