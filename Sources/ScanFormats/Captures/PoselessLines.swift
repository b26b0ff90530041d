/// The lines of a pose list that hold no pose, by their times.
struct PoselessLines {
    /// Nanoseconds. Lines that say that tracking was lost: all their numbers are there, but some are not finite.
    private(set) var lost: [Int64] = []
    /// Nanoseconds. Lines that cannot be read.
    private(set) var spoilt: [Int64] = []

    mutating func add(_ row: TextTable.Row) {
        // A line without a time belongs to no picture.
        guard let time = try? row.time(0) else { return }
        let numbers = row.fields.dropFirst().map(Double.init)
        if !numbers.contains(nil), numbers.contains(where: { $0?.isFinite == false }) {
            lost.append(time)
        } else {
            spoilt.append(time)
        }
    }
}
