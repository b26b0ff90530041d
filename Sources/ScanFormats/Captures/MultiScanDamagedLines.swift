import ScanModel

// Camera lines of a MultiScan capture that were damaged so that two became one, or one became two.
extension MultiScanReader {
    /// The step between the timestamps of neighbouring lines, nanoseconds; nil where no two neighbours are in order.
    var medianStep: Double? {
        let times = capture.frames.map(\.timestamp)
        let steps = zip(times, times.dropFirst()).compactMap { before, after -> Double? in
            guard let before, let after, after > before else { return nil }
            return Double(after) - Double(before)
        }
        return steps.middle
    }

    /// Puts the lines after damaged ones back in their places: a line break lost or added would give every later
    /// picture and depth frame another frame's pose. The time between the lines around a damaged place tells how many
    /// lines stood there. It is believed only where the total matches the metadata or the number of pictures.
    mutating func restoreLines(_ metadata: ScanMetadata) {
        let lines = capture.frames
        guard lines.contains(where: { $0.timestamp == nil }) else { return }
        var claims = Set([metadata.colorStream, metadata.depthStream].compactMap { $0?.frameCount })
        if let pictures = PictureFolder.find(in: tree) { claims.insert(pictures.pictures.count) }
        // If there are as many lines as there should be, each is in its place.
        if claims.contains(lines.count) { return }
        claims = claims.filter { $0 <= rules.maxFrames }
        guard let most = claims.max(), let places = damagedPlaces(most: most) else { return }
        let total = places.reduce(lines.count) { $0 + $1.expected - $1.found.count }
        guard total != lines.count, claims.contains(total) else { return }

        var restored: [FrameFacts] = []
        var next = 0
        for place in places {
            restored += lines[next..<place.found.lowerBound]
            let damaged = lines[place.found]
            restored += damaged.prefix(place.expected)
            restored += damaged.suffix(1).flatMap {
                Array(repeating: $0, count: max(0, place.expected - damaged.count))
            }
            next = place.found.upperBound
        }
        restored += lines[next...]
        capture.frames = restored.renumbered
        let difference = abs(total - lines.count)
        capture.warnings.append(
            "the damaged camera lines in \(stem).jsonl are \(difference) too \(total > lines.count ? "few" : "many"): "
                + "by the times around them there were \(total), and the other lines were put where these times belong")
    }

    /// Where lines without a time stand between others, in order: the lines that are there, and how many there should be.
    /// - Parameter most: the largest number of lines that the capture can have.
    /// - Returns: nil where the times do not tell: too few lines have one, or they do not ascend, or jump too far.
    private func damagedPlaces(most: Int) -> [(found: Range<Int>, expected: Int)]? {
        let lines = capture.frames
        let sound = lines.indices.filter { lines[$0].timestamp != nil }
        guard 2 * sound.count > lines.count, let step = medianStep else { return nil }
        var places: [(found: Range<Int>, expected: Int)] = []
        for (above, below) in zip(sound, sound.dropFirst()) where below > above + 1 {
            let way = Double(lines[below].timestamp ?? 0) - Double(lines[above].timestamp ?? 0)
            guard way > 0, way / step < Double(most) else { return nil }
            places.append((above + 1..<below, max(0, Int((way / step).rounded()) - 1)))
        }
        return places
    }
}
