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
        return steps.isEmpty ? nil : steps.sorted()[steps.count / 2]
    }

    /// Puts the lines behind damaged ones into their places: a line break that was lost, or came in, would give every later
    /// picture and depth frame another frame's pose. How many lines stood at a damaged place is told by the time between the
    /// lines around it, and believed only where it makes as many lines as the metadata says, or as there are pictures.
    mutating func restoreLines(_ metadata: ScanMetadata) {
        let lines = capture.frames
        let sound = lines.indices.filter { lines[$0].timestamp != nil }
        guard sound.count < lines.count, 2 * sound.count > lines.count, let step = medianStep else { return }
        var claims = Set([metadata.colorStream, metadata.depthStream].compactMap { $0?.frameCount })
        if let pictures = PictureFolder.find(in: tree) { claims.insert(pictures.pictures.count) }
        guard !claims.contains(lines.count), let most = claims.max() else { return }

        // For each damaged place: the line above it, how many lines it has, and how many it should have.
        var places: [Int: (found: Int, expected: Int)] = [:]
        var total = lines.count
        for (above, below) in zip(sound, sound.dropFirst()) where below > above + 1 {
            let way = Double(lines[below].timestamp ?? 0) - Double(lines[above].timestamp ?? 0)
            guard way > 0, way / step < Double(most) else { return }
            let (found, expected) = (below - above - 1, max(0, Int((way / step).rounded()) - 1))
            places[above] = (found, expected)
            total += expected - found
        }
        guard total != lines.count, claims.contains(total) else { return }

        var restored: [FrameFacts] = []
        var index = 0
        while index < lines.count {
            restored.append(lines[index])
            if let (found, expected) = places[index] {
                let damaged = lines[(index + 1)...(index + found)]
                restored += damaged.prefix(expected)
                if let last = damaged.last, expected > found {
                    restored += Array(repeating: last, count: expected - found)
                }
                index += found
            }
            index += 1
        }
        for index in restored.indices { restored[index].index = index }
        capture.frames = restored
        let difference = abs(total - lines.count)
        let what = difference == 1 ? "1 line" : "\(difference) lines"
        capture.warnings.append(
            "damaged camera lines are \(what) too \(total > lines.count ? "few" : "many") in \(stem).jsonl: by the times "
                + "around them there were \(total), and the others were put into their places")
    }
}
