import ScanModel

extension CaptureInspection {
    /// Walks depth, confidence, and the slices of a file of points from their first frame to their last.
    /// - Parameter capture: frames that a stream lacks get dropped in it, as a run would drop them.
    /// - Returns: how many frames the longest stream has beyond the capture's list.
    mutating func walkStreams(of capture: inout Capture) -> Int {
        var depths = DepthTally()
        let depthEnd = walk(.recordedDepth, of: &capture) { (frame) throws(Problem) in
            guard let recorded = frame.recordedDepth else { return false }
            try depths.add(recorded)
            return true
        }
        if let depthEnd { depth = depths.facts(extraFrames: depthEnd.extraFrames) }

        var confidences = ConfidenceTally()
        let confidenceEnd = walk(.recordedConfidence, of: &capture) { (frame) throws(Problem) in
            guard let recorded = frame.recordedConfidence else { return false }
            confidences.add(recorded)
            return true
        }
        if let confidenceEnd { confidence = confidences.facts(extraFrames: confidenceEnd.extraFrames) }

        // Points are counted by the file's header; what is wrong with them shows when they are read.
        _ = walk(.points, of: &capture) { frame in frame.points != nil }
        return max(depthEnd?.extraFrames ?? 0, confidenceEnd?.extraFrames ?? 0)
    }

    /// Walks one channel.
    /// - Parameter take: gets every frame; says whether it carried anything.
    /// - Returns: nil when the capture has no such channel.
    private mutating func walk(
        _ channel: Channel, of capture: inout Capture, take: (Frame) throws(Problem) -> Bool
    ) -> TrackEnd? {
        guard capture.channels.contains(channel) else { return nil }
        var total = TrackEnd()
        var lost: [(frame: Int, drop: Drop)] = []
        var walkedCount = 0
        do throws(Problem) {
            let tracks = try capture.source.tracks(for: [channel], of: capture)
            for facts in capture.frames {
                var frame = Frame(facts)
                frame.facts.drop = nil
                for track in tracks { try track.advance(&frame, isWanted: true) }
                walkedCount += 1
                do throws(Problem) {
                    try capture.source.prepare(&frame, for: [channel])
                    // A frame without a file of its own stays; the reader has reported it.
                    if try take(frame) || facts.isDropped { continue }
                    if let drop = frame.facts.drop { lost.append((facts.index, drop)) }
                } catch {
                    guard error.fault == .input else { throw error }
                    if facts.isDropped { continue }
                    lost.append((facts.index, Drop(whileReading: error.oneLine, isBad: true)))
                }
            }
            for track in tracks { total.add(try track.finish()) }
        } catch {
            total.forgiven.append(error)
            // Where the machine is at fault, the rest may be sound.
            if error.fault == .input {
                let rest = capture.frames.dropFirst(walkedCount).map(\.index)
                lost += rest.map { (frame: $0, drop: Drop(whileReading: error.oneLine)) }
            }
        }

        note(errors: total.forgiven)
        let said = Set(total.forgiven.map(\.oneLine))
        note(warnings: total.warnings.filter { !said.contains($0) }.map { Problem(.input, $0) })
        if total.forgiven.isEmpty {
            let end = capture.frames.count
            let extra = (end..<end + total.extraFrames).map {
                (frame: $0, drop: Drop(whileReading: total.reason))
            }
            noteShortfall(lost + extra)
        }
        for (frame, drop) in lost { capture.drop(frame, stage: drop.stage, reason: drop.reason, isBad: drop.isBad) }
        return total
    }
}

extension TrackEnd {
    fileprivate mutating func add(_ end: TrackEnd) {
        if end.extraFrames > extraFrames { (extraFrames, reason) = (end.extraFrames, end.reason) }
        warnings += end.warnings
        forgiven += end.forgiven
    }
}
