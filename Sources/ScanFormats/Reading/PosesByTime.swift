import ScanModel

/// A list of poses by time, and its lines that hold no pose. Times are nanoseconds.
struct TimedPoses {
    let file: String
    fileprivate(set) var times: [Int64] = []
    fileprivate(set) var poses: [Pose] = []
    /// The time of the last pose, where the file was cut off: frames after it are bad.
    fileprivate(set) var end: Int64?
    /// Lines that say that tracking was lost: all their numbers are there, but some are not finite.
    private(set) var lost: [Int64] = []
    /// Lines that cannot be read.
    private(set) var spoilt: [Int64] = []

    fileprivate init(file: String) { self.file = file }

    fileprivate mutating func add(_ row: TextTable.Row) {
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

extension Capture {
    /// The poses of a list.
    /// - Parameter read: a row's time, nanoseconds, and its pose.
    mutating func readPoses(
        _ file: String, in tree: any CaptureTree, _ rules: ReadRules,
        _ read: (TextTable.Row) throws(Problem) -> (timestamp: Int64, pose: Pose)
    ) throws(Problem) -> TimedPoses {
        var result = TimedPoses(file: file)
        let (rows, isCut) = try readList(file, in: tree, rules, unusable: { result.add($0) }, read)
        (result.times, result.poses) = (rows.map(\.timestamp), rows.map(\.pose))
        if isCut { result.end = result.times.max() }
        return result
    }

    /// Gives the frames the poses that their times were matched with, and drops those without one. Each line without a
    /// pose belongs to some frame, which is bad where the line cannot be read.
    mutating func takePoses(_ list: TimedPoses, by match: TimeMatch, _ rules: ReadRules) {
        let file = list.file
        if match.matchedCount == 0 { noteOtherClock(of: list, tolerance: match.tolerance) }
        let earlyEnd = match.matchedCount > 0 ? noteEarlyEnd(of: list, rules) : nil
        let unmatched = match.partners.indices.filter { match.partners[$0] == nil && frames[$0].timestamp != nil }
        func left(near times: [Int64]) -> Set<Int> {
            let match = TimeMatch(unmatched.compactMap { frames[$0].timestamp }, with: times, within: match.tolerance)
            return Set(zip(unmatched, match.partners).filter { $1 != nil }.map(\.0))
        }
        let (spoilt, lost) = (left(near: list.spoilt), left(near: list.lost))
        let distance = "within \(match.tolerance / 1_000_000) ms of it"
        for (index, partner) in match.partners.enumerated() {
            if let partner {
                frames[index].pose = list.poses[partner]
            } else if let last = list.end, let time = frames[index].timestamp, time > last {
                drop(
                    index, whileReading: "\(file) was cut off before its pose", isBad: true,
                    fix: LastNumbers.wayToMend)
            } else if spoilt.contains(index) {
                drop(index, whileReading: "the line of \(file) with its pose cannot be used", isBad: true)
            } else if lost.contains(index) {
                drop(index, whileReading: "tracking was lost: its pose in \(file) is not finite")
            } else if let earlyEnd, let time = frames[index].timestamp, time > earlyEnd {
                drop(index, whileReading: "the poses of \(file) end before it")
            } else {
                let reason =
                    match.outdone.contains(index)
                    ? "each pose of \(file) \(distance) belongs to another picture"
                    : "no pose of \(file) is \(distance)"
                drop(index, whileReading: reason)
            }
        }
    }

    /// Says how far the poses' times are from the frames', none of which has one: nothing need be missing.
    private mutating func noteOtherClock(of list: TimedPoses, tolerance: Int64) {
        let (times, poses) = (frames.compactMap(\.timestamp).sorted(), list.times.sorted())
        guard let first = times.first, let last = times.last, let start = poses.first, let end = poses.last else {
            return
        }
        func span(_ times: (Int64, Int64)) -> String {
            "\(DecimalSeconds.text(times.0, places: 3)) to \(DecimalSeconds.text(times.1, places: 3)) s"
        }
        if last < start || end < first {
            warnings.append(
                "the pictures are from \(span((first, last))), the poses of \(list.file) from \(span((start, end))): "
                    + "another clock, or another recording; shift the times of one of them, or copy the poses that belong "
                    + "to them")
            return
        }
        let gaps = TimeMatch.nearest(to: times, among: poses).compactMap { $0?.gap }
        guard let gap = gaps.middle else { return }
        let distance = (Double(gap) / 1e6).shortText(decimals: 1)
        warnings.append(
            "the nearest pose of \(list.file) is \(distance) ms away at the median, and "
                + "\(tolerance / 1_000_000) ms are allowed: if one of the clocks is late, shift the times of one of "
                + "them")
    }

    /// Warns where a list ends a second or more before the frames do, for more of them than may be bad: one that was cut
    /// off between two lines looks like a whole one.
    /// - Returns: the time of its last line, where that is so.
    private mutating func noteEarlyEnd(of list: TimedPoses, _ rules: ReadRules) -> Int64? {
        let times = frames.compactMap(\.timestamp)
        guard list.end == nil, let end = (list.times + list.lost + list.spoilt).max(), let last = times.max() else {
            return nil
        }
        let seconds = (Double(last) - Double(end)) / 1e9
        let share = Double(times.count { $0 > end }) / Double(frames.count)
        guard seconds >= 1, share > rules.badFrameLimit else { return nil }
        warnings.append(
            "the poses of \(list.file) end \(seconds.rounded(decimals: 1)) s before the pictures: copy the file again if it "
                + "should be longer")
        return end
    }
}
