import ScanModel

extension Capture {
    /// Gives the frames the poses that their times were matched with, and drops those without one.
    /// - Parameters:
    ///   - file: where the poses are from.
    ///   - last: the time of the last pose in a file that was cut off: frames after it are bad.
    ///   - others: the file's lines without a pose. Each belongs to some frame, which is bad where the line cannot be
    ///     read.
    mutating func takePoses(
        _ poses: [Pose], of file: String, by match: TimeMatch, cutOffAfter last: Int64?,
        besides others: PoselessLines
    ) {
        let unmatched = match.partners.indices.filter { match.partners[$0] == nil && frames[$0].timestamp != nil }
        func left(near times: [Int64]) -> Set<Int> {
            let match = TimeMatch(unmatched.compactMap { frames[$0].timestamp }, with: times, within: match.tolerance)
            return Set(zip(unmatched, match.partners).filter { $1 != nil }.map(\.0))
        }
        let (spoilt, lost) = (left(near: others.spoilt), left(near: others.lost))
        let distance = "within \(match.tolerance / 1_000_000) ms of it"
        for (index, partner) in match.partners.enumerated() {
            if let partner {
                frames[index].pose = poses[partner]
            } else if let last, let time = frames[index].timestamp, time > last {
                drop(
                    index, whileReading: "\(file) was cut off before its pose", isBad: true,
                    fix: LastNumbers.wayToMend)
            } else if spoilt.contains(index) {
                drop(index, whileReading: "the line of \(file) with its pose cannot be used", isBad: true)
            } else if lost.contains(index) {
                drop(index, whileReading: "tracking was lost: its pose in \(file) is not finite")
            } else {
                let reason =
                    match.outdone.contains(index)
                    ? "each pose of \(file) \(distance) belongs to another picture"
                    : "no pose of \(file) is \(distance)"
                drop(index, whileReading: reason)
            }
        }
    }
}
